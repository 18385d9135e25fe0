"""The word in which entities are declared."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from lambdas.design.keys import (
    MAX_SHARDS,
    DeclarationError,
    Index,
    Key,
    Slot,
    While,
    did_you_mean,
)
from lambdas.design.table import INDEXES, INVERTED_INDEX, TABLE
from lambdas.design.values import accepted


class Entity(Struct, kw_only=True):
    """A kind of item: its attributes, and its keys in the table and the indexes.

    A subclass annotates its attributes as they are stored and assigns its keys:

        class Order(Entity):
            primary = TABLE.key("USER#{UserId}", "ORDER#{OrderId}")
            pending = GSI1.key("STATUS#PENDING", "{OrderId}", only_while=While("Status", "PENDING"))
            UserId: Id
            OrderId: OrderId
            Status: OrderStatus

    The fields that `primary` takes live in the keys alone; all others are attributes of the item.
    Besides these every item has `Type` (the entity's name) and `Version` (1, then counted up).

    Making a subclass raises DeclarationError when a template takes a field that is not declared,
    a number is put into a key without a fixed width, a sparse key waits for a value that its
    attribute cannot have, an index is unknown or has two keys, a key of the table is sharded, the
    shards are so many that a cursor can be longer than one may be, or `primary` is missing.
    """

    primary: ClassVar[Key]
    inverted: ClassVar[Key]
    """The primary key the other way round, as the inverted index has it."""
    is_marked: ClassVar[bool] = True
    """Whether an item may carry the name of the call that changed it last, which is never shown."""
    formerly: ClassVar[Mapping[str, str]] = {}
    """The names that attributes had before, by the present ones: `{"Phone": "Tel"}`. `python -m
    doctor` brings items along; see `docs/changing-the-model.md`."""
    keys: ClassVar[tuple[Key, ...]] = ()
    """The primary key, then the keys in the indexes, without the inverted one."""

    def __init_subclass__(cls) -> None:
        declared = {name: key for name, key in vars(cls).items() if isinstance(key, Key)}
        for name, key in declared.items():
            _check(cls, name, key)
            setattr(cls, name, replace(key, owner=cls))
        _check_one_key_an_index(cls, declared)
        if "primary" not in declared or cls.primary.index != TABLE:
            raise DeclarationError(f"{cls.__name__}: no key of the table named `primary`")
        cls.inverted = Key(INVERTED_INDEX, cls.primary.sort, cls.primary.partition, owner=cls)
        cls.keys = (cls.primary, *(getattr(cls, name) for name in declared if name != "primary"))
        _check_cursors(cls)

    @classmethod
    def dataset(cls) -> str:
        """The dataset that the entity belongs to: the module that declares it."""
        return cls.__module__.rpartition(".")[2]


def _check_one_key_an_index(entity: type[Entity], declared: Mapping[str, Key]) -> None:
    first: dict[Index, str] = {}
    for name, key in declared.items():
        if (other := first.setdefault(key.index, name)) != name:
            raise DeclarationError(
                f"{entity.__name__}: `{other}` and `{name}` are two keys in one index, "
                f"{key.index.name or 'the table itself'}; an entity has one in each"
            )


def _check_cursors(entity: type[Entity]) -> None:
    for key in (key for key in entity.keys if key.is_sharded):
        from lambdas.design import cursors  # noqa: PLC0415 - who has no shards need not load it

        if error := cursors.error(key, entity.primary, _annotations(entity)):
            raise DeclarationError(f"{entity.__name__}: {key.partition} {error}")


def _check(entity: type[Entity], name: str, key: Key) -> None:
    if key.index not in (TABLE, *INDEXES):
        raise DeclarationError(f"{entity.__name__}: unknown index {key.index.name!r}")
    annotations = _annotations(entity)
    for template in (key.partition, key.sort):
        for slot in template.slots:
            if slot.field not in annotations:
                raise DeclarationError(
                    f"{entity.__name__}: the template {template} of `{name}` takes unknown field "
                    f"{slot.field!r}{did_you_mean(slot.field, annotations)}"
                )
            if error := _slot_error(slot, annotations[slot.field]):
                raise DeclarationError(f"{entity.__name__}: {error}")
    if key.only_while and (error := _while_error(key.only_while, annotations)):
        raise DeclarationError(f"{entity.__name__}: sparse key `{name}` {error}")
    if error := _sharding_error(key):
        raise DeclarationError(f"{entity.__name__}: {key.partition} {error}")


def _annotations(entity: type[Entity]) -> Mapping[str, Any]:
    """The types of an entity's fields, also where its module has them read as text only."""
    own = entity.__annotations__
    as_text = any(isinstance(each, str) for each in own.values())
    return get_type_hints(entity, include_extras=True) if as_text else own


def _slot_error(slot: Slot, annotation: Any) -> str | None:
    kinds = _plain_types(annotation)
    if Decimal in kinds:
        return (
            f"the decimal {slot.field!r} cannot stand in a key, which sorts as text; "
            "keep a whole number beside it, such as cents, and give that a width"
        )
    if slot.form == "text" and int in kinds:
        return (
            f"the number {slot.field!r} needs a form in the key, "
            f"a fixed width such as {{{slot.field}:08d}} or {{{slot.field}:time}}"
        )
    return None


def _while_error(condition: While, annotations: Mapping[str, Any]) -> str | None:
    name = condition.attribute
    if name not in annotations:
        return f"depends on unknown field {name!r}{did_you_mean(name, annotations)}"
    if condition.equals is None:
        return None
    try:
        convert(condition.equals, annotations[name])
    except ValidationError:
        can_be = accepted(annotations[name]) or "of another type"
        return f"waits for {name} to be {condition.equals!r}, which must be {can_be}"
    return None


def _sharding_error(key: Key) -> str | None:
    if set(key.index.key_attributes) & set(TABLE.key_attributes):
        # An item's address must follow from what its callers know.
        return "is of the table, and has no shards" if key.is_sharded else None
    if any(not 1 <= count <= MAX_SHARDS for count in (key.shards, *key.reads)):
        return f"has 1 to {MAX_SHARDS} shards"
    if key.reads and (len(set(key.reads)) != 2 or len(key.reads) != 2):  # noqa: PLR2004 - old, new
        return "reads two numbers of shards while they change, the old and the new"
    if key.reads and key.shards not in key.reads:
        return f"does not read the number of shards that is written, {key.shards}"
    return None


def _plain_types(annotation: Any) -> set[Any]:
    """The types that a value may have, without what is said about them."""
    if get_origin(annotation) is Annotated:
        return _plain_types(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return set().union(*map(_plain_types, get_args(annotation)))
    return {annotation} if isinstance(annotation, type) else set()
