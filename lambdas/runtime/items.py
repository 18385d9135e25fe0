"""Items as DynamoDB has them, and as callers see them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any

from msgspec import Raw

from lambdas.design.entity import Entity
from lambdas.design.keys import Key, While
from lambdas.design.table import INDEXES, TABLE, TTL_ATTRIBUTE
from lambdas.runtime import keys

Item = dict[str, dict[str, Any]]
"""An item as it travels: each attribute with its type, `{"PK": {"S": "USER#U-001"}}`."""

FIRST_VERSION = 1

MARK = "LastCall"
"""The attribute that names the call which changed the item last. It is never shown."""

MAX_DEPTH = 32
MAX_DIGITS = 38
SMALLEST_EXPONENT, LARGEST_EXPONENT = -130, 125
"""DynamoDB's limits for nested lists and maps, and for numbers."""

_EXACT = Context(prec=6000)

MAX_ITEM_BYTES = 400 * 1024
"""DynamoDB's limit for an item, names and values of its attributes together."""

_PARTITION, _SORT = TABLE.key_attributes

_HIDDEN = frozenset(name for index in (TABLE, *INDEXES) for name in index.key_attributes) | {MARK}


def to_item(entity: Entity) -> Item:
    """The item that is stored for an entity: its attributes, its keys in every index that it
    belongs to, `Type` and `Version`.

    Raises InvalidKeyValue when a value cannot stand in a key.
    """
    values = attributes(entity)
    stored = {name: value for name, value in values.items() if name not in entity.primary.fields}
    item = {name: to_attribute(value) for name, value in stored.items()}
    item["Type"] = {"S": type(entity).__name__}
    item["Version"] = {"N": str(FIRST_VERSION)}
    return index_keys(type(entity), values) | item


def attributes(entity: Entity) -> dict[str, Any]:
    """The values that an entity has, by the names under which they are stored."""
    cls = type(entity)
    named = zip(cls.__struct_encode_fields__, cls.__struct_fields__, strict=True)
    values = {name: getattr(entity, field) for name, field in named}
    return {name: value for name, value in values.items() if value is not None}


def index_keys(entity: type[Entity], values: Mapping[str, Any]) -> Item:
    """Both key attributes of each index that an item with these values belongs to."""
    written: Item = {}
    for key in entity.keys:
        if belongs(key, values):
            written |= {name: {"S": text} for name, text in keys.attributes(key, values).items()}
    return written


def belongs(key: Key, values: Mapping[str, Any]) -> bool:
    """Whether an item with these values has this key: always, unless the index is sparse."""
    condition: While | None = key.only_while
    if condition is None:
        return True
    value = values.get(condition.attribute)
    return value is not None and condition.equals in (None, value)


def depends_on(key: Key) -> set[str]:
    """The fields that decide what an item's key is, and whether it has one."""
    return {*key.fields, *([key.only_while.attribute] if key.only_while else [])}


def tombstone(item: Item) -> Item:
    """What is left of a deleted item: its key, so that it is never given again, and no more.

    Its `Type` is that of no entity, so that reads take it for absent.
    """
    kept = {name: item[name] for name in TABLE.key_attributes}
    return {
        **kept,
        "Type": {"S": f"Deleted{item['Type']['S']}"},
        "Version": {"N": str((version_of(item) or 0) + 1)},
    }


def size(item: Item) -> int:
    """The bytes that DynamoDB counts for an item: the names and values of its attributes.

    The rules are those of the Developer Guide, "DynamoDB item sizes and formats".
    """
    return sum(len(name.encode()) + _size(attribute) for name, attribute in item.items())


def _size(attribute: dict[str, Any]) -> int:
    [(kind, value)] = attribute.items()
    match kind:
        case "S":
            return len(value.encode())
        case "N":
            return _size_of_number(value)
        case "B":
            return len(value)
        case "M":  # 3 bytes, and one for each part
            return 3 + len(value) + size(value)
        case "L":
            return 3 + len(value) + sum(map(_size, value))
        case "SS" | "NS" | "BS":
            return sum(_size({kind[0]: each}) for each in value)
        case _:  # BOOL, NULL
            return 1


def _size_of_number(text: str) -> int:
    """A byte for two significant digits, and one more.

    The Developer Guide calls this approximate. Digits are kept in pairs that begin at the decimal
    point, so 12 is one pair and 1.2 is two, and a minus takes a byte, as DynamoDB's emulators
    dynalite and ministack count it too.
    """
    negative, digits, exponent = Decimal(text).normalize(_EXACT).as_tuple()
    if digits == (0,) or not isinstance(exponent, int):
        return 1
    pairs = (exponent + len(digits) - 1) // 2 - exponent // 2 + 1
    return 1 + pairs + negative


