"""Writes the OpenAPI document of the API from the declaration, so that it says what the code does.

One operation for each route. A variant (AP-07 to AP-09) has no route of its own: it is described in
the operation that it shares, as named examples.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import ModuleType
from typing import Any, Final, Literal

from msgspec import Struct, convert, json

import lambdas.design
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import Parameter, PartiQLSelect, Write
from lambdas.design.pattern import IDEMPOTENCY_KEY, IF_MATCH, AccessPattern
from lambdas.runtime import body
from lambdas.runtime.arguments import accepted
from lambdas.runtime.openapi import responses
from lambdas.runtime.openapi.operations import shards, steps
from lambdas.runtime.openapi.schemas import Components, Schema, body_schema, plain

OPENAPI_VERSION: Final = "3.1.1"
VERSION: Final = "1.0.0"

DEPLOYED: Final = "https://{api_id}.execute-api.{region}.amazonaws.com"
"""Where an API is that nobody has deployed yet: a URL with two variables."""

Auth = Literal["iam", "jwt", "none"]
"""Who may call: AWS principals with a signature, people with a token, or everybody (local run)."""

Examples = Mapping[str, Mapping[str, Any]]
"""The bodies that each pattern answers to its example, by the pattern's id and the status."""

_SHARDED: Final = "{sharded}"

_DESCRIPTION: Final = """\
A shop, a university and a social network in **one DynamoDB table**. Each operation is one access \
pattern, and each read is exactly one request of DynamoDB{sharded}, whatever the size of the \
table; the headers `X-DynamoDB-Requests` and `X-DynamoDB-Capacity` say what a call has cost.

What a schema cannot say, a description does: a time has to be in the calendar, a `cursor` is one \
that this very call was given, and a whole number is written without a fraction (`1`, not `1.0`).

A list is a page: it holds at most `limit` items, and `next` is the `cursor` of the page that \
follows, or null when none does. Amounts are exact decimal numbers; read them as such.

A write answers with the item as it now is, so nobody has to read it back. Every change counts the \
item's `Version`, which is its `ETag`: with `If-Match` a change is made to that version or not at \
all. With an `Idempotency-Key` a call can be sent again: what it makes is made once.

The service reports errors as `application/problem+json` (RFC 9457). What the gateway answers by \
itself, before or in place of the service, is `application/json` with a `message` and nothing \
else: for a route that does not exist 404 `{"message":"Not Found"}`, and what each operation \
lists."""

_SECURITY: Final[dict[Auth, dict[str, Schema]]] = {
    "iam": {
        "sigv4": {
            "type": "apiKey",
            "name": "Authorization",
            "in": "header",
            "x-amazon-apigateway-authtype": "awsSigv4",
            "description": "An AWS Signature Version 4 for the service `execute-api`.",
        }
    },
    "jwt": {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "A token of the issuer that the deployment trusts, for its audience.",
        }
    },
    "none": {},
}


def document(
    server_url: str = DEPLOYED, *, auth: Auth = "iam", examples: Examples | None = None
) -> dict[str, Any]:
    """The OpenAPI document of the API at a server.

    Numbers with a fraction in it are Decimal, so that an encoder can write them as they were.
    """
    components, schemes = Components(), _SECURITY[auth]
    routed = [pattern for pattern in ACCESS_PATTERNS if not pattern.variant_of]
    paths: dict[str, dict[str, Any]] = {}
    for pattern in routed:
        operation = _operation(pattern, auth, examples or {}, components)
        paths.setdefault(pattern.path, {})[pattern.method.lower()] = operation
    return {
        "openapi": OPENAPI_VERSION,
        "info": {
            "title": "Single table",
            "version": VERSION,
            "description": _DESCRIPTION.replace(_SHARDED, _of_shards(routed)),
        },
        "servers": [_server(server_url)],
        **({"security": [{name: []} for name in schemes]} if schemes else {}),
        "tags": _tags(routed),
        "paths": paths,
        "components": {
            "schemas": components.schemas,
            "responses": components.responses,
            "headers": responses.HEADERS,
            **({"securitySchemes": schemes} if schemes else {}),
        },
    }


def _of_shards(patterns: Iterable[AccessPattern]) -> str:
    return (
        ", or one for each partition key of a list that is spread over several"
        if any(p.is_sharded for p in patterns)
        else ""
    )


def cases(pattern: AccessPattern) -> list[AccessPattern]:
    """A pattern and its variants: all that its route answers."""
    variants = (each for each in ACCESS_PATTERNS if each.variant_of == pattern.id)
    return [pattern, *variants]


def _server(url: str) -> dict[str, Any]:
    variables = re.findall(r"\{(\w+)\}", url)
    described = {name: {"default": name, "description": _VARIABLES[name]} for name in variables}
    return {"url": url, **({"variables": described} if described else {})}


_VARIABLES: Final = {
    "api_id": "The API's id: the first part of the deployment's output `ApiUrl`.",
    "region": "The region that it is deployed to.",
}


def _tags(patterns: Iterable[AccessPattern]) -> list[dict[str, str]]:
    """The datasets in their order, each described as its declaration begins."""
    return [
        {"name": dataset, "description": _first_paragraph(_module(dataset).__doc__)}
        for dataset in dict.fromkeys(pattern.dataset for pattern in patterns)
    ]


