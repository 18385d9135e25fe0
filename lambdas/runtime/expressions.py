"""Builds the writes: what an item becomes, its index keys included, and what must hold before.

Index keys follow from the entity. A change that moves an item into an index sets both key
attributes in the same request, one that moves it out removes both; there is never half a key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from lambdas.design.entity import Entity
from lambdas.design.keys import Key
from lambdas.design.table import TABLE
from lambdas.runtime import items, keys
from lambdas.runtime.items import MARK, Item
from lambdas.runtime.requests import Request, primary_key

VERSION: Final = "Version"
TYPE: Final = "Type"


class Expressions:
    """The names and values that the expressions of one request stand for."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: Item = {}

    def name(self, attribute: str) -> str:
        """A placeholder for an attribute: many are reserved words, one has a space in it."""
        return self._names.setdefault(attribute, f"#n{len(self._names)}")

    def value(self, value: Any) -> str:
        """A placeholder for a value."""
        placeholder = f":v{len(self._values)}"
        self._values[placeholder] = items.to_attribute(value)
        return placeholder

    def request(self, **expressions: str) -> Request:
        """The expressions with all that they stand for; what is empty is left out."""
        request: Request = {name: text for name, text in expressions.items() if text}
        names = {placeholder: attribute for attribute, placeholder in self._names.items()}
        if names:
            request["ExpressionAttributeNames"] = names
        if self._values:
            request["ExpressionAttributeValues"] = self._values
        return request


Condition = Callable[[Expressions], str]
"""Something that must hold of the item as it is, as a condition expression."""


def is_new() -> Condition:
    """There is no such item."""
    return is_absent(TABLE.partition_key)


def is_absent(attribute: str) -> Condition:
    """The item has no such attribute, or there is no such item."""
    return lambda of: f"attribute_not_exists({of.name(attribute)})"


def is_number(attribute: str) -> Condition:
    """The attribute is a number, so that it can be counted on. An update of anything else would be
    refused as a request that is wrong in itself, and say nothing of the item."""
    return lambda of: f"attribute_type({of.name(attribute)}, {of.value('N')})"


def either(*conditions: Condition) -> Condition:
    """One of the conditions holds."""
    return lambda of: " OR ".join(condition(of) for condition in conditions)


def is_a(entity: type[Entity]) -> Condition:
    """The item exists, and is what it should be: of a deleted user only a tombstone is left."""
    return has(TYPE, entity.__name__)


def has_version(version: int) -> Condition:
    """Nobody has changed the item since it had this version."""
    return has(VERSION, version)


def has(attribute: str, value: Any) -> Condition:
    """The attribute has this value."""
    return lambda of: f"{of.name(attribute)} = {of.value(value)}"


def is_not_marked(mark: str) -> Condition:
    """The item has not been changed by this call already, whose answer was lost then."""
    return lambda of: f"NOT {of.name(MARK)} = {of.value(mark)}"


def is_one_of(attribute: str, values: Sequence[str]) -> Condition:
    """The attribute has one of the values; with none, nothing meets it."""
    if not values:
        return is_absent(TYPE)
    return lambda of: f"{of.name(attribute)} IN ({', '.join(map(of.value, values))})"


def differs(attribute: str, value: Any) -> Condition:
    """The attribute does not have the value yet."""
    return lambda of: f"{of.name(attribute)} <> {of.value(value)}"


def has_expired(attribute: str, seconds: int) -> Condition:
    """The item is no longer there, or its time is over."""
    return either(is_new(), lambda of: f"{of.name(attribute)} < {of.value(seconds)}")


def is_absent_or_has(attributes: Mapping[str, str]) -> tuple[Condition, ...]:
    """There is no such item, or it has these attributes."""
    return tuple(either(is_new(), has(name, value)) for name, value in attributes.items())


def put(entity: Entity, *conditions: Condition) -> Request:
    """Writes an entity as a whole item."""
    return put_item(items.to_item(entity), *conditions)


def put_item(item: Item, *conditions: Condition) -> Request:
    """Writes a whole item."""
    of = Expressions()
    return {"Item": item, **of.request(ConditionExpression=_all(conditions, of))}


def delete(key: Key, values: Mapping[str, Any], *conditions: Condition) -> Request:
    """Removes an item."""
    return _on(key, values, conditions)


def check(key: Key, values: Mapping[str, Any], *conditions: Condition) -> Request:
    """Holds a transaction to what an item is."""
    return _on(key, values, conditions)


def update(
    entity: type[Entity],
    values: Mapping[str, Any],
    changes: Mapping[str, Any],
    *conditions: Condition,
    mark: str | None = None,
    is_upsert: bool = False,
) -> Request:
    """Changes an item: its attributes, the index keys that follow from them, and its version.

    `values` are the fields of its primary key, `changes` the attributes with what they become; None
    removes one. An upsert makes the item when there is none. An item whose version cannot be
    counted is not changed. Raises InvalidKeyValue.
    """
    of = Expressions()
    countable = either(is_absent(VERSION), is_number(VERSION)) if is_upsert else is_number(VERSION)
    written = {**changes, **_index_keys(entity, values, changes)}
    if mark:
        written[MARK] = mark
    if is_upsert:
        written[TYPE] = entity.__name__
    version, zero = of.name(VERSION), of.value(0) if is_upsert else ""
    counted = f"if_not_exists({version}, {zero})" if is_upsert else version
    sets = [f"{of.name(name)} = {of.value(v)}" for name, v in written.items() if v is not None]
    sets.append(f"{version} = {counted} + {of.value(1)}")
    removed = [of.name(name) for name, value in written.items() if value is None]
    expression = f"SET {', '.join(sets)}" + (f" REMOVE {', '.join(removed)}" if removed else "")
    return {
        "Key": primary_key(entity.primary, values),
        **of.request(
            UpdateExpression=expression, ConditionExpression=_all((*conditions, countable), of)
        ),
    }


def add(
    entity: type[Entity], values: Mapping[str, Any], count: str, by: int, *conditions: Condition
) -> Request:
    """Adds to a count that is kept on an item, and to its version. Each is a number or absent."""
    of = Expressions()
    countable = (either(is_absent(name), is_number(name)) for name in (count, VERSION))
    expression = f"ADD {of.name(count)} {of.value(by)}, {of.name(VERSION)} {of.value(1)}"
    return {
        "Key": primary_key(entity.primary, values),
        **of.request(
            UpdateExpression=expression, ConditionExpression=_all((*conditions, *countable), of)
        ),
    }


def _on(key: Key, values: Mapping[str, Any], conditions: Sequence[Condition]) -> Request:
    of = Expressions()
    expressions = of.request(ConditionExpression=_all(conditions, of))
    return {"Key": primary_key(key, values), **expressions}


def _all(conditions: Sequence[Condition], of: Expressions) -> str:
    return " AND ".join(f"({condition(of)})" for condition in conditions)


def _index_keys(
    entity: type[Entity], values: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, str | None]:
    """The key attributes of every index that a change can move the item within, None to remove."""
    known = {**values, **{name: value for name, value in changes.items() if value is not None}}
    written: dict[str, str | None] = {}
    for key in entity.keys[1:]:
        if not changes.keys() & items.depends_on(key):
            continue
        is_in = items.belongs(key, known)
        written |= keys.attributes(key, known) if is_in else dict.fromkeys(key.index.key_attributes)
    return written
