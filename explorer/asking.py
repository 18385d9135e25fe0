"""Asks an access pattern as its function does: the same handler, the same requests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final
from urllib.parse import quote, urlencode

from msgspec import DecodeError, Struct, json

from bench import units
from explorer.partiql import statement
from explorer.reading import Exchange, PrimaryKey, watched
from explorer.rows import Marks, primary_key
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.keys import Index
from lambdas.design.operations import Parameter, PartiQLSelect, Write
from lambdas.design.pattern import (
    CURSOR,
    AccessPattern,
    OneItem,
    Page,
    ParentAndAll,
    ParentAndPage,
    WholeItems,
)
from lambdas.design.table import INVERTED_INDEX, TABLE
from lambdas.runtime import body, items, keys
from lambdas.runtime.arguments import Event
from lambdas.runtime.endpoint import Handler
from lambdas.runtime.items import Item

OK: Final = 200

Given = Mapping[str, str]
"""What somebody fills in, by the name of the parameter."""


class Asked(Struct, frozen=True):
    """An access pattern that was asked, and everything that there is to see of it."""

    status: int
    body: str
    """The answer's JSON, as it was sent."""
    units_reported: str
    """What DynamoDB says it consumed; not every emulator counts."""
    exchanges: list[Exchange]
    answered: list[PrimaryKey]
    """The items that the answer is made of, in its order."""
    index: Index
    """The index that was read."""
    next: Given | None
    """What asks for the next page, if there is one."""

    @property
    def found(self) -> list[Item]:
        """Every item that was read."""
        return [item for exchange in self.exchanges for item in exchange.items]

    @property
    def marks(self) -> Marks:
        """The answer's items, and those that were read besides."""
        answered = set(self.answered)
        found = (primary_key(item) for item in self.found if TABLE.partition_key in item)
        return {key: "read" if key in answered else "peeked" for key in found}

    @property
    def partitions(self) -> list[str]:
        """The partition keys of the item collections that were read."""
        name = self.index.partition_key
        found = [item[name]["S"] for item in self.found if name in item]
        return list(dict.fromkeys([*self._asked_for(), *found]))

    def _asked_for(self) -> list[str]:
        """The partition keys that the requests name; PartiQL has them in its text alone."""
        named = []
        for exchange in self.exchanges:
            key = exchange.request.get("Key", {}).get(self.index.partition_key)
            values = exchange.request.get("ExpressionAttributeValues", {})
            if partition := key or values.get(":partition"):
                named.append(str(partition["S"]))
        return named

    @property
    def is_backwards(self) -> bool:
        """Whether the collection was read from its end."""
        return any(each.request.get("ScanIndexForward") is False for each in self.exchanges)

    @property
    def bytes_read(self) -> int:
        """The size of the items that were read, as DynamoDB counts it."""
        return sum(map(items.size, self.found))

    @property
    def units(self) -> float:
        """The read units of the requests, by the sizes of their items."""
        sizes = (sum(map(items.size, each.items)) for each in self.exchanges)
        return sum(map(units.read_units, sizes))

    @property
    def milliseconds(self) -> float:
        return round(sum(each.milliseconds for each in self.exchanges), 1)

    @property
    def statements(self) -> list[str | None]:
        """Each request as PartiQL, where that can say it."""
        return [statement(each.operation, each.request, self.index) for each in self.exchanges]

    @property
    def problem(self) -> dict[str, Any] | None:
        """What the service says is wrong, if anything is."""
        return None if self.status == OK else json.decode(self.body)


def is_read(pattern: AccessPattern) -> bool:
    """Whether a pattern only reads."""
    return not isinstance(pattern.operation, Write)


def pattern_of(pattern_id: str) -> AccessPattern | None:
    """The access pattern that has this id."""
    return next((each for each in ACCESS_PATTERNS if each.id == pattern_id), None)


def example(pattern: AccessPattern) -> dict[str, str]:
    """What the pattern's example fills in, its body as JSON."""
    written = _body(pattern.example_body) if pattern.example_body else {}
    return {**pattern.example, **written}


def fields(pattern: AccessPattern) -> tuple[Parameter, ...]:
    """The parameters and headers that there are to fill in."""
    return pattern.parameters + pattern.headers


def ask(pattern: AccessPattern, given: Given) -> Asked:
    """What a read pattern answers to what was filled in; what is empty counts as not given."""
    sent = {name: value for name, value in given.items() if value}
    with watched() as exchanges:
        response = _handler(pattern)(event(pattern, sent), None)
    text = str(response.get("body", ""))
    is_answer = response["statusCode"] == OK
    answer = json.decode(text) if is_answer else {}
    return Asked(
        status=response["statusCode"],
        body=text,
        units_reported=response["headers"]["X-DynamoDB-Capacity"],
        exchanges=exchanges,
        answered=_keys(pattern, answer) if is_answer else [],
        index=_index_read(pattern, exchanges),
        next=_next(pattern, sent, answer) if is_answer else None,
    )


