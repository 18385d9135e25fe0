"""Puts the datasets' declarations together and refuses what would clash."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, TypeVar

from lambdas.design.entity import Entity
from lambdas.design.keys import DeclarationError, Key, Slot
from lambdas.design.pattern import AccessPattern

_Declared = TypeVar("_Declared")


def entities(*datasets: tuple[type[Entity], ...]) -> tuple[type[Entity], ...]:
    """All entities.

    Raises DeclarationError when two have one name, which is an item's `Type`, or when what one
    writes can stand among the shards of another.
    """
    declared = tuple(entity for dataset in datasets for entity in dataset)
    _unique("entity", declared, lambda entity: entity.__name__)
    keys = [key for entity in declared for key in entity.keys]
    for key, other in product(filter(lambda key: key.is_sharded, keys), keys):
        if key.index == other.index and _can_meet(key, other):
            raise DeclarationError(
                f"{other.entity.__name__}: {other.partition} can be a shard of "
                f"{key.entity.__name__}'s {key.partition}"
            )
    return declared


def _can_meet(key: Key, other: Key) -> bool:
    """Whether the other template has a field where a shard's number stands in a sharded one."""
    *shared, last = other.partition.parts
    return (
        isinstance(last, Slot)
        and len(shared) == len(key.partition.parts)
        and all(map(_can_be_same, key.partition.parts, shared))
    )


def _can_be_same(part: str | Slot, other: str | Slot) -> bool:
    return isinstance(part, Slot) or isinstance(other, Slot) or part == other


def access_patterns(*datasets: tuple[AccessPattern, ...]) -> tuple[AccessPattern, ...]:
    """All access patterns.

    Raises DeclarationError when two have one id, one name or one route, or when a variant's
    pattern is not among them.
    """
    declared = tuple(pattern for dataset in datasets for pattern in dataset)
    routed = [pattern for pattern in declared if not pattern.variant_of]
    _unique("id", declared, lambda pattern: pattern.id)
    _unique("name", declared, lambda pattern: (pattern.dataset, pattern.name))
    _unique("route", routed, _route_as_the_gateway_sees_it)
    for pattern in declared:
        if pattern.variant_of and pattern.variant_of not in {routed.id for routed in routed}:
            raise DeclarationError(f"{pattern.id} is a variant of unknown {pattern.variant_of}")
    return declared


def _route_as_the_gateway_sees_it(pattern: AccessPattern) -> str:
    segments = pattern.path.split("/")
    return " ".join([pattern.method, *("{}" if s.startswith("{") else s for s in segments)])


def _unique(kind: str, declared: Iterable[_Declared], of: Callable[[_Declared], Any]) -> None:
    seen: dict[Any, _Declared] = {}
    for each in declared:
        if (key := of(each)) in seen:
            raise DeclarationError(
                f"duplicate {kind} {key!r}: {_label(seen[key])} and {_label(each)}"
            )
        seen[key] = each


def _label(declared: Any) -> str:
    return declared.id if isinstance(declared, AccessPattern) else declared.__qualname__
