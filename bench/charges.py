"""What a request is charged, part by part: how many units of which partition, and what they buy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, Literal

from msgspec import Struct

from bench.recording import Request, actions, primary_key
from bench.units import IN_TRANSACTION, entry, index_write_units, read_units, write_units
from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.ecommerce import EmailGuard
from lambdas.design.entity import Entity
from lambdas.design.idempotency import Idempotency
from lambdas.design.keys import Index, Key, Template
from lambdas.design.operations import PartiQLSelect, Query, Write
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime.items import Item, size

Kind = Literal["read", "write"]


class Why(StrEnum):
    """What units are spent on: the question or the change itself, or more than that."""

    NEEDED = "needed"
    NEXT_PAGE = "one item more is read, to know whether a page follows"
    CONSISTENT = "the read before the write is strongly consistent"
    READ_FIRST = "what the write depends on is read first"
    CHECK = "that another item exists is checked in the same transaction"
    TRANSACTION = "all or nothing: in a transaction an item counts twice"
    MADE_ONCE = "one item, in a transaction for its token: sent again by the SDK, it is made once"
    GUARD = "a second item makes the e-mail address unique"
    REMEMBERED = "the first answer is kept for the idempotency key"
    UNREAD_INDEX = "InvertedIndex has every item, also those that no pattern reads there"
    REFUSED = "a write whose condition does not hold is charged like one that is made"


class Charge(Struct, frozen=True):
    """Units that a request consumes of one partition."""

    kind: Kind
    index: str
    """The index that is charged; empty for the table."""
    partition: str
    """The partition key's value."""
    units: float
    why: Why


def charges(pattern: AccessPattern, request: Request) -> list[Charge]:
    """Everything that a request of a pattern is charged."""
    if written := actions(request.operation, request.asked):
        return list(_writes(request, written))
    return list(_reads(pattern, request))


def total(
    charged: Iterable[Charge], kind: Kind, index: str | None = None, why: Why | None = None
) -> float:
    """The units of one kind: of all indexes and the table or of one, for all reasons or for one."""
    return sum(
        each.units
        for each in charged
        if each.kind == kind and index in (None, each.index) and why in (None, each.why)
    )


# --- Reads ----------------------------------------------------------------------------------


def _reads(pattern: AccessPattern, request: Request) -> Iterator[Charge]:
    if request.operation == "BatchGetItem":
        for item in _batched(request):
            yield from _read(pattern, request, TABLE, [item])
        return
    index = next((each for each in INDEXES if each.name == request.asked.get("IndexName")), TABLE)
    found = request.answer.get("Items") or [request.answer.get("Item")]
    yield from _read(pattern, request, index, [each for each in found if each])


def _batched(request: Request) -> Iterator[Item]:
    """The items of a batch; what is not there counts as small as its key."""
    for wanted in request.asked["RequestItems"].values():
        for each in wanted["Keys"]:
            yield request.before.get(primary_key(each), each)


def _read(
    pattern: AccessPattern, request: Request, index: Index, found: list[Item]
) -> Iterator[Charge]:
    """One read: what the answer shows, what is read besides, and how strictly it is read."""
    asked: Iterable[Any] = request.asked.get("RequestItems", {"": request.asked}).values()
    is_consistent = any(each.get("ConsistentRead") for each in asked)
    partition = _partition(request, index, found)
    shown = found[: request.asked["Limit"] - 1] if pattern.is_paged else found
    needed = read_units(_bytes(shown))
    plain = read_units(_bytes(found))
    why = Why.READ_FIRST if isinstance(pattern.operation, Write) else Why.NEEDED
    yield Charge("read", index.name, partition, needed, why)
    if plain > needed:
        yield Charge("read", index.name, partition, plain - needed, Why.NEXT_PAGE)
    if is_consistent:
        strict = read_units(_bytes(found), consistent=True)
        yield Charge("read", index.name, partition, strict - plain, Why.CONSISTENT)


def _bytes(found: Iterable[Item]) -> int:
    return sum(map(size, found))


def _partition(request: Request, index: Index, found: list[Item]) -> str:
    """The value of the partition key that is asked for."""
    if found:
        return str(found[0][index.partition_key]["S"])
    asked = request.asked
    values: Mapping[str, Any] = asked.get("Key") or asked.get("ExpressionAttributeValues") or {}
    return str(next((each["S"] for each in values.values()), ""))


# --- Writes ---------------------------------------------------------------------------------


