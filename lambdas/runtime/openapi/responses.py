"""The responses of the OpenAPI document: successes, the service's problems, the gateway's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from lambdas.design.pattern import (
    IDEMPOTENCY_KEY,
    AccessPattern,
    NewItem,
    NewParentAndAll,
    Nothing,
    OneItem,
    ParentAndAll,
    PutOrReplaced,
)
from lambdas.runtime.arguments import accepted
from lambdas.runtime.body import BODY
from lambdas.runtime.errors import RETRY_AFTER_SECONDS, BadInput, Conflict, Problem
from lambdas.runtime.openapi.operations import answered
from lambdas.runtime.openapi.schemas import Components, Schema, answer_schema

_REQUESTS: Final = "X-DynamoDB-Requests"
_CAPACITY: Final = "X-DynamoDB-Capacity"
_ETAG: Final = "ETag"
_LOCATION: Final = "Location"
_RETRY_AFTER: Final = "Retry-After"

_PROBLEM_JSON: Final = "application/problem+json"

HEADERS: Final[dict[str, dict[str, Any]]] = {
    _ETAG: {
        "description": "The item's `Version` in double quotes.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[1-9][0-9]*"$'},
        "example": '"1"',
    },
    _REQUESTS: {
        "description": "How many operations of DynamoDB the call made; 0 when it was refused "
        "before any. The gateway's own answers lack it.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 1,
    },
    _CAPACITY: {
        "description": "The capacity units that DynamoDB says were consumed. The gateway's own "
        "answers lack it.",
        "schema": {"type": "number", "minimum": 0},
        "example": 0.5,
    },
    _RETRY_AFTER: {
        "description": "How many seconds to wait. The gateway's own answers lack it.",
        "schema": {"type": "integer", "minimum": 1},
        "example": RETRY_AFTER_SECONDS,
    },
}

GATEWAY: Final = {
    HTTPStatus.UNAUTHORIZED: "There is no token, or it is not valid here.",
    HTTPStatus.FORBIDDEN: "There is no signature, or its principal may not call this.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is larger than the gateway takes.",
    HTTPStatus.TOO_MANY_REQUESTS: "All callers together call more often than the gateway allows.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The function could not be run, or gave no answer.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The function gave no answer in time.",
}
"""When the gateway answers by itself; it does so in its own form."""

_ALWAYS: Final = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_REFUSES: Final = {
    "iam": (HTTPStatus.FORBIDDEN,),
    "jwt": (HTTPStatus.UNAUTHORIZED,),
    "none": (),
}
_TITLES: Final = {HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Request Entity Too Large"}


def successes(pattern: AccessPattern) -> tuple[HTTPStatus, ...]:
    """The statuses of a pattern's success; where there are two, the call made again has the second.

    An item that was put is replaced then; an idempotency key makes it the first answer again.
    """
    match pattern.answer:
        case Nothing():
            return (HTTPStatus.NO_CONTENT,)
        case PutOrReplaced():
            return (HTTPStatus.CREATED, HTTPStatus.OK)
        case NewItem() | NewParentAndAll():
            again = (HTTPStatus.OK,) if pattern.is_idempotent else ()
            return (HTTPStatus.CREATED, *again)
    return (HTTPStatus.OK,)


def success(
    pattern: AccessPattern, examples: Mapping[str, dict[str, Any]], components: Components
) -> dict[str, Any]:
    """The responses when all went well, by status. `examples` are the named examples by status."""
    return {
        str(status.value): _success(
            pattern, status, examples.get(str(status.value), {}), components
        )
        for status in successes(pattern)
    }


def _success(
    pattern: AccessPattern, status: HTTPStatus, examples: dict[str, Any], components: Components
) -> dict[str, Any]:
    response: dict[str, Any] = {"description": _outcome(pattern, status)}
    names = [_REQUESTS, _CAPACITY]
    if isinstance(
        pattern.answer, OneItem | ParentAndAll | NewItem | NewParentAndAll | PutOrReplaced
    ):
        names.insert(0, _ETAG)
    response["headers"] = {**_headers(*names), **_location(pattern, status, examples)}
    if status != HTTPStatus.NO_CONTENT:
        content: dict[str, Any] = {"schema": answer_schema(pattern, components)}
        if examples:
            content["examples"] = examples
        response["content"] = {"application/json": content}
    return response


def _outcome(pattern: AccessPattern, status: HTTPStatus) -> str:
    """What it means that a pattern succeeds with a status."""
    names = [f"`{key.entity.__name__}`" for key in answered(pattern)]
    match pattern.answer, status:
        case NewItem() | PutOrReplaced(), HTTPStatus.CREATED:
            return f"The new {names[0]}."
        case NewParentAndAll(), HTTPStatus.CREATED:
            return f"The new {names[0]} and all its {names[1]} items."
        case PutOrReplaced(), _:
            return f"There was one already: the {names[0]} as it now is."
        case NewItem() | NewParentAndAll(), _:
            return f"The first answer again, as the same `{IDEMPOTENCY_KEY.name}` has been used."
    return pattern.summary


def _location(
    pattern: AccessPattern, status: HTTPStatus, examples: Mapping[str, Any]
) -> dict[str, Any]:
    """The header that says where what is new can be read; none where no route reads it."""
    bodies = [example["value"] for example in examples.values()]
    match pattern.answer:
        case NewItem(path):  # a repeated call has it as well: its answer is the first one's
            pass
        case NewParentAndAll(parent, location=path):
            bodies = [body[parent] for body in bodies]
        case PutOrReplaced(path) if status == HTTPStatus.CREATED:
            pass
        case _:
            path = ""
    if not path:
        return {}
    pattern_of_path = re.sub(r"\{\w+\}", "[^/]+", path)
    header: dict[str, Any] = {
        "description": "The path at which it can be read.",
        "required": True,
        "schema": {"type": "string", "pattern": f"^{pattern_of_path}$"},
    }
    for body in bodies:
        header["example"] = path.format_map(body)
    return {_LOCATION: header}


def errors(pattern: AccessPattern, auth: str, components: Components) -> dict[str, Any]:
    """The responses when not: the service's own problems, and what the gateway answers itself."""
    ours = set(pattern.errors)
    if auth == "jwt" and pattern.refuses_people:
        ours.add(HTTPStatus.FORBIDDEN)
    gateway = {*_ALWAYS, *_REFUSES[auth], *(ours & {HTTPStatus.REQUEST_ENTITY_TOO_LARGE})}
    made: dict[str, Any] = {}
    for status in map(HTTPStatus, sorted(ours | gateway)):
        response = _error(status, status in ours, status in gateway, components)
        if status == HTTPStatus.BAD_REQUEST:  # the one that is different for each pattern
            response["content"][_PROBLEM_JSON]["example"] = _refusal(pattern).body()
            made[str(status.value)] = response
        elif status == HTTPStatus.FORBIDDEN and status in ours & gateway:  # of one pattern alone
            made[str(status.value)] = response
        else:
            made[str(status.value)] = components.response(_name(status), response)
    return made


