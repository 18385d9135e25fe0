"""The ledger: what each pattern consumes, and that none gets dearer without anybody's knowing."""

from __future__ import annotations

from copy import deepcopy

import pytest
from msgspec.structs import replace

from bench import cost, ledger, profile, results
from bench.__main__ import main
from bench.charges import Why, template_of
from bench.ledger import AGAIN, EXAMPLE, WITH_KEY
from bench.results import Found
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import GET_PRODUCT, LIST_USER_ORDERS
from lambdas.design.operations import Write
from lambdas.design.pattern import AccessPattern

EVERY_PATTERN = pytest.mark.parametrize("pattern", ACCESS_PATTERNS, ids=lambda each: each.id)

ACCEPT = "if it is meant to be so, `make snapshots` accepts it"


def test_no_pattern_has_become_dearer(kept: Found, now: Found) -> None:
    dearer = cost.dearer(kept, now)

    assert not dearer, f"dearer than before: {'; '.join(dearer)} ({ACCEPT})"


def test_what_has_become_cheaper_is_kept_so_that_it_stays_so(kept: Found, now: Found) -> None:
    cheaper = cost.cheaper(kept, now)

    assert not cheaper, f"cheaper than before: {'; '.join(cheaper)} ({ACCEPT})"


def test_the_ledger_is_kept_as_it_is_now(kept: Found, now: Found) -> None:
    assert kept == now, ACCEPT


def test_a_pattern_that_becomes_dearer_is_named_with_the_units(kept: Found) -> None:
    changed = deepcopy(kept)
    changed["CW-06"]["cases"][EXAMPLE]["writes"]["GSI1"] = 2
    changed["AP-01"]["cases"][EXAMPLE]["reads"] = 1
    changed["CW-02"]["cases"][EXAMPLE]["writes"]["InvertedIndex"] = 1

    assert cost.dearer(kept, changed) == [
        "AP-01 (example): read units 0.5 -> 1",
        "CW-02 (example): write units of InvertedIndex 0 -> 1",
        "CW-06 (example): write units of GSI1 1 -> 2",
    ]
    assert cost.cheaper(kept, changed) == []
    assert len(cost.cheaper(changed, kept)) == 3
    assert cost.dearer(changed, kept) == []


def test_one_request_more_is_dearer_too(kept: Found) -> None:
    changed = deepcopy(kept)
    changed["AP-01"]["cases"][EXAMPLE]["requests"].append("GetItem")

    assert cost.dearer(kept, changed) == ["AP-01 (example): requests 1 -> 2"]


