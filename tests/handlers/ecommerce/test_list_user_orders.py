from __future__ import annotations

from decimal import Decimal

import pytest

from lambdas.design.ecommerce import GET_USER_WITH_ORDERS, LIST_ORDER_ITEMS, LIST_USER_ORDERS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof, carried
from tests.handlers.ecommerce.samples import order, order_item, orders, user

THREE = ("2024-01-05", "2024-01-15", "2024-02-01")


def test_returns_the_user_s_orders_and_only_those(put: Put) -> None:
    put(user("1"), user("10"), *orders("1", *THREE), *orders("10", "2024-01-06"))
    put(*orders("100", "2024-01-07"), order_item("2024-01-05", "P-1"))

    answer = call(LIST_USER_ORDERS, {"user_id": "1"})

    assert answer.each("OrderId") == list(THREE)
    assert answer.each("UserId") == ["1", "1", "1"]
    assert answer.next is None


def test_shows_all_of_an_order_and_nothing_internal(put: Put) -> None:
    put(order("1", "2024-01-15", Status="PENDING", Total=Decimal("129.90")))

    assert call(LIST_USER_ORDERS, {"user_id": "1"}).body == {
        "items": [
            {
                "Type": "Order",
                "UserId": "1",
                "OrderId": "2024-01-15",
                "Status": "PENDING",
                "Total": Decimal("129.90"),
                "Currency": "EUR",
                "PlacedAt": "2024-01-15T12:00:00.000Z",
                "Version": 1,
            }
        ],
        "next": None,
    }


def test_the_oldest_order_comes_first(put: Put) -> None:
    put(*orders("1", "2024-10-01", "2024-02-01", "2024-02-01T08:00:00.000Z-AAAAAA", "2023-12-31"))

    assert call(LIST_USER_ORDERS, {"user_id": "1"}).each("OrderId") == [
        "2023-12-31",
        "2024-02-01",
        "2024-02-01T08:00:00.000Z-AAAAAA",
        "2024-10-01",
    ]


def test_other_entities_of_the_partition_stay_out(put: Put) -> None:
    put(user("1"), *orders("1", "2024-01-05"))
    for neighbour in ("ORDER", "ORDERITEM#1", "ORDERS#2024-01-05", "ORDER$", 'ORDER"#'):
        put(to_item(order("1", "x")) | {"SK": {"S": neighbour}})

    assert call(LIST_USER_ORDERS, {"user_id": "1"}).each("OrderId") == ["2024-01-05"]


def test_an_item_of_another_type_is_not_shown(put: Put) -> None:
    put(*orders("1", "2024-01-05", "2024-01-15"))
    put(to_item(order("1", "2024-01-10")) | {"Type": {"S": "Draft"}})

    assert call(LIST_USER_ORDERS, {"user_id": "1"}).each("OrderId") == ["2024-01-05", "2024-01-15"]


@pytest.mark.parametrize("user_id", ["1", "nobody"])
def test_without_orders_the_list_is_empty_not_404(put: Put, user_id: str) -> None:
    put(user("1"), *orders("10", *THREE))

    answer = call(LIST_USER_ORDERS, {"user_id": user_id})

    assert answer.status == 200
    assert answer.body == {"items": [], "next": None}
    assert "ETag" not in answer.headers


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 200])
def test_pages_have_every_order_once_and_none_is_empty(put: Put, limit: int) -> None:
    put(user("1"), *orders("1", *THREE), *orders("10", *THREE))

    found = pages(LIST_USER_ORDERS, {"user_id": "1"}, limit)

    assert [order_id for page in found for order_id in page.each("OrderId")] == list(THREE)
    assert [len(page.items) for page in found] == sizes(len(THREE), limit)


def test_a_page_has_50_orders_unless_the_caller_says_otherwise(put: Put) -> None:
    put(*(order("1", f"2024-01-15T00:00:00.000Z-{number:06d}") for number in range(51)))

    answer = call(LIST_USER_ORDERS, {"user_id": "1"})

    assert len(answer.items) == 50
    assert answer.next is not None


