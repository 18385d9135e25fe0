"""Times as text: UTC with milliseconds (`2024-03-02T09:15:00.123Z`), so that they sort as text.

A period (`2024`, `2024-01`, `2024-01-31`, or a time) is read as the prefix that all its times
share. That makes "until 2024-01-31" mean all of that day and nothing of the next.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> datetime:
    """The present time in UTC; the one clock of the functions."""
    return datetime.now(UTC)


def to_text(time: datetime) -> str:
    """A time as it is stored: `2024-03-02T09:15:00.123Z`."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_text(text: str) -> bool:
    """Whether this is a time as it is stored, to the letter."""
    try:
        return to_text(datetime.fromisoformat(text)) == text
    except ValueError:
        return False


def from_epoch(seconds: int) -> str:
    """Epoch seconds as text."""
    return to_text(_EPOCH + timedelta(seconds=seconds))


def to_epoch(text: str) -> int:
    """Text as epoch seconds; milliseconds are cut off. Raises ValueError when it is not a time."""
    return int((datetime.fromisoformat(text) - _EPOCH).total_seconds())


def period_prefix(text: str) -> str:
    """What all stored times of a period begin with.

    `2024-01` gives itself; a time is converted to UTC and kept to the precision in which it was
    given, so `2024-01-31T18:45:00+01:00` is the whole second `2024-01-31T17:45:00`.

    Raises ValueError when the calendar has no such period.
    """
    if "T" not in text:
        datetime.fromisoformat((text + "-01-01")[: len("2024-01-01")])
        return text
    clock = text[len("2024-01-31") :].rstrip("Z").partition("+")[0].partition("-")[0]
    try:
        utc = datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)
    except OverflowError as error:
        raise ValueError("in UTC it is not within the years 1 to 9999") from error
    precise = utc.isoformat(timespec="microseconds")
    return precise[: len("2024-01-31") + min(len(clock), len("T18:45:00.123"))]
