from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_PENDING_ORDERS, LIST_USER_ORDERS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof, carried
from tests.handlers.ecommerce.samples import order, orders, user

THREE = ("2024-01-05", "2024-01-15", "2024-02-01")


def pending(user_id: str, *order_ids: str) -> list[dict[str, dict[str, str]]]:
    return [to_item(order(user_id, each, Status="PENDING")) for each in order_ids]


def test_returns_the_pending_orders_of_all_users_oldest_first(put: Put) -> None:
    put(user("1"), user("2"), *pending("2", "2024-01-15"), *pending("1", "2024-02-01"))
    put(*pending("1", "2023-12-31T23:59:59.999Z-AAAAAA"))

    answer = call(LIST_PENDING_ORDERS, {})

    assert [(each["OrderId"], each["UserId"]) for each in answer.items] == [
        ("2023-12-31T23:59:59.999Z-AAAAAA", "1"),
        ("2024-01-15", "2"),
        ("2024-02-01", "1"),
    ]
    assert set(answer.each("Status")) == {"PENDING"}


@pytest.mark.parametrize("status", ["PAID", "SHIPPED", "DELIVERED", "CANCELLED"])
def test_orders_of_every_other_status_stay_out(put: Put, status: str) -> None:
    put(*pending("1", "2024-01-15"), order("1", "2024-01-16", Status=status))

    assert call(LIST_PENDING_ORDERS, {}).each("OrderId") == ["2024-01-15"]


def test_other_collections_of_the_index_stay_out(put: Put) -> None:
    put(user("1"), *pending("1", "2024-01-15"))
    for number, neighbour in enumerate(("STATUS#PENDIN", "STATUS#PENDING2", "STATUS#PENDING#X")):
        [item] = pending("9", str(number))
        put(item | {"GSI1PK": {"S": neighbour}})

    assert call(LIST_PENDING_ORDERS, {}).each("OrderId") == ["2024-01-15"]


def test_an_item_of_another_type_is_not_shown(put: Put) -> None:
    [draft] = pending("1", "2024-01-14")
    put(draft | {"Type": {"S": "Draft"}}, *pending("1", "2024-01-15"))

    assert call(LIST_PENDING_ORDERS, {}).each("OrderId") == ["2024-01-15"]


def test_without_pending_orders_the_list_is_empty(put: Put) -> None:
    put(user("1"), *orders("1", *THREE))

    answer = call(LIST_PENDING_ORDERS, {})

    assert answer.status == 200
    assert answer.body == {"items": [], "next": None}


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"from": "2024-01-31"}, ["2024-01-31", "2024-01-31T18:45:00.000Z-A", "2024-02-01"]),
        ({"from": "2024-02"}, ["2024-02-01"]),
        ({"from": "2024-02-02"}, []),
        ({"to": "2024-01-31"}, ["2023-12-31", "2024-01-31", "2024-01-31T18:45:00.000Z-A"]),
        ({"to": "2024-01-30"}, ["2023-12-31"]),
        ({"to": "2022"}, []),
        ({"from": "2024", "to": "2024-01"}, ["2024-01-31", "2024-01-31T18:45:00.000Z-A"]),
        ({"from": "2023", "to": "2023"}, ["2023-12-31"]),
    ],
)
def test_both_ends_of_the_range_are_inclusive_as_whole_periods(
    put: Put, bounds: dict[str, str], expected: list[str]
) -> None:
    put(*pending("1", "2023-12-31", "2024-01-31", "2024-02-01"))
    put(*pending("2", "2024-01-31T18:45:00.000Z-A"))
    put(*orders("1", "2024-01-30"))  # not pending

    assert call(LIST_PENDING_ORDERS, bounds).each("OrderId") == expected


@pytest.mark.usefixtures("table")
def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    refused = call(LIST_PENDING_ORDERS, {"from": "2024-02", "to": "2024-01-31"}).refused

    assert set(refused) == {"from"}
    assert "to" in refused["from"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
@pytest.mark.parametrize("bounds", [{}, {"from": "2024"}, {"to": "2024"}])
def test_pages_have_every_order_once_and_none_is_empty(
    put: Put, bounds: dict[str, str], limit: int
) -> None:
    put(*pending("1", *THREE), order("1", "2024-01-06"))

    found = pages(LIST_PENDING_ORDERS, bounds, limit)

    assert [order_id for page in found for order_id in page.each("OrderId")] == list(THREE)
    assert [len(page.items) for page in found] == sizes(len(THREE), limit)


@pytest.mark.parametrize("limit", [1, 2])
def test_orders_of_several_users_with_one_id_are_all_there(put: Put, limit: int) -> None:
    put(*pending("1", "2024-01-15"), *pending("2", "2024-01-15"), *pending("3", "2024-01-15"))

    found = pages(LIST_PENDING_ORDERS, {}, limit)

    assert sorted(user_id for page in found for user_id in page.each("UserId")) == ["1", "2", "3"]


def test_a_cursor_is_taken_as_it_was_given_and_not_otherwise(put: Put) -> None:
    put(*pending("1", *THREE))
    cursor = str(call(LIST_PENDING_ORDERS, {"limit": "1"}).next)

    assert "PENDING" not in carried(cursor)
    assert_tamper_proof(LIST_PENDING_ORDERS, {}, cursor)


def test_a_cursor_is_refused_with_another_range_or_of_another_pattern(put: Put) -> None:
    put(*pending("1", *THREE))
    cursor = str(call(LIST_PENDING_ORDERS, {"limit": "1"}).next)
    of_orders = str(call(LIST_USER_ORDERS, {"user_id": "1", "limit": "1"}).next)

    assert_refused(LIST_PENDING_ORDERS, {"from": "2024"}, cursor)
    assert_refused(LIST_PENDING_ORDERS, {"to": "2024"}, cursor)
    assert_refused(LIST_PENDING_ORDERS, {}, of_orders)


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_index_gives_the_shop_s_pending_orders() -> None:
    answer = call(LIST_PENDING_ORDERS, {})

    ours = [each["OrderId"] for each in answer.items if each["UserId"] == "U-001"]
    assert ours == ["2024-01-15", "2025-01-02"]
    assert {each["UserId"] for each in answer.items} > {"U-001"}
    assert answer.each("OrderId") == sorted(answer.each("OrderId"))
