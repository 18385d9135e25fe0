"""How far the doctor is, kept in a file so that it can go on from there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from msgspec import MsgspecError, Struct, field, json

from doctor.arguments import MOST_SEGMENTS
from doctor.faults import KINDS
from doctor.tally import Tally
from lambdas.runtime.items import Item
from seed.faults import Failure

KEEP_SECONDS: Final = 1.0
"""How much of the work is done again at most, after the doctor was stopped."""


class Place(Struct, kw_only=True):
    """How far each segment of a table has been read, and what was found until there.

    Its file has the keys of a few items, so that it is for its owner's eyes alone.
    """

    table: str
    asked: list[str]
    """What decides what is found: a place of one question is none of another."""
    segments: int
    after: dict[str, Item] = field(default_factory=dict)
    """The last key that was read, of each segment that has begun."""
    done: list[int] = field(default_factory=list)
    """The segments that are read to their end."""
    tally: Tally = field(default_factory=Tally)


class Keeper:
    """Keeps a place in a file, or nowhere."""

    def __init__(self, place: Place, path: Path | None) -> None:
        self.place = place
        self._path = path
        self._kept_at = time.monotonic()

    def moved(self, segment: int, after: Item | None) -> None:
        """A segment is read up to a key, or to its end."""
        if after:
            self.place.after[str(segment)] = after
        else:
            self.place.done.append(segment)
        if time.monotonic() - self._kept_at >= KEEP_SECONDS:
            self.keep()

    def keep(self) -> None:
        """Write the file, whole or not at all. Raises Failure."""
        if self._path is None:
            return
        self._kept_at = time.monotonic()
        beside = self._path.with_name(f"{self._path.name}.new")
        try:
            beside.touch(0o600)
            beside.write_bytes(json.encode(self.place))
            beside.replace(self._path)
        except OSError as error:
            raise Failure(f"--resume {self._path} cannot be written: {error.strerror}") from error

    def forget(self) -> None:
        """Remove the file: all has been read."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _is_whole(place: Place) -> bool:
    """Whether what it says can be true: its segments are there, and its counts are counts."""
    segments = {str(each) for each in range(min(place.segments, MOST_SEGMENTS))}
    named = {*place.after, *map(str, place.done)}
    counted = [place.tally.items, place.tally.moving]
    counted += [n for each in place.tally.counts.values() for n in (each.found, each.mended)]
    return (
        bool(segments)
        and named <= segments
        and min(counted) >= 0
        and place.tally.counts.keys() <= {kind.name for kind in KINDS}
    )


def read(path: Path, wanted: Place) -> Place:
    """The place in a file, or the wanted one to begin with when there is no file.

    Raises Failure when the file cannot be read, or is of another table or question.
    """
    try:
        kept = json.decode(path.read_bytes(), type=Place)
    except FileNotFoundError:
        return wanted
    except OSError as error:
        raise Failure(f"--resume {path} cannot be read: {error.strerror}") from error
    except MsgspecError as error:
        raise Failure(f"--resume {path} is not a file that the doctor has written") from error
    if not _is_whole(kept):
        raise Failure(f"--resume {path} is not a file that the doctor has written")
    if (kept.table, kept.asked) != (wanted.table, wanted.asked):
        raise Failure(
            f"--resume {path} is of another run: of the table {kept.table}, "
            f"{' '.join(kept.asked) or 'without options'}; remove it to begin anew"
        )
    return kept
