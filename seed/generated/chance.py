"""Chance that repeats itself: the same seed gives the same choices, on every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_T = TypeVar("_T")


class Chance:
    """Choices made from `Random.random` alone: of all of the module's methods, Python promises only
    for that one that a seed gives the same numbers in later versions."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random  # noqa: S311 - it has to be foreseeable

    def happens(self, probability: float) -> bool:
        return self._random() < probability

    def below(self, end: int) -> int:
        """A whole number from 0, each as likely as any other."""
        return int(self._random() * end)

    def of(self, choices: Sequence[_T]) -> _T:
        return choices[self.below(len(choices))]

    def rank(self, end: int) -> int:
        """A whole number from 0 by Zipf's law: the second is half as likely as the first, the third
        a third as likely, and so on."""
        return min(end - 1, int((end + 1) ** self._random()) - 1)

    def few(self, most: int) -> int:
        """A count from 1 up, by Pareto's law: mostly 1 or 2, now and then as many as `most`."""
        return min(most, int((1 - self._random()) ** (-1 / 1.2)))

    def ranks(self, count: int, end: int) -> list[int]:
        """At most `count` different numbers by Zipf's law."""
        return sorted({self.rank(end) for _ in range(count)})
