"""What holds for every pattern that writes, however it is declared.

Moto ignores the token of a transaction and the rights of a role: that a transaction whose answer
was lost is made once is shown against the local cloud, in `tests/e2e`; that a role is enough, here,
since `call` compares what was called with what is declared.
"""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import UTC, datetime
from importlib import import_module
from io import StringIO
from typing import Any

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import PLACE_ORDER, START_SESSION, SUBMIT_JOB
from lambdas.design.operations import Write
from lambdas.design.pattern import (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    AccessPattern,
    NewItem,
    NewParentAndAll,
    Nothing,
    PutOrReplaced,
)
from lambdas.runtime import logs
from tests.conftest import Put
from tests.handlers.caller import Answer, call, called, event, example, send
from tests.handlers.conftest import Clock, Stored
from tests.handlers.ecommerce.samples import user

WRITES = [each for each in ACCESS_PATTERNS if isinstance(each.operation, Write)]
WITH_BODY = [each for each in WRITES if each.body]
VERSIONED = [each for each in WRITES if IF_MATCH in each.headers]
IDEMPOTENT = [each for each in WRITES if each.is_idempotent]
NEW = [each for each in WRITES if isinstance(each.answer, NewItem | NewParentAndAll)]

pytestmark = pytest.mark.usefixtures("table")


