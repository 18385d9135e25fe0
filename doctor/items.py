"""Holds one item to the declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any, Final

from msgspec import ValidationError, convert
from msgspec.structs import fields

from doctor import faults
from doctor.faults import Case, Kind, Step
from lambdas import design
from lambdas.design.entity import Entity
from lambdas.design.keys import Index, Template
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime import expressions, items, keys
from lambdas.runtime.expressions import TYPE, VERSION, Condition, Expressions
from lambdas.runtime.items import FIRST_VERSION, MARK, Item

ENTITIES: Final = {entity.__name__: entity for entity in design.ENTITIES}
TOMBSTONES: Final = {f"Deleted{name}": entity for name, entity in ENTITIES.items()}
"""What `items.tombstone` leaves of each."""

OWN_INDEXES: Final = tuple(
    index for index in INDEXES if not set(index.key_attributes) & set(TABLE.key_attributes)
)
"""The indexes with key attributes of their own; the inverted one has the table's."""

KEY_ATTRIBUTES: Final = frozenset(
    name for index in (TABLE, *OWN_INDEXES) for name in index.key_attributes
)


ABSENT: Final = object()
"""That there is no such attribute; one that is there can be NULL, which is None."""


@dataclass
class _Findings:
    """What is found of an item while it is looked at."""

    left: list[tuple[Kind, str]] = field(default_factory=list)
    cured: list[tuple[Kind, str]] = field(default_factory=list)
    sets: dict[str, Any] = field(default_factory=dict)
    removes: list[str] = field(default_factory=list)
    rests_on: dict[str, Any] = field(default_factory=dict)
    """The attributes that the mended keys follow from; ABSENT where there is none."""
    is_seen: bool = False
    """Whether callers see what changes: then it counts as a change of the item."""


def examine(item: Item, now: datetime) -> Iterator[Case]:
    """What is wrong with an item by itself."""
    if items.has_expired(item, now):
        yield Case(item, ((faults.EXPIRED, ""),))
    if _is_ghost(item):
        is_as_read = as_read(item)
        yield Case(item, ((faults.GHOST, ""),), (_delete(item, is_as_read),) if is_as_read else ())
        return
    found = _Findings()
    _version(item, found)
    _type(item, found)
    if found.cured and (is_as_read := as_read(item)) is None:
        found.left += found.cured  # nothing would notice that another has changed it meanwhile
    elif found.cured and is_as_read:
        yield Case(item, tuple(found.cured), (_update(item, found, is_as_read),))
    if found.left:
        yield Case(item, tuple(found.left))


def entity_of(item: Item) -> type[Entity] | None:
    """The entity that the item says it is."""
    return ENTITIES.get(items.type_of(item) or "")


def values_of(entity: type[Entity], item: Item) -> dict[str, Any] | None:
    """The fields and attributes of an item; None if its key is none of the entity's."""
    try:
        known = keys.decode(entity.primary, *_primary(item))
    except ValueError:
        return None
    attributes = {name: _plain(item[name]) for name in schema(entity) if name in item}
    return attributes | known


def is_valid(entity: type[Entity], name: str, value: Any) -> bool:
    """Whether a value is one that the entity's field may have."""
    try:
        converted = convert(value, schema(entity)[name][0])
    except ValidationError:
        return False
    return isinstance(value, str) == isinstance(converted, str)  # JSON writes decimals as text


def as_read(item: Item) -> Condition | None:
    """The item is as it was read; None when it has no version that would tell."""
    if VERSION not in item:
        return lambda of: (
            f"attribute_exists({of.name('PK')}) AND attribute_not_exists({of.name(VERSION)})"
        )
    version = _plain(item[VERSION])
    return expressions.has_version(version) if _is_version(version) else None


def has(attributes: Mapping[str, Any], of: Expressions) -> list[str]:
    """Conditions for an item to have these attributes, and not to have those that are ABSENT."""
    return [
        f"attribute_not_exists({of.name(name)})"
        if value is ABSENT
        else f"{of.name(name)} = {of.value(value)}"
        for name, value in sorted(attributes.items())
    ]


@cache
def schema(entity: type[Entity]) -> Mapping[str, tuple[Any, bool]]:
    """The fields of an entity as they are stored: what each may be, and whether it is needed."""
    return {each.encode_name: (each.type, each.required) for each in fields(entity)}


