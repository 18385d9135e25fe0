from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_USER_ORDERS_OF_PERIOD
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof
from tests.handlers.ecommerce.samples import orders, user

BEFORE = "2023-12-31T23:59:59.999Z-EVE999"
YEAR = [
    "2024-01-01",
    "2024-01-10",
    "2024-01-10T08:00:00.000Z-AAAAAA",
    "2024-10-01",
    "2024-12-31T23:59:59.999Z-LASTMS",
]
AFTER = "2025-01-01"


@pytest.fixture(autouse=True)
def planted(put: Put) -> None:
    put(user("1"), user("10"), *orders("1", BEFORE, *YEAR, AFTER), *orders("10", "2024-01-17"))


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("2024", YEAR),
        ("2023", [BEFORE]),
        ("2025", [AFTER]),
        ("2022", []),
        ("2024-01", YEAR[:3]),
        ("2024-10", ["2024-10-01"]),
        ("2024-02", []),
        ("2024-01-10", YEAR[1:3]),
        ("2024-01-01", ["2024-01-01"]),
        ("2024-12-31", YEAR[4:]),
    ],
)
def test_returns_the_orders_of_the_period_and_only_those(period: str, expected: list[str]) -> None:
    answer = call(LIST_USER_ORDERS_OF_PERIOD, {"user_id": "1", "period": period})

    assert answer.status == 200
    assert answer.each("OrderId") == expected
    assert set(answer.each("UserId")) <= {"1"}


def test_newest_first_holds_within_the_period() -> None:
    parameters = {"user_id": "1", "period": "2024", "newest": "true"}

    assert call(LIST_USER_ORDERS_OF_PERIOD, parameters).each("OrderId") == YEAR[::-1]


@pytest.mark.parametrize(
    "bounds", [{"from": "2024"}, {"to": "2024"}, {"from": "2024-01", "to": "2024-02"}]
)
def test_a_period_beside_a_range_is_refused(bounds: dict[str, str]) -> None:
    answer = call(LIST_USER_ORDERS_OF_PERIOD, {"user_id": "1", "period": "2024", **bounds})

    assert set(answer.refused) == {"period"}
    assert "cannot be combined" in answer.refused["period"]


@pytest.mark.parametrize(
    "period",
    [
        "20",
        "202",
        "20240",
        "2024-1",
        "2024-13",
        "2023-02-29",
        "2024-01-32",
        "2024-",
        "0000",
        "2024-01-31T18:45Z",
        "January",
        "2024\n",
        "-2024",
        " 2024",
    ],
)
def test_what_is_no_year_month_or_day_is_refused(period: str) -> None:
    answer = call(LIST_USER_ORDERS_OF_PERIOD, {"user_id": "1", "period": period})

    assert set(answer.refused) == {"period"}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("newest", ["false", "true"])
def test_pages_end_with_the_period_and_none_is_empty(limit: int, newest: str) -> None:
    parameters = {"user_id": "1", "period": "2024", "newest": newest}

    found = pages(LIST_USER_ORDERS_OF_PERIOD, parameters, limit)

    expected = YEAR[::-1] if newest == "true" else YEAR
    assert [order_id for page in found for order_id in page.each("OrderId")] == expected
    assert [len(page.items) for page in found] == sizes(len(YEAR), limit)


def test_a_cursor_is_taken_for_its_own_period_alone() -> None:
    parameters = {"user_id": "1", "period": "2024"}
    cursor = str(call(LIST_USER_ORDERS_OF_PERIOD, {**parameters, "limit": "1"}).next)

    assert_refused(LIST_USER_ORDERS_OF_PERIOD, {**parameters, "period": "2025"}, cursor)
    assert_refused(LIST_USER_ORDERS_OF_PERIOD, {**parameters, "period": "2024-01"}, cursor)
    assert_refused(LIST_USER_ORDERS_OF_PERIOD, {**parameters, "newest": "true"}, cursor)
    assert_refused(LIST_USER_ORDERS_OF_PERIOD, {**parameters, "user_id": "10"}, cursor)
    assert_tamper_proof(LIST_USER_ORDERS_OF_PERIOD, parameters, cursor)


def test_a_user_without_orders_has_an_empty_list() -> None:
    answer = call(LIST_USER_ORDERS_OF_PERIOD, {"user_id": "100", "period": "2024"})

    assert answer.body == {"items": [], "next": None}


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_query_gives_alice_s_seven_orders_of_2024() -> None:
    answer = call(LIST_USER_ORDERS_OF_PERIOD, {"user_id": "U-001", "period": "2024"})

    assert answer.each("OrderId") == [
        "2024-01-05",
        "2024-01-15",
        "2024-01-31T18:45:00.000Z-JAN31X",
        "2024-02-01",
        "2024-03-12",
        "2024-06-30",
        "2024-12-24",
    ]
