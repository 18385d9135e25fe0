"""What has been found, counted by kind: as large for a million faults as for ten."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from doctor.faults import KINDS, Kind
from doctor.items import TOMBSTONES
from lambdas import design
from lambdas.design.keys import SEPARATOR
from lambdas.design.table import TABLE
from lambdas.runtime import items
from lambdas.runtime.items import Item

MOST_EXAMPLES: Final = 3
SHOWN_CHARACTERS: Final = 2
"""How much of a value in a key is shown: enough to know it again, not enough to know a person."""

LITERALS: Final = frozenset(
    part
    for entity in design.ENTITIES
    for template in (entity.primary.partition, entity.primary.sort)
    for part in template.parts
    if isinstance(part, str)
)
"""The parts of keys that are the same for every item."""


class Count(Struct):
    """What was found of one kind."""

    found: int = 0
    mended: int = 0
    mendable: int = 0
    """How many of those found could be mended, or have been."""
    examples: list[str] = field(default_factory=list)


class Tally(Struct):
    """What was found in a table, or in the part of it that has been read."""

    items: int = 0
    counts: dict[str, Count] = field(default_factory=dict)
    """By the names of the kinds."""
    moving: int = 0
    """Items that others changed each time they were to be mended."""

    def add(
        self, kind: Kind, detail: str, item: Item, *, mendable: bool, mended: bool, whole: bool
    ) -> None:
        """Count a finding; its example has the item's whole key if that is wanted."""
        count = self.counts.setdefault(kind.name, Count())
        count.found += 1
        count.mended += mended
        count.mendable += mendable
        if len(count.examples) < MOST_EXAMPLES:
            count.examples.append(example(item, detail, whole=whole))

    @property
    def wrong(self) -> int:
        """The faults that are there now, as far as is known."""
        found = [
            self.counts[kind.name] for kind in KINDS if kind.is_fault and kind.name in self.counts
        ]
        return sum(count.found - count.mended for count in found) + self.moving


def example(item: Item, detail: str, *, whole: bool) -> str:
    """`Order USER#U-… / ORDER#20…: GSI1`."""
    name = items.type_of(item)
    known = name if name in {each.__name__ for each in design.ENTITIES} | TOMBSTONES.keys() else "?"
    parts = [item[attribute]["S"] for attribute in TABLE.key_attributes]
    key = printable(" / ".join(parts if whole else map(shortened, parts)))
    return f"{known} {key}" + (f": {detail}" if detail else "")


def printable(text: str) -> str:
    """The text with what a terminal would obey, or break the line at, as escapes."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def shortened(key: str) -> str:
    """A key without the most of its values, which may be names and addresses."""
    return SEPARATOR.join(
        part if part in LITERALS or not part else f"{part[:SHOWN_CHARACTERS]}…"
        for part in key.split(SEPARATOR)
    )
