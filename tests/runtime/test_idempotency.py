import json
from typing import Any

import pytest
from msgspec.structs import replace

from lambdas.design.ecommerce import CREATE_USER, START_SESSION, NewSession, NewUser
from lambdas.design.idempotency import SECONDS_KEPT
from lambdas.design.pattern import IDEMPOTENCY_KEY
from lambdas.runtime import idempotency
from lambdas.runtime.access import Caller
from lambdas.runtime.call import Answer, Call
from lambdas.runtime.errors import Conflict
from lambdas.runtime.items import Item
from tests.runtime.conftest import Table
from tests.runtime.samples import NOW, a_call

FIRST = Answer({"Type": "Session", "ExpiresAt": 1}, {"ETag": '"1"', "Location": "/x"}, 201)
NOW_SECONDS = int(NOW.timestamp())


def start(key: str = "k", user: str = "1", seconds: int | None = 60, **changes: Any) -> Call:
    headers = {IDEMPOTENCY_KEY.name: key} if key else {}
    call = a_call(START_SESSION, {"user_id": user}, NewSession(TtlSeconds=seconds), headers)
    return replace(call, **changes)


def record(call: Call) -> Item:
    item: Item = idempotency.remembering(call, FIRST)["Item"]
    return item


def test_a_record_has_the_answer_its_headers_and_a_day_to_live() -> None:
    assert SECONDS_KEPT == 24 * 60 * 60
    item = record(start())
    digest = item.pop("Digest")["S"]
    assert len(digest) == 32
    assert json.loads(item.pop("Answer")["S"]) == FIRST.body
    assert item == {
        "PK": {"S": "IDEMPOTENCY#CW-08#anybody#k"},
        "SK": {"S": "IDEMPOTENCY#CW-08#anybody#k"},
        "Type": {"S": "Idempotency"},
        "Version": {"N": "1"},
        "Headers": {"M": {"ETag": {"S": '"1"'}, "Location": {"S": "/x"}}},
        "ExpiresAt": {"N": str(NOW_SECONDS + SECONDS_KEPT)},
    }


def test_a_record_is_written_where_there_is_none_that_is_alive() -> None:
    request = idempotency.remembering(start(), FIRST)
    assert "attribute_not_exists" in request["ConditionExpression"]
    assert {"N": str(NOW_SECONDS)} in request["ExpressionAttributeValues"].values()


@pytest.mark.parametrize(
    "other",
    [
        start("K"),
        start("k#"),
        start(caller=Caller("ann")),
        start(caller=Caller("anybody#k"), token="t"),
    ],
)
def test_a_record_is_of_its_caller_and_key(other: Call) -> None:
    assert record(other)["PK"] != record(start())["PK"]


def test_no_two_callers_and_keys_give_one_record() -> None:
    assert (
        record(start("b#c", caller=Caller("a")))["PK"]
        != record(start("c", caller=Caller("a#b")))["PK"]
    )


@pytest.mark.parametrize("other", [start(seconds=61), start(seconds=None), start(user="2")])
def test_another_request_has_another_digest(other: Call) -> None:
    assert record(other)["Digest"] != record(start())["Digest"]


def test_the_same_request_has_the_same_digest_at_any_time() -> None:
    later = start(now=NOW.replace(hour=13), token="another")
    assert record(later)["Digest"] == record(start())["Digest"]


def test_a_request_is_all_of_its_body() -> None:
    def digest(**body: Any) -> Any:
        sent = NewUser(**{"Name": "A", "Email": "a@x.de", **body})
        return record(a_call(CREATE_USER, {}, sent, {IDEMPOTENCY_KEY.name: "k"}))["Digest"]["S"]

    bodies: list[dict[str, Any]] = [
        {},
        {"Name": "B"},
        {"Email": "A@x.de"},
        {"VIP": True},
        {"UserId": "1"},
        {"Address": {"a": "b"}},
        {"Address": {"a": "c"}},
    ]
    assert len({digest(**body) for body in bodies}) == len(bodies)


def test_a_known_key_gives_the_first_answer_and_200(table: Table) -> None:
    table.has(record(start()))
    answer = idempotency.recalled(start())
    assert answer is not None
    assert answer.status == 200
    assert json.loads(bytes(answer.body)) == FIRST.body
    assert answer.headers == FIRST.headers
    [call] = table.calls
    assert call["ConsistentRead"] is True


def test_a_key_that_is_not_known_gives_none(table: Table) -> None:
    table.has(None)
    assert idempotency.recalled(start()) is None


def test_without_a_key_nothing_is_asked(table: Table) -> None:
    assert idempotency.recalled(start("")) is None
    assert table.calls == []


def test_an_expired_record_counts_as_absent_though_it_is_still_there(table: Table) -> None:
    item = record(start())
    for past, is_known in ((0, True), (-1, False)):
        table.has(item | {"ExpiresAt": {"N": str(NOW_SECONDS + past)}})
        assert (idempotency.recalled(start()) is not None) is is_known


def test_a_known_key_with_another_request_is_a_conflict(table: Table) -> None:
    table.has(record(start()))
    with pytest.raises(Conflict, match="Idempotency-Key has been used for another request"):
        idempotency.recalled(start(seconds=61))


def test_a_record_that_is_not_told_is_a_conflict() -> None:
    with pytest.raises(Conflict):
        idempotency.replayed(start(), None)
