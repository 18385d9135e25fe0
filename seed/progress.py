"""The line that tells how far a load is."""

from __future__ import annotations

import time
from threading import Lock
from types import TracebackType
from typing import Final, Self, TextIO

REDRAW_SECONDS: Final = 0.1
REPORT_SECONDS: Final = 10.0
"""How often the line is written anew, on a terminal and elsewhere."""

BAR: Final = 20
"""The characters of a bar that is full."""


class Progress:
    """A count of items that is shown while it grows, and summed up when it is complete.

    On a terminal it is one line that is written over, with a bar if the total is known; elsewhere a
    line at the beginning, one now and then, and one at the end. `advance` may be called from
    several threads.
    """

    count: int
    """The items done so far."""

    def __init__(self, stream: TextIO, doing: str, done: str, total: int | None = None) -> None:
        self._stream = stream
        self._doing = doing
        self._done = done
        self._total = total
        self.count = 0
        self._shown_at = self._began_at = time.monotonic()
        self._width = 0
        self._lock = Lock()

    def __enter__(self) -> Self:
        self._show(self._doing + (" ..." if self._total is None else f": {self._total} items"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._show(f"{self._done} {self.count} items in {self._elapsed():.1f} s{self._rate()}")
        if self._stream.isatty():
            print(file=self._stream, flush=True)

    def advance(self, count: int) -> None:
        """Count so many items more."""
        with self._lock:
            self.count += count
            pause = REDRAW_SECONDS if self._stream.isatty() else REPORT_SECONDS
            if time.monotonic() - self._shown_at >= pause:
                self._show(self._so_far() + self._rate() + self._to_go())

    def _so_far(self) -> str:
        of_total = "" if self._total is None else f" of {self._total}"
        return f"{self._doing}: {self.count}{of_total} items"

    def _rate(self) -> str:
        return f", {self.count / max(self._elapsed(), 0.001):.0f}/s"

    def _to_go(self) -> str:
        """The time that is left at this rate, and a bar of what is done."""
        if not self._total or not self.count:
            return ""
        left = max(0, self._total - self.count)  # a total may be an estimate
        seconds = self._elapsed() * left / self.count
        done = BAR * (self._total - left) // self._total
        return f", {duration(seconds)} left [{'#' * done:.<{BAR}}]"

    def _elapsed(self) -> float:
        return time.monotonic() - self._began_at

    def _show(self, line: str) -> None:
        """Write a line; on a terminal over the one before, of which nothing may remain."""
        if self._stream.isatty():
            print(f"\r{line:{self._width}}", end="", file=self._stream, flush=True)
        else:
            print(line, file=self._stream, flush=True)
        self._width = len(line)
        self._shown_at = time.monotonic()


def duration(seconds: float) -> str:
    """A time as people say it: `7 s`, `3 min 20 s` or `2 h 5 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
