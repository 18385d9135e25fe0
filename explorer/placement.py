"""Of one item: in which indexes it stands and why, which access patterns return it, and which
writes change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct, json

from bench import units
from explorer import asking
from explorer.rows import VIEWS, Attribute, attribute, entity_of, name_of, primary_key
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.entity import Entity
from lambdas.design.keys import Index, Key
from lambdas.design.operations import (
    DeleteItem,
    PartiQLSelect,
    PutItem,
    Statement,
    UpdateItem,
    Write,
)
from lambdas.design.pattern import IF_MATCH, AccessPattern
from lambdas.design.table import INVERTED_INDEX, TABLE
from lambdas.runtime import body, items, keys, times
from lambdas.runtime.items import Item


class Place(Struct, frozen=True):
    """An index, and why an item stands in it or does not."""

    index: Index
    key: Key | None
    """The declared key, with its templates; None where the entity has none in this index."""
    values: list[Attribute]
    """The item's key attributes there; none while it is not in the index."""


class Question(NamedTuple):
    """An access pattern with what must be filled in to get or to change one item."""

    pattern: AccessPattern
    given: asking.Given


def places(item: Item) -> list[Place]:
    """The table and each index, in the order in which they are declared."""
    entity = entity_of(item)
    return [_place(index, entity, item) for index in VIEWS]


def _place(index: Index, entity: type[Entity] | None, item: Item) -> Place:
    present = [attribute(name, item[name], None) for name in index.key_attributes if name in item]
    is_in = len(present) == len(index.key_attributes)
    return Place(index, key_in(index, entity) if entity else None, present if is_in else [])


def key_in(index: Index, entity: type[Entity]) -> Key | None:
    """The key that an entity has in an index."""
    if index == INVERTED_INDEX:
        return entity.inverted
    return next((key for key in entity.keys if key.index == index), None)


def write_units(item: Item) -> dict[str, int]:
    """What it costs to put the item where it was not, by the names of the table and the indexes."""
    charged = {
        name_of(index): units.index_write_units(index, None, item)
        for index in VIEWS
        if units.entry(index, item)
    }
    return {**charged, name_of(TABLE): units.write_units(None, item)}


def readers(item: Item) -> list[Question]:
    """The access patterns that return the item as it is now, each with its parameters.

    A variant is the same call with a range or an order of its own; its pattern stands for it.
    """
    return [
        found
        for pattern in ACCESS_PATTERNS
        if asking.is_read(pattern) and not pattern.variant_of
        for found in _reader(pattern, item)
    ]


def _reader(pattern: AccessPattern, item: Item) -> Iterator[Question]:
    entity = entity_of(item)
    values = fields_of(item)
    if entity not in pattern.entities or items.has_expired(item, times.now()):
        return
    if isinstance(pattern.operation, PartiQLSelect):
        yield Question(pattern, _statement(pattern.operation, item))
    elif units.entry(pattern.index, item):
        yield Question(pattern, _given(pattern, values))


def writers(item: Item) -> list[Question]:
    """The access patterns that change items of this kind, filled in for this one."""
    return [
        Question(pattern, written(pattern, item))
        for pattern in ACCESS_PATTERNS
        if isinstance(pattern.operation, Write) and entity_of(item) in _changed(pattern.operation)
    ]


def _changed(write: Write) -> set[type[Entity]]:
    """The entities of which a write changes items; those that it only looks at are not among
    them."""
    writes = (each for each in write.singles if isinstance(each, PutItem | UpdateItem | DeleteItem))
    return {each.key.entity for each in writes}


def written(pattern: AccessPattern, item: Item) -> asking.Given:
    """What a write is filled in with for an item: its key from the item, what is to become of it
    from the pattern's example."""
    values, entity = fields_of(item), entity_of(item)
    given = {**asking.example(pattern), **_given(pattern, values)}
    if pattern.example_body and entity:
        own = {name: values[name] for name in entity.primary.fields if name in values}
        sent = json.decode(body.write(pattern.example_body))
        merged = {name: own.get(name, value) for name, value in sent.items()}
        given[body.BODY] = json.format(json.encode(merged), indent=2).decode()
    if IF_MATCH in pattern.headers:
        given |= {IF_MATCH.name: items.entity_tag(item).get("ETag", "")}
    return given


def fields_of(item: Item) -> dict[str, Any]:
    """An item's fields as plain values: those of its key, and its attributes."""
    entity = entity_of(item)
    if entity is None:
        return {}
    try:
        in_key = keys.decode(entity.primary, *primary_key(item))
    except ValueError:
        return {}
    own = {name: _plain(value) for name, value in item.items()}
    return {**own, **in_key}


def _plain(value: dict[str, Any]) -> Any:
    return json.decode(json.encode(items.to_plain(value)))


def _given(pattern: AccessPattern, values: Mapping[str, Any]) -> dict[str, str]:
    """The parameters that the item's fields give; where one must be given besides, the example's.

    Optional ones stay open, so that nothing is left out."""
    required = {each.name for each in pattern.parameters if each.required}
    given = {name: value for name, value in pattern.example.items() if name in required}
    for parameter in pattern.own_parameters:
        if parameter.required and parameter.fills and parameter.fills in values:
            given[parameter.name] = str(values[parameter.fills])
    return given


def _statement(select: PartiQLSelect, item: Item) -> asking.Given:
    """The whole collection of the item, as the caller's statements name the table."""
    partition = primary_key(item)[0].replace("'", "''")
    name = TABLE.partition_key
    text = f"""SELECT * FROM "{select.table_name}" WHERE {name} = '{partition}'"""  # noqa: S608 - filled in, not run
    return {body.BODY: json.format(body.write(Statement(Statement=text)), indent=2).decode()}