def to_attribute(value: Any, depth: int = 0) -> dict[str, Any]:
    """A plain value with its DynamoDB type; numbers as exact text.

    Raises ValueError for what DynamoDB does not take: a number of more than 38 digits or out of
    range, or more than 32 levels of lists and maps. Raises TypeError for a float, which is inexact.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"must not be nested deeper than {MAX_DEPTH} levels")
    match value:
        case None:
            return {"NULL": True}
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int() | Decimal():
            return {"N": _number(Decimal(value))}
        case dict():
            return {"M": {name: to_attribute(each, depth + 1) for name, each in value.items()}}
        case list() | tuple():
            return {"L": [to_attribute(each, depth + 1) for each in value]}
    raise TypeError(f"no attribute can hold a {type(value).__name__}")


def _number(value: Decimal) -> str:
    """The text of a number that DynamoDB keeps exactly. No arithmetic is done with it, which would
    round a long one and overflow with a large one."""
    if not value:
        return "0"  # whatever the exponent was
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    is_in_range = SMALLEST_EXPONENT <= value.adjusted() <= LARGEST_EXPONENT
    if len(digits) > MAX_DIGITS or not is_in_range:
        raise ValueError(f"must be a number of at most {MAX_DIGITS} digits, from 1E-130 to 1E+125")
    return str(value)


def to_plain(attribute: dict[str, Any]) -> Any:
    """An attribute as JSON has it. A number stays the text that DynamoDB sent, never a float."""
    if "S" in attribute:  # the order is that of how often there is one
        return attribute["S"]
    if "N" in attribute:
        return Raw(attribute["N"])
    if "M" in attribute:
        return {name: to_plain(each) for name, each in attribute["M"].items()}
    [(kind, value)] = attribute.items()
    match kind:
        case "L":
            return [to_plain(each) for each in value]
        case "NS":
            return [Raw(number) for number in value]
        case "NULL":
            return None
        case _:
            return value


def whole(item: Item) -> dict[str, Any]:
    """An item as it is stored, its keys included, as JSON has it."""
    return {name: to_plain(attribute) for name, attribute in item.items()}


def has_expired(item: Item, now: datetime) -> bool:
    """Whether the item's time to live is over: DynamoDB removes it within days, not at once.

    As for DynamoDB, what is not a number is no time to live.
    """
    expires_at = item.get(TTL_ATTRIBUTE, {}).get("N")
    return expires_at is not None and Decimal(expires_at) < Decimal(now.timestamp())


def entity_tag(item: Item) -> dict[str, str]:
    """The `ETag` header of an item: its version. An item without one has none."""
    version = item.get("Version", {}).get("N")
    return {"ETag": f'"{version}"'} if version else {}


def type_of(item: Item) -> str | None:
    """What the item says it is; None where it does not, as in an index of keys only."""
    name: str | None = item.get("Type", {}).get("S")
    return name


def is_a(item: Item, entity: type[Entity]) -> bool:
    """Whether the item says that it is of the entity."""
    return type_of(item) == entity.__name__


def version_of(item: Item) -> int | None:
    """How often the item has been written; None where it does not say so in a whole number, as
    another program may have left it."""
    text: str = item.get("Version", {}).get("N", "")
    return int(text) if text.isdecimal() else None


def present(item: Item, key: Key) -> dict[str, Any]:
    """An item as callers see it: what it is, the fields decoded from its key, then its attributes
    in the order in which its entity declares them.

    Index keys are left out. In an index of keys only there is no more than the fields. Raises
    ValueError when the item's key is none of the entity's.
    """
    entity = key.entity
    plain: dict[str, Any] = {"Type": item["Type"].get("S")} if "Type" in item else {}
    plain |= keys.decode(entity.primary, item[_PARTITION]["S"], item[_SORT]["S"])
    for name in _shown(entity, tuple(item)):
        attribute = item[name]  # most are text, and a list has a thousand of them
        plain[name] = attribute["S"] if "S" in attribute else to_plain(attribute)
    return plain


@lru_cache(maxsize=64)
def _shown(entity: type[Entity], names: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes to show, in order. The items of a list mostly have the same names.

    The fields of the primary key are in it alone; an attribute of such a name is not ours.
    """
    hidden = {*_HIDDEN, *entity.primary.fields, "Type"}
    visible = set(names) - hidden
    declared = [name for name in entity.__struct_encode_fields__ if name in visible]
    return (*declared, *sorted(visible - set(declared)))
