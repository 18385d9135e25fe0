"""Puts the datasets' declarations together and refuses what would clash."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from lambdas.design.entity import Entity
from lambdas.design.keys import DeclarationError
from lambdas.design.pattern import AccessPattern

_Declared = TypeVar("_Declared")


def entities(*datasets: tuple[type[Entity], ...]) -> tuple[type[Entity], ...]:
    """All entities. Raises DeclarationError when two have one name, which is an item's `Type`."""
    declared = tuple(entity for dataset in datasets for entity in dataset)
    _unique("entity", declared, lambda entity: entity.__name__)
    return declared


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