def _module(dataset: str) -> ModuleType:
    """The module that declares a dataset."""
    return sys.modules[f"{lambdas.design.__name__}.{dataset}"]


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").partition("\n\n")[0].split())


def _operation(
    pattern: AccessPattern, auth: Auth, examples: Examples, components: Components
) -> dict[str, Any]:
    shown = cases(pattern)
    operation: dict[str, Any] = {
        "operationId": pattern.name,
        "summary": pattern.summary,
        "description": _description(shown, auth),
        "tags": [pattern.dataset],
        "parameters": [
            *(_parameter(pattern, each, shown) for each in pattern.parameters),
            *(_header(each) for each in pattern.headers),
        ],
    }
    if pattern.body:
        operation["requestBody"] = {
            "required": True,
            "content": {
                "application/json": {
                    "schema": body_schema(pattern.body, components),
                    "example": _as_sent(pattern.example_body),
                }
            },
        }
    operation["responses"] = {
        **responses.success(pattern, _by_status(shown, examples), components),
        **responses.errors(pattern, auth, components),
    }
    operation["x-access-patterns"] = [each.id for each in shown]
    operation["x-techniques"] = [str(technique) for technique in _techniques(shown)]
    return operation


def _as_sent(example: Struct | None) -> Any:
    """A body as a caller sends it, its numbers as they are written."""
    return json.Decoder(float_hook=Decimal).decode(body.write(example)) if example else None


def _by_status(shown: list[AccessPattern], examples: Examples) -> dict[str, dict[str, Any]]:
    """The named examples of a route's answers, by status."""
    statuses = dict.fromkeys(status for each in shown for status in examples.get(each.id, {}))
    return {
        status: _named(
            shown,
            {
                each.id: examples[each.id][status]
                for each in shown
                if status in examples.get(each.id, {})
            },
        )
        for status in statuses
    }


def _description(shown: list[AccessPattern], auth: Auth) -> str:
    pattern, *variants = shown
    techniques = ", ".join(each.lower() for each in _techniques(shown))
    lines = [f"**{pattern.id}**: {_how(pattern)}. Shows: {techniques}."]
    if auth == "jwt":
        lines.append(f"Who may call it: {pattern.people}.")
    if variants:
        items = (f"- **{each.id}**: {each.summary} {_asked(each)}" for each in variants)
        lines += ["The same route answers:", "\n".join(items)]
    return "\n\n".join(lines)


def _how(pattern: AccessPattern) -> str:
    index = f"index `{pattern.index.name}`" if pattern.index.name else "table"
    if isinstance(pattern.operation, PartiQLSelect):
        return "PartiQL on the table and its inverted index"
    if isinstance(pattern.operation, Write):
        return "; then ".join(steps(pattern))
    return f"{type(pattern.operation).__name__} on the {index}{shards(pattern)}"


def _asked(variant: AccessPattern) -> str:
    """The query string of a variant's example."""
    query = [f"{k}={v}" for k, v in variant.example.items() if k not in variant.path_parameters]
    return f"`?{'&'.join(query)}`"


def _techniques(shown: list[AccessPattern]) -> list[str]:
    return list(dict.fromkeys(technique for each in shown for technique in each.shows))


_HEADER_EXAMPLES: Final = {
    IF_MATCH: '"1"',
    IDEMPOTENCY_KEY: "7f3a0c52-1d5e-4b8e-9a34-2f6c1e0b7d91",
}


def _header(parameter: Parameter) -> dict[str, Any]:
    schema = plain(parameter.type)
    return {
        "name": parameter.name,
        "in": "header",
        "required": parameter.required,
        "description": _described(parameter, schema),
        "schema": schema,
        "example": _HEADER_EXAMPLES[parameter],
    }


def _described(parameter: Parameter, schema: Schema) -> str:
    """What a parameter means and takes; the second is taken out of its schema."""
    schema.pop("description", None)
    takes = accepted(parameter)
    return f"{parameter.description} {takes[:1].upper()}{takes[1:]}."


def _parameter(
    pattern: AccessPattern, parameter: Parameter, shown: list[AccessPattern]
) -> dict[str, Any]:
    schema = plain(parameter.type)
    description = _described(parameter, schema)
    if parameter.default is not None:
        schema["default"] = parameter.default
    in_path = parameter.name in pattern.path_parameters
    values = {
        each.id: convert(each.example[parameter.name], parameter.type, strict=False)
        for each in shown
        if parameter.name in each.example
    }
    return {
        "name": parameter.name,
        "in": "path" if in_path else "query",
        "required": in_path or parameter.required,
        "description": description,
        "schema": schema,
        **_parameter_example(parameter, shown, values),
    }


def _parameter_example(
    parameter: Parameter, shown: list[AccessPattern], values: dict[str, Any]
) -> dict[str, Any]:
    """One example where all have the same; else the values by the pattern that they belong to."""
    if not values:
        return {}
    if parameter.required and len(set(values.values())) == 1:
        return {"example": next(iter(values.values()))}
    return {"examples": _named(shown, values)}


def _named(shown: list[AccessPattern], values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        each.id: {"summary": f"{each.id}: {each.summary}", "value": values[each.id]}
        for each in shown
        if each.id in values
    }
