"""The matrix of the access patterns: what is asked, and how the one table answers it.

The key conditions and the items are those of the requests that the code makes for the pattern's
example.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from docs import sample
from docs.markdown import code, table
from docs.sample import NOW, event, query
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import GetItem, PartiQLSelect, Query, Statement, Write
from lambdas.design.pattern import (
    LIMIT,
    AccessPattern,
    NewItem,
    NewParentAndAll,
    Nothing,
    OneItem,
    Page,
    ParentAndAll,
    ParentAndPage,
    Progress,
    PutOrReplaced,
)
from lambdas.design.table import TABLE
from lambdas.runtime import arguments, keys, requests, times
from lambdas.runtime.openapi.operations import answered, steps

READS: Final = (
    "Pattern",
    "Question<br>Route<br>Techniques",
    "Operation<br>Key condition of the example",
    "Returns",
)

WRITES: Final = (
    "Pattern",
    "What it does<br>Route<br>Techniques",
    "Operations<br>Items of the example",
    "Returns",
)

NOTES: Final = f"""\
The query strings, key conditions and items are those of each pattern's example, at \
{times.to_text(NOW)}. `\\uffff` sorts after everything that a time can go on with, so a range ends \
with all of its last period. A list reads one item more than it shows, to know whether a page \
follows: of five, `Limit` is 6. What is done "with a key" is done when the caller sends an \
`Idempotency-Key`. Of ids made by chance the beginning is shown."""

_BY_CHANCE: Final = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24}\b")
"""An id that the service makes itself, 32 hexadecimal digits."""


def matrix() -> str:
    """The matrix: a table for each dataset, then the notes."""
    datasets = dict.fromkeys(pattern.dataset for pattern in ACCESS_PATTERNS)
    return "\n\n".join([*(_section(dataset) for dataset in datasets), NOTES])


def condition(pattern: AccessPattern) -> str:
    """The key condition of a read's example, with values in place of the placeholders.

    A look-up of one item has its key, PartiQL the statement itself; empty for all other operations.
    """
    given = arguments.read(pattern, event(pattern))
    # As in `runtime.reads.page`, one more than is shown.
    limit = given[LIMIT.name] + 1 if LIMIT.name in pattern.example else None
    match pattern.operation:
        case GetItem():
            return _key(requests.read(pattern, given, limit, times.to_text(NOW))["Key"])
        case Query(key):
            request = requests.read(pattern, given, limit, times.to_text(NOW))
            ends = dict.fromkeys((key.suffixes[0], key.suffixes[-1]))
            return " to ".join(_written_out(requests.of_shard(request, each)) for each in ends)
        case PartiQLSelect() if isinstance(pattern.example_body, Statement):
            return pattern.example_body.Statement
    return ""


def touched(pattern: AccessPattern) -> list[str]:
    """The keys of the items that a write's example touches, in the order of its requests."""
    made = sample.requests(pattern)
    return list(dict.fromkeys(key for name, request in made for key in _keys(name, request)))


def asked(pattern: AccessPattern) -> list[str]:
    """The key condition, if there is one; for a write the keys of the items."""
    if isinstance(pattern.operation, Write):
        return [_BY_CHANCE.sub(r"\1…", each) for each in touched(pattern)]
    written = condition(pattern)
    return [written] if written else []


def returns(pattern: AccessPattern) -> str:
    """What an answer holds."""
    names = [code(key.entity.__name__) for key in answered(pattern)]
    match pattern.answer:
        case OneItem():
            return names[0]
        case NewItem():
            return f"new {names[0]}"
        case PutOrReplaced():
            return f"{names[0]}, new or as it is now"
        case Page():
            kind = "keys" if pattern.index.projection == "KEYS_ONLY" else "items"
            return f"{' and '.join(names)} {kind}"
        case ParentAndPage():
            return f"{names[0]} and {names[1]} items"
        case ParentAndAll():
            return f"{names[0]} and all its {names[1]} items"
        case NewParentAndAll():
            return f"new {names[0]} and all its {names[1]} items"
        case Progress():
            return "how many were changed"
        case Nothing():
            return "nothing"
    return "whole items"


def _section(dataset: str) -> str:
    patterns = [pattern for pattern in ACCESS_PATTERNS if pattern.dataset == dataset]
    writes = [pattern for pattern in patterns if isinstance(pattern.operation, Write)]
    reads = [pattern for pattern in patterns if pattern not in writes]
    tables = [table(READS, map(_row, reads)), table(WRITES, map(_row, writes))]
    return "\n\n".join([f"### {dataset.capitalize()}", *tables])


def _row(pattern: AccessPattern) -> list[str]:
    return [
        pattern.id,
        f"{pattern.summary}<br>{code(route(pattern))}<br>*{', '.join(pattern.shows)}*",
        "<br>".join([*steps(pattern), *map(code, asked(pattern))]),
        returns(pattern),
    ]


def route(pattern: AccessPattern) -> str:
    """The route, with the query string of the example."""
    given = urlencode(query(pattern), quote_via=quote, safe="@/:")
    return f"{pattern.route}?{given}" if given else pattern.route


def _keys(operation: str, request: Mapping[str, Any]) -> list[str]:
    """The keys of the items that a request touches; of a query its condition."""
    match operation:
        case "Query":
            return [_written_out({k: each for k, each in request.items() if k != "Limit"})]
        case "BatchGetItem":
            of_table = request["RequestItems"].values()
            return [_key(key) for asked in of_table for key in asked["Keys"]]
        case "TransactWriteItems":
            actions = (each for action in request["TransactItems"] for each in action.values())
            return [_key(action.get("Key") or action["Item"]) for action in actions]
    return [_key(request.get("Key") or request["Item"])]


def _key(item: Mapping[str, Any]) -> str:
    """The primary key of an item."""
    return ", ".join(f"{name}={_quoted(item[name])}" for name in TABLE.key_attributes)


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
