"""Answers that are given again: one dictionary from an idempotency key to a first answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from tests.stateful.service import Clock, Fields, Outcome

DAY = 24 * 60 * 60


class Remembered(NamedTuple):
    """What a key was first used for."""

    asked: Any
    outcome: Outcome
    until: int


class Memory:
    """The first answer for each key, for a day."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.answers: dict[tuple[str, str], Remembered] = {}

    def once(
        self, pattern: str, key: str | None, asked: Any, make: Callable[[], Outcome]
    ) -> Outcome:
        """The first answer again, 409 for another request, or what is made now."""
        if key is None:
            return make()
        known = self.answers.get((pattern, key))
        now = int(self.clock.now.timestamp())
        if known and known.until >= now:
            return replace(known.outcome, status=200) if known.asked == asked else Outcome(409)
        outcome = make()
        if outcome.status == 201:
            self.answers[pattern, key] = Remembered(asked, outcome, now + DAY)
        return outcome

    def forget_what_has_expired(self) -> None:
        now = self.clock.now.timestamp()
        self.answers = {key: each for key, each in self.answers.items() if each.until >= now}

    def stored(self) -> Iterator[Fields]:
        for (pattern, key), each in self.answers.items():
            name = f"IDEMPOTENCY#{pattern}#anybody#{key}"
            yield {"PK": name, "SK": name, "Type": "Idempotency", "ExpiresAt": each.until}
