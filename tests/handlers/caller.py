"""Calls a pattern's handler as the HTTP API does, and holds every answer to the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from http import HTTPStatus
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import PartiQLSelect
from lambdas.design.pattern import (
    AccessPattern,
    NewItem,
    NewParentAndAll,
    Nothing,
    ParentAndPage,
    PutOrReplaced,
)
from lambdas.runtime import body as bodies
from lambdas.runtime import store
from lambdas.runtime.arguments import Event
from lambdas.runtime.endpoint import Handler

Parameters = Mapping[str, str | list[str]]
"""What the caller gives by name; a list stands for a name that is given several times."""

Call = tuple[str, str]
"""An operation by the name of its IAM action, and the index that it reads."""

INTERNAL = ("PK", "SK", "GSI", "LastCall")
"""What the names of attributes that are none of the caller's business begin with."""

TITLES = {413: "Content Too Large"}
"""RFC 9110's names where Python 3.11 has older ones."""

ACTIONS = {
    "Put": "dynamodb:PutItem",
    "Update": "dynamodb:UpdateItem",
    "Delete": "dynamodb:DeleteItem",
    "ConditionCheck": "dynamodb:ConditionCheckItem",
}
"""What a role must allow for each kind of step of a transaction: the same as without one."""


@dataclass(frozen=True)
class Answer:
    """What the caller gets back."""

    pattern: AccessPattern = field(repr=False)
    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> Any:
        """The document, its numbers without a detour through binary floats."""
        return json.loads(self.text, parse_float=Decimal)

    @property
    def page(self) -> dict[str, Any]:
        """The part of the body with `items` and `next`."""
        kind = self.pattern.answer
        page = self.body[kind.children] if isinstance(kind, ParentAndPage) else self.body
        assert isinstance(page, dict)
        return page

    @property
    def items(self) -> list[dict[str, Any]]:
        return list(self.page["items"])

    @property
    def next(self) -> str | None:
        cursor = self.page["next"]
        assert cursor is None or isinstance(cursor, str)
        return cursor

    @property
    def requests(self) -> int:
        return int(self.headers["X-DynamoDB-Requests"])

    @property
    def refused(self) -> dict[str, str]:
        """The reason for each parameter that was refused."""
        assert self.status == 400, self.text
        return self.errors

    @property
    def errors(self) -> dict[str, str]:
        """The reason for each name that a problem is about; none where it names nothing."""
        return {error["name"]: error["reason"] for error in self.body.get("errors", [])}

    @property
    def etag(self) -> str:
        return self.headers["ETag"]

    def each(self, name: str) -> list[Any]:
        """One field of every item, in order."""
        return [item[name] for item in self.items]