def test_the_limit_may_change_between_pages(put: Put) -> None:
    put(*orders("1", *THREE))
    first = call(LIST_USER_ORDERS, {"user_id": "1", "limit": "1"})

    rest = call(LIST_USER_ORDERS, {"user_id": "1", "limit": "200", "cursor": str(first.next)})

    assert rest.each("OrderId") == list(THREE[1:])
    assert rest.next is None


def test_what_is_added_between_pages_is_found_where_it_belongs(put: Put) -> None:
    put(*orders("1", *THREE))
    first = call(LIST_USER_ORDERS, {"user_id": "1", "limit": "2"})
    put(*orders("1", "2024-01-04", "2024-01-20"))

    rest = call(LIST_USER_ORDERS, {"user_id": "1", "cursor": str(first.next)})

    assert rest.each("OrderId") == ["2024-01-20", "2024-02-01"]


def test_a_cursor_is_taken_as_it_was_given_and_not_otherwise(put: Put) -> None:
    put(*orders("1", *THREE))
    cursor = str(call(LIST_USER_ORDERS, {"user_id": "1", "limit": "1"}).next)

    assert_tamper_proof(LIST_USER_ORDERS, {"user_id": "1"}, cursor)


def test_a_cursor_says_nothing_of_whose_orders_they_are(put: Put) -> None:
    put(*orders("ann", *THREE))

    cursor = str(call(LIST_USER_ORDERS, {"user_id": "ann", "limit": "1"}).next)

    assert "ann" not in carried(cursor)
    assert "USER" not in carried(cursor)


def test_a_cursor_is_refused_for_another_user(put: Put) -> None:
    put(*orders("1", *THREE), *orders("2", *THREE))

    cursor = str(call(LIST_USER_ORDERS, {"user_id": "1", "limit": "1"}).next)

    assert_refused(LIST_USER_ORDERS, {"user_id": "2"}, cursor)


@pytest.mark.parametrize(
    "changed",
    [
        {"newest": "true"},
        {"from": "2024"},
        {"to": "2024"},
        {"period": "2024"},
        {"from": "2023", "to": "2025"},
    ],
)
def test_a_cursor_is_refused_with_other_parameters(put: Put, changed: dict[str, str]) -> None:
    put(*orders("1", *THREE))

    cursor = str(call(LIST_USER_ORDERS, {"user_id": "1", "limit": "1"}).next)

    assert_refused(LIST_USER_ORDERS, {"user_id": "1", **changed}, cursor)


def test_a_cursor_of_another_pattern_is_refused(put: Put) -> None:
    put(user("1"), *orders("1", *THREE), order_item("1", "P-1"), order_item("1", "P-2"))
    overview = call(GET_USER_WITH_ORDERS, {"user_id": "1", "limit": "1"})
    items = call(LIST_ORDER_ITEMS, {"order_id": "1", "limit": "1"})

    assert_refused(LIST_USER_ORDERS, {"user_id": "1"}, str(overview.next))
    assert_refused(LIST_USER_ORDERS, {"user_id": "1"}, str(items.next))


@pytest.mark.parametrize(
    "total",
    [
        "79.90",
        "0.1",
        "-0.30",
        "30.40",
        "1000000",
        "0",
        "12345678901234567890.123456789012345678",
        "0.00000000000000000000000000000001",
    ],
)
def test_amounts_are_exact(put: Put, total: str) -> None:
    put(order("1", "2024-01-15", Total=Decimal(total)))

    [found] = call(LIST_USER_ORDERS, {"user_id": "1"}).items

    assert found["Total"] == Decimal(total)
    assert not isinstance(found["Total"], str)


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_query_gives_alice_s_nine_orders() -> None:
    assert call(LIST_USER_ORDERS, {"user_id": "U-001"}).each("OrderId") == [
        "2023-11-20",
        "2024-01-05",
        "2024-01-15",
        "2024-01-31T18:45:00.000Z-JAN31X",
        "2024-02-01",
        "2024-03-12",
        "2024-06-30",
        "2024-12-24",
        "2025-01-02",
    ]
