"""What a view shows: item collections, each with its partition key once, its items in sort-key
order, and of each item the attributes that the index has."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from msgspec import Raw, json

from explorer.reading import PrimaryKey
from lambdas.design import ENTITIES
from lambdas.design.entity import Entity
from lambdas.design.keys import Index
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime import items, keys
from lambdas.runtime.items import Item

VIEWS: Final = (TABLE, *INDEXES)
"""The ways to look at the table: by its own keys, and by those of each index."""

LONGEST_SHOWN: Final = 240
"""Characters of a value in a view; the item's own page has all of it."""

COLOURS: Final = 16
"""How many colours the stylesheet has for entities."""

_KEY_ATTRIBUTES: Final = frozenset(name for index in VIEWS for name in index.key_attributes)
_BY_NAME: Final = {entity.__name__: entity for entity in ENTITIES}

Mark = Literal["read", "peeked", "entered", "moved", "changed", "gone"]
"""What is to be seen of an item: a pattern answers with it (`read`) or only looked at it to know
whether a page follows (`peeked`); a write has put it there (`entered`, `moved`), changed it in its
place, or taken it away from there (`gone`)."""

Marks = Mapping[PrimaryKey, Mark]


class Attribute(NamedTuple):
    """An attribute's name, its DynamoDB type, and its value as text."""

    name: str
    kind: str
    text: str
    is_cut: bool = False


class Row(NamedTuple):
    """An item in a view."""

    key: PrimaryKey
    entity: str
    """Its type, or what its key says where an index does not have the type; may be empty."""
    colour: int
    sort: str
    attributes: list[Attribute]
    other_keys: list[tuple[str, list[Attribute]]]
    """The key attributes that it has in the other indexes, by the index's name."""
    mark: Mark | None = None


class Collection(NamedTuple):
    """The items of one partition key."""

    partition: str
    rows: list[Row]
    is_whole: bool = True
    """Whether these are all its items."""


def name_of(index: Index) -> str:
    """What the page calls an index; the table itself has no name as an index."""
    return index.name or "table"


def index_of(name: str) -> Index | None:
    """The index that the page calls so."""
    return next((index for index in VIEWS if name_of(index) == name), None)


def collections(
    index: Index, found: Iterable[Item], marks: Marks | None = None, gone: Sequence[Item] = ()
) -> list[Collection]:
    """The item collections that the items make up, in the order in which they first come.

    `gone` are items that were there and no longer are. What has no key in the index is left out.
    """
    marks = marks or {}
    by_partition: dict[str, list[Row]] = {}
    shown = [(item, marks.get(primary_key(item))) for item in found]
    ghosts: list[tuple[Item, Mark | None]] = [(item, "gone") for item in gone]
    for item, mark in shown + ghosts:
        if index.partition_key in item and index.sort_key in item:
            partition = _text(item[index.partition_key])
            by_partition.setdefault(partition, []).append(row(index, item, mark))
    return [
        # DynamoDB sorts text by its bytes in UTF-8.
        Collection(partition, sorted(rows, key=lambda each: each.sort.encode()))
        for partition, rows in by_partition.items()
    ]


def row(index: Index, item: Item, mark: Mark | None = None) -> Row:
    """An item as a view of the index shows it."""
    entity = entity_of(item)
    return Row(
        key=primary_key(item),
        entity=items.type_of(item) or (entity.__name__ if entity else ""),
        colour=colour_of(entity),
        sort=_text(item[index.sort_key]),
        attributes=attributes(item, entity),
        other_keys=_other_keys(index, item),
        mark=mark,
    )


def primary_key(item: Item) -> PrimaryKey:
    """The values of an item's primary key."""
    partition, sort = (_text(item[name]) for name in TABLE.key_attributes)
    return partition, sort


def entity_of(item: Item) -> type[Entity] | None:
    """What the item says it is, or what its key says; None when that is not declared."""
    if (name := items.type_of(item)) is not None:
        return _BY_NAME.get(name)
    return next((entity for entity in ENTITIES if _is_key_of(entity, item)), None)


def _is_key_of(entity: type[Entity], item: Item) -> bool:
    try:
        keys.decode(entity.primary, *primary_key(item))
    except ValueError:
        return False
    return True


def colour_of(entity: type[Entity] | None) -> int:
    """The number of an entity's colour; 0 is that of what is not declared."""
    return ENTITIES.index(entity) % COLOURS + 1 if entity else 0


def attributes(
    item: Item, entity: type[Entity] | None, longest: int | None = LONGEST_SHOWN
) -> list[Attribute]:
    """The attributes besides keys and `Type`: as the entity declares them, then the others."""
    declared = entity.__struct_encode_fields__ if entity else ()
    names = dict.fromkeys([*(name for name in declared if name in item), *sorted(item)])
    own = [name for name in names if name not in _KEY_ATTRIBUTES and name != "Type"]
    return [attribute(name, item[name], longest) for name in own]


def attribute(name: str, value: dict[str, Any], longest: int | None = LONGEST_SHOWN) -> Attribute:
    """An attribute with its value as text, cut off after `longest` characters."""
    [kind] = value
    text = _text(value)
    is_cut = longest is not None and len(text) > longest
    return Attribute(name, kind, text[:longest] if is_cut else text, is_cut)


def _other_keys(index: Index, item: Item) -> list[tuple[str, list[Attribute]]]:
    """Without those that say nothing new: an index may have the same key attributes."""
    seen = set(index.key_attributes)
    found = []
    for other in VIEWS:
        names = [name for name in other.key_attributes if name in item and name not in seen]
        if names:
            seen |= set(names)
            found.append((name_of(other), [attribute(name, item[name]) for name in names]))
    return found


def _text(value: dict[str, Any]) -> str:
    """A value as a person reads it: text and numbers as they are, all else as JSON."""
    [(kind, plain)] = value.items()
    match kind:
        case "S" | "N":
            return str(plain)
        case "B":
            return b64encode(plain).decode()
        case _:
            return json.encode(_plain(value)).decode()


def _plain(value: dict[str, Any]) -> Any:
    """A value for JSON; binary ones, which JSON has not, in base64."""
    [(kind, plain)] = value.items()
    match kind:
        case "B":
            return b64encode(plain).decode()
        case "BS":
            return sorted(b64encode(each).decode() for each in plain)
        case "M":
            return {name: _plain(each) for name, each in plain.items()}
        case "L":
            return [_plain(each) for each in plain]
        case "SS":
            return sorted(plain)
        case "NS":
            return [Raw(each.encode()) for each in sorted(plain)]
        case _:
            return items.to_plain(value)
