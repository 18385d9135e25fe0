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
from lambdas.design.pattern import AccessPattern, ParentAndPage
from lambdas.runtime import store
from lambdas.runtime.arguments import Event
from lambdas.runtime.endpoint import Handler

Parameters = Mapping[str, str | list[str]]
"""What the caller gives by name; a list stands for a name that is given several times."""

Call = tuple[str, str]
"""An operation by the name of its IAM action, and the index that it reads."""

INTERNAL = ("PK", "SK", "GSI")
"""What the names of attributes that are none of the caller's business begin with."""


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
        return {error["name"]: error["reason"] for error in self.body["errors"]}

    def each(self, name: str) -> list[Any]:
        """One field of every item, in order."""
        return [item[name] for item in self.items]


def call(
    pattern: AccessPattern, parameters: Parameters, headers: Mapping[str, str] | None = None
) -> Answer:
    """What a caller gets for these path and query parameters."""
    return send(pattern, event(pattern, parameters, headers))


def send(pattern: AccessPattern, sent: Event) -> Answer:
    """What a caller gets for an event of the gateway."""
    with _recorded() as calls:
        response = handler(pattern)(sent, SimpleNamespace(aws_request_id="a-request"))
    assert set(response) == {"statusCode", "headers", "body"}
    answer = Answer(pattern, response["statusCode"], response["headers"], response["body"])
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
    pattern: AccessPattern, parameters: Parameters, headers: Mapping[str, str] | None = None
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
        "isBase64Encoded": False,
    }


@contextmanager
def _recorded() -> Iterator[list[Call]]:
    """The calls that are made of DynamoDB meanwhile, as its client sees them."""
    calls: list[Call] = []

    def record(params: dict[str, Any], model: Any, **_: Any) -> None:
        calls.append((f"dynamodb:{model.name}", params.get("IndexName", "")))

    events = store.client().meta.events
    events.register("before-parameter-build.dynamodb", record)
    try:
        yield calls
    finally:
        events.unregister("before-parameter-build.dynamodb", record)


def _check_calls(answer: Answer, calls: list[Call]) -> None:
    """A read is one request, and one that the function's role allows, which moto does not check."""
    assert answer.requests == len(calls)
    if not calls:
        assert Decimal(answer.headers["X-DynamoDB-Capacity"]) == 0
    if answer.pattern.method == "GET":
        assert len(calls) == (0 if answer.status == 400 else 1)
        assert set(calls) <= {(each.action, each.index.name) for each in answer.pattern.permissions}


def _check(answer: Answer) -> None:
    """What the contract says of every answer."""
    assert answer.status != 500, answer.text
    assert answer.status in (200, *answer.pattern.errors)
    assert Decimal(answer.headers["X-DynamoDB-Capacity"]) >= 0
    if answer.status == 200:
        assert answer.headers["Content-Type"] == "application/json"
    else:
        _check_problem(answer)
    if answer.pattern.method == "GET":
        assert [name for name in _names(answer.body) if name.startswith(INTERNAL)] == []


def _check_problem(answer: Answer) -> None:
    problem = answer.body
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert problem["type"] == "about:blank"
    assert problem["title"] == HTTPStatus(answer.status).phrase
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
