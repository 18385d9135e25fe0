"""Puts the datasets' declarations together and refuses what would clash."""

from collections.abc import Callable, Iterable
from itertools import combinations, product
from types import ModuleType
from typing import Any, TypeVar

from lambdas.design.entity import Entity
from lambdas.design.keys import SEPARATOR, DeclarationError, Key, Slot, Template
from lambdas.design.pattern import AccessPattern

_Declared = TypeVar("_Declared")

_Parts = tuple[str | Slot, ...]


def entities(*datasets: tuple[type[Entity], ...]) -> tuple[type[Entity], ...]:
    """All entities.

    Raises DeclarationError when two have one name, which is an item's `Type`; when items of two can
    have one primary key, so that one would replace the other; or when what one writes can stand
    among the shards of another. Item collections may be shared, of the table as of an index: an
    item is told from its neighbours by its primary key and its `Type`.
    """
    declared = tuple(entity for dataset in datasets for entity in dataset)
    _unique("entity", declared, lambda entity: entity.__name__)
    for one, other in combinations((entity.primary for entity in declared), 2):
        if _can_meet(one.partition, other.partition) and _can_meet(one.sort, other.sort):
            raise DeclarationError(
                f"{_named(one)} and {_named(other)} can be one and the same key: "
                "an item of the one would replace one of the other"
            )
    keys = [key for entity in declared for key in entity.keys]
    for key, other in product(filter(lambda key: key.is_sharded, keys), keys):
        if key.index == other.index and key is not other and _can_be_shard(key, other.partition):
            raise DeclarationError(
                f"{other.entity.__name__}: {other.partition} can be a shard of "
                f"{key.entity.__name__}'s {key.partition}"
            )
    return declared


def _named(key: Key) -> str:
    return f"{key.entity.__name__}'s {key.partition} / {key.sort}"


def _can_be_shard(key: Key, partition: Template) -> bool:
    """Whether a partition key of this template can be one of those that a sharded key adds."""
    numbers = {suffix.removeprefix(SEPARATOR) for suffix in key.suffixes if suffix}
    return any(_can_be_equal((*key.partition.parts, each), partition.parts) for each in numbers)


def _can_meet(template: Template, other: Template) -> bool:
    """Whether some values give both templates one text."""
    return _can_be_equal(template.parts, other.parts)


def _can_be_equal(parts: _Parts, others: _Parts) -> bool:
    if not parts or not others:
        return all(map(_is_any_number, parts + others))
    if _is_any_number(others[0]) and not _is_any_number(parts[0]):
        parts, others = others, parts
    if _is_any_number(parts[0]):  # it ends here, or takes what is first in the other
        return _can_be_equal(parts[1:], others) or _can_be_equal(parts, others[1:])
    return _can_be_same(parts[0], others[0]) and _can_be_equal(parts[1:], others[1:])


def _is_any_number(part: str | Slot) -> bool:
    """Whether it is written as any number of parts, also as none."""
    return isinstance(part, Slot) and part.form == "lower-levels"


def _can_be_same(part: str | Slot, other: str | Slot) -> bool:
    slots = [each for each in (part, other) if isinstance(each, Slot)]
    if len(slots) == 1:  # no literal is written like a time or a number
        return slots[0].form in ("text", "lower", "first-level")
    return bool(slots) or part == other


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


def refuse_forgotten(
    modules: Iterable[ModuleType],
    entities: tuple[type[Entity], ...],
    patterns: tuple[AccessPattern, ...],
) -> None:
    """Raises DeclarationError for an entity or an access pattern that a module declares and does
    not list: nothing would follow from it.

    An entity that no pattern reads or writes is right: its items may still be in the table.
    """
    ids = {pattern.id for pattern in patterns}
    declared = ((module, *named) for module in modules for named in vars(module).items())
    for module, name, each in declared:
        file = f"{module.__name__.replace('.', '/')}.py"
        if isinstance(each, AccessPattern) and each.id not in ids:
            raise DeclarationError(f"{each.id} {name} is not in READS or WRITES of {file}")
        is_entity = isinstance(each, type) and issubclass(each, Entity)
        if is_entity and each.__module__ == module.__name__ and each not in entities:
            raise DeclarationError(f"{name} is not in ENTITIES of {file}")


def _route_as_the_gateway_sees_it(pattern: AccessPattern) -> str:
    segments = pattern.path.split("/")
    return " ".join([pattern.method, *("{}" if s.startswith("{") else s for s in segments)])


def _unique(kind: str, declared: Iterable[_Declared], of: Callable[[_Declared], Any]) -> None:
    seen: dict[Any, _Declared] = {}
    for each in declared:
        if (key := of(each)) in seen:
            raise DeclarationError(f"duplicate {kind}: {_label(seen[key])} and {_label(each)}")
        seen[key] = each


def _label(declared: Any) -> str:
    if isinstance(declared, AccessPattern):
        return f"{declared.id} {declared.name} ({declared.route})"
    return f"{declared.__name__} of {declared.__module__}"
