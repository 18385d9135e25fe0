"""Every read pattern, asked as the page asks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import json as encoder

from docs import sample
from explorer import asking, reading
from explorer.asking import Asked, ask
from explorer.reading import Filter, PrimaryKey
from explorer.rows import primary_key
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern, WholeItems
from lambdas.design.table import INVERTED_INDEX, TABLE
from lambdas.runtime import items
from tests.docs.schemas import pattern as pattern_of

READS = [pattern for pattern in ACCESS_PATTERNS if asking.is_read(pattern)]
EVERY_READ = pytest.mark.parametrize("pattern", READS, ids=lambda each: each.id)


@pytest.fixture(scope="module", autouse=True)
def _example_data() -> Iterator[None]:
    with sample.table():
        yield


def _example(pattern_id: str, **given: str) -> Asked:
    pattern = pattern_of(pattern_id)
    return ask(pattern, {**asking.example(pattern), **given})


@EVERY_READ
def test_the_example_of_every_pattern_is_answered_as_the_service_answers_it(
    pattern: AccessPattern,
) -> None:
    asked = ask(pattern, asking.example(pattern))

    response = sample.handler(pattern)(sample.event(pattern), None)
    assert (asked.status, asked.body) == (200, response["body"])
    requests = int(response["headers"]["X-DynamoDB-Requests"])
    assert len(asked.exchanges) == requests == pattern.requests


@EVERY_READ
def test_the_keys_of_the_answer_are_those_of_the_items_that_it_shows(
    pattern: AccessPattern,
) -> None:
    """Found the other way round: each item of the table is shown as an answer would show it."""
    asked = ask(pattern, asking.example(pattern))
    answer = json.loads(asked.body)

    everything, _ = reading.everything(TABLE, Filter(), 1000)
    shown = {primary_key(item) for item in everything if _is_shown(item, pattern, answer)}

    assert set(asked.answered) == shown
    assert len(asked.answered) == len(shown) > 0
    assert set(asked.answered) <= {primary_key(item) for item in asked.found}


def _is_shown(item: items.Item, pattern: AccessPattern, answer: Any) -> bool:
    """Whether the answer has this item, with all that its index has of it."""
    if isinstance(pattern.answer, WholeItems):
        return _json(items.whole(item)) in answer["Items"]
    if pattern.index.projection == "KEYS_ONLY":
        item = {name: item[name] for name in TABLE.key_attributes}
    plain = []
    for key in pattern.operation.keys:
        is_of_it = items.type_of(item) in (None, key.entity.__name__)
        try:
            plain += [_json(items.present(item, key))] if is_of_it else []
        except ValueError:
            continue
    return any(each in _parts(answer) for each in plain)


def _json(value: Any) -> Any:
    return json.loads(encoder.encode(value))


def _parts(answer: Any) -> list[Any]:
    """Everything within an answer that could be an item."""
    if isinstance(answer, dict):
        return [answer, *(part for value in answer.values() for part in _parts(value))]
    if isinstance(answer, list):
        return [part for value in answer for part in _parts(value)]
    return []


def test_one_item_more_is_read_than_a_page_shows_and_marked_as_such() -> None:
    asked = _example("AP-02", limit="4")

    assert len(asked.answered) == 4
    assert [sort for _, sort in asked.answered][-1] == "ORDER#2024-01-31T18:45:00.000Z-JAN31X"
    peeked = [key for key, mark in asked.marks.items() if mark == "peeked"]
    assert peeked == [("USER#U-001", "ORDER#2024-02-01")]


def test_the_next_pages_have_the_rest_and_then_there_is_none() -> None:
    pattern = pattern_of("AP-02")
    found: list[PrimaryKey] = []
    given = {"user_id": "U-001", "limit": "4"}
    while True:
        asked = ask(pattern, given)
        found += asked.answered
        if asked.next is None:
            break
        given = dict(asked.next)

    assert found == _example("AP-02").answered
    assert len(found) == 9
    assert asked.statements == [None]


def test_the_next_page_of_a_statement_goes_by_its_token() -> None:
    pattern = pattern_of("UN-08")
    body = {"Statement": json.loads(asking.example(pattern)["body"])["Statement"]}

    asked = asking._next(  # noqa: SLF001 - moto gives no tokens
        pattern, {"body": json.dumps(body)}, {"Items": [], "NextToken": "a-token"}
    )

    assert asked is not None
    assert json.loads(asked["body"]) == {**body, "NextToken": "a-token"}


def test_the_exact_request_is_shown_as_it_was_sent() -> None:
    [exchange] = _example("AP-05").exchanges

    assert exchange.operation == "Query"
    assert exchange.request == {
        "TableName": sample.TABLE_NAME,
        "IndexName": "GSI1",
        "KeyConditionExpression": "GSI1PK = :partition",
        "ExpressionAttributeValues": {":partition": {"S": "STATUS#PENDING"}},
        "Limit": 51,
        "ReturnConsumedCapacity": "TOTAL",
    }


def test_what_was_read_is_counted_by_its_size() -> None:
    asked = _example("AP-10")

    everything, _ = reading.everything(TABLE, Filter(), 1000)
    of_order = [item for item in everything if primary_key(item) in asked.answered]
    assert asked.bytes_read == sum(map(items.size, of_order))
    assert asked.units == 0.5
    assert asked.milliseconds > 0


def test_the_collections_that_were_read_are_known_even_when_they_have_nothing() -> None:
    assert _example("AP-04").partitions == ["USER#U-001"]
    assert _example("AP-02", user_id="nobody").partitions == ["USER#nobody"]
    assert _example("AP-12").partitions == ["ITEM#P-100"]
    assert _example("UN-08").partitions == ["Student#Finn Forschgeist"]


def test_a_statement_may_read_the_inverted_index() -> None:
    text = """SELECT * FROM "University-Table"."SeminarStudentsIndex" WHERE SK = ?"""
    body = json.dumps({"Statement": text, "Parameters": ["Seminar#Moderne UI Konzepte"]})

    assert _example("UN-08", body=body).index == INVERTED_INDEX
    assert _example("UN-08").index == TABLE


def test_a_pattern_that_finds_nothing_has_no_answer_and_says_why() -> None:
    asked = _example("AP-01", user_id="nobody")

    assert (asked.status, asked.answered, asked.next) == (404, [], None)
    assert asked.problem
    assert asked.problem["detail"] == "There is no User with user_id 'nobody'."


def test_what_is_wrong_with_a_parameter_is_said_without_any_request() -> None:
    asked = _example("AP-02", limit="0")

    assert (asked.status, asked.exchanges, asked.marks) == (400, [], {})
    assert asked.problem
    assert "limit" in asked.problem["detail"]


def test_what_is_left_empty_was_not_given() -> None:
    assert _example("AP-02", **{"from": "", "limit": ""}).status == 200
    assert _example("AP-01", user_id="").problem == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "user_id is missing.",
        "errors": [{"name": "user_id", "reason": "is missing"}],
    }


def test_a_path_takes_what_is_filled_in_as_text() -> None:
    assert (
        asking.path(pattern_of("AP-01"), {"user_id": "a/b ü"}) == "/ecommerce/users/a%2Fb%20%C3%BC"
    )


def test_numbers_of_an_answer_stay_to_the_letter() -> None:
    assert asking.pretty('{"Total":129.90}') == '{\n  "Total": 129.90\n}'
    assert asking.pretty("no JSON") == "no JSON"
    assert asking.pretty("") == ""