# --- What is looked at


def _is_ghost(item: Item) -> bool:
    return item.keys() <= KEY_ATTRIBUTES | {VERSION, MARK}


def _version(item: Item, found: _Findings) -> None:
    if VERSION not in item:
        found.cured.append((faults.MISSING_VERSION, ""))
        found.sets[VERSION] = FIRST_VERSION
    elif not _is_version(_plain(item[VERSION])):
        found.left.append((faults.BAD_VERSION, ""))


def _is_version(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= FIRST_VERSION


def _type(item: Item, found: _Findings) -> None:
    name = items.type_of(item)
    if name in ENTITIES:
        _entity(ENTITIES[name], item, found)
    elif name in TOMBSTONES:
        _tombstone(TOMBSTONES[name], item, found)
    elif TYPE in item:
        found.left.append((faults.UNKNOWN_TYPE, ""))
    else:
        _without_type(item, found)


def _without_type(item: Item, found: _Findings) -> None:
    """The entity is derived when all of the item fits one, and only one."""
    fitting: list[tuple[type[Entity], _Findings]] = []
    for entity in design.ENTITIES:
        trial = _Findings()
        _entity(entity, item, trial)
        if not trial.left:
            fitting.append((entity, trial))
    if len(fitting) != 1:
        found.left.append((faults.MISSING_TYPE, ""))
        return
    [(entity, trial)] = fitting
    found.cured += [(faults.MISSING_TYPE, entity.__name__), *trial.cured]
    found.sets |= {TYPE: entity.__name__, **trial.sets}
    found.removes += trial.removes
    found.rests_on |= trial.rests_on
    found.is_seen = True


def _tombstone(entity: type[Entity], item: Item, found: _Findings) -> None:
    """The key alone is left of what was deleted: it is in no index, and says nothing more."""
    if values_of(entity, item) is None:
        found.left.append((faults.UNDECODABLE_KEY, ""))
    for index in OWN_INDEXES:
        _index(index, {}, item, found)
    others = sorted(item.keys() - KEY_ATTRIBUTES - {TYPE, VERSION})
    found.left += [(faults.UNKNOWN_ATTRIBUTE, name) for name in others]


def _entity(entity: type[Entity], item: Item, found: _Findings) -> None:
    known = values_of(entity, item)
    if known is None:
        found.left.append((faults.UNDECODABLE_KEY, ""))
        return
    _primary_key(entity, item, found)
    known |= _renamed(entity, item, found)
    bad = set(_attributes(entity, known, item, found))
    by_index = {key.index: key for key in entity.keys[1:]}
    for index in OWN_INDEXES:
        key = by_index.get(index)
        if key and items.depends_on(key) & bad:
            continue  # it does not follow from anything
        try:
            expected = keys.attributes(key, known) if key and items.belongs(key, known) else {}
        except keys.InvalidKeyValue as error:
            found.left.append((faults.INVALID_ATTRIBUTE, f"{error.field} (for {index.name})"))
        else:
            if _index(index, expected, item, found) and key:
                for name in items.depends_on(key) - {*entity.primary.fields}:
                    found.rests_on[name] = _plain(item[name]) if name in item else ABSENT


def _primary_key(entity: type[Entity], item: Item, found: _Findings) -> None:
    """The key is written as its values are, and no attribute repeats one of them."""
    of_key = keys.decode(entity.primary, *_primary(item))
    for template, text in zip(
        (entity.primary.partition, entity.primary.sort), _primary(item), strict=True
    ):
        if not _is_written(template, of_key, text):
            found.left.append((faults.DISAGREEING_KEY, str(template)))
    for name in entity.primary.fields:
        if name in item:
            is_same = of_key[name] == _plain(item[name])
            found.left.append(
                (faults.UNKNOWN_ATTRIBUTE if is_same else faults.DISAGREEING_KEY, name)
            )


def _is_written(template: Template, values: Mapping[str, Any], text: str) -> bool:
    try:
        return keys.encode(template, values) == text
    except keys.InvalidKeyValue:
        return False


def _renamed(entity: type[Entity], item: Item, found: _Findings) -> dict[str, Any]:
    """The attributes that are brought under their new names."""
    moved: dict[str, Any] = {}
    for new, old in entity.formerly.items():
        is_kept = old in schema(entity)
        if old not in item:
            continue
        if new not in item:
            moved[new] = found.sets[new] = _plain(item[old])
        elif item[new] != item[old]:
            found.left.append((faults.FORMER_NAME, f"{old} and {new} differ"))
            continue
        elif is_kept:
            continue
        if not is_kept:
            found.removes.append(old)
        found.cured.append((faults.FORMER_NAME, f"{old} is now {new}"))
        found.rests_on[old] = _plain(item[old])
        found.is_seen = True
    return moved


def _attributes(
    entity: type[Entity], known: Mapping[str, Any], item: Item, found: _Findings
) -> Iterator[str]:
    """The fields that are missing or invalid; what the entity does not have is noted too."""
    declared = schema(entity)
    for name, (_, is_needed) in declared.items():
        if name not in known:
            if is_needed:
                found.left.append((faults.MISSING_ATTRIBUTE, name))
                yield name
        elif not is_valid(entity, name, known[name]):
            found.left.append((faults.INVALID_ATTRIBUTE, name))
            yield name
    others = item.keys() - declared.keys() - KEY_ATTRIBUTES - {TYPE, VERSION}
    others -= set(entity.formerly.values()) | ({MARK} if entity.is_marked else set())
    found.left += [(faults.UNKNOWN_ATTRIBUTE, name) for name in sorted(others)]


def _index(index: Index, expected: dict[str, str], item: Item, found: _Findings) -> bool:
    """Whether the item's key in an index has to become the expected one, or to go."""
    there = {name: item[name] for name in index.key_attributes if name in item}
    if there == {name: {"S": text} for name, text in expected.items()}:
        return False
    if not there:
        kind = faults.MISSING_INDEX_KEY
    elif len(there) == 1:
        kind = faults.HALF_INDEX_KEY
    else:
        kind = faults.STALE_INDEX_KEY if expected else faults.UNWANTED_INDEX_KEY
    found.cured.append((kind, index.name))
    found.sets |= expected
    found.removes += [name for name in there if name not in expected]
    return True


# --- Values


def _primary(item: Item) -> tuple[str, str]:
    return item[TABLE.partition_key]["S"], item[TABLE.sort_key]["S"]


def _plain(attribute: dict[str, Any]) -> Any:
    """An attribute as its entity has it: a number is a whole one, or an exact decimal."""
    [(kind, value)] = attribute.items()
    match kind:
        case "N":
            number = Decimal(value)
            return int(number) if number == number.to_integral_value() else number
        case "M":
            return {name: _plain(each) for name, each in value.items()}
        case "L":
            return [_plain(each) for each in value]
        case "NULL":
            return None
        case _:
            return value


# --- Writes


def primary_key(item: Item) -> Item:
    """The two attributes that name an item in the table."""
    return {name: item[name] for name in TABLE.key_attributes}


def _delete(ghost: Item, is_as_read: Condition) -> Step:
    of = Expressions()
    condition = f"attribute_not_exists({of.name(TYPE)}) AND {is_as_read(of)}"
    return "Delete", {"Key": primary_key(ghost), **of.request(ConditionExpression=condition)}


def _update(item: Item, found: _Findings, is_as_read: Condition) -> Step:
    """One update of all that is mended. It counts as a change only if callers see one: keys in an
    index they do not, and a version that they have read must still do for `If-Match`."""
    of = Expressions()
    sets = [f"{of.name(name)} = {of.value(value)}" for name, value in found.sets.items()]
    if found.is_seen and VERSION in item:
        sets.append(f"{of.name(VERSION)} = {of.name(VERSION)} + {of.value(1)}")
    parts = {"SET": sets, "REMOVE": [of.name(name) for name in found.removes]}
    expression = " ".join(f"{verb} {', '.join(each)}" for verb, each in parts.items() if each)
    # A version comes again when an item is deleted and made anew; the values would tell.
    condition = " AND ".join([is_as_read(of), *has(found.rests_on, of)])
    request = of.request(UpdateExpression=expression, ConditionExpression=condition)
    return "Update", {"Key": primary_key(item), **request}
