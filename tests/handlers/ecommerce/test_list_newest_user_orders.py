from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_NEWEST_USER_ORDERS
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof
from tests.handlers.ecommerce.samples import orders, user

OLDEST_FIRST = [
    "2023-12-31T23:59:59.999Z-EVE999",
    "2024-01-15",
    "2024-01-15T08:00:00.000Z-AAAAAA",
    "2024-02-01",
    "2024-10-01",
    "2025-01-02",
]
NEWEST_FIRST = OLDEST_FIRST[::-1]


@pytest.fixture(autouse=True)
def planted(put: Put) -> None:
    """The profile sorts after every order: without a condition it would come first."""
    put(user("1"), user("10"), *orders("1", *OLDEST_FIRST), *orders("10", "2026-01-01"))


@pytest.mark.parametrize("limit", [1, 5, 6, 7])
def test_returns_the_newest_orders_newest_first(limit: int) -> None:
    parameters = {"user_id": "1", "newest": "true", "limit": str(limit)}

    answer = call(LIST_NEWEST_USER_ORDERS, parameters)

    assert answer.status == 200
    assert answer.each("OrderId") == NEWEST_FIRST[:limit]
    assert (answer.next is None) == (limit >= len(NEWEST_FIRST))


def test_the_opposite_is_oldest_first() -> None:
    answer = call(LIST_NEWEST_USER_ORDERS, {"user_id": "1", "newest": "false", "limit": "5"})

    assert answer.each("OrderId") == OLDEST_FIRST[:5]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"period": "2024"}, ["2024-10-01", "2024-02-01"]),
        ({"to": "2024-01-15"}, ["2024-01-15T08:00:00.000Z-AAAAAA", "2024-01-15"]),
        ({"from": "2024-10"}, ["2025-01-02", "2024-10-01"]),
    ],
)
def test_the_newest_of_a_range_are_those_at_its_end(
    bounds: dict[str, str], expected: list[str]
) -> None:
    parameters = {"user_id": "1", "newest": "true", "limit": "2", **bounds}

    assert call(LIST_NEWEST_USER_ORDERS, parameters).each("OrderId") == expected


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6, 7])
def test_pages_go_back_to_the_oldest_and_none_is_empty(limit: int) -> None:
    found = pages(LIST_NEWEST_USER_ORDERS, {"user_id": "1", "newest": "true"}, limit)

    assert [order_id for page in found for order_id in page.each("OrderId")] == NEWEST_FIRST
    assert [len(page.items) for page in found] == sizes(len(NEWEST_FIRST), limit)


def test_a_cursor_is_not_taken_in_the_other_direction() -> None:
    parameters = {"user_id": "1", "newest": "true"}
    cursor = str(call(LIST_NEWEST_USER_ORDERS, {**parameters, "limit": "1"}).next)

    assert_refused(LIST_NEWEST_USER_ORDERS, {**parameters, "newest": "false"}, cursor)
    assert_refused(LIST_NEWEST_USER_ORDERS, {"user_id": "1"}, cursor)
    assert_refused(LIST_NEWEST_USER_ORDERS, {**parameters, "user_id": "10"}, cursor)
    assert_tamper_proof(LIST_NEWEST_USER_ORDERS, parameters, cursor)


@pytest.mark.parametrize("newest", ["", "yes", "2", "null", "true,true", " true"])
def test_what_is_neither_true_nor_false_is_refused(newest: str) -> None:
    answer = call(LIST_NEWEST_USER_ORDERS, {"user_id": "1", "newest": newest})

    assert set(answer.refused) == {"newest"}


def test_a_user_without_orders_has_an_empty_list() -> None:
    answer = call(LIST_NEWEST_USER_ORDERS, {"user_id": "100", "newest": "true"})

    assert answer.body == {"items": [], "next": None}


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_query_gives_alice_s_five_newest_orders() -> None:
    parameters = {"user_id": "U-001", "newest": "true", "limit": "5"}

    assert call(LIST_NEWEST_USER_ORDERS, parameters).each("OrderId") == [
        "2025-01-02",
        "2024-12-24",
        "2024-06-30",
        "2024-03-12",
        "2024-02-01",
    ]
