"""`python -m seed`: load the example data into a table."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from lambdas.runtime.items import Item
from seed import arguments, datasets
from seed.arguments import Arguments
from seed.connection import connect, is_loopback
from seed.faults import Failure
from seed.progress import Progress
from seed.table import Table, label, primary_key, some
from tools.redaction import without_credentials

INTERRUPTED = 128 + signal.SIGINT
"""The exit status that shells expect of a command that Ctrl-C has ended."""


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
    """Write a dataset into a table that has nothing of it, or has it unchanged. Raises Failure."""
    items = datasets.items(wanted.dataset, wanted.now)
    table = Table(connect(wanted.endpoint_url), wanted.table)
    if wanted.reset:
        confirm_reset(table)
        reset(table)
    else:
        refuse_changed(items, table)
    write(items, table)
    print(summary(items), flush=True)


def refuse_changed(items: Sequence[Item], table: Table) -> None:
    """Raise Failure when any of the items has been changed since it was loaded."""
    versions = table.versions([primary_key(item) for item in items])
    changed = [item for item in items if versions.get(primary_key(item), 1) > 1]
    if changed:
        raise Failure(
            f"{len(changed)} of {len(items)} items have been changed since they were loaded: "
            f"{some([label(item) for item in changed])}; nothing is written. "
            f"--reset empties the whole table and loads them anew"
        )


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


def write(items: Sequence[Item], table: Table) -> None:
    """Write the items. Raises Failure, which says what has been written until then."""
    with Progress(sys.stderr, f"loading {table.name}", "wrote", len(items)) as progress:
        try:
            table.put(items, progress.advance)
        except Failure as failure:
            if progress.count:
                raise Failure(
                    f"{failure}; {progress.count} of {len(items)} items are written, "
                    f"running it again completes the load"
                ) from failure
            raise


def summary(items: Sequence[Item]) -> str:
    """How many items there are of each type, as a table."""
    counts = Counter(item["Type"]["S"] for item in items)
    rows = [("Type", "Items"), *((kind, str(count)) for kind, count in counts.items())]
    rows.append(("Total", str(len(items))))
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"{kind:<{first}}  {count:>{second}}" for kind, count in rows]
    rule = "-" * len(lines[0])
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def silence() -> None:
    """Drop what stdout has not written yet; at its end Python would try once more, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(line: str, end: str = "\n") -> None:
    """Tell whoever runs the command; stdout has the result alone."""
    print(without_credentials(line), end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    status = main()
    if status == INTERRUPTED:
        os._exit(status)  # at once: the requests under way would hold up an orderly exit
    sys.exit(status)
