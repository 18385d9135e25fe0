"""`python -m doctor`: hold a table to the declaration, and mend it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from doctor import arguments, place, report
from doctor.arguments import Arguments
from doctor.pace import Pace
from doctor.place import Keeper, Place
from doctor.rounds import Rounds
from doctor.table import Table
from doctor.tally import Tally
from seed.connection import connect
from seed.faults import Failure
from seed.progress import Progress
from seed.terminal import INTERRUPTED, say, silence

CLEAN, WRONG, TROUBLE = 0, 1, 2
"""The exit statuses, as those of grep and diff."""


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line asks for, and return the exit status."""
    try:
        return look(arguments.read(words))
    except Failure as failure:
        say(f"error: {failure}")
    except OSError as error:  # of our own output: a full disk, a pipe that nobody reads any more
        silence()
        with suppress(OSError):
            say(f"error: the output cannot be written: {error.strerror}")
    except KeyboardInterrupt:
        say("interrupted; what is mended is mended, and it can be run again")
        return INTERRUPTED
    return TROUBLE


def look(wanted: Arguments) -> int:
    """Make the rounds, report, and mend if that is wanted. Raises Failure."""
    table = Table(connect(wanted.endpoint_url), wanted.table, Pace(wanted.read_units_per_second))
    mends = wanted.fix and wanted.yes
    tally = rounds(wanted, table, mends=mends)
    tell(wanted, tally, is_dry=wanted.fix and not mends)
    if wanted.fix and not mends and is_mendable(tally) and is_agreed(table):
        tally = rounds(wanted, table, mends=True)
        tell(wanted, tally, is_dry=False)
    return WRONG if tally.wrong else CLEAN


def rounds(wanted: Arguments, table: Table, *, mends: bool) -> Tally:
    """What is found on one way through the table. Raises Failure."""
    begin = Place(table=table.name, asked=wanted.asked, segments=wanted.segments)
    here = place.read(wanted.resume, begin) if wanted.resume else begin
    keeper = Keeper(here, wanted.resume)
    doing = f"{'mending' if mends else 'reading'} {table.name}"
    total = max(0, table.about() - here.tally.items) or None
    with Progress(sys.stderr, doing, "read", total) as progress:
        Rounds(
            table,
            keeper,
            progress.advance,
            mends=mends,
            relations=not wanted.items_only,
            whole_keys=wanted.whole_keys,
        ).make()
    keeper.forget()
    return here.tally


def tell(wanted: Arguments, tally: Tally, *, is_dry: bool) -> None:
    """Print the report."""
    if wanted.json:
        print(report.as_json(tally, wanted.table), flush=True)
    else:
        print(report.as_text(tally, wanted.table, is_dry=is_dry), flush=True)


def is_mendable(tally: Tally) -> bool:
    """Whether there is anything to mend."""
    return any(count.mendable for count in tally.counts.values())


def is_agreed(table: Table) -> bool:
    """Ask whether to mend; where nobody can be asked, nothing is."""
    if not sys.stdin.isatty():
        say("nothing is mended yet: --fix --yes does it")
        return False
    say(f"This changes items of the table {table.name} at {table.endpoint_url}, as told above.")
    say("To go on, type the table's name: ", end="")
    if sys.stdin.readline().strip() != table.name:
        say("that is not the table's name; nothing is mended")
        return False
    return True


if __name__ == "__main__":
    status = main()
    if status == INTERRUPTED:
        os._exit(status)  # at once: the requests under way would hold up an orderly exit
    sys.exit(status)
