"""AP-05 with its key spread over eight partition keys: the writes fill them, one read reads all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from msgspec.structs import replace

from lambdas.design.ecommerce import (
    CHANGE_ORDER_STATUS,
    DELETE_USER,
    LIST_PENDING_ORDERS,
    PLACE_ORDER,
    Session,
)
from lambdas.design.keys import MAX_SHARDS
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import keys, store
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.conftest import Stored
from tests.handlers.cursors import assert_refused, assert_tamper_proof, carried
from tests.handlers.ecommerce.samples import order, orders, product, session, user
from tests.pending import pending

DAYS = [f"2024-01-{day:02}" for day in range(1, 31)]


@pytest.fixture(autouse=True)
def listed() -> Iterator[AccessPattern]:
    with pending(8) as pattern:
        yield pattern


def waiting(*order_ids: str) -> list[Any]:
    return orders("1", *order_ids, Status="PENDING")


def test_an_order_is_placed_in_one_shard_and_found_there(
    put: Put, stored: Stored, listed: AccessPattern
) -> None:
    put(user("1"), product("P-1"))
    lines = {"Items": [{"ProductId": "P-1", "Quantity": 1}]}
    placed = [call(PLACE_ORDER, {"user_id": "1"}, None, lines).body["order"] for _ in range(12)]

    shards = set()
    for each in placed:
        key = ("USER#1", f"ORDER#{each['OrderId']}")
        item = stored.item(*key) or {}
        assert item["GSI1PK"]["S"] == f"STATUS#PENDING#{keys.shard(key, 8)}/8"
        shards.add(item["GSI1PK"]["S"])
    assert len(shards) > 1
    answer = call(listed, {})
    assert (answer.requests, answer.items) == (8, sorted(placed, key=lambda each: each["OrderId"]))


def test_an_order_that_no_longer_waits_leaves_its_shard(
    put: Put, stored: Stored, listed: AccessPattern
) -> None:
    put(*waiting(*DAYS[:3]))

    call(CHANGE_ORDER_STATUS, {"user_id": "1", "order_id": DAYS[1]}, None, {"Status": "PAID"})

    assert not {"GSI1PK", "GSI1SK"} & set(stored.item("USER#1", f"ORDER#{DAYS[1]}") or {})
    assert call(listed, {}).each("OrderId") == [DAYS[0], DAYS[2]]


@pytest.mark.parametrize("limit", [1, 7, 29, 30])
def test_every_page_is_full_and_the_last_is_not_empty(
    put: Put, listed: AccessPattern, limit: int
) -> None:
    put(*waiting(*reversed(DAYS)))

    found = pages(listed, {}, limit)

    assert [len(page.items) for page in found] == sizes(30, limit)
    assert [day for page in found for day in page.each("OrderId")] == DAYS


def test_a_range_is_read_in_all_shards_page_by_page(put: Put, listed: AccessPattern) -> None:
    put(*waiting(*DAYS, "2023-12-31", "2024-02-01"))

    found = pages(listed, {"from": "2024-01-10", "to": "2024-01-20"}, 4)

    assert [page.each("OrderId") for page in found] == [DAYS[9:13], DAYS[13:17], DAYS[17:20]]


def test_what_lies_in_no_shard_of_the_list_stays_out(put: Put, listed: AccessPattern) -> None:
    put(*waiting(DAYS[0]))
    others = ("", "#8/8", "#0/4", "#0", "#0/8#X", "#1/8 ", "#01/8")
    for number, suffix in enumerate(others):
        item = to_item(order("9", f"2024-02-0{number + 1}", Status="PENDING"))
        put(item | {"GSI1PK": {"S": f"STATUS#PENDING{suffix}"}})

    assert call(listed, {}).each("OrderId") == DAYS[:1]


def test_a_cursor_is_tamper_proof_and_names_no_partition_key(
    put: Put, listed: AccessPattern
) -> None:
    put(*waiting(*DAYS[:3]))
    cursor = call(listed, {"limit": "2"}).next or ""

    assert_tamper_proof(listed, {"limit": "2"}, cursor)
    assert_refused(listed, {"from": "2024"}, cursor)
    assert "STATUS" not in carried(cursor)


def test_its_function_needs_no_other_permission(listed: AccessPattern) -> None:
    """One statement for the index, which does not name partition keys: it holds for all shards."""
    assert listed.permissions == LIST_PENDING_ORDERS.permissions
    [permission] = listed.permissions
    assert (permission.action, permission.index.name) == ("dynamodb:Query", "GSI1")
    assert permission.leading_keys == ()


def test_there_is_a_connection_for_each_shard(table: str) -> None:
    assert table
    config: Any = store.client().meta.config
    assert config.max_pool_connections >= MAX_SHARDS


def test_a_write_that_goes_through_a_collection_goes_through_all_its_shards(
    put: Put, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    spread = replace(Session.of_user, shards=4)
    kept = [each for each in Session.keys if each.index != spread.index]
    monkeypatch.setattr(Session, "of_user", spread)
    monkeypatch.setattr(Session, "keys", (*kept, spread))
    put(*(session(f"S-{at}", user_id="1") for at in range(9)), session("S-9", user_id="2"))
    written = [item["GSI2PK"]["S"] for item in stored.all().values()]
    assert len({each for each in written if each.startswith("USER#1#")}) > 1

    call(DELETE_USER, {"user_id": "1"})  # whom there is not, or not any more

    assert [sort for _, sort in stored.all()] == ["SESSION#S-9"]


def test_a_shard_that_does_not_answer_makes_the_read_unavailable(
    put: Put, listed: AccessPattern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    put(*waiting(*DAYS))

    def silent(request: Any, **_: Any) -> None:
        if b"STATUS#PENDING#5/8" in request.body:
            raise ReadTimeoutError(endpoint_url="https://dynamodb")

    events = store.client().meta.events
    events.register_first("before-send.dynamodb.Query", silent)
    try:
        answer = call(listed, {})
    finally:
        events.unregister("before-send.dynamodb.Query", silent)

    assert (answer.status, answer.requests) == (503, 8)
