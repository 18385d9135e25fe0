"""What the command is told."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from seed.faults import Failure
from seed.options import Parser, a_table_name, a_url

DESCRIPTION: Final = """\
Hold every item of a table to the declaration in lambdas/design, and report what is wrong.

With --fix, mend what follows from the declaration and the item itself: keys in indexes, guards,
counts. Each is one write on condition that nobody has changed the item since it was read, so it can
run beside everything else, be stopped, and be run again. Without --yes it says what it would do
first, and asks."""

EPILOG: Final = """\
examples:
  python -m doctor --table SingleTable
  python -m doctor --table SingleTable --read-units-per-second 200 --json
  python -m doctor --table SingleTable --fix
  python -m doctor --table SingleTable --fix --yes --items-only --resume backfill.json

exit status: 0 nothing is wrong (any more), 1 something is, 2 a bad argument, or a table that cannot
be read (one line on stderr says why), 130 Ctrl-C"""

LOWEST_RATE: Final = 0.01
"""Less than a unit in a hundred seconds is taken for a mistake."""

SEGMENTS: Final = 4
MOST_SEGMENTS: Final = 1_000_000
"""DynamoDB's limit for the segments of a scan."""


@dataclass(frozen=True)
class Arguments:
    """Which table to look at, how, and whether to mend it."""

    table: str
    endpoint_url: str | None = None
    fix: bool = False
    yes: bool = False
    items_only: bool = False
    read_units_per_second: float | None = None
    segments: int = SEGMENTS
    resume: Path | None = None
    json: bool = False
    whole_keys: bool = False

    @property
    def asked(self) -> list[str]:
        """What decides what is found and counted."""
        options = {"--fix": self.fix and self.yes, "--items-only": self.items_only}
        return [name for name, is_given in options.items() if is_given]


def read(words: Sequence[str] | None = None) -> Arguments:
    """The arguments of the command line. Raises Failure when it cannot be understood."""
    chosen: Namespace = _parser().parse_args(words)
    arguments = Arguments(**vars(chosen))
    if arguments.yes and not arguments.fix:
        raise Failure("--yes says yes to --fix, which is not there")
    if arguments.resume and arguments.fix and not arguments.yes:
        raise Failure("--resume with --fix needs --yes: it goes on with the mending, unasked")
    return arguments


def a_rate(text: str) -> float:
    """Units a second. Raises ArgumentTypeError when it is no number, or next to nothing."""
    try:
        rate = float(text)
    except ValueError:
        rate = 0
    if not LOWEST_RATE <= rate < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a number from {LOWEST_RATE}")
    return rate


def a_number_of_segments(text: str) -> int:
    """How many parts the table is read in. Raises ArgumentTypeError when DynamoDB takes no such
    number."""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST_SEGMENTS):
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_SEGMENTS}")
    return int(text)


def _parser() -> ArgumentParser:
    parser = Parser(
        prog="python -m doctor",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--table", required=True, type=a_table_name, metavar="NAME", help="the table to look at")
    add(
        "--endpoint-url",
        type=a_url,
        metavar="URL",
        help="where DynamoDB is (default: AWS_ENDPOINT_URL, else AWS)",
    )
    add("--fix", action="store_true", help="mend what can be; tells what, and asks, before it does")
    add("--yes", action="store_true", help="with --fix: mend without telling and asking first")
    add(
        "--items-only",
        action="store_true",
        help="look at each item by itself, not at guards, counts, and orders with their items",
    )
    add(
        "--read-units-per-second",
        type=a_rate,
        metavar="N",
        help="consume no more than that on average (default: as much as there is)",
    )
    add(
        "--segments",
        type=a_number_of_segments,
        default=SEGMENTS,
        metavar="N",
        help=f"into how many parts the table is divided (default: {SEGMENTS})",
    )
    add(
        "--resume",
        type=Path,
        metavar="FILE",
        help="keep the place in a file, and go on from there if it exists; removed at the end",
    )
    add("--json", action="store_true", help="print the report as one JSON document")
    add(
        "--whole-keys",
        action="store_true",
        help="do not shorten the keys of the examples; they may have names and e-mail addresses",
    )
    return parser
