"""The doctor's rounds: reads the table segment by segment, and mends what it may."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, NamedTuple

from doctor import faults, items, relations
from doctor.faults import Case
from doctor.place import Keeper
from doctor.table import Key, NotTaken, Table, label
from lambdas.runtime import times
from lambdas.runtime.items import Item

TRIES: Final = 5
"""How often an item is read anew and mended that others change at the same time."""


class Outcome(NamedTuple):
    """What has become of the faults of a page."""

    left: list[Case]
    mended: list[Case]
    moving: int
    """The items that others changed each time."""


@dataclass(frozen=True)
class Rounds:
    """One way through a table, in segments side by side."""

    table: Table
    keeper: Keeper
    advance: Callable[[int], None]
    mends: bool = False
    relations: bool = True
    """Looks at what items depend on too, not only at each by itself."""
    whole_keys: bool = False
    _lock: Lock = field(default_factory=Lock)

    def make(self) -> None:
        """Look at all items that are not behind us. Raises Failure."""
        place = self.keeper.place
        ahead = [each for each in range(place.segments) if each not in place.done]
        try:
            self.table.side_by_side(self._segment, ahead)
        finally:
            with self._lock:
                self.keeper.keep()

    def _segment(self, segment: int) -> None:
        place = self.keeper.place
        begin = place.after.get(str(segment))
        for page, after in self.table.pages(segment, place.segments, begin):
            outcome = self._mend(page) if self.mends else Outcome(self._examine(page), [], 0)
            with self._lock:
                self._count(page, outcome)
                self.keeper.moved(segment, after)
            self.advance(len(page))

    def _examine(self, page: Sequence[Item]) -> list[Case]:
        now = times.now()
        cases = [case for item in page for case in items.examine(item, now)]
        return [*cases, *relations.examine(page, self.table)] if self.relations else cases

    def _mend(self, page: Sequence[Item]) -> Outcome:
        """Mend what can be, each item on condition that it is as it was read. One that is no longer
        is read again, and what is wrong with it now is mended, if anything is."""
        outcome = Outcome([], [], 0)
        for _ in range(TRIES):
            refused: dict[Key, Item] = {}
            left: list[Case] = []
            for case in self._examine(page):
                try:
                    if not case.steps:
                        left.append(case)
                    elif self.table.write(case.steps):
                        outcome.mended.append(case)
                    else:
                        refused[label(case.item)] = items.primary_key(case.item)
                except NotTaken:  # the others are mended all the same
                    left.append(Case(case.item, (*case.findings, (faults.REFUSED, ""))))
            outcome.left.extend(case for case in left if label(case.item) not in refused)
            if not refused:
                return outcome
            page = list(self.table.get(refused.values()).values())
        return outcome._replace(moving=len(page))

    def _count(self, page: Sequence[Item], outcome: Outcome) -> None:
        tally = self.keeper.place.tally
        tally.items += len(page)
        tally.moving += outcome.moving
        for case, is_mended in self._each(outcome):
            for kind, detail in case.findings:
                tally.add(
                    kind,
                    detail,
                    case.item,
                    mendable=bool(case.steps),
                    mended=is_mended,
                    whole=self.whole_keys,
                )

    @staticmethod
    def _each(outcome: Outcome) -> Iterator[tuple[Case, bool]]:
        yield from ((case, False) for case in outcome.left)
        yield from ((case, True) for case in outcome.mended)
