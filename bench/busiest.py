"""Of a generated load, what asks the most of each pattern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import asdict, replace

from lambdas.design.entity import Entity
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INVERTED_INDEX
from lambdas.runtime import keys
from lambdas.runtime.items import attributes
from seed.generated.ecommerce import product
from seed.generated.social import star_id
from seed.generated.university import seminar

MOST_WANTED: Final = {
    "ProductId": product(0).ProductId,
    "Seminar": seminar(0),
    "FolloweeId": star_id(0),
}
"""What the generator relates most to; their collections grow with the load."""


class Busiest:
    """Of each entity one that has the largest item collection, found as they pass by.

    The generator makes what is in one collection one after another, so only the last run of each
    entity is remembered, however many pass.
    """

    def __init__(self) -> None:
        self._runs: dict[str, tuple[str, int]] = {}
        self._longest: dict[str, tuple[int, Entity]] = {}

    def watching(self, entities: Iterable[Entity]) -> Iterator[Entity]:
        """The entities, each looked at on its way."""
        for entity in entities:
            name = type(entity).__name__
            partition = keys.encode(entity.primary.partition, attributes(entity))
            last, length = self._runs.get(name, ("", 0))
            length = length + 1 if partition == last else 1
            self._runs[name] = (partition, length)
            if length > self._longest.get(name, (0, entity))[0]:
                self._longest[name] = (length, entity)
            yield entity

    def asked(self, pattern: AccessPattern) -> AccessPattern:
        """The pattern, with an example that asks for the largest collection."""
        entity = pattern.operation.keys[-1].entity
        _, busiest = self._longest[entity.__name__]
        fields = {name: str(value) for name, value in asdict(busiest).items()}
        if pattern.index is INVERTED_INDEX:
            fields |= MOST_WANTED
        own = {
            each.name: fields[each.fills]
            for each in pattern.own_parameters
            if each.required and each.fills in fields
        }
        return replace(pattern, example={**pattern.example, **own})
