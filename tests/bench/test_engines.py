"""The ledger's units are those that two engines count: dynalite for reads, ministack for writes.

Both were written against DynamoDB itself, independently of each other and of us.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError

from bench import natural_keys
from bench.charges import charges, total
from bench.engines import dynalite
from bench.recording import Recorder, Request, actions, recorder
from bench.units import (
    entry,
    index_write_units,
    read_units,
    write_units,
)
from docs import sample
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import PartiQLSelect, Write
from lambdas.design.pattern import IDEMPOTENCY_KEY, AccessPattern
from lambdas.design.table import GSI1, INDEXES, INVERTED_INDEX
from lambdas.runtime import store
from lambdas.runtime.items import Item, size
from local.emulator import emulator, endpoint, free_port

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.emulator

READS = [
    each
    for each in ACCESS_PATTERNS
    if not isinstance(each.operation, Write | PartiQLSelect)  # dynalite knows no PartiQL
]
WRITES = [each for each in ACCESS_PATTERNS if isinstance(each.operation, Write)]
NAMES = [index.name for index in INDEXES]

Recorded = dict[str, list[Request]]
"""The requests of patterns' examples, by pattern."""


def consumed(answer: dict[str, Any]) -> dict[str, float]:
    """What an engine says that a request consumed: of the table, and of each index."""
    found = answer["ConsumedCapacity"]
    [counted] = found if isinstance(found, list) else [found]
    of_table = counted.get("Table", {}).get("CapacityUnits", counted.get("WriteCapacityUnits", 0))
    indexes = counted.get("GlobalSecondaryIndexes", {})
    of_each = {name: part["CapacityUnits"] for name, part in indexes.items()}
    return {name: units for name, units in {"": of_table, **of_each}.items() if units}


@contextmanager
def example_data_at(url: str) -> Iterator[Recorder]:
    """A recorder on the example data in an engine that tells each index's part."""

    def tell(params: dict[str, Any], **_: Any) -> None:
        params["ReturnConsumedCapacity"] = "INDEXES"

    with sample.table(url):
        store.client().meta.events.register("before-parameter-build.dynamodb", tell)
        with recorder() as recording:
            yield recording


def client_of(url: str) -> DynamoDBClient:
    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
    )


# --- Reads, by dynalite ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def reads_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with dynalite(tmp_path_factory.mktemp("dynalite")) as url:
        yield url


@pytest.fixture(scope="module")
def reads(reads_url: str) -> Recorded:
    with example_data_at(reads_url) as recording:
        return {each.id: recording.call(each) for each in READS}


@pytest.mark.parametrize("pattern", READS, ids=lambda each: each.id)
def test_a_read_consumes_what_dynalite_counts(pattern: AccessPattern, reads: Recorded) -> None:
    [request] = reads[pattern.id]

    assert sum(consumed(request.answer).values()) == total(charges(pattern, request), "read")


NUMBERS = [
    "0",
    "1",
    "-1",
    "12",
    "1.2",
    "123.45",
    "-0.05",
    "1E+20",
    "100",
    "9" * 38,
    "-1." + "9" * 37,
]


def of_every_type(numbers: list[str]) -> Item:
    """Attributes of every type; text in ASCII, since dynalite counts other characters as one."""
    return {
        **{f"n{at}": {"N": number} for at, number in enumerate(numbers)},
        "m": {"M": {"a": {"S": "x"}, "bc": {"L": [{"N": "7"}, {"NULL": True}, {"M": {}}]}}},
        "yes": {"BOOL": True},
        "b": {"B": b"\x00\x01\x02"},
        "ss": {"SS": ["a", "bc"]},
        "ns": {"NS": ["1", "-2.5"]},
    }


def filled(item: Item, total_size: int) -> Item:
    """The item, with as much text as makes it so many bytes."""
    return item | {"text": {"S": "x" * (total_size - size(item) - len("text"))}}


