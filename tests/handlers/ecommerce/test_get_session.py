from __future__ import annotations

import pytest

from lambdas.design.ecommerce import GET_SESSION, LIST_USER_SESSIONS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.ecommerce.conftest import Clock
from tests.handlers.ecommerce.samples import job, product, session, user


def test_returns_a_session_that_lasts_and_only_what_callers_may_see(put: Put, clock: Clock) -> None:
    put(session("S-1", clock.after(hours=1), user_id="7"))

    answer = call(GET_SESSION, {"session_id": "S-1"})

    assert answer.status == 200
    assert answer.body == {
        "Type": "Session",
        "SessionId": "S-1",
        "UserId": "7",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "ExpiresAt": int(clock.after(hours=1).timestamp()),
        "Version": 1,
    }


def test_one_without_an_end_lasts(put: Put, clock: Clock) -> None:
    put(session("S-1"))
    clock.move(days=100_000)

    answer = call(GET_SESSION, {"session_id": "S-1"})

    assert answer.status == 200
    assert "ExpiresAt" not in answer.body


@pytest.mark.parametrize("seconds", [1, 3600, 86_400, 10_000_000])
def test_an_expired_one_is_404_though_it_is_still_in_the_table(
    put: Put, clock: Clock, seconds: int
) -> None:
    put(session("S-1", clock.after(seconds=-seconds), user_id="alice"))

    answer = call(GET_SESSION, {"session_id": "S-1"})

    assert answer.status == 404
    assert "alice" not in answer.text
    assert "ETag" not in answer.headers


def test_an_expired_one_and_one_that_never_was_are_answered_alike(put: Put, clock: Clock) -> None:
    put(session("S-1", clock.after(seconds=-1)))

    expired = call(GET_SESSION, {"session_id": "S-1"}).body
    absent = call(GET_SESSION, {"session_id": "S-2"}).body

    assert absent | {"detail": absent["detail"].replace("S-2", "S-1")} == expired


@pytest.mark.parametrize(
    ("milliseconds", "status"), [(-1000, 200), (-1, 200), (0, 200), (1, 404), (999, 404)]
)
def test_a_session_lasts_until_its_second_begins(
    put: Put, clock: Clock, milliseconds: int, status: int
) -> None:
    put(session("S-1", clock.now))
    clock.move(milliseconds=milliseconds)

    assert call(GET_SESSION, {"session_id": "S-1"}).status == status
    assert len(call(LIST_USER_SESSIONS, {"user_id": "1"}).items) == (status == 200)


def test_the_epoch_is_an_end_like_any_other(put: Put, clock: Clock) -> None:
    put(to_item(session("S-1", clock.now)) | {"ExpiresAt": {"N": "0"}})

    assert call(GET_SESSION, {"session_id": "S-1"}).status == 404


@pytest.mark.parametrize("session_id", ["S-1", "S-10", "s-1", "S_1"])
def test_never_mistakes_one_id_for_another(put: Put, session_id: str) -> None:
    put(*(session(each, user_id=f"of-{each}") for each in ("S-1", "S-10", "s-1", "S_1")))

    assert call(GET_SESSION, {"session_id": session_id}).body["UserId"] == f"of-{session_id}"


@pytest.mark.parametrize("absent", ["S-2", "S", "J-1", "P-1", "1", "EXPIRING"])
def test_a_session_that_does_not_exist_is_404(put: Put, clock: Clock, absent: str) -> None:
    put(session("S-1", clock.after(hours=1)), job("J-1"), product("P-1"), user("1"))

    answer = call(GET_SESSION, {"session_id": absent})

    assert answer.status == 404
    assert absent in answer.body["detail"]


def test_an_item_of_another_type_is_not_a_session(put: Put) -> None:
    put(to_item(session("S-1")) | {"Type": {"S": "Draft"}})

    assert call(GET_SESSION, {"session_id": "S-1"}).status == 404


def test_the_etag_is_the_version_in_quotes(put: Put) -> None:
    put(to_item(session("S-1")) | {"Version": {"N": "12"}})

    assert call(GET_SESSION, {"session_id": "S-1"}).headers["ETag"] == '"12"'


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("session_id", "status"), [("S-001", 200), ("S-002", 200), ("S-003", 200), ("S-004", 404)]
)
def test_of_the_shop_s_sessions_one_is_over(session_id: str, status: int) -> None:
    assert call(GET_SESSION, {"session_id": session_id}).status == status
