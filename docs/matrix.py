"""The matrix of the access patterns: what is asked, and how the one table answers it.

The key conditions are those of the request that the code makes for the pattern's example.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from docs.markdown import code, table
from docs.sample import NOW, event, query
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import GetItem, PartiQLSelect, Query, Statement
from lambdas.design.pattern import (
    LIMIT,
    AccessPattern,
    OneItem,
    Page,
    ParentAndAll,
    ParentAndPage,
)
from lambdas.runtime import arguments, keys, requests, times

HEADER: Final = (
    "Pattern",
    "Question<br>Route",
    "Operation<br>Key condition of the example",
    "Returns",
    "Shows",
)

NOTES: Final = f"""\
The query strings and key conditions are those of each pattern's example, at \
{times.to_text(NOW)}. `\\uffff` sorts after everything that a time can go on with, so a range ends \
with all of its last period. A list reads one item more than it shows, to know whether a page \
follows."""


def matrix() -> str:
    """The matrix: a table for each dataset, then the notes."""
    datasets = dict.fromkeys(pattern.dataset for pattern in ACCESS_PATTERNS)
    return "\n\n".join([*(_section(dataset) for dataset in datasets), NOTES])


def condition(pattern: AccessPattern) -> str:
    """The key condition of the pattern's example, with values in place of the placeholders.

    A look-up of one item has its key, PartiQL the statement itself; empty for all other operations.
    """
    given = arguments.read(pattern, event(pattern))
    limit = given[LIMIT.name] if LIMIT.name in pattern.example else None
    match pattern.operation:
        case GetItem():
            key = requests.read(pattern, given, limit, times.to_text(NOW))["Key"]
            return ", ".join(f"{name}={_quoted(value)}" for name, value in key.items())
        case Query():
            return _written_out(requests.read(pattern, given, limit, times.to_text(NOW)))
        case PartiQLSelect() if isinstance(pattern.example_body, Statement):
            return pattern.example_body.Statement
    return ""


def asked(pattern: AccessPattern) -> list[str]:
    """The key condition as code, if there is one."""
    written = condition(pattern)
    return [code(written)] if written else []


def operation(pattern: AccessPattern) -> str:
    """The operation and the index that it goes to."""
    if isinstance(pattern.operation, PartiQLSelect):
        return "ExecuteStatement"
    name = type(pattern.operation).__name__
    return f"{name} {pattern.index.name}".strip()


def returns(pattern: AccessPattern) -> str:
    """What an answer holds."""
    names = [code(entity.__name__) for entity in pattern.entities]
    match pattern.answer:
        case OneItem():
            return names[0]
        case Page():
            kind = "keys" if pattern.index.projection == "KEYS_ONLY" else "items"
            return f"{' and '.join(names)} {kind}"
        case ParentAndPage():
            return f"{names[0]} and {names[1]} items"
        case ParentAndAll():
            return f"{names[0]} and all its {names[1]} items"
    return "whole items"


def _section(dataset: str) -> str:
    patterns = [pattern for pattern in ACCESS_PATTERNS if pattern.dataset == dataset]
    return f"### {dataset.capitalize()}\n\n{table(HEADER, map(_row, patterns))}"


def _row(pattern: AccessPattern) -> list[str]:
    return [
        pattern.id,
        f"{pattern.summary}<br>{code(route(pattern))}",
        "<br>".join([operation(pattern), *asked(pattern)]),
        returns(pattern),
        ", ".join(pattern.shows),
    ]


def route(pattern: AccessPattern) -> str:
    """The route, with the query string of the example."""
    given = urlencode(query(pattern), quote_via=quote, safe="@/:")
    return f"{pattern.route}?{given}" if given else pattern.route


def _written_out(request: Mapping[str, Any]) -> str:
    values = request["ExpressionAttributeValues"]
    expression = request["KeyConditionExpression"]
    parts = [re.sub(r":\w+", lambda name: _quoted(values[name[0]]), expression)]
    if request.get("ScanIndexForward") is False:
        parts.append("ScanIndexForward = false")
    if "Limit" in request:
        parts.append(f"Limit = {request['Limit']}")
    return ", ".join(parts)


def _quoted(value: Mapping[str, str]) -> str:
    return '"{}"'.format(value["S"].replace('"', '\\"').replace(keys.LAST, "\\uffff"))