def each_of(patterns: list[AccessPattern]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("pattern", patterns, ids=lambda each: each.name)


def write(pattern: AccessPattern, **headers: str) -> Answer:
    """What the pattern's example is answered with."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(pattern, pattern.example, sent, example(pattern))


@pytest.fixture
def data(pattern: AccessPattern, put: Put) -> None:
    """The example data of the pattern's dataset."""
    put(*import_module(f"seed.{pattern.dataset}").items(datetime.now(UTC)))


def test_the_contract_says_what_takes_a_version_and_what_takes_a_key() -> None:
    versioned = "CW-02 CW-03 CW-04 CW-06 CW-07 CW-11 UW-01 UW-02 UW-04 UW-05"
    idempotent = ["CW-01", "CW-05", "CW-08", "CW-10", "SW-01"]
    neither = ["CW-09", "UW-03", "UW-06", "SW-02", "SW-03"]
    contract = {*versioned.split(), *idempotent, *neither}
    assert [each.id for each in VERSIONED if each.id in contract] == versioned.split()
    assert [each.id for each in IDEMPOTENT if each.id in contract] == idempotent
    assert contract <= {each.id for each in WRITES}


# --- Examples -------------------------------------------------------------------------------


@pytest.mark.usefixtures("data")
@each_of(WRITES)
def test_its_example_succeeds_on_the_example_data(pattern: AccessPattern, stored: Stored) -> None:
    before = stored.all()

    answer = write(pattern)

    if pattern in NEW:
        assert answer.status == 201
    elif isinstance(pattern.answer, Nothing):
        assert answer.status == 204
    else:
        assert answer.status in {200, 201}
    if pattern.id != "UW-03":  # Mia Muster is not enrolled
        assert stored.all() != before


@pytest.mark.usefixtures("data")
@each_of([each for each in VERSIONED if not isinstance(each.answer, PutOrReplaced)])
def test_its_example_succeeds_with_the_version_that_is_there_and_fails_with_another(
    pattern: AccessPattern,
) -> None:
    assert write(pattern, If_Match='"2"').status == 412
    assert write(pattern, If_Match='"1"').status in {200, 204}
    if pattern.id != "UW-02":  # has no mark: the same change of the same version is the same call
        assert write(pattern, If_Match='"1"').status in {404, 412}


@each_of(WRITES)
def test_on_an_empty_table_there_is_nothing_that_is_half_done(
    pattern: AccessPattern, stored: Stored
) -> None:
    answer = write(pattern)

    if answer.status >= 400:
        assert answer.status in {400, 404}
        assert stored.all() == {}
    else:
        assert len(stored.all()) == (0 if answer.status in {200, 204} else _items_of(pattern))


def _items_of(pattern: AccessPattern) -> int:
    return 2 if pattern.name == "create_user" else 1  # the guard of the address is one, too


# --- Versions -------------------------------------------------------------------------------


@each_of([each for each in WRITES if each not in VERSIONED])
def test_where_no_version_is_taken_if_match_is_refused_in_any_case(
    pattern: AccessPattern, stored: Stored
) -> None:
    for name in ("if-match", "If-Match", "IF-MATCH"):
        sent = event(pattern, pattern.example, None, example(pattern))
        sent["headers"][name] = '"1"'

        answer = send(pattern, sent)

        assert set(answer.refused) == {"If-Match"}
        assert answer.requests == 0
    assert stored.all() == {}


@each_of(VERSIONED)
def test_what_is_no_etag_is_refused(pattern: AccessPattern) -> None:
    for tag in ("", "1", "*", '""', '"0"', '"01"', '"-1"', '"1.0"', 'W/"1"', '"1", "2"', '"1" '):
        answer = write(pattern, If_Match=tag)

        assert set(answer.refused) == {"If-Match"}, tag
        assert answer.requests == 0


# --- Bodies ---------------------------------------------------------------------------------


NO_OBJECTS = (
    None,
    "",
    " ",
    "no JSON",
    "{",
    "[]",
    "[{}]",
    "1",
    "null",
    '"{}"',
    "\ufeff{}",
    "\ud800",
)


@each_of(WITH_BODY)
def test_what_is_no_json_object_is_refused(pattern: AccessPattern, stored: Stored) -> None:
    for body in NO_OBJECTS:
        answer = call(pattern, pattern.example, None, body)

        assert set(answer.refused) == {"body"}, body
        assert answer.requests == 0
    assert stored.all() == {}


@each_of(WITH_BODY)
def test_a_name_that_is_not_known_is_refused(pattern: AccessPattern, stored: Stored) -> None:
    for name in ("Colour", "PK", "GSI1PK", "Type", "Version", "LastCall", "a b", "ü"):
        answer = call(pattern, pattern.example, None, {**example(pattern), name: "x"})

        assert set(answer.refused) == {name}
        assert answer.requests == 0
    assert stored.all() == {}


@each_of(WITH_BODY)
def test_a_body_that_is_nested_too_deeply_is_refused(pattern: AccessPattern) -> None:
    name = next(iter(example(pattern)))
    answer = call(pattern, pattern.example, None, f'{{"{name}": {"[" * 50_000}{"]" * 50_000}}}')

    [refused] = answer.refused
    assert refused == "body" or refused.startswith(name)


@pytest.mark.usefixtures("data")
@each_of(WITH_BODY)
def test_a_body_may_come_encoded(pattern: AccessPattern) -> None:
    text = json.dumps(example(pattern), ensure_ascii=False)
    sent = event(pattern, pattern.example, None, b64encode(text.encode()).decode())

    assert send(pattern, {**sent, "isBase64Encoded": True}).status in {200, 201}


@each_of(WRITES)
def test_a_query_parameter_that_is_not_known_is_refused(
    pattern: AccessPattern, stored: Stored
) -> None:
    for name in ("colour", "limit", "UserId"):
        answer = call(pattern, {**pattern.example, name: "1"}, None, example(pattern))
        assert set(answer.refused) == {name}
    assert stored.all() == {}


@each_of([each for each in WRITES if each.path_parameters])
def test_an_id_in_the_path_that_is_none_is_refused_and_named(pattern: AccessPattern) -> None:
    for name in pattern.path_parameters:
        for text in (".", "..", "a#b", "a/b", "a b", "a%2Bb", "Ä", "a\n", "a" * 65):
            answer = call(pattern, {**pattern.example, name: text}, None, example(pattern))
            assert set(answer.refused) == {name}
            assert answer.requests == 0


@pytest.mark.usefixtures("data")
@each_of(WRITES)
def test_nothing_of_what_was_sent_is_logged(
    pattern: AccessPattern, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = StringIO()
    monkeypatch.setattr(logs.handler, "stream", written)
    sent = {} if pattern not in IDEMPOTENT else {"Idempotency-Key": "secret-key"}

    call(pattern, pattern.example, sent, example(pattern))
    call(pattern, pattern.example, sent, '{"Name": "secret"}')

    assert written.getvalue().count(f'"pattern":"{pattern.id}"') == 2
    values = {*pattern.example.values(), *_texts(example(pattern)), "secret"}
    telling = {text for text in values if len(text) > 3 and not text.isupper()}
    assert [text for text in telling if text in written.getvalue()] == []


def _texts(document: Any) -> list[str]:
    if isinstance(document, dict):
        return [text for each in document.values() for text in _texts(each)]
    return [document] if isinstance(document, str) else []


# --- Idempotency ----------------------------------------------------------------------------


@each_of(IDEMPOTENT)
def test_what_is_no_key_is_refused(pattern: AccessPattern, stored: Stored) -> None:
    for key in ("", " ", "a b", "ü", "a\n", "\x7f", "a" * 65):
        answer = write(pattern, Idempotency_Key=key)

        assert set(answer.refused) == {"Idempotency-Key"}, key
        assert answer.requests == 0
    assert stored.all() == {}


@pytest.mark.usefixtures("data")
@each_of(IDEMPOTENT)
def test_the_same_key_with_the_same_request_gives_the_first_answer_again(
    pattern: AccessPattern, stored: Stored
) -> None:
    key = "#%!~{}'\"\\/" + "a" * 54
    first = write(pattern, Idempotency_Key=key)
    before = stored.all()

    for _ in range(2):
        again = write(pattern, Idempotency_Key=key)
        assert (first.status, again.status) == (201, 200)
        assert again.text == first.text
        assert again.headers.get("Location") == first.headers.get("Location")
        assert again.etag == first.etag
    assert stored.all() == before


@pytest.mark.usefixtures("data")
@each_of(IDEMPOTENT)
def test_the_order_of_the_names_in_a_body_makes_no_other_request(pattern: AccessPattern) -> None:
    text = json.dumps(dict(reversed(example(pattern).items())), indent=2)
    first = write(pattern, Idempotency_Key="k")

    again = call(pattern, pattern.example, {"Idempotency-Key": "k"}, text)

    assert (again.status, again.text) == (200, first.text)


ANOTHER_REQUEST: dict[str, dict[str, Any]] = {
    "create_user": {"Name": "Zoë"},
    "place_order": {"Items": [{"ProductId": "P-100", "Quantity": 2}]},
    "start_session": {"TtlSeconds": 3601},
    "submit_job": {"JobId": "J-901"},
    "create_person": {"PersonId": "erika"},
}


@pytest.mark.usefixtures("data")
@each_of(IDEMPOTENT)
def test_the_same_key_with_another_request_is_409_and_writes_nothing(
    pattern: AccessPattern, stored: Stored
) -> None:
    write(pattern, Idempotency_Key="k")
    before = stored.all()
    body = {**example(pattern), **ANOTHER_REQUEST[pattern.name]}

    answer = call(pattern, pattern.example, {"Idempotency-Key": "k"}, body)

    assert answer.status == 409
    assert "Idempotency-Key" in answer.body["detail"]
    assert answer.requests == 1
    assert stored.all() == before


@pytest.mark.usefixtures("data")
@each_of([PLACE_ORDER])
def test_a_request_that_is_wrong_in_itself_is_400_whatever_its_key_was_sent_with_before(
    pattern: AccessPattern,
) -> None:
    write(pattern, Idempotency_Key="k")
    line = {"ProductId": "P-100", "Quantity": 3}

    twice = call(pattern, pattern.example, {"Idempotency-Key": "k"}, {"Items": [line, line]})
    once = call(pattern, pattern.example, {"Idempotency-Key": "k"}, {"Items": [line]})

    assert (twice.status, set(twice.refused)) == (400, {"Items[1].ProductId"})
    assert once.status == 409
    assert (twice.requests, once.requests) == (0, 1)


@pytest.mark.usefixtures("data")
@each_of([each for each in IDEMPOTENT if each.name in {"place_order", "start_session"}])
@pytest.mark.parametrize("hours", [0, 23.99])
def test_a_key_is_known_for_24_hours_and_then_counts_as_absent(
    pattern: AccessPattern, clock: Clock, stored: Stored, hours: float
) -> None:
    """The record may still lie there: DynamoDB removes it some time later."""
    first = write(pattern, Idempotency_Key="k")
    clock.move(hours=hours)
    again = write(pattern, Idempotency_Key="k")
    assert (again.status, again.text) == (200, first.text)

    clock.move(hours=24.01)
    later = write(pattern, Idempotency_Key="k")

    assert later.status == 201
    assert later.text != first.text
    assert stored.types().count("Idempotency") == 1
    clock.move(hours=1)
    assert write(pattern, Idempotency_Key="k").text == later.text


def _by(authorizer: dict[str, Any] | None) -> Answer:
    sent = event(SUBMIT_JOB, {}, {"Idempotency-Key": "k"}, {})
    return send(SUBMIT_JOB, called(sent, authorizer))


def test_a_key_is_its_caller_s_own(stored: Stored) -> None:
    callers: list[dict[str, Any] | None] = [
        None,
        {"jwt": {"claims": {"sub": "ann", "scope": "admin"}, "scopes": None}},
        {"jwt": {"claims": {"sub": "ann#k", "scope": "admin"}}},
        {"iam": {"userArn": "arn:aws:iam::123456789012:user/ann"}},
        {"iam": {"userArn": "arn:aws:iam::123456789012:user/bob"}},
    ]

    first = [_by(caller) for caller in callers]

    assert [each.status for each in first] == [201] * 5
    assert len({each.body["JobId"] for each in first}) == 5
    assert [_by(caller).text for caller in callers] == [each.text for each in first]
    assert stored.types().count("Job") == 5


def test_a_key_is_its_pattern_s_own(put: Put) -> None:
    put(user("1"))
    headers = {"Idempotency-Key": "k"}

    assert call(SUBMIT_JOB, {}, headers, {}).status == 201
    assert call(START_SESSION, {"user_id": "1"}, headers, {}).status == 201


def test_keys_are_told_apart_by_their_case_and_every_character() -> None:
    keys = ["k", "K", "k#", "k%23", "k%", "#k"]

    made = {call(SUBMIT_JOB, {}, {"Idempotency-Key": key}, {}).body["JobId"] for key in keys}

    assert len(made) == len(keys)


def test_without_a_key_the_same_call_is_made_again(stored: Stored) -> None:
    assert {call(SUBMIT_JOB, {}, None, {}).status for _ in range(2)} == {201}
    assert stored.types() == ["Job", "Job"]


def test_a_key_is_taken_where_it_is_declared_and_nowhere_else() -> None:
    assert [each for each in ACCESS_PATTERNS if IDEMPOTENCY_KEY in each.headers] == IDEMPOTENT