@pytest.mark.parametrize(
    ("pattern", "example"),
    [(LIST_USER_ORDERS, {"user_id": "U-nobody"}), (GET_PRODUCT, {"product_id": "P-none"})],
    ids=lambda each: each.id if isinstance(each, AccessPattern) else "",
)
def test_an_example_that_finds_nothing_is_named_and_nothing_is_written(
    pattern: AccessPattern,
    example: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(ledger, "ACCESS_PATTERNS", [replace(pattern, example=example)])
    monkeypatch.setattr(results, "keep", lambda *_: pytest.fail("it was written"))

    assert main(["cost"]) == 1

    assert capsys.readouterr().err.splitlines()[-1] == (
        f"error: {pattern.id}'s example {example} finds nothing in the example data; "
        "add items to seed/ecommerce.py, or change the example"
    )


@EVERY_PATTERN
def test_each_read_is_one_request_and_the_least_there_is(
    pattern: AccessPattern, now: Found
) -> None:
    if isinstance(pattern.operation, Write):
        assert {EXAMPLE, AGAIN} <= now[pattern.id]["cases"].keys()
        return
    case = now[pattern.id]["cases"][EXAMPLE]
    requests = pattern.requests  # one for each partition key that it asks
    assert len(case["requests"]) == requests
    assert (case["reads"], case["writes"]) == (0.5 * requests, {})
    assert case["least"] == {"read": 0.5 * requests, "write": 0}


@EVERY_PATTERN
def test_what_is_above_the_least_has_its_reasons(pattern: AccessPattern, now: Found) -> None:
    for case in now[pattern.id]["cases"].values():
        units = case["reads"] + sum(case["writes"].values())
        least, above = sum(case["least"].values()), sum(case["above"].values())

        assert units == least + above
        assert all(Why[name] in cost.SHORT for name in case["above"])


@EVERY_PATTERN
def test_each_unit_is_of_a_partition_whose_key_is_declared(
    pattern: AccessPattern, now: Found
) -> None:
    for case in now[pattern.id]["cases"].values():
        units = sum(part["units"] for part in case["partitions"])

        assert units == case["reads"] + sum(case["writes"].values())
        assert "None" not in {part["template"] for part in case["partitions"]}


def writes(found: Found, pattern: str, case: str = EXAMPLE) -> dict[str, float]:
    units: dict[str, float] = found[pattern]["cases"][case]["writes"]
    return units


def test_by_hand_an_order_that_leaves_pending(now: Found) -> None:
    """The item changes; so does its entry among its items; that of the sparse list is deleted.
    The keys stay as they are, so the inverted index costs nothing."""
    assert writes(now, "CW-06") == {"table": 1, "GSI1": 1, "GSI2": 1}


def test_by_hand_an_order_that_may_not_go_on_costs_a_write_and_changes_no_index(now: Found) -> None:
    case = now["CW-06"]["cases"][AGAIN]

    assert case["requests"] == ["UpdateItem refused"]
    assert case["writes"] == {"table": 1}


def test_by_hand_a_user_who_signs_up(now: Found) -> None:
    """Profile and guard, each twice in the transaction; both in the inverted index, the profile in
    both others, since the example is a VIP. An index entry counts once."""
    assert writes(now, "CW-01") == {"table": 4, "GSI1": 1, "GSI2": 1, "InvertedIndex": 2}
    assert writes(now, "CW-01", WITH_KEY) == {
        "table": 6,
        "GSI1": 1,
        "GSI2": 1,
        "InvertedIndex": 3,
    }


def test_by_hand_a_user_who_changes_the_address(now: Found) -> None:
    """The profile's key in GSI1 changes: one entry is deleted and one put."""
    assert writes(now, "CW-03") == {"table": 6, "GSI1": 2, "InvertedIndex": 2}
    assert now["CW-03"]["cases"][EXAMPLE]["reads"] == 1


def test_by_hand_an_order_of_one_item(now: Found) -> None:
    """The check of the user, the order and its item, each twice."""
    assert writes(now, "CW-05") == {"table": 6, "GSI1": 1, "GSI2": 2, "InvertedIndex": 2}


def test_a_field_is_the_one_whose_value_the_call_gives(now: Found) -> None:
    """A follow writes two people: the one who follows, and the one who is followed."""
    parts = now["SW-02"]["cases"][EXAMPLE]["partitions"]
    people = {part["field"]: part["units"] for part in parts if part["index"] == ""}

    assert people == {"PersonId": 4, "FolloweeId": 2}


@pytest.mark.parametrize(
    ("index", "partition", "template"),
    [
        ("", "USER#U-001", "USER#{UserId}"),
        ("GSI1", "STATUS#PENDING", "STATUS#PENDING"),
        ("InvertedIndex", "PROFILE", "PROFILE"),
        ("GSI2", "VIP", "VIP"),
        ("", "IDEMPOTENCY#CW-01#anybody#a%23b", "IDEMPOTENCY#{Pattern}#{Caller}#{Key}"),
        ("", "VIP", "None"),
        ("", "USER#U-001#x", "None"),
        ("", "USERS#U-001", "None"),
    ],
)
def test_a_partition_key_tells_by_which_template_it_was_written(
    index: str, partition: str, template: str
) -> None:
    assert str(template_of(index, partition)) == template


def test_a_list_that_reads_more_items_under_a_profile_costs_more(kept: Found) -> None:
    traffic = profile.Profile(calls_a_month=1, calls={"AP-02": 1})
    mean = kept["AP-02"]["cases"][EXAMPLE]["mean_size"]

    def units(items: int) -> float:
        traffic.items = {"AP-02": items}
        return sum(part.units for part in ledger.per_call(kept, traffic, "AP-02"))

    assert units(1) == units(4096 // mean) == 0.5
    assert units(4096 // mean + 1) == 1


def test_a_part_of_the_calls_with_a_key_is_charged_that_part_of_the_difference(
    kept: Found,
) -> None:
    traffic = profile.Profile(calls_a_month=1, calls={"CW-10": 1})

    def units(share: float) -> float:
        traffic.with_key = {"CW-10": share}
        return sum(part.units for part in ledger.per_call(kept, traffic, "CW-10"))

    without, with_key = (sum(writes(kept, "CW-10", case).values()) for case in (EXAMPLE, WITH_KEY))
    assert (units(0), units(1)) == (without, with_key)
    assert units(0.25) == 0.75 * without + 0.25 * with_key