@pytest.fixture(scope="module")
def of_all_sizes(reads_url: str, reads: Recorded) -> list[Item]:
    """Items of one collection whose sizes lie at the steps, put into the table."""
    assert reads  # which made the table
    items = []
    for at, total_size in enumerate((900, 4095, 4096, 4097, 8191, 8192, 8193, 12_288, 12_289)):
        keys = {"PK": "p", "SK": f"s{at}", "GSI1PK": "g", "GSI1SK": f"s{at}"}
        made: Item = {name: {"S": value} for name, value in keys.items()}
        items.append(filled(made | of_every_type(NUMBERS), total_size))
        client_of(reads_url).put_item(TableName=sample.TABLE_NAME, Item=items[-1])
    return items


@pytest.mark.parametrize("consistent", [True, False])
def test_an_item_of_any_size_consumes_what_dynalite_counts(
    reads_url: str, of_all_sizes: list[Item], consistent: bool
) -> None:
    client, table = client_of(reads_url), sample.TABLE_NAME
    steered: Any = {"ConsistentRead": consistent}
    keys: Any = [{"PK": item["PK"], "SK": item["SK"]} for item in of_all_sizes]
    for item, key in zip(of_all_sizes, keys, strict=True):
        answer: Any = client.get_item(
            TableName=table, Key=key, ReturnConsumedCapacity="INDEXES", **steered
        )
        expected = read_units(size(item), consistent=consistent)
        assert consumed(answer) == {"": expected}, size(item)

    wanted: Any = {table: {"Keys": keys, **steered}}
    batch: Any = client.batch_get_item(RequestItems=wanted, ReturnConsumedCapacity="INDEXES")
    one_by_one = [read_units(size(item), consistent=consistent) for item in of_all_sizes]
    assert consumed(batch) == {"": sum(one_by_one)}


@pytest.mark.parametrize("limit", range(1, 10))
def test_a_page_of_any_length_consumes_what_dynalite_counts(
    reads_url: str, of_all_sizes: list[Item], limit: int
) -> None:
    asked: Any = {"Limit": limit, "ReturnConsumedCapacity": "INDEXES"}
    expected = read_units(sum(map(size, of_all_sizes[:limit])))
    places: Any = [("PK", "p", {}), ("GSI1PK", "g", {"IndexName": GSI1.name})]
    for name, value, index in places:
        answer: Any = client_of(reads_url).query(
            TableName=sample.TABLE_NAME,
            KeyConditionExpression=f"{name} = :v",
            ExpressionAttributeValues={":v": {"S": value}},
            **asked,
            **index,
        )
        assert consumed(answer) == {index.get("IndexName", ""): expected}


def test_an_entry_of_keys_only_counts_as_small_as_it_is(
    reads_url: str, of_all_sizes: list[Item]
) -> None:
    entries = [entry(INVERTED_INDEX, item) for item in of_all_sizes]

    answer: Any = client_of(reads_url).query(
        TableName=sample.TABLE_NAME,
        IndexName=INVERTED_INDEX.name,
        KeyConditionExpression="SK = :v",
        ExpressionAttributeValues={":v": of_all_sizes[-1]["SK"]},
        ReturnConsumedCapacity="INDEXES",
    )

    assert answer["Items"] == [entries[-1]]
    assert consumed(answer) == {INVERTED_INDEX.name: 0.5}


# --- Writes, by the emulator ----------------------------------------------------------------


@pytest.fixture(scope="module")
def writes_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    with emulator(port, tmp_path_factory.mktemp("emulator")):
        yield endpoint(port)


@pytest.fixture(scope="module")
def writes(writes_url: str) -> Recorded:
    """Each write's example, twice; and with an idempotency key where it takes one."""
    key = {IDEMPOTENCY_KEY.name: "a-key"}
    recorded: Recorded = {}
    with example_data_at(writes_url) as recording:
        for pattern in WRITES:
            for headers in [{}, key] if pattern.is_idempotent else [{}]:
                with recording.restored():
                    calls = [recording.call(pattern, headers) for _ in range(2)]
                recorded.setdefault(pattern.id, []).extend([*calls[0], *calls[1]])
    return recorded


