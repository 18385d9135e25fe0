from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Barrier
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import EndpointConnectionError

from lambdas.runtime.items import Item
from seed import table as seed_table
from seed.connection import IN_FLIGHT
from seed.faults import Failure
from seed.table import ATTEMPTS, READ_BATCH, WRITE_BATCH, Table, batches, pauses, some
from tests.seed.reluctant import Reluctant, refusal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Stored = Callable[[], list[Item]]


def numbered(count: int) -> list[Item]:
    return [
        {
            "PK": {"S": f"P{n:03}"},
            "SK": {"S": f"S{n:03}"},
            "Type": {"S": "Sample"},
            "N": {"N": f"{n}"},
        }
        for n in range(count)
    ]


class Counted:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, more: int) -> None:
        self.count += more


@pytest.fixture
def counted() -> Counted:
    return Counted()


# --- Writing


@pytest.mark.parametrize("count", [0, 1, 25, 26, 110])
def test_every_item_is_written_once_in_batches_of_at_most_25(
    reluctant: Reluctant, reluctant_table: Table, stored: Stored, counted: Counted, count: int
) -> None:
    reluctant_table.put(numbered(count), counted)
    assert stored() == numbered(count)
    assert all(len(batch) <= WRITE_BATCH == 25 for batch in reluctant.batches)
    assert len(reluctant.batches) == -(-count // 25)
    assert set(reluctant.taken.values()) <= {1}
    assert counted.count == count


def test_two_batches_are_under_way_at_once(
    reluctant: Reluctant, reluctant_table: Table, stored: Stored, counted: Counted
) -> None:
    both = Barrier(2, timeout=10)
    reluctant.before = lambda _operation: [both.wait(), None][1]  # type: ignore[assignment]
    reluctant_table.put(numbered(50), counted)
    assert len(stored()) == 50


def test_what_is_given_back_three_times_is_written_once_at_the_fourth(
    reluctant: Reluctant, reluctant_table: Table, stored: Stored, counted: Counted
) -> None:
    reluctant.gives_back = lambda key: 3 if key.endswith(("1", "7")) else 0
    reluctant_table.put(numbered(60), counted)
    assert stored() == numbered(60)
    assert set(reluctant.taken.values()) == {1}
    assert counted.count == 60


def test_what_is_given_back_is_sent_again_alone(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    reluctant.gives_back = lambda key: 1 if key == "S003" else 0
    reluctant_table.put(numbered(5), counted)
    assert reluctant.batches == [["S000", "S001", "S002", "S003", "S004"], ["S003"]]


def test_what_is_given_back_for_ever_is_given_up_and_named_and_the_rest_is_written(
    reluctant: Reluctant, reluctant_table: Table, stored: Stored, counted: Counted
) -> None:
    reluctant.gives_back = lambda key: float("inf") if key == "S013" else 0
    with pytest.raises(Failure, match=r"not taken 1 of 20 items .*: Sample P013 / S013$"):
        reluctant_table.put(numbered(20), counted)
    assert len(reluctant.batches) == ATTEMPTS
    assert stored() == [item for item in numbered(20) if item["SK"]["S"] != "S013"]
    assert counted.count == 19


def test_as_long_as_others_are_taken_a_batch_is_not_given_up(
    reluctant: Reluctant, reluctant_table: Table, stored: Stored, counted: Counted
) -> None:
    """The table has capacity then; this batch has only come at the wrong moments."""
    first, *others = numbered(ATTEMPTS + 5)
    rest = iter(others)

    def before(_operation: str) -> None:
        reluctant.before = lambda _: None
        reluctant_table.put([next(rest)], counted)
        reluctant.before = before

    reluctant.gives_back = lambda key: ATTEMPTS + 3 if key == "S000" else 0
    reluctant.before = before
    reluctant_table.put([first], counted)
    assert reluctant.batches.count(["S000"]) == ATTEMPTS + 4
    assert stored() == [first, *others[: ATTEMPTS + 4]]


def test_when_one_batch_is_given_up_the_others_are_tried_but_not_waited_for(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    reluctant.gives_back = lambda _key: float("inf")
    with pytest.raises(Failure, match="not taken 1000 of 1000 items"):
        reluctant_table.put(numbered(1000), counted)
    assert len(reluctant.batches) <= 40 + IN_FLIGHT * (ATTEMPTS - 1)
    assert counted.count == 0


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "ThrottlingException"])
def test_a_batch_that_is_throttled_is_sent_again_whole(
    reluctant: Reluctant, reluctant_table: Table, stored: Stored, counted: Counted, code: str
) -> None:
    refusals = [refusal(code), refusal(code)]

    def before(_operation: str) -> None:
        if refusals:
            raise refusals.pop()

    reluctant.before = before
    reluctant_table.put(numbered(25), counted)
    assert stored() == numbered(25)
    assert set(reluctant.taken.values()) == {1}


def test_a_table_that_throttles_for_ever_is_given_up(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    asked: list[str] = []

    def before(operation: str) -> None:
        asked.append(operation)
        raise refusal("ThrottlingException")

    reluctant.before = before
    with pytest.raises(Failure, match="not taken 25 of 25 items"):
        reluctant_table.put(numbered(25), counted)
    assert len(asked) == ATTEMPTS


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (refusal("AccessDeniedException", "not yours"), "^access denied: not yours$"),
        (refusal("ResourceNotFoundException"), "^there is no table single-table at http"),
        (
            refusal("ExpiredTokenException", "of old"),
            "^the AWS credentials are not accepted: of old",
        ),
        (
            refusal("ValidationException", "a\n  b"),
            "^BatchWriteItem is refused at .*: a b \\(Valid",
        ),
        (EndpointConnectionError(endpoint_url="http://x"), "^DynamoDB cannot be reached at http"),
    ],
)
def test_other_refusals_are_told_and_not_tried_again(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted, error: Exception, told: str
) -> None:
    asked: list[str] = []

    def before(operation: str) -> None:
        asked.append(operation)
        raise error

    reluctant.before = before
    with pytest.raises(Failure, match=told):
        reluctant_table.put(numbered(10), counted)
    assert asked == ["BatchWriteItem"]


