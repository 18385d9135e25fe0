from __future__ import annotations

import pytest

from lambdas.design.ecommerce import END_SESSION, GET_SESSION, LIST_USER_SESSIONS
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.conftest import Clock, Stored, Wire
from tests.handlers.ecommerce.samples import session, user

pytestmark = pytest.mark.usefixtures("table")


def test_the_session_is_gone_from_every_list_and_no_other_is(
    put: Put, clock: Clock, stored: Stored
) -> None:
    put(user("1"), *(session(each, clock.after(days=1)) for each in ("S-1", "S-10", "s-1")))
    before = stored.all()

    answer = call(END_SESSION, {"session_id": "S-1"})

    assert (answer.status, answer.text, answer.requests) == (204, "", 1)
    del before["SESSION#S-1", "SESSION#S-1"]
    assert stored.all() == before
    assert call(GET_SESSION, {"session_id": "S-1"}).status == 404
    assert call(LIST_USER_SESSIONS, {"user_id": "1"}).each("SessionId") == ["S-10", "s-1"]


def test_a_session_that_does_not_exist_is_204_too(put: Put, stored: Stored) -> None:
    put(session("S-1"))
    before = stored.all()

    assert call(END_SESSION, {"session_id": "S-2"}).status == 204
    assert stored.all() == before


def test_it_may_be_ended_twice(put: Put) -> None:
    put(session("S-1"))

    assert [call(END_SESSION, {"session_id": "S-1"}).status for _ in range(2)] == [204, 204]


def test_one_whose_answer_was_lost_has_ended(put: Put, stored: Stored, wire: Wire) -> None:
    put(session("S-1"))
    wire.loses()

    assert call(END_SESSION, {"session_id": "S-1"}).status == 204
    assert stored.all() == {}


@pytest.mark.usefixtures("shop")
def test_the_example_ends_a_session_of_the_dataset() -> None:
    session_id = END_SESSION.example["session_id"]
    assert call(GET_SESSION, {"session_id": session_id}).status == 200

    assert call(END_SESSION, {"session_id": session_id}).status == 204
    assert call(GET_SESSION, {"session_id": session_id}).status == 404
