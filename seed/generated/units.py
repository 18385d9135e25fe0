"""Fills a load up to its size without taking apart what belongs together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lambdas.design.entity import Entity


def filled(
    count: int, units: Iterator[list[Entity]], single: Callable[[int], Entity]
) -> Iterator[Entity]:
    """Exactly `count` entities: whole units while they fit, then single ones for the rest.

    `units` has no end. `single` makes an entity that needs no other, from its number.
    """
    left = count
    for unit in units:
        if len(unit) > left:
            break
        left -= len(unit)
        yield from unit
    yield from map(single, range(left))
