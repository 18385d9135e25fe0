"""What the command is told."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from lambdas.runtime import times
from seed.datasets import ALL, DATASETS
from seed.faults import Failure
from seed.generated import SMALLEST
from seed.options import Parser, a_table_name, a_url

DESCRIPTION: Final = """\
Load the example data into a table. Doing it again with the same --now changes nothing.

Items that have been changed since they were loaded are not overwritten: the load is refused
before anything is written, unless --reset empties the table first.

--generate makes up data of any size instead, the same each time for the same numbers and --now.
--format writes the items as lines that DynamoDB's import from S3 takes (which makes a new table of
them), for data that is too large to send."""

EXAMPLES: Final = """\
examples:
  python -m seed --table SingleTable
  python -m seed ecommerce --table single-table --endpoint-url http://127.0.0.1:4566
  python -m seed all --table SingleTable --now 2025-01-15T12:00:00Z --reset
  python -m seed ecommerce --generate 100000 --table SingleTable
  python -m seed --generate 10000000 --format dynamodb-json | gzip > items.json.gz

exit status: 0 all is loaded, 1 a fault (one line on stderr says which), 130 Ctrl-C"""

RFC_3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


@dataclass(frozen=True)
class Arguments:
    """What to load, where to, and as of when."""

    dataset: str
    table: str | None
    """None: the items are written as lines."""
    endpoint_url: str | None
    now: datetime
    reset: bool
    generate: int | None = None
    """How many items to make up; None: the example data."""
    random_seed: int = 1


def read(words: Sequence[str] | None = None) -> Arguments:
    """The arguments of the command line. Raises Failure when it cannot be understood."""
    chosen: Namespace = _parser().parse_args(words)
    as_lines = vars(chosen).pop("format") is not None
    if as_lines == (chosen.table is not None):
        raise Failure("either --table or --format says where the items go (--help tells more)")
    if as_lines and chosen.reset:
        raise Failure("--reset empties a table, and --format writes to none")
    return Arguments(**vars(chosen))


def a_time(text: str) -> datetime:
    """A time in RFC 3339, in UTC. Raises ArgumentTypeError when it is none, or far from ours."""
    reason = f"{text!r} is not a time in RFC 3339, such as 2025-01-15T12:00:00Z"
    if not (found := RFC_3339.fullmatch(text)):
        raise ArgumentTypeError(reason)
    day, clock, fraction, offset = found.groups(default="")
    try:
        time = datetime.fromisoformat(f"{day}T{clock}{fraction}{offset.upper()}").astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{reason} ({error})") from error
    if not 1970 < time.year < 9999:  # noqa: PLR2004  sessions begin before it and end after it
        raise ArgumentTypeError(f"{text!r} is not in the years 1971 to 9998")
    return time


def a_count(text: str) -> int:
    """How many items to make up. Raises ArgumentTypeError when it is no number, or too small."""
    if not text.isascii() or not text.isdecimal() or int(text) < SMALLEST:
        raise ArgumentTypeError(f"{text!r} is not a whole number from {SMALLEST}")
    return int(text)


def _parser() -> ArgumentParser:
    parser = Parser(
        prog="python -m seed",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    names = [*DATASETS, ALL]
    parser.add_argument(
        "dataset",
        nargs="?",
        choices=names,
        default=ALL,
        metavar="DATASET",
        help=f"one of: {', '.join(names)} (default: {ALL})",
    )
    parser.add_argument("--table", type=a_table_name, metavar="NAME", help="the table to load into")
    parser.add_argument(
        "--format",
        choices=["dynamodb-json"],
        help="write the items to the standard output, a line each, in place of loading them",
    )
    parser.add_argument(
        "--generate",
        type=a_count,
        metavar="N",
        help=f"make up so many items ({SMALLEST} at least) in place of the example data",
    )
    parser.add_argument(
        "--random-seed",
        type=int,
        default=1,
        metavar="NUMBER",
        help="another number makes up other items (default: 1)",
    )
    parser.add_argument(
        "--endpoint-url",
        type=a_url,
        metavar="URL",
        help="where DynamoDB is (default: AWS_ENDPOINT_URL, else AWS)",
    )
    parser.add_argument(
        "--now",
        type=a_time,
        default=times.now(),
        metavar="TIME",
        help="the time that sessions begin and end around, in RFC 3339 (default: the present)",
    )
    parser.add_argument(
        "--reset",
        action="store_true",
        help="delete every item of the table first; asks, unless the table is on this machine",
    )
    return parser
