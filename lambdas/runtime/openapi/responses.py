"""The responses of the OpenAPI document: successes, the service's problems, the gateway's own."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from lambdas.design.pattern import AccessPattern, OneItem, ParentAndAll
from lambdas.runtime.arguments import accepted
from lambdas.runtime.body import BODY
from lambdas.runtime.errors import RETRY_AFTER_SECONDS, BadInput, Problem
from lambdas.runtime.openapi.schemas import Components, Schema, answer_schema

_REQUESTS: Final = "X-DynamoDB-Requests"
_CAPACITY: Final = "X-DynamoDB-Capacity"
_ETAG: Final = "ETag"
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

_GATEWAY: Final = {
    HTTPStatus.UNAUTHORIZED: "There is no token, or it is not valid here.",
    HTTPStatus.FORBIDDEN: "There is no signature, or its principal may not call this.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is larger than the gateway takes.",
    HTTPStatus.TOO_MANY_REQUESTS: "All callers together call more often than the gateway allows.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The function could not be run.",
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


def success(
    pattern: AccessPattern, examples: dict[str, Any], components: Components
) -> dict[str, Any]:
    """The responses when all went well, by status."""
    has_etag = isinstance(pattern.answer, OneItem | ParentAndAll)
    content: dict[str, Any] = {"schema": answer_schema(pattern, components)}
    if examples:
        content["examples"] = examples
    ok = {
        "description": pattern.summary,
        "headers": _headers(*([_ETAG] if has_etag else []), _REQUESTS, _CAPACITY),
        "content": {"application/json": content},
    }
    return {str(HTTPStatus.OK.value): ok}


def errors(pattern: AccessPattern, auth: str, components: Components) -> dict[str, Any]:
    """The responses when not: the service's own problems, and what the gateway answers itself."""
    ours = set(pattern.errors)
    gateway = {*_ALWAYS, *_REFUSES[auth], *(ours & {HTTPStatus.REQUEST_ENTITY_TOO_LARGE})}
    made: dict[str, Any] = {}
    for status in map(HTTPStatus, sorted(ours | gateway)):
        response = _error(status, status in ours, status in gateway, components)
        if status == HTTPStatus.BAD_REQUEST:  # the one that is different for each pattern
            response["content"][_PROBLEM_JSON]["example"] = _refusal(pattern).body()
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
        by_itself = _GATEWAY[status][:1].lower() + _GATEWAY[status][1:]
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
        "title": status.phrase,
        "status": status.value,
        "detail": _sentence(status),
    }
    schema = {"allOf": [components.schema("Problem", _PROBLEM), of_status]}
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
    classes = (each for each in _classes(Problem) if each.status == status)
    text = next((each.__doc__ for each in classes), None) or f"{status.phrase}."
    return " ".join(text.partition("\n\n")[0].split())


def _name(status: HTTPStatus) -> str:
    """The name of an error's response: `NotFound`."""
    return status.phrase.title().replace(" ", "")


def _classes(problem: type[Problem]) -> Iterator[type[Problem]]:
    for each in problem.__subclasses__():
        yield each
        yield from _classes(each)


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


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
            "description": "what is wrong with each parameter or part of the body",
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