def call(
    pattern: AccessPattern,
    parameters: Parameters,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> Answer:
    """What a caller gets for these path and query parameters, and this body.

    A body that is text is sent as it is, anything else as JSON.
    """
    return send(pattern, event(pattern, parameters, headers, body))


def send(pattern: AccessPattern, sent: Event) -> Answer:
    """What a caller gets for an event of the gateway."""
    with _recorded() as calls:
        response = handler(pattern)(sent, SimpleNamespace(aws_request_id="a-request"))
    has_body = response["statusCode"] != HTTPStatus.NO_CONTENT
    assert set(response) == {"statusCode", "headers"} | ({"body"} if has_body else set())
    text = response.get("body", "")
    answer = Answer(pattern, response["statusCode"], response["headers"], text)
    _check(answer)
    _check_calls(answer, calls)
    return answer


def pages(pattern: AccessPattern, parameters: Parameters, limit: int) -> list[Answer]:
    """Every page, by following `next` until there is none."""
    found = [call(pattern, {**parameters, "limit": str(limit)})]
    while cursor := found[-1].next:
        assert len(found) < 50, "the pages do not end"
        found.append(call(pattern, {**parameters, "limit": str(limit), "cursor": cursor}))
    return found


def sizes(rows: int, limit: int) -> list[int]:
    """How many rows each page has to have: no page is empty unless there is nothing at all."""
    return [min(limit, rows - start) for start in range(0, rows, limit)] or [0]


def handler(pattern: AccessPattern) -> Handler:
    """The entry point of a pattern; a variant shares that of its pattern."""
    routed = pattern.variant_of or pattern.id
    [name] = [each.name for each in ACCESS_PATTERNS if each.id == routed]
    found: Handler = getattr(import_module(f"lambdas.handlers.{pattern.dataset}"), name)
    return found


def event(
    pattern: AccessPattern,
    parameters: Parameters,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> Event:
    """An HTTP API's event, payload format 2.0.

    The gateway has decoded path and query, joins the values of a repeated name with commas,
    lower-cases the headers' names, and has null in place of an empty map.
    """
    in_path = {name: parameters[name] for name in pattern.path_parameters}
    in_query = {name: value for name, value in parameters.items() if name not in in_path}
    path = pattern.path.format_map({name: quote(str(v), safe="") for name, v in in_path.items()})
    return {
        "version": "2.0",
        "routeKey": pattern.route,
        "rawPath": path,
        "rawQueryString": urlencode(in_query, doseq=True, quote_via=quote),
        "headers": {
            "accept": "*/*",
            "host": "api.example.com",
            **{name.lower(): value for name, value in (headers or {}).items()},
        },
        "queryStringParameters": {
            name: ",".join(value) if isinstance(value, list) else value
            for name, value in in_query.items()
        }
        or None,
        "pathParameters": in_path or None,
        "requestContext": {
            "http": {"method": pattern.method, "path": path, "sourceIp": "192.0.2.1"},
            "requestId": "a-request",
            "routeKey": pattern.route,
            "stage": "$default",
        },
        **({} if body is None else {"body": body if isinstance(body, str) else json.dumps(body)}),
        "isBase64Encoded": False,
    }


def example(pattern: AccessPattern) -> Any:
    """The body of a pattern's example, as a caller has it; None where it takes none."""
    return None if pattern.example_body is None else json.loads(bodies.write(pattern.example_body))


def called(sent: Event, authorizer: Mapping[str, Any] | None) -> Event:
    """The event as it comes from a caller whom the gateway's authorizer knows, or from nobody."""
    return {**sent, "requestContext": {**sent["requestContext"], "authorizer": authorizer}}


@contextmanager
def _recorded() -> Iterator[list[set[Call]]]:
    """The calls that are made of DynamoDB meanwhile, as its client sees them, each with all that
    the function's role must allow for it."""
    calls: list[set[Call]] = []

    def record(params: dict[str, Any], model: Any, **_: Any) -> None:
        if model.name == "TransactWriteItems":
            steps = params["TransactItems"]
            calls.append({(ACTIONS[action], "") for step in steps for action in step})
        else:
            calls.append({(f"dynamodb:{model.name}", params.get("IndexName", ""))})

    events = store.client().meta.events
    events.register("before-parameter-build.dynamodb", record)
    try:
        yield calls
    finally:
        events.unregister("before-parameter-build.dynamodb", record)


def _check_calls(answer: Answer, calls: list[set[Call]]) -> None:
    """A read is one request, or one for each shard, and each is one that the function's role
    allows: moto checks no role."""
    assert answer.requests == len(calls)
    if not calls:
        assert Decimal(answer.headers["X-DynamoDB-Capacity"]) == 0
    if answer.pattern.method == "GET":
        assert len(calls) in (0, answer.pattern.requests)
        assert calls or answer.status in (400, 403)
    if not isinstance(answer.pattern.operation, PartiQLSelect):
        allowed = {(each.action, each.index.name) for each in answer.pattern.permissions}
        assert set().union(*calls) <= allowed


def _check(answer: Answer) -> None:
    """What the contract says of every answer."""
    assert answer.status != 500, answer.text
    assert answer.status in (403, *_successes(answer.pattern), *answer.pattern.errors)
    assert Decimal(answer.headers["X-DynamoDB-Capacity"]) >= 0
    if answer.status == 204:
        assert not {"Content-Type", "ETag", "Location"} & set(answer.headers)
        return
    if answer.status in (200, 201):
        assert answer.headers["Content-Type"] == "application/json"
        _check_place(answer)
    else:
        _check_problem(answer)
    if not isinstance(answer.pattern.operation, PartiQLSelect):
        assert [name for name in _names(answer.body) if name.startswith(INTERNAL)] == []


def _successes(pattern: AccessPattern) -> tuple[int, ...]:
    match pattern.answer:
        case Nothing():
            return (204,)
        case NewItem() | NewParentAndAll() | PutOrReplaced():
            return (201, 200)
    return (200,)


def _check_place(answer: Answer) -> None:
    """What a write makes has an `ETag`, and says where it is if a route reads it."""
    kind = answer.pattern.answer
    if not isinstance(kind, NewItem | NewParentAndAll | PutOrReplaced):
        assert "Location" not in answer.headers
        return
    item = answer.body[kind.parent] if isinstance(kind, NewParentAndAll) else answer.body
    assert answer.headers["ETag"] == f'"{item["Version"]}"'
    if answer.status == 201 and kind.location:
        assert answer.headers["Location"] == kind.location.format_map(item)
    elif isinstance(kind, PutOrReplaced):
        assert "Location" not in answer.headers


def _check_problem(answer: Answer) -> None:
    problem = answer.body
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert problem["type"] == "about:blank"
    assert problem["title"] == TITLES.get(answer.status, HTTPStatus(answer.status).phrase)
    assert problem["status"] == answer.status
    assert problem["detail"]
    assert "Traceback" not in answer.text
    if answer.status == 400:
        assert problem["errors"]
        assert all(set(error) == {"name", "reason"} for error in problem["errors"])
        assert all(error["name"] and error["reason"] for error in problem["errors"])


def _names(document: Any) -> Iterator[str]:
    """Every member's name in a document."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield name
            yield from _names(value)
    elif isinstance(document, list):
        for each in document:
            yield from _names(each)
