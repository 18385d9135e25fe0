from __future__ import annotations

from decimal import Decimal

import pytest

from lambdas.design.ecommerce import GET_USER_WITH_ORDERS, LIST_USER_ORDERS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof, carried
from tests.handlers.ecommerce.samples import order, orders, user

THREE = ("2024-01-05", "2024-01-15", "2024-02-01")
NEWEST_FIRST = ["2024-02-01", "2024-01-15", "2024-01-05"]


def test_returns_the_user_and_the_orders_newest_first_and_nobody_else_s(put: Put) -> None:
    put(user("1"), user("10"), *orders("1", *THREE), *orders("10", "2024-01-06"))

    answer = call(GET_USER_WITH_ORDERS, {"user_id": "1"})

    assert answer.status == 200
    assert set(answer.body) == {"user", "orders"}
    assert answer.body["user"]["UserId"] == "1"
    assert answer.each("OrderId") == NEWEST_FIRST
    assert answer.each("UserId") == ["1", "1", "1"]
    assert answer.next is None


def test_shows_all_of_both_and_nothing_internal(put: Put) -> None:
    put(user("1", Name="Jörg"), order("1", "2024-01-15", Total=Decimal("79.90")))

    answer = call(GET_USER_WITH_ORDERS, {"user_id": "1"})

    assert answer.body == {
        "user": {
            "Type": "User",
            "UserId": "1",
            "Name": "Jörg",
            "Email": "user-1@x.de",
            "CreatedAt": "2023-01-01T00:00:00.000Z",
            "Version": 1,
        },
        "orders": {
            "items": [
                {
                    "Type": "Order",
                    "UserId": "1",
                    "OrderId": "2024-01-15",
                    "Status": "DELIVERED",
                    "Total": Decimal("79.90"),
                    "Currency": "EUR",
                    "PlacedAt": "2024-01-15T12:00:00.000Z",
                    "Version": 1,
                }
            ],
            "next": None,
        },
    }
    assert "Jörg" in answer.text


def test_a_user_without_orders_has_an_empty_list(put: Put) -> None:
    put(user("1"), *orders("10", *THREE))

    answer = call(GET_USER_WITH_ORDERS, {"user_id": "1"})

    assert answer.body["user"]["UserId"] == "1"
    assert answer.body["orders"] == {"items": [], "next": None}


def test_a_user_that_does_not_exist_is_404_orders_or_not(put: Put) -> None:
    put(user("10"), *orders("1", *THREE))

    assert call(GET_USER_WITH_ORDERS, {"user_id": "1"}).status == 404
    assert call(GET_USER_WITH_ORDERS, {"user_id": "2"}).status == 404


def test_what_is_left_of_a_deleted_user_is_not_a_user(put: Put) -> None:
    put(*orders("1", *THREE), to_item(user("1", Name="Ann")) | {"Type": {"S": "Tombstone"}})

    answer = call(GET_USER_WITH_ORDERS, {"user_id": "1"})

    assert answer.status == 404
    assert "Ann" not in answer.text


def test_an_item_of_another_type_is_not_shown(put: Put) -> None:
    put(user("1"), *orders("1", "2024-01-05", "2024-01-15"))
    put(to_item(order("1", "2024-01-10")) | {"Type": {"S": "Draft"}})

    answer = call(GET_USER_WITH_ORDERS, {"user_id": "1"})

    assert answer.each("OrderId") == ["2024-01-15", "2024-01-05"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 200])
def test_pages_count_orders_and_the_user_is_on_the_first_alone(put: Put, limit: int) -> None:
    put(user("1"), *orders("1", *THREE), user("10"), *orders("10", *THREE))

    first, *later = pages(GET_USER_WITH_ORDERS, {"user_id": "1"}, limit)

    assert first.body["user"]["UserId"] == "1"
    assert [page.body["user"] for page in later] == [None] * len(later)
    assert [each for page in (first, *later) for each in page.each("OrderId")] == NEWEST_FIRST
    assert [len(page.items) for page in (first, *later)] == sizes(len(THREE), limit)


def test_the_largest_page_has_200_orders_and_the_user_beside_them(put: Put) -> None:
    put(user("1"), *(order("1", f"2024-{number:03d}") for number in range(201)))

    answer = call(GET_USER_WITH_ORDERS, {"user_id": "1", "limit": "200"})

    assert answer.body["user"]["UserId"] == "1"
    assert len(answer.items) == 200
    assert answer.next is not None


def test_the_limit_may_change_between_pages(put: Put) -> None:
    put(user("1"), *orders("1", *THREE))
    first = call(GET_USER_WITH_ORDERS, {"user_id": "1", "limit": "1"})

    rest = call(GET_USER_WITH_ORDERS, {"user_id": "1", "limit": "2", "cursor": str(first.next)})

    assert rest.each("OrderId") == NEWEST_FIRST[1:]
    assert rest.next is None


def test_a_cursor_is_taken_as_it_was_given_and_not_otherwise(put: Put) -> None:
    put(user("ann"), *orders("ann", *THREE))
    cursor = str(call(GET_USER_WITH_ORDERS, {"user_id": "ann", "limit": "1"}).next)

    assert "ann" not in carried(cursor)
    assert_tamper_proof(GET_USER_WITH_ORDERS, {"user_id": "ann"}, cursor)


def test_a_cursor_of_another_user_or_another_pattern_is_refused(put: Put) -> None:
    put(user("1"), user("2"), *orders("1", *THREE), *orders("2", *THREE))
    of_two = call(GET_USER_WITH_ORDERS, {"user_id": "2", "limit": "1"})
    of_orders = call(LIST_USER_ORDERS, {"user_id": "1", "newest": "true", "limit": "1"})

    assert_refused(GET_USER_WITH_ORDERS, {"user_id": "1"}, str(of_two.next))
    assert_refused(GET_USER_WITH_ORDERS, {"user_id": "1"}, str(of_orders.next))


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_query_gives_alice_and_her_nine_orders() -> None:
    answer = call(GET_USER_WITH_ORDERS, {"user_id": "U-001"})

    assert answer.body["user"]["Name"] == "Alice"
    assert answer.each("OrderId") == [
        "2025-01-02",
        "2024-12-24",
        "2024-06-30",
        "2024-03-12",
        "2024-02-01",
        "2024-01-31T18:45:00.000Z-JAN31X",
        "2024-01-15",
        "2024-01-05",
        "2023-11-20",
    ]