# --- Reading versions


def test_versions_are_read_of_what_exists_in_batches_of_at_most_100(
    reluctant: Reluctant, reluctant_table: Table, dynamodb: DynamoDBClient, table: str
) -> None:
    for item, version in zip(numbered(3), ("1", "2", "17"), strict=True):
        dynamodb.put_item(TableName=table, Item=item | {"Version": {"N": version}})
    keys = [(f"P{n:03}", f"S{n:03}") for n in range(101)]
    assert dict(reluctant_table.versions(keys)) == {
        ("P000", "S000"): 1,
        ("P001", "S001"): 2,
        ("P002", "S002"): 17,
    }
    assert sorted(len(batch) for batch in reluctant.batches) == [1, READ_BATCH]


def test_keys_that_are_given_back_are_read_later(
    reluctant: Reluctant, reluctant_table: Table, dynamodb: DynamoDBClient, table: str
) -> None:
    for item in numbered(4):
        dynamodb.put_item(TableName=table, Item=item | {"Version": {"N": "5"}})
    reluctant.leaves_unread = lambda key: 3 if key == "S002" else 0
    read = reluctant_table.versions((f"P{n:03}", f"S{n:03}") for n in range(4))
    assert sorted(read) == [((f"P{n:03}", f"S{n:03}"), 5) for n in range(4)]
    assert reluctant.batches[1:] == [["S002"]] * 3


def test_keys_that_are_given_back_for_ever_are_given_up(
    reluctant: Reluctant, reluctant_table: Table
) -> None:
    reluctant.leaves_unread = lambda _key: float("inf")
    with pytest.raises(Failure, match="not read"):
        list(reluctant_table.versions([("P000", "S000")]))
    assert len(reluctant.batches) == ATTEMPTS


# --- Emptying


def test_emptying_deletes_every_item_whatever_its_kind(
    reluctant_table: Table, stored: Stored, counted: Counted
) -> None:
    reluctant_table.put(numbered(130), counted)
    counted.count = 0
    reluctant_table.empty(counted)
    assert stored() == []
    assert counted.count == 130


