from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_EXPIRING_SESSIONS, LIST_USER_SESSIONS
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.cursors import assert_refused, carried
from tests.handlers.ecommerce.conftest import Clock
from tests.handlers.ecommerce.samples import failed, order, session


@pytest.fixture(autouse=True)
def planted(put: Put, clock: Clock) -> None:
    """It is noon of 30 November 2026. The ids go against the order of time."""
    put(
        session("f-over", clock.after(seconds=-1)),
        session("e-now", clock.now),
        session("d-soon", clock.after(minutes=30), user_id="2"),
        session("c-one", clock.after(hours=1), user_id="10"),
        session("b-midnight", clock.after(hours=12)),
        session("a-month", clock.after(days=30)),
        session("0-never"),
    )


NOT_OVER = ["e-now", "d-soon", "c-one", "b-midnight", "a-month"]


@pytest.mark.parametrize("before", ["9999", "2027", "2026-12-31", "2026-12-30T12:00:01Z"])
def test_returns_the_sessions_of_all_users_soonest_first_and_none_that_is_over_or_never_ends(
    before: str,
) -> None:
    answer = call(LIST_EXPIRING_SESSIONS, {"before": before})

    assert answer.each("SessionId") == NOT_OVER
    assert answer.each("UserId") == ["1", "2", "10", "1", "1"]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("2026-12-30T12:00:00Z", NOT_OVER[:4]),
        ("2026-12-30", NOT_OVER[:4]),
        ("2026-12-01T00:00:00.001Z", NOT_OVER[:4]),
        ("2026-12-01", NOT_OVER[:3]),
        ("2026-12", NOT_OVER[:3]),
        ("2026-12-01T00:00Z", NOT_OVER[:3]),
        ("2026-11-30T13:00:00.001Z", NOT_OVER[:3]),
        ("2026-11-30T13:00:00.000Z", NOT_OVER[:2]),
        ("2026-11-30T13:00Z", NOT_OVER[:2]),
        ("2026-11-30T14:00+01:00", NOT_OVER[:2]),
        ("2026-11-30T07:30:00-05:00", NOT_OVER[:1]),
        ("2026-11-30T12:00:00.001Z", NOT_OVER[:1]),
    ],
)
def test_before_is_the_beginning_of_its_period_and_not_in_the_list_itself(
    before: str, expected: list[str]
) -> None:
    assert call(LIST_EXPIRING_SESSIONS, {"before": before}).each("SessionId") == expected


@pytest.mark.parametrize(
    "before",
    [
        "2026-11-30T12:00:00.000Z",
        "2026-11-30T12:00Z",
        "2026-11-30T12:59+01:00",
        "2026-11-30",
        "2026-11",
        "2026",
        "2020-02-29",
        "0001",
    ],
)
def test_a_time_that_is_past_gives_an_empty_list(before: str) -> None:
    """moto takes a BETWEEN of the wrong way round; that none is sent is in `tests/runtime`."""
    answer = call(LIST_EXPIRING_SESSIONS, {"before": before})

    assert answer.status == 200
    assert answer.body == {"items": [], "next": None}
    assert answer.requests == 1


def test_the_other_collections_of_the_index_stay_out(put: Put) -> None:
    put(failed("1", "2026-11-30T12"), order("1", "2026-11-30T13", Status="PENDING"))

    assert call(LIST_EXPIRING_SESSIONS, {"before": "9999"}).each("SessionId") == NOT_OVER


def test_sessions_that_end_in_one_second_are_all_there(put: Put, clock: Clock) -> None:
    put(session("S-1", clock.after(hours=1)), session("S-2", clock.after(hours=1)))

    found = call(LIST_EXPIRING_SESSIONS, {"before": "2026-12"}).each("SessionId")

    assert found == ["e-now", "d-soon", "S-1", "S-2", "c-one"]


def test_a_session_leaves_the_list_when_it_is_over(clock: Clock) -> None:
    clock.move(milliseconds=1)
    assert call(LIST_EXPIRING_SESSIONS, {"before": "9999"}).each("SessionId") == NOT_OVER[1:]

    clock.move(hours=1)
    assert call(LIST_EXPIRING_SESSIONS, {"before": "9999"}).each("SessionId") == NOT_OVER[3:]


@pytest.mark.parametrize("hours", [0, 1, 24, 24 * 365])
def test_later_pages_have_what_the_first_page_s_now_promised(clock: Clock, hours: int) -> None:
    """What has ended meanwhile is shown still, so that no page begins outside of the list."""
    asked = {"before": "2026-12-31", "limit": "2"}
    first = call(LIST_EXPIRING_SESSIONS, asked)
    clock.move(hours=hours)
    second = call(LIST_EXPIRING_SESSIONS, {**asked, "cursor": str(first.next)})
    clock.move(hours=hours)
    third = call(LIST_EXPIRING_SESSIONS, {**asked, "cursor": str(second.next)})

    assert [page.each("SessionId") for page in (first, second, third)] == [
        NOT_OVER[:2],
        NOT_OVER[2:4],
        NOT_OVER[4:],
    ]
    assert third.next is None


def test_before_may_pass_between_two_pages(clock: Clock) -> None:
    asked = {"before": "2026-11-30T13:30Z", "limit": "1"}
    first = call(LIST_EXPIRING_SESSIONS, asked)
    clock.move(hours=2)

    rest = call(LIST_EXPIRING_SESSIONS, {**asked, "limit": "9", "cursor": str(first.next)})

    assert rest.each("SessionId") == NOT_OVER[1:3]
    assert call(LIST_EXPIRING_SESSIONS, asked).items == []


def test_a_cursor_has_the_first_page_s_now() -> None:
    cursor = str(call(LIST_EXPIRING_SESSIONS, {"before": "9999", "limit": "1"}).next)

    assert "2026-11-30T12:00:00.000Z" in carried(cursor)


def test_cursors_of_the_lists_that_now_bounds_are_not_mixed_up() -> None:
    of_user = str(call(LIST_USER_SESSIONS, {"user_id": "1", "limit": "1"}).next)
    of_all = str(call(LIST_EXPIRING_SESSIONS, {"before": "9999", "limit": "1"}).next)

    assert_refused(LIST_EXPIRING_SESSIONS, {"before": "9999"}, of_user)
    assert_refused(LIST_USER_SESSIONS, {"user_id": "1"}, of_all)


def test_another_spelling_of_before_is_another_call() -> None:
    cursor = str(call(LIST_EXPIRING_SESSIONS, {"before": "2027", "limit": "1"}).next)

    assert_refused(LIST_EXPIRING_SESSIONS, {"before": "2027-01"}, cursor)


@pytest.mark.parametrize("before", ["9999-12-31T23:59-01:00", "0001-01-01T00:00+01:00"])
def test_a_time_that_is_no_time_in_utc_is_refused(before: str) -> None:
    assert set(call(LIST_EXPIRING_SESSIONS, {"before": before}).refused) == {"before"}