def _writes(request: Request, written: list[tuple[str, dict[str, Any]]]) -> Iterator[Charge]:
    for action, asked in written:
        key = primary_key(asked.get("Key") or asked["Item"])
        before, after = request.before.get(key), request.after.get(key)
        if action == "ConditionCheck":
            after = before
        yield from _of_table(request, action, key[0], (before, after))
        if not request.failed:
            yield from _of_indexes(before, after)


def _of_table(
    request: Request, action: str, partition: str, images: tuple[Item | None, Item | None]
) -> Iterator[Charge]:
    steps = request.asked.get("TransactItems", ())
    times = IN_TRANSACTION if steps else 1
    units = write_units(*images)
    if request.failed or action == "ConditionCheck":
        why = Why.REFUSED if request.failed else Why.CHECK
        yield Charge("write", "", partition, units * times, why)
        return
    why = _bought_with(*images)
    yield Charge("write", "", partition, units, why)
    if times > 1:
        promise = Why.TRANSACTION if len(steps) > 1 else Why.MADE_ONCE
        more = promise if why == Why.NEEDED else why
        yield Charge("write", "", partition, units * (times - 1), more)


def _of_indexes(before: Item | None, after: Item | None) -> Iterator[Charge]:
    for index in INDEXES:
        if units := index_write_units(index, before, after):
            why = _bought_with(before, after)
            if why == Why.NEEDED and not _is_read(index, before or after):
                why = Why.UNREAD_INDEX
            yield from _of_entries(index, (before, after), units, why)


def _of_entries(
    index: Index, images: tuple[Item | None, Item | None], units: int, why: Why
) -> Iterator[Charge]:
    """The charge of an index; an entry that moves is charged where it was and where it is."""
    entries = [each for each in (entry(index, image) for image in images) if each]
    partitions = list(dict.fromkeys(str(each[index.partition_key]["S"]) for each in entries))
    for partition in partitions:
        yield Charge("write", index.name, partition, units / len(partitions), why)


def _bought_with(before: Item | None, after: Item | None) -> Why:
    """What the item is for: itself, or a promise about another."""
    entity = entity_of(before or after)
    if entity is EmailGuard:
        return Why.GUARD
    return Why.REMEMBERED if entity is Idempotency else Why.NEEDED


def entity_of(item: Item | None) -> type[Entity] | None:
    """The entity that an item is of."""
    name = item["Type"]["S"] if item and "Type" in item else None
    return next((each for each in ENTITIES if each.__name__ == name), None)


def _is_read(index: Index, item: Item | None) -> bool:
    """Whether a pattern reads items like this one in the index."""
    return (index.name, entity_of(item)) in _read_in()


@lru_cache(maxsize=1)
def _read_in() -> frozenset[tuple[str, type[Entity] | None]]:
    """The indexes that are read, each with the entities that are read there."""
    read: set[tuple[str, type[Entity] | None]] = set()
    for pattern in ACCESS_PATTERNS:
        operation = pattern.operation
        steps = operation.steps if isinstance(operation, Write) else (operation,)
        for step in steps:
            if isinstance(step, Query):
                read |= {(key.index.name, key.entity) for key in step.keys}
            if isinstance(step, PartiQLSelect):
                read |= {(key.entity.inverted.index.name, key.entity) for key in step.keys}
    return frozenset(read)


# --- Key templates --------------------------------------------------------------------------


def template_of(index: str, partition: str) -> Template | None:
    """The template that the partition key was written by; None when it is none of the declared."""
    shared, separator, last = partition.rpartition("#")
    is_shard = any(separator + last in key.suffixes for key in _keys(index))
    parts = (shared if is_shard else partition).split("#")
    for template in _templates(index):
        fits = len(template.parts) == len(parts) and all(
            not isinstance(wanted, str) or wanted == part
            for wanted, part in zip(template.parts, parts, strict=True)
        )
        if fits:
            return template
    return None


def shards_of(index: str, template: str) -> int:
    """Over how many partition keys the items of each value of a template are spread."""
    return max((key.shards for key in _keys(index) if str(key.partition) == template), default=1)


def _templates(index: str) -> tuple[Template, ...]:
    return tuple(dict.fromkeys(key.partition for key in _keys(index)))


@lru_cache
def _keys(index: str) -> tuple[Key, ...]:
    keys = [key for entity in ENTITIES for key in (*entity.keys, entity.inverted)]
    return tuple(key for key in keys if key.index.name == index)


EVERY_INDEX: Final = ("", *(index.name for index in INDEXES))