def test_emptying_an_empty_table_deletes_nothing(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    reluctant_table.empty(counted)
    assert reluctant.batches == []


def test_emptying_follows_the_scan_from_page_to_page(
    reluctant: Reluctant, table: str, stored: Stored, counted: Counted
) -> None:
    class InPagesOfTen(Reluctant):
        def scan(self, **request: object) -> dict[str, object]:
            given = {name: value for name, value in request.items() if value is not None}
            return super().scan(Limit=10, **given)

    in_pages = Table(InPagesOfTen(reluctant.under).client, table)
    in_pages.put(numbered(95), counted)
    in_pages.empty(counted)
    assert stored() == []


def test_emptying_waits_when_it_is_throttled(
    reluctant: Reluctant, reluctant_table: Table, stored: Stored, counted: Counted
) -> None:
    reluctant_table.put(numbered(30), counted)
    refusals = [refusal("ThrottlingException")] * 3

    def before(_operation: str) -> None:
        if refusals:
            raise refusals.pop()

    reluctant.before = before
    reluctant_table.empty(counted)
    assert stored() == []


def test_a_scan_that_is_throttled_for_ever_is_given_up(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    def before(_operation: str) -> None:
        raise refusal("ThrottlingException")

    reluctant.before = before
    with pytest.raises(Failure, match="not let all items be deleted"):
        reluctant_table.empty(counted)


def test_items_that_cannot_be_deleted_are_a_failure(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    reluctant_table.put(numbered(3), counted)
    reluctant.gives_back = lambda _key: float("inf")
    with pytest.raises(Failure, match="not let all items be deleted"):
        reluctant_table.empty(counted)


# --- Small parts


def test_a_long_refusal_is_cut(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    def before(_operation: str) -> None:
        raise refusal("404", "<html>" * 1000)

    reluctant.before = before
    with pytest.raises(Failure) as failure:
        reluctant_table.put(numbered(1), counted)
    assert "<html>" in str(failure.value)
    assert len(str(failure.value)) < 500


def test_what_is_not_dynamodb_is_not_taken_for_it(
    reluctant: Reluctant, table: str, counted: Counted
) -> None:
    class Polite(Reluctant):
        def batch_write_item(self, **_request: object) -> dict[str, object]:
            return {"message": "<html>hello</html>"}

    polite = Table(Polite(reluctant.under).client, table)
    with pytest.raises(Failure, match="is not DynamoDB"):
        polite.put(numbered(1), counted)


def test_pauses_are_chosen_by_chance_up_to_a_limit_that_doubles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seed_table, "FIRST_PAUSE_SECONDS", 1.0)
    monkeypatch.setattr(seed_table, "uniform", lambda low, high: (low, high))
    ranges: list[object] = list(pauses())
    assert ranges == [(0, 1), (0, 2), (0, 4), (0, 5), (0, 5), (0, 5), (0, 5)]
    assert len(ranges) == ATTEMPTS - 1


def test_batches_are_full_but_for_the_last() -> None:
    assert list(map("".join, batches("abcdefg", 3))) == ["abc", "def", "g"]
    assert list(map("".join, batches("abcdef", 3))) == ["abc", "def"]
    assert list(batches("", 3)) == []


def test_items_are_taken_no_earlier_than_they_are_needed(
    reluctant: Reluctant, reluctant_table: Table, counted: Counted
) -> None:
    """So there may be more of them than fit into memory."""
    taken = 0

    def items() -> Iterator[Item]:
        nonlocal taken
        for item in numbered(5000):
            taken += 1
            yield item

    ahead: list[int] = []
    reluctant.before = lambda _operation: ahead.append(taken - len(reluctant.taken))
    reluctant_table.put(items(), counted)
    assert counted.count == 5000
    assert max(ahead) <= (2 * IN_FLIGHT + 1) * WRITE_BATCH + WRITE_BATCH


def test_of_many_names_the_first_three_are_told() -> None:
    assert some(["a", "b", "c"]) == "a, b, c"
    assert some(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