@pytest.mark.parametrize("pattern", WRITES, ids=lambda each: each.id)
def test_a_write_consumes_what_the_emulator_counts(
    pattern: AccessPattern, writes: Recorded
) -> None:
    made = [
        request
        for request in writes[pattern.id]
        if actions(request.operation, request.asked) and not request.failed
    ]

    assert made
    for request in made:
        charged = charges(pattern, request)
        expected = {name: total(charged, "write", name) for name in ("", *NAMES)}
        assert consumed(request.answer) == {
            name: units for name, units in expected.items() if units
        }


def some_item(chance: Random) -> Item | None:
    """An item of any size in the indexes or not; or none."""
    if chance.random() < 0.2:
        return None
    item: Item = {"PK": {"S": "p"}, "SK": {"S": "s"}, **of_every_type(chance.sample(NUMBERS, 3))}
    if chance.random() < 0.7:
        item |= {"GSI1PK": {"S": chance.choice("ab")}, "GSI1SK": {"S": chance.choice("xyü")}}
    return filled(item | {"ü": {"S": "€😀"}}, chance.choice((500, 1023, 1024, 1025, 2048, 2049)))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("in_transaction", [False, True])
def test_any_change_of_an_item_consumes_what_the_emulator_counts(
    writes_url: str, writes: Recorded, seed: int, in_transaction: bool
) -> None:
    assert writes  # which made the table
    chance, client = Random(seed), client_of(writes_url)  # noqa: S311 - the same every time
    before, after = some_item(chance), some_item(chance)
    _change(client, before, in_transaction=False)

    answer = _change(client, after, in_transaction=in_transaction)

    expected = {
        "": write_units(before, after) * (2 if in_transaction else 1),
        **{index.name: index_write_units(index, before, after) for index in INDEXES},
    }
    assert consumed(answer) == {name: units for name, units in expected.items() if units}


def _change(client: DynamoDBClient, item: Item | None, *, in_transaction: bool) -> Any:
    """Makes the item what it is to be, and gives the answer."""
    told: Any = {"ReturnConsumedCapacity": "INDEXES"}
    target = {"TableName": sample.TABLE_NAME}
    asked: Any = {**target, "Item": item} if item else {**target, "Key": KEY}
    if in_transaction:
        steps: Any = [{"Put" if item else "Delete": asked}]
        return client.transact_write_items(TransactItems=steps, **told)
    change: Callable[..., Any] = client.put_item if item else client.delete_item
    return change(**asked, **told)


KEY: Item = {"PK": {"S": "p"}, "SK": {"S": "s"}}


# --- Multi-attribute keys, by the emulator; `bench.multi_keys` has its count of changes ------


@pytest.mark.parametrize("value", [{"N": "1"}, {"NULL": True}, {"S": ""}], ids=str)
def test_a_key_attribute_binds_every_item_that_has_it(
    writes_url: str, value: dict[str, Any]
) -> None:
    """Also an item that stands in none of the indexes; another type of it is refused."""
    client, name = client_of(writes_url), f"natural-{next(iter(value))}"
    definition: Any = natural_keys.definition() | {"TableName": name}
    client.create_table(**definition)

    client.put_item(TableName=name, Item={**KEY, "Status": {"S": "QUEUED"}})
    with pytest.raises(ClientError, match="ValidationException"):
        client.put_item(TableName=name, Item={**KEY, "Status": value})


def test_dynalite_takes_no_key_of_several_attributes(reads_url: str) -> None:
    definition: Any = natural_keys.definition()

    with pytest.raises(ClientError, match="length less than or equal to 2"):
        client_of(reads_url).create_table(**definition)
