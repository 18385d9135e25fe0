"""`python -m seed`: load the example data into a table."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import json

from lambdas.runtime.items import Item
from seed import arguments, datasets
from seed.arguments import Arguments
from seed.connection import connect, is_loopback
from seed.datasets import Generated, Load
from seed.faults import Failure
from seed.progress import Progress
from seed.table import PrimaryKey, Table, batches, label, primary_key, some
from seed.terminal import INTERRUPTED, say, silence

LINES_AT_ONCE = 100


def main(words: Sequence[str] | None = None) -> int:
    """Load what the command line asks for, and return the exit status."""
    try:
        load(arguments.read(words))
    except Failure as failure:
        say(f"error: {failure}")
        return 1
    except OSError as error:  # of our own output: a full disk, a pipe that nobody reads any more
        silence()
        with suppress(OSError):
            say(f"error: the output cannot be written: {error.strerror}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; running it again completes the load")
        return INTERRUPTED
    return 0


def load(wanted: Arguments) -> None:
    """Write a dataset into a table that has nothing of it, or has it unchanged; or write it as
    lines. Raises Failure."""
    items = chosen(wanted)
    if wanted.table is None:
        say(summary(write_lines(items)))
        return
    table = Table(connect(wanted.endpoint_url), wanted.table)
    if wanted.reset:
        confirm_reset(table)
        reset(table)
    else:
        refuse_changed(items, table)
    print(summary(write(items, table)), flush=True)


def chosen(wanted: Arguments) -> Load:
    """The items that are asked for."""
    if wanted.generate is None:
        return datasets.items(wanted.dataset, wanted.now)
    return Generated(wanted.dataset, wanted.generate, wanted.now, wanted.random_seed)


def refuse_changed(items: Load, table: Table) -> None:
    """Raise Failure when any of the items has been changed since it was loaded."""
    keys = map(primary_key, items)
    if isinstance(items, Generated):  # these may be many
        with Progress(sys.stderr, f"reading {table.name}", "read", len(items)) as progress:
            versions = dict(moved_on(table.versions(keys, progress.advance)))
    else:
        versions = dict(moved_on(table.versions(keys)))
    changed = [label(item) for item in items if primary_key(item) in versions] if versions else []
    if changed:
        raise Failure(
            f"{len(changed)} of {len(items)} items have been changed since they were loaded: "
            f"{some(changed)}; nothing is written. "
            f"--reset empties the whole table and loads them anew"
        )


def moved_on(
    versions: Iterator[tuple[PrimaryKey, int]],
) -> Iterator[tuple[PrimaryKey, int]]:
    """Those that are no longer as they were loaded."""
    return ((key, version) for key, version in versions if version > 1)


def confirm_reset(table: Table) -> None:
    """Ask whether to empty a table that is not on this machine. Raises Failure when not told so."""
    if is_loopback(table.endpoint_url):
        return
    if not sys.stdin.isatty():
        raise Failure(
            f"--reset asks before it empties a table that is not on this machine "
            f"({table.endpoint_url}), and there is no terminal to ask at; nothing is deleted"
        )
    say(f"This deletes every item of the table {table.name} at {table.endpoint_url}.")
    say("To go on, type the table's name: ", end="")
    if sys.stdin.readline().strip() != table.name:
        raise Failure("that is not the table's name; nothing is deleted")


def reset(table: Table) -> None:
    """Empty the table. Raises Failure, which says what has been deleted until then."""
    with Progress(sys.stderr, f"emptying {table.name}", "deleted") as progress:
        try:
            table.empty(progress.advance)
        except Failure as failure:
            if progress.count:
                raise Failure(f"{failure}; {progress.count} items are deleted") from failure
            raise


def write(items: Load, table: Table) -> Counter[str]:
    """Write the items, and count them by type. Raises Failure, which says what has been written
    until then."""
    counts: Counter[str] = Counter()
    with Progress(sys.stderr, f"loading {table.name}", "wrote", len(items)) as progress:
        try:
            table.put(counted(items, counts), progress.advance)
        except Failure as failure:
            if progress.count:
                raise Failure(
                    f"{failure}; {progress.count} of {len(items)} items are written, "
                    f"running it again completes the load"
                ) from failure
            raise
    return counts


def write_lines(items: Load) -> Counter[str]:
    """Write the items to the standard output as DynamoDB's import takes them, and count them."""
    counts: Counter[str] = Counter()
    with Progress(sys.stderr, "writing lines", "wrote", len(items)) as progress:
        for batch in batches(counted(items, counts), LINES_AT_ONCE):
            print(*(json.encode({"Item": item}).decode() for item in batch), sep="\n")
            progress.advance(len(batch))
    return counts


def counted(items: Load, counts: Counter[str]) -> Iterator[Item]:
    """The items, counted by type as they are taken."""
    for item in items:
        counts[item["Type"]["S"]] += 1
        yield item


def summary(counts: Counter[str]) -> str:
    """How many items there are of each type, as a table."""
    rows = [("Type", "Items"), *((kind, str(count)) for kind, count in counts.items())]
    rows.append(("Total", str(counts.total())))
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"{kind:<{first}}  {count:>{second}}" for kind, count in rows]
    rule = "-" * len(lines[0])
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


if __name__ == "__main__":
    status = main()
    if status == INTERRUPTED:
        os._exit(status)  # at once: the requests under way would hold up an orderly exit
    sys.exit(status)
