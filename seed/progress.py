"""The line that tells how far a load is."""

from __future__ import annotations

import time
from threading import Lock
from types import TracebackType
from typing import Final, Self, TextIO

REDRAW_SECONDS: Final = 0.1


class Progress:
    """A count of items that is shown while it grows, and summed up when it is complete.

    On a terminal it is one line that is written over; elsewhere one line at the beginning and one
    at the end. `advance` may be called from several threads.
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
            if self._stream.isatty() and time.monotonic() - self._shown_at >= REDRAW_SECONDS:
                self._show(self._so_far() + self._rate())

    def _so_far(self) -> str:
        of_total = "" if self._total is None else f" of {self._total}"
        return f"{self._doing}: {self.count}{of_total} items"

    def _rate(self) -> str:
        return f", {self.count / max(self._elapsed(), 0.001):.0f}/s"

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
