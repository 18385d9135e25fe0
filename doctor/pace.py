"""Keeps what is consumed to so many units a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

BYTES_OF_A_UNIT: Final = 4096
"""What a read unit reads of an item, or of all items of a page together, if it is consistent."""


SHORTEST_SLEEP_SECONDS: Final = 0.001


class Pace:
    """A bucket of read units that fills at the rate, and holds what flows in within a second.

    What a request costs is known when it has been answered, so the bucket may go below nothing; the
    next request waits until it is no longer. `None` is no limit. Several threads may share it.
    """

    def __init__(
        self,
        units_per_second: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.rate = units_per_second
        self.spent = 0.0
        """The units consumed so far."""
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._units = 0.0
        self._at = clock()

    def wait(self) -> None:
        """Return when another request may be sent."""
        while (seconds := self._seconds_short()) > 0:
            self._sleep(max(seconds, SHORTEST_SLEEP_SECONDS))

    def spend(self, units: float) -> None:
        """Take what a request has consumed."""
        with self._lock:
            self.spent += units
            self._fill()
            self._units -= units

    def _seconds_short(self) -> float:
        if self.rate is None:
            return 0
        with self._lock:
            self._fill()
            return -self._units / self.rate

    def _fill(self) -> None:
        now = self._clock()
        if self.rate is not None:
            self._units = min(self.rate, self._units + (now - self._at) * self.rate)
        self._at = now


def units(read_bytes: int) -> float:
    """The units of a consistent read of so many bytes; one that finds nothing costs one as well."""
    return max(1, -(-read_bytes // BYTES_OF_A_UNIT))
