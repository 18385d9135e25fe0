from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lambdas.design.ecommerce import (
    GET_SESSION,
    LIST_EXPIRING_SESSIONS,
    LIST_USER_SESSIONS,
    START_SESSION,
)
from lambdas.runtime.items import to_item, tombstone
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Clock, Stored
from tests.handlers.ecommerce.samples import order, user

YEAR = 365 * 24 * 60 * 60


@pytest.fixture(autouse=True)
def users(put: Put) -> None:
    put(user("1"), user("10"), order("2", "2024-01-15"))


def start(body: Any, user_id: str = "1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(START_SESSION, {"user_id": user_id}, sent, body)


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("seconds", "time"),
    [
        (3600, "2026-11-30T13:00:00.000Z"),
        (1, "2026-11-30T12:00:01.000Z"),
        (YEAR, "2027-11-30T12:00:00.000Z"),
    ],
)
def test_a_session_with_a_time_to_live_stands_in_both_indexes(
    stored: Stored, clock: Clock, seconds: int, time: str
) -> None:
    answer = start({"TtlSeconds": seconds})

    session_id = answer.body["SessionId"]
    expires_at = int(clock.now.timestamp()) + seconds
    assert (answer.status, answer.requests) == (201, 1)
    assert answer.headers["Location"] == f"/ecommerce/sessions/{session_id}"
    assert answer.body == {
        "Type": "Session",
        "SessionId": session_id,
        "UserId": "1",
        "CreatedAt": "2026-11-30T12:00:00.000Z",
        "ExpiresAt": expires_at,
        "Version": 1,
    }
    assert stored.all()[f"SESSION#{session_id}", f"SESSION#{session_id}"] == {
        "PK": {"S": f"SESSION#{session_id}"},
        "SK": {"S": f"SESSION#{session_id}"},
        "GSI1PK": {"S": "SESSION#EXPIRING"},
        "GSI1SK": {"S": f"{time}#{session_id}"},
        "GSI2PK": {"S": "USER#1"},
        "GSI2SK": {"S": f"SESSION#{time}#{session_id}"},
        "Type": {"S": "Session"},
        "Version": {"N": "1"},
        "UserId": {"S": "1"},
        "CreatedAt": {"S": "2026-11-30T12:00:00.000Z"},
        "ExpiresAt": {"N": str(expires_at)},
    }


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("body", [{}, {"TtlSeconds": None}])
def test_a_session_without_one_never_expires_and_stays_out_of_the_sparse_index(
    stored: Stored, body: Any
) -> None:
    answer = start(body)

    session_id = answer.body["SessionId"]
    assert "ExpiresAt" not in answer.body
    assert stored.all()[f"SESSION#{session_id}", f"SESSION#{session_id}"] == {
        "PK": {"S": f"SESSION#{session_id}"},
        "SK": {"S": f"SESSION#{session_id}"},
        "GSI2PK": {"S": "USER#1"},
        "GSI2SK": {"S": f"SESSION#9999-12-31T23:59:59.999Z#{session_id}"},
        "Type": {"S": "Session"},
        "Version": {"N": "1"},
        "UserId": {"S": "1"},
        "CreatedAt": {"S": "2026-11-30T12:00:00.000Z"},
    }


def test_the_reads_agree_at_once_and_until_it_expires(clock: Clock) -> None:
    forever, short = start({}).body, start({"TtlSeconds": 60}).body

    assert call(GET_SESSION, {"session_id": short["SessionId"]}).body == short
    assert call(LIST_USER_SESSIONS, {"user_id": "1"}).items == [short, forever]
    assert call(LIST_EXPIRING_SESSIONS, {"before": "9999"}).items == [short]
    clock.now += timedelta(seconds=61)
    assert call(GET_SESSION, {"session_id": short["SessionId"]}).status == 404
    assert call(LIST_USER_SESSIONS, {"user_id": "1"}).items == [forever]


def test_each_session_has_an_id_of_its_own() -> None:
    assert len({start({}).body["SessionId"] for _ in range(5)}) == 5


@pytest.mark.parametrize("absent", ["2", "01", "100"])
def test_a_user_who_does_not_exist_is_404_and_nothing_is_written(
    stored: Stored, absent: str
) -> None:
    before = stored.all()

    answer = start({}, absent)

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert stored.all() == before


def test_a_deleted_user_is_404(put: Put, stored: Stored) -> None:
    put(tombstone(to_item(user("1"))))

    assert start({}).status == 404
    assert "Session" not in stored.types()


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"TtlSeconds": 0}, "TtlSeconds"),
        ({"TtlSeconds": -1}, "TtlSeconds"),
        ({"TtlSeconds": YEAR + 1}, "TtlSeconds"),
        ({"TtlSeconds": 1.5}, "TtlSeconds"),
        ({"TtlSeconds": "60"}, "TtlSeconds"),
        ({"TtlSeconds": True}, "TtlSeconds"),
        ({"TtlSeconds": [60]}, "TtlSeconds"),
        ({"SessionId": "S-1"}, "SessionId"),
        ({"ExpiresAt": 1}, "ExpiresAt"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, body: Any, name: str
) -> None:
    answer = start(body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert "Session" not in stored.types()


def test_the_same_call_with_its_key_starts_one_session(clock: Clock, stored: Stored) -> None:
    first = start({"TtlSeconds": 60}, Idempotency_Key="k")
    before = stored.all()
    clock.move(seconds=30)

    again = start({"TtlSeconds": 60}, Idempotency_Key="k")

    assert (first.status, again.status) == (201, 200)
    assert again.text == first.text
    assert stored.all() == before


def test_the_same_key_for_another_user_or_time_is_409(stored: Stored) -> None:
    start({"TtlSeconds": 60}, Idempotency_Key="k")
    before = stored.all()

    assert start({"TtlSeconds": 61}, Idempotency_Key="k").status == 409
    assert start({}, Idempotency_Key="k").status == 409
    assert start({"TtlSeconds": 60}, "10", Idempotency_Key="k").status == 409
    assert stored.all() == before


@pytest.mark.usefixtures("shop")
def test_alice_starts_a_session() -> None:
    session_id = start({"TtlSeconds": 3600}, "U-001").body["SessionId"]

    assert session_id in call(LIST_USER_SESSIONS, {"user_id": "U-001"}).each("SessionId")
