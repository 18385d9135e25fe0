from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_USER_ORDERS_IN_RANGE
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof
from tests.handlers.ecommerce.samples import orders, user

NEW_YEAR_S_EVE = "2023-12-31T23:59:59.999Z-EVE999"
FIRST = "2024-01-01"
MIDNIGHT = "2024-01-01T00:00:00.000Z-MIDNGT"
MORNING = "2024-01-31T10:00:00.000Z-MORNIN"
EVENING = "2024-01-31T18:45:00.123Z-EVENIN"
LAST = "2024-01-31T23:59:59.999Z-LASTMS"
FEBRUARY = "2024-02-01"
NIGHT = "2024-02-01T00:00:00.000Z-NIGHT0"
NEXT_YEAR = "2025-01-01"

JANUARY = [FIRST, MIDNIGHT, MORNING, EVENING, LAST]
ALL = [NEW_YEAR_S_EVE, *JANUARY, FEBRUARY, NIGHT, NEXT_YEAR]


@pytest.fixture(autouse=True)
def planted(put: Put) -> None:
    """All that lies around January, and the same for a neighbour whose id begins alike."""
    put(user("1"), user("10"), *orders("1", *ALL), *orders("10", *ALL, "2024-01-17"))


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-01-01", "2024-01-31"),
        ("2024-01", "2024-01"),
        ("2024", "2024-01"),
        ("2024-01", "2024-01-31"),
        ("2024-01-01", "2024-01-31T23:59Z"),
        ("2024-01-01", "2024-01-31T23:59:59Z"),
        ("2024-01-01", "2024-01-31T23:59:59.999Z"),
        ("2024-01-01", "2024-02-01T00:59+01:00"),
        ("2024-01-01", "2024-01-31T18:29:59.999-05:30"),
    ],
)
def test_returns_january_s_orders_and_only_those(start: str, end: str) -> None:
    answer = call(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1", "from": start, "to": end})

    assert answer.status == 200
    assert answer.each("OrderId") == JANUARY
    assert set(answer.each("UserId")) == {"1"}


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("2023", ALL),
        ("2024", ALL[1:]),
        ("2024-01-31", ALL[3:]),
        ("2024-01-31T18:45Z", ALL[4:]),
        ("2024-01-31T18:45:00.123Z", ALL[4:]),
        ("2024-01-31T18:45:00.124Z", ALL[5:]),
        ("2024-02", ALL[6:]),
        ("2024-02-01", ALL[6:]),
        ("2024-02-02", [NEXT_YEAR]),
        ("2025", [NEXT_YEAR]),
        ("2025-01-02", []),
        ("9999", []),
    ],
)
def test_from_alone_has_everything_since_the_beginning_of_its_period(
    start: str, expected: list[str]
) -> None:
    answer = call(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1", "from": start})

    assert answer.each("OrderId") == expected


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("2022", []),
        ("2023", [NEW_YEAR_S_EVE]),
        ("2023-12-30", []),
        ("2024-01-30", ALL[:3]),
        ("2024-01-31T10:00Z", ALL[:4]),
        ("2024-01-31T18:44Z", ALL[:4]),
        ("2024-01-31T18:45:00Z", ALL[:5]),
        ("2024-01-31T18:45:00.12Z", ALL[:5]),
        ("2024-01-31T18:45:00.122Z", ALL[:4]),
        ("2024-01-31T19:45+01:00", ALL[:5]),
        ("2024-01-31", ALL[:6]),
        ("2024", ALL[:8]),
        ("2025", ALL),
    ],
)
def test_to_alone_has_everything_until_the_end_of_its_period(end: str, expected: list[str]) -> None:
    answer = call(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1", "to": end})

    assert answer.each("OrderId") == expected


def test_the_range_of_one_day_has_all_of_the_day() -> None:
    parameters = {"user_id": "1", "from": "2024-02-01", "to": "2024-02-01"}

    assert call(LIST_USER_ORDERS_IN_RANGE, parameters).each("OrderId") == [FEBRUARY, NIGHT]


def test_newest_first_holds_within_the_range() -> None:
    parameters = {"user_id": "1", "from": "2024-01", "to": "2024-01", "newest": "true"}

    assert call(LIST_USER_ORDERS_IN_RANGE, parameters).each("OrderId") == JANUARY[::-1]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-02", "2024-01"),
        ("2024-02-01", "2024-01-31"),
        ("2025", "2024"),
        ("2024-12", "2024-11-30"),
        ("2024-01-31T18:45Z", "2024-01-31T18:44Z"),
        ("2024-01-31T18:45:00.001Z", "2024-01-31T18:45:00.000Z"),
        ("2024-01-31T18:45Z", "2024-01-31T18:45+01:00"),
    ],
)
def test_a_range_that_ends_before_it_begins_is_refused(start: str, end: str) -> None:
    """moto accepts a reversed BETWEEN, DynamoDB does not: it must not come to that."""
    answer = call(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1", "from": start, "to": end})

    assert answer.refused == {"from": "lies after to"}


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29",
        "2024-00",
        "2024-13",
        "2024-04-31",
        "0000",
        "2024-01-31T24:00Z",
        "\u0662\u0660\u0662\u0664",
    ],
)
def test_what_is_not_in_the_calendar_is_refused(name: str, text: str) -> None:
    refused = call(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1", name: text}).refused

    assert set(refused) == {name}


@pytest.mark.parametrize("end", ["0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00"])
def test_a_time_that_is_no_time_in_utc_is_refused(end: str) -> None:
    assert set(call(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1", "to": end}).refused) == {"to"}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("newest", ["false", "true"])
def test_pages_end_with_the_range_and_none_is_empty(limit: int, newest: str) -> None:
    """On DynamoDB a start key must lie within the range; moto takes any (emulator tests)."""
    parameters = {"user_id": "1", "from": "2024-01", "to": "2024-01", "newest": newest}

    found = pages(LIST_USER_ORDERS_IN_RANGE, parameters, limit)

    expected = JANUARY[::-1] if newest == "true" else JANUARY
    assert [order_id for page in found for order_id in page.each("OrderId")] == expected
    assert [len(page.items) for page in found] == sizes(len(JANUARY), limit)


def test_a_cursor_is_taken_for_its_own_range_alone() -> None:
    january = {"user_id": "1", "from": "2024-01", "to": "2024-01"}
    cursor = str(call(LIST_USER_ORDERS_IN_RANGE, {**january, "limit": "1"}).next)

    assert_refused(LIST_USER_ORDERS_IN_RANGE, {**january, "to": "2024-02"}, cursor)
    assert_refused(LIST_USER_ORDERS_IN_RANGE, {**january, "from": "2023"}, cursor)
    assert_refused(LIST_USER_ORDERS_IN_RANGE, {**january, "user_id": "10"}, cursor)
    assert_refused(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1", "period": "2024-01"}, cursor)
    assert_refused(LIST_USER_ORDERS_IN_RANGE, {"user_id": "1"}, cursor)
    assert_tamper_proof(LIST_USER_ORDERS_IN_RANGE, january, cursor)


def test_a_user_without_orders_in_the_range_has_an_empty_list() -> None:
    parameters = {"user_id": "1", "from": "2024-03", "to": "2024-12"}

    assert call(LIST_USER_ORDERS_IN_RANGE, parameters).body == {"items": [], "next": None}


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_query_gives_alice_s_orders_of_january() -> None:
    parameters = {"user_id": "U-001", "from": "2024-01-01", "to": "2024-01-31"}

    assert call(LIST_USER_ORDERS_IN_RANGE, parameters).each("OrderId") == [
        "2024-01-05",
        "2024-01-15",
        "2024-01-31T18:45:00.000Z-JAN31X",
    ]


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_first_half_of_the_year_has_all_of_june() -> None:
    parameters = {"user_id": "U-001", "from": "2024-01", "to": "2024-06"}

    found = call(LIST_USER_ORDERS_IN_RANGE, parameters).each("OrderId")

    assert found[0] == "2024-01-05"
    assert found[-1] == "2024-06-30"
    assert len(found) == 6
