"""What holds for every pattern that reads, however it is declared."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest

from lambdas.design import ACCESS_PATTERNS, values
from lambdas.design.operations import Parameter
from lambdas.design.pattern import CURSOR, LIMIT, AccessPattern
from lambdas.runtime import logs
from tests.handlers.caller import Parameters, call, event, send

READS = [each for each in ACCESS_PATTERNS if each.method == "GET" and not each.variant_of]
LISTS = [each for each in READS if each.is_paged]

pytestmark = pytest.mark.usefixtures("table")

READ = pytest.mark.parametrize("pattern", READS, ids=lambda each: each.name)
LIST = pytest.mark.parametrize("pattern", LISTS, ids=lambda each: each.name)

_NO_ID = (".", "..", "a#b", "a/b", "a b", "a+b", "a%2Bb", "Ä", "a\n", "\0", "a" * 65)
_NO_PERIOD = (
    "24",
    "2024-1",
    "2024-01-1",
    "2024/01",
    "2024-13",
    "2023-02-29",
    "2024-01-31T18:45",
    "2024-01-31 18:45Z",
    "2024-01-31T18:45:00 01:00",
    "2024-01-31T25:00Z",
    "2024-01-31T18:45:00.1234567Z",
    "2024-01-31T18:45:00+25:00",
    "yesterday",
    "2024\n",
    "1e3",
)
NOT: list[tuple[Any, tuple[str, ...]]] = [
    (values.Id, (*_NO_ID, "a:b")),
    (values.DatedId, _NO_ID),
    (values.PageLimit, ("0", "-1", "abc", "1e9", "201", "1.5", "0x10", " 5", "5 ", "\u0665")),
    (values.PageLimit, ("1" * 40, "1e1", "5.0", "+5", "05")),
    (values.Period, _NO_PERIOD),
    (values.CalendarPeriod, (*_NO_PERIOD, "2024-01-31T18:45Z")),
    (values.Flag, ("yes", "2", "null", "on", " true")),
    (values.EmailAddress, ("ann", "@", "ann@", "@x.de", "a@b@c", "a b@x.de", "a" * 251 + "@x.d")),
    (values.CategoryPath, ("/", "/audio", "audio/", "audio//cables", "a" * 257)),
    (values.Text, ("a" * 257,)),
    (values.Code, ("a#b", "a b", "Ä", "a\n", "a" * 65)),
    (values.EpochSeconds, ("-1", "abc", "1.5", "253402300800")),
    (values.Cursor, ("%", "ü", "AAAA", "e30", "bnVsbA", "W10", "a" * 6001)),
]
"""Texts that are not of a parameter's type. The empty one is of no type."""

MISUSES = [
    pytest.param(pattern, parameter, text, id=f"{pattern.name}-{parameter.name}-{text[:30]!r}")
    for pattern in READS
    for parameter in pattern.parameters
    for text in ("", *(text for kind, texts in NOT if kind == parameter.type for text in texts))
    if text or parameter.name not in pattern.path_parameters  # no gateway routes an empty segment
]


@pytest.mark.parametrize(("pattern", "parameter", "text"), MISUSES)
def test_a_value_of_the_wrong_kind_is_refused_and_named(
    pattern: AccessPattern, parameter: Parameter, text: str
) -> None:
    refused = call(pattern, {**pattern.example, parameter.name: text}).refused

    assert set(refused) == {parameter.name}
    assert refused[parameter.name].strip()


@READ
def test_everything_that_is_wrong_is_named_at_once(pattern: AccessPattern) -> None:
    wrong = {each.name: "" for each in pattern.parameters if each.name not in pattern.example}

    refused = call(pattern, {**pattern.example, **wrong, "colour": "red"}).refused

    assert set(refused) == {*wrong, "colour"}


@READ
def test_a_needed_parameter_that_is_missing_is_named(pattern: AccessPattern) -> None:
    for parameter in pattern.own_parameters:
        if parameter.required and parameter.name not in pattern.path_parameters:
            given = {name: v for name, v in pattern.example.items() if name != parameter.name}

            assert call(pattern, given).refused == {parameter.name: "is missing"}


@READ
@pytest.mark.parametrize("name", ["colour", "Limit", "LIMIT", "PK", "limit[]"])
def test_a_name_that_is_no_parameter_is_refused(pattern: AccessPattern, name: str) -> None:
    assert set(call(pattern, {**pattern.example, name: "1"}).refused) == {name}


@READ
def test_a_path_parameter_is_not_taken_from_the_query(pattern: AccessPattern) -> None:
    for name in pattern.path_parameters:
        sent = event(pattern, pattern.example)
        sent["queryStringParameters"] = {**(sent["queryStringParameters"] or {}), name: "other"}

        assert set(send(pattern, sent).refused) == {name}


@READ
def test_a_parameter_that_is_given_twice_is_refused(pattern: AccessPattern) -> None:
    for parameter in pattern.parameters:
        if parameter.name not in pattern.path_parameters:
            twice: Parameters = {**pattern.example, parameter.name: ["2", "2"]}

            refused = call(pattern, twice).refused

            assert refused == {parameter.name: "is given more than once"}


@READ
@pytest.mark.parametrize("missing", ["absent", "null", "empty"])
def test_without_a_query_string_the_defaults_hold(pattern: AccessPattern, missing: str) -> None:
    in_path = {name: pattern.example[name] for name in pattern.path_parameters}
    sent = event(pattern, in_path)
    del sent["queryStringParameters"]
    if missing != "absent":
        sent["queryStringParameters"] = None if missing == "null" else {}

    answer = send(pattern, sent)

    needed = {each.name for each in pattern.parameters if each.required} - set(in_path)
    if needed:
        assert set(answer.refused) == needed
    else:
        assert answer.status in {200, 404}


@READ
@pytest.mark.parametrize("name", ["if-match", "If-Match", "IF-MATCH"])
def test_if_match_is_refused_in_any_case(pattern: AccessPattern, name: str) -> None:
    """AWS's gateway lower-cases the names, others hand them on as they came."""
    sent = event(pattern, pattern.example)
    sent["headers"][name] = '"1"'

    assert set(send(pattern, sent).refused) == {"If-Match"}


@READ
def test_other_headers_do_not_matter(pattern: AccessPattern) -> None:
    headers = {"Accept": "text/html", "X-If-Match": "1", "If-None-Match": '"1"'}

    assert call(pattern, pattern.example, headers).status in {200, 404}


@LIST
@pytest.mark.parametrize("limit", ["1", "200"])
def test_the_smallest_and_the_largest_limit_are_taken(pattern: AccessPattern, limit: str) -> None:
    assert call(pattern, {**pattern.example, LIMIT.name: limit}).status in {200, 404}


@READ
def test_nothing_of_a_refused_value_is_logged_nor_what_was_asked_for(
    pattern: AccessPattern, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys and addresses are personal data."""
    written = StringIO()
    monkeypatch.setattr(logs.handler, "stream", written)

    call(pattern, pattern.example)
    call(pattern, {**pattern.example, "secret": "ann@x.de"})

    assert written.getvalue().count(f'"pattern":"{pattern.id}"') == 2
    assert '"request_id":"a-request"' in written.getvalue()
    telling = {text for text in pattern.example.values() if not text.isalnum()}  # unlike 5 or true
    assert [text for text in {"ann@x.de", "secret", *telling} if text in written.getvalue()] == []


@LIST
def test_a_list_takes_a_limit_and_a_cursor(pattern: AccessPattern) -> None:
    assert {LIMIT, CURSOR} <= set(pattern.parameters)
