"""What requests are charged: recorded ones, and some made up so that they are large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from bench.charges import Charge, Why, charges, total
from bench.recording import Recorder, Request, primary_key, recorder
from docs import sample
from lambdas.design.ecommerce import (
    CHANGE_EMAIL,
    CHANGE_ORDER_STATUS,
    LIST_USER_ORDERS,
    PLACE_ORDER,
)
from lambdas.design.social import FOLLOW
from lambdas.runtime.items import Item, size

KB = 1024


def item(partition: str, total_size: int, **attributes: str) -> Item:
    """An item of so many bytes."""
    made = {"PK": partition, "SK": "s", "Type": "Order", **attributes}
    typed: Item = {name: {"S": value} for name, value in made.items()}
    return typed | {"x": {"S": "x" * (total_size - size(typed) - 1)}}


def of_query(found: list[Item]) -> Request:
    """A page of a list that shows one item less than it reads."""
    return Request("Query", {"Limit": len(found)}, {"Items": found}, {}, {}, failed=False)


def test_an_item_that_is_read_for_the_next_page_alone_is_named_when_it_costs() -> None:
    page = of_query([item("USER#1", 2 * KB)] * 3)
    shorter = of_query([item("USER#1", KB)] * 3)

    assert charges(LIST_USER_ORDERS, page) == [
        Charge("read", "", "USER#1", 0.5, Why.NEEDED),
        Charge("read", "", "USER#1", 0.5, Why.NEXT_PAGE),
    ]
    assert charges(LIST_USER_ORDERS, shorter) == [Charge("read", "", "USER#1", 0.5, Why.NEEDED)]


def test_a_consistent_read_before_a_write_is_charged_twice_as_much() -> None:
    user = item("USER#1", 5 * KB)
    asked = {"Key": {"PK": user["PK"], "SK": user["SK"]}, "ConsistentRead": True}
    request = Request("GetItem", asked, {"Item": user}, {}, {}, failed=False)

    assert charges(CHANGE_EMAIL, request) == [
        Charge("read", "", "USER#1", 1, Why.READ_FIRST),
        Charge("read", "", "USER#1", 1, Why.CONSISTENT),
    ]


def test_what_is_not_there_is_charged_to_the_partition_that_was_asked() -> None:
    asked = {"Key": {"PK": {"S": "USER#1"}, "SK": {"S": "s"}}}
    request = Request("GetItem", asked, {}, {}, {}, failed=False)

    [charge] = charges(CHANGE_EMAIL, request)

    assert (charge.partition, charge.units) == ("USER#1", 0.5)


def test_each_item_of_a_batch_is_charged_by_itself_those_that_are_missing_too() -> None:
    large = item("PRODUCT#1", 5 * KB)
    keys = [{"PK": {"S": f"PRODUCT#{n}"}, "SK": {"S": "s"}} for n in (1, 2)]
    asked = {"RequestItems": {"table": {"Keys": keys}}}
    request = Request("BatchGetItem", asked, {}, {primary_key(large): large}, {}, failed=False)

    charged = {each.partition: each.units for each in charges(PLACE_ORDER, request)}

    assert charged == {"PRODUCT#1": 1, "PRODUCT#2": 0.5}


def of_transaction(*steps: tuple[str, Item | None, Item | None], failed: bool = False) -> Request:
    """A transaction: of each step the action, the item before it and the one after it."""
    before = {primary_key(was): was for _, was, _ in steps if was}
    after = {primary_key(now): now for _, _, now in steps if now}
    asked: dict[str, Any] = {
        "TransactItems": [
            {action: {"Key": {name: (was or now or {})[name] for name in ("PK", "SK")}}}
            for action, was, now in steps
        ]
    }
    return Request("TransactWriteItems", asked, {}, before, after, failed=failed)


def test_in_a_transaction_the_table_counts_twice_and_an_index_once() -> None:
    keys = {"GSI2PK": "ORDER#1", "GSI2SK": "ORDER"}
    order, checked = item("USER#1", 3 * KB, **keys), item("USER#2", 2 * KB)

    charged = charges(
        PLACE_ORDER,
        of_transaction(("Put", None, order), ("ConditionCheck", checked, checked)),
    )

    assert total(charged, "write", "") == 2 * 3 + 2 * 2
    assert total(charged, "write", "GSI2") == 3
    assert total(charged, "write", "InvertedIndex") == 1
    assert total(charged, "write", why=Why.CHECK) == 4
    assert total(charged, "write", why=Why.TRANSACTION) == 3


def test_a_cancelled_transaction_is_charged_in_full_and_changes_no_index() -> None:
    keys = {"GSI2PK": "ORDER#1", "GSI2SK": "ORDER"}
    order = item("USER#1", 3 * KB, **keys)

    charged = charges(PLACE_ORDER, of_transaction(("Put", None, order), failed=True))

    assert charged == [Charge("write", "", "USER#1", 6, Why.REFUSED)]


def test_an_entry_that_moves_is_charged_to_both_partitions() -> None:
    keys = {"GSI1SK": "s"}
    before, after = (item("USER#1", KB, GSI1PK=place, **keys) for place in ("a", "b"))
    key = primary_key(before)
    asked = {"Key": {"PK": before["PK"], "SK": before["SK"]}}
    request = Request("UpdateItem", asked, {}, {key: before}, {key: after}, failed=False)

    moved = [each for each in charges(CHANGE_ORDER_STATUS, request) if each.index == "GSI1"]

    assert {each.partition: each.units for each in moved} == {"a": 1, "b": 1}


# --- Recording ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recording() -> Iterator[Recorder]:
    with sample.table(), recorder() as recording:
        yield recording


def everything() -> list[Item]:
    found: Any = boto3.client("dynamodb").scan(TableName=sample.TABLE_NAME)["Items"]
    return list(found)


def test_what_would_have_become_of_an_item_is_seen_and_undone(recording: Recorder) -> None:
    with recording.restored():
        recording.call(FOLLOW)
        before = everything()
        [refused] = recording.call(FOLLOW)
        after = everything()

    dave = ("PERSON#dave", "PERSON#dave")
    assert refused.failed
    assert refused.before[dave]["Followers"] == {"N": "1"}
    assert refused.after[dave]["Followers"] == {"N": "2"}
    assert after == before


def test_the_table_is_restored(recording: Recorder) -> None:
    before = sorted(map(primary_key, everything()))
    items = {primary_key(each): each for each in everything()}

    with recording.restored():
        recording.call(PLACE_ORDER)
        recording.call(CHANGE_ORDER_STATUS)
        assert sorted(map(primary_key, everything())) != before

    assert {primary_key(each): each for each in everything()} == items