def event(pattern: AccessPattern, sent: Given) -> Event:
    """The gateway's event for a call with these parameters, headers and this body."""
    in_path = {name: sent[name] for name in pattern.path_parameters if name in sent}
    in_headers = {each.name.lower() for each in pattern.headers}
    others = {name: value for name, value in sent.items() if name not in in_path}
    in_query = {
        name: value
        for name, value in others.items()
        if name.lower() not in in_headers and name != body.BODY
    }
    return {
        "version": "2.0",
        "routeKey": pattern.route,
        "rawPath": path(pattern, sent),
        "rawQueryString": urlencode(in_query),
        "headers": {name: value for name, value in others.items() if name.lower() in in_headers},
        "queryStringParameters": in_query or None,
        "pathParameters": in_path or None,
        "body": sent.get(body.BODY),
        "requestContext": {},
        "isBase64Encoded": False,
    }


def path(pattern: AccessPattern, sent: Given) -> str:
    """The path of a call, its parameters filled in."""
    filled = {name: quote(sent.get(name, ""), safe="") for name in pattern.path_parameters}
    return pattern.path.format_map(filled)


def _handler(pattern: AccessPattern) -> Handler:
    """The entry point of a pattern; a variant shares that of its pattern."""
    routed = pattern_of(pattern.variant_of) if pattern.variant_of else pattern
    module = import_module(f"lambdas.handlers.{pattern.dataset}")
    found: Handler = getattr(module, (routed or pattern).name)
    return found


def _keys(pattern: AccessPattern, answer: dict[str, Any]) -> list[PrimaryKey]:
    """The primary keys of the answer's items. An answer does not show them, but the fields that
    they are made of, and a key follows from those."""
    if isinstance(pattern.answer, WholeItems):
        names = TABLE.key_attributes
        whole = [item for item in answer["Items"] if all(name in item for name in names)]
        return [(item[TABLE.partition_key], item[TABLE.sort_key]) for item in whole]
    return [_key(pattern, item) for item in _items(pattern, answer)]


def _items(pattern: AccessPattern, answer: dict[str, Any]) -> list[dict[str, Any]]:
    match pattern.answer:
        case OneItem():
            return [answer]
        case Page():
            return list(answer["items"])
        case ParentAndPage(parent, children):
            return [*([answer[parent]] if answer[parent] else []), *answer[children]["items"]]
        case ParentAndAll(parent, children):
            return [answer[parent], *answer[children]]
    raise TypeError(f"{pattern.id}: {pattern.answer} is not the answer of a read")


def _key(pattern: AccessPattern, item: dict[str, Any]) -> PrimaryKey:
    entities = {entity.__name__: entity for entity in pattern.entities}
    primary = entities.get(item.get("Type", ""), pattern.entities[0]).primary
    return keys.encode(primary.partition, item), keys.encode(primary.sort, item)


def _index_read(pattern: AccessPattern, exchanges: list[Exchange]) -> Index:
    """A statement of the caller's may read the inverted index instead of the table."""
    if isinstance(pattern.operation, PartiQLSelect):
        texts = [str(each.request["Statement"]) for each in exchanges]
        is_inverted = any(f'."{INVERTED_INDEX.name}"' in text for text in texts)
        return INVERTED_INDEX if is_inverted else TABLE
    return pattern.index


def _next(pattern: AccessPattern, sent: Given, answer: dict[str, Any]) -> Given | None:
    match pattern.answer:
        case Page():
            cursor = answer["next"]
        case ParentAndPage(_, children):
            cursor = answer[children]["next"]
        case WholeItems() if answer["NextToken"]:
            statement = {**json.decode(sent[body.BODY]), "NextToken": answer["NextToken"]}
            return {**sent, **_body(statement)}
        case _:
            return None
    return {**sent, CURSOR.name: cursor} if cursor else None


def _body(value: Any) -> dict[str, str]:
    written = json.encode(value) if isinstance(value, dict) else body.write(value)
    return {body.BODY: json.format(written, indent=2).decode()}


def pretty(text: str) -> str:
    """JSON as one reads it, its numbers to the letter; what is no JSON as it is."""
    try:
        return json.format(text, indent=2) if text else ""
    except DecodeError:
        return text


def table_name() -> str:
    """The table that is shown."""
    return os.environ["TABLE_NAME"]