def _error(
    status: HTTPStatus, is_ours: bool, is_gateways: bool, components: Components
) -> dict[str, Any]:
    sentences: list[str] = []
    response: dict[str, Any] = {"description": "", "content": {}}
    if is_ours:
        sentences.append(_sentence(status))
        names = [_RETRY_AFTER] if status == HTTPStatus.TOO_MANY_REQUESTS else []
        response["headers"] = _headers(*names, _REQUESTS, _CAPACITY)
        response["content"][_PROBLEM_JSON] = _problem(status, components)
    if is_gateways:
        by_itself = GATEWAY[status][:1].lower() + GATEWAY[status][1:]
        sentences.append(f"From the gateway, with a `message` alone: {by_itself}")
        response["content"]["application/json"] = _message(status, components)
    response["description"] = " ".join(sentences)
    return response


def _problem(status: HTTPStatus, components: Components) -> dict[str, Any]:
    of_status: Schema = {"properties": {"status": {"const": status.value}}}
    if status == HTTPStatus.BAD_REQUEST:
        of_status["required"] = ["errors"]
    example = {
        "type": "about:blank",
        "title": _title(status),
        "status": status.value,
        "detail": _sentence(status),
    }
    schema = {"allOf": [components.schema("Problem", _PROBLEM), of_status]}
    if status == HTTPStatus.CONFLICT:
        return {"schema": schema, "examples": _CONFLICTS}
    return {"schema": schema, "example": example}


def _message(status: HTTPStatus, components: Components) -> dict[str, Any]:
    return {
        "schema": components.schema("GatewayMessage", _GATEWAY_MESSAGE),
        "example": {"message": _TITLES.get(status, status.phrase)},
    }


def _refusal(pattern: AccessPattern) -> BadInput:
    """What is said of a wrong value, for the first parameter that can have one."""
    for parameter in pattern.parameters:
        return BadInput({parameter.name: f"must be {accepted(parameter)}"})
    return BadInput({BODY: "must be a JSON object"})


def _sentence(status: HTTPStatus) -> str:
    """What an error of ours means, as its class says it."""
    text = next((each.__doc__ for each in _of(status)), None) or f"{status.phrase}."
    return " ".join(text.partition("\n\n")[0].split())


def _title(status: HTTPStatus) -> str:
    """The status in words; those of HTTPStatus are different from one Python to the next."""
    return next((each.title for each in _of(status)), status.phrase)


def _name(status: HTTPStatus) -> str:
    """The name of an error's response: `NotFound`."""
    return _title(status).title().replace(" ", "")


def _of(status: HTTPStatus) -> Iterator[type[Problem]]:
    """The errors of ours that have a status."""
    return (each for each in _classes(Problem) if each.status == status)


def _classes(problem: type[Problem]) -> Iterator[type[Problem]]:
    for each in problem.__subclasses__():
        yield each
        yield from _classes(each)


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


_CONFLICTS: Final = {
    "taken": {
        "summary": "A value that must be unique is not",
        "value": Conflict("Email 'alice@x.de' is taken.", {"Email": "alice@x.de is taken"}).body(),
    },
    "busy": {
        "summary": "Another call is at the same",
        "value": Conflict("Another call changes the same at the moment; try again.").body(),
    },
}

_PROBLEM: Final[Schema] = {
    "type": "object",
    "description": "An error of the service, as RFC 9457 has it.",
    "properties": {
        "type": {"const": "about:blank"},
        "title": {"type": "string", "description": "the status in words"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "what happened, in a sentence"},
        "errors": {
            "type": "array",
            "description": "what is wrong with each parameter or part of the body, or what of it "
            "conflicts",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "reason": {"type": "string"}},
                "required": ["name", "reason"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["type", "title", "status", "detail"],
    "additionalProperties": False,
}

_GATEWAY_MESSAGE: Final[Schema] = {
    "type": "object",
    "description": "What the gateway answers by itself.",
    "properties": {"message": {"type": "string"}},
    "required": ["message"],
    "additionalProperties": False,
}
