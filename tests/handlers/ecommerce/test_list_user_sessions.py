from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lambdas.design.ecommerce import LIST_USER_SESSIONS
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import carried
from tests.handlers.ecommerce.conftest import Clock
from tests.handlers.ecommerce.samples import order, session, user


@pytest.fixture(autouse=True)
def planted(put: Put, clock: Clock) -> None:
    """User 1's sessions, whose ids go against the order of time, and a neighbour's."""
    put(
        user("1", VIP=True),
        order("1", "1"),
        session("g-long-over", clock.after(days=-10)),
        session("f-over", clock.after(seconds=-1)),
        session("e-now", clock.now),
        session("d-soon", clock.after(minutes=30)),
        session("c-month", clock.after(days=30)),
        session("a-never"),
        session("b-never"),
        session("d-soon-10", clock.after(minutes=30), user_id="10"),
        session("never-10", user_id="10"),
    )


LIVE = ["e-now", "d-soon", "c-month", "a-never", "b-never"]


def test_returns_the_user_s_live_sessions_soonest_first_and_those_without_an_end_last() -> None:
    answer = call(LIST_USER_SESSIONS, {"user_id": "1"})

    assert answer.each("SessionId") == LIVE
    assert set(answer.each("UserId")) == {"1"}


def test_shows_an_end_where_there_is_one_and_nothing_internal(clock: Clock) -> None:
    items = call(LIST_USER_SESSIONS, {"user_id": "10"}).items

    assert items == [
        {
            "Type": "Session",
            "SessionId": "d-soon-10",
            "UserId": "10",
            "CreatedAt": "2023-01-01T00:00:00.000Z",
            "ExpiresAt": int(clock.after(minutes=30).timestamp()),
            "Version": 1,
        },
        {
            "Type": "Session",
            "SessionId": "never-10",
            "UserId": "10",
            "CreatedAt": "2023-01-01T00:00:00.000Z",
            "Version": 1,
        },
    ]


@pytest.mark.parametrize(
    ("milliseconds", "expected"), [(-1001, ["f-over", *LIVE]), (-1, LIVE), (0, LIVE), (1, LIVE[1:])]
)
def test_a_session_is_live_until_its_second_begins(
    clock: Clock, milliseconds: int, expected: list[str]
) -> None:
    clock.move(milliseconds=milliseconds)

    assert call(LIST_USER_SESSIONS, {"user_id": "1"}).each("SessionId") == expected


def test_a_session_without_an_end_is_there_for_ever(clock: Clock) -> None:
    clock.move(days=2_000_000)

    assert call(LIST_USER_SESSIONS, {"user_id": "1"}).each("SessionId") == LIVE[3:]


@pytest.mark.parametrize("user_id", ["2", "100", "U", "EXPIRING"])
def test_a_user_without_sessions_has_an_empty_list_as_has_nobody(put: Put, user_id: str) -> None:
    put(user("2"), session("S", user_id="u"))

    assert call(LIST_USER_SESSIONS, {"user_id": user_id}).items == []


def test_a_user_whose_sessions_are_all_over_has_an_empty_list(put: Put, clock: Clock) -> None:
    put(session("S-1", clock.after(hours=-1), "2"), session("S-2", clock.after(seconds=-1), "2"))

    assert call(LIST_USER_SESSIONS, {"user_id": "2"}).items == []


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("hours", [0, 1, 24 * 31])
def test_a_session_that_ends_between_two_pages_is_on_the_later_one_still(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, hours: int, limit: int
) -> None:
    times = iter(clock.after(hours=hours * n) for n in range(100))
    monkeypatch.setattr("lambdas.runtime.times.now", lambda: next(times))

    found = pages(LIST_USER_SESSIONS, {"user_id": "1"}, limit)

    assert [each for page in found for each in page.each("SessionId")] == LIVE
    assert [len(page.items) for page in found] == sizes(len(LIVE), limit)


def test_a_new_call_begins_at_the_new_now(clock: Clock) -> None:
    first = call(LIST_USER_SESSIONS, {"user_id": "1", "limit": "1"})
    clock.move(hours=1)

    assert first.each("SessionId") == ["e-now"]
    assert call(LIST_USER_SESSIONS, {"user_id": "1"}).each("SessionId") == LIVE[2:]


def test_the_second_page_s_cursor_has_the_first_page_s_now(clock: Clock) -> None:
    first = call(LIST_USER_SESSIONS, {"user_id": "1", "limit": "1"})
    clock.move(hours=1)
    second = call(LIST_USER_SESSIONS, {"user_id": "1", "limit": "1", "cursor": str(first.next)})

    for cursor in (str(first.next), str(second.next)):
        assert "2026-11-30T12:00:00.000Z" in carried(cursor)
        assert "2026-11-30T13:00:00.000Z" not in carried(cursor)


@pytest.mark.usefixtures("shop")
def test_of_alice_s_four_sessions_in_the_shop_one_is_over(clock: Clock) -> None:
    clock.now = datetime.now(UTC)  # the shop's sessions begin and end around it

    assert call(LIST_USER_SESSIONS, {"user_id": "U-001"}).each("SessionId") == [
        "S-002",
        "S-001",
        "S-003",
    ]
