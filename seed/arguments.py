"""What the command is told."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NoReturn

from lambdas.runtime import times
from seed.datasets import ALL, DATASETS
from seed.faults import Failure

DESCRIPTION: Final = """\
Load the example data into a table. Doing it again with the same --now changes nothing.

Items that have been changed since they were loaded are not overwritten: the load is refused
before anything is written, unless --reset empties the table first."""

EXAMPLES: Final = """\
examples:
  python -m seed --table SingleTable
  python -m seed ecommerce --table single-table --endpoint-url http://127.0.0.1:4566
  python -m seed all --table SingleTable --now 2025-01-15T12:00:00Z --reset

exit status: 0 all is loaded, 1 a fault (one line on stderr says which), 130 Ctrl-C"""

RFC_3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
TABLE_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{3,255}")


@dataclass(frozen=True)
class Arguments:
    """What to load, where to, and as of when."""

    dataset: str
    table: str
    endpoint_url: str | None
    now: datetime
    reset: bool


class _Parser(ArgumentParser):
    """Refuses a wrong command line in one line, as every other fault."""

    def error(self, message: str) -> NoReturn:
        raise Failure(f"{message} ({self.prog} --help tells more)")


def read(words: Sequence[str] | None = None) -> Arguments:
    """The arguments of the command line. Raises Failure when it cannot be understood."""
    chosen: Namespace = _parser().parse_args(words)
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


def a_table_name(text: str) -> str:
    """A name that a table can have. Raises ArgumentTypeError when it is none."""
    if not TABLE_NAME.fullmatch(text):
        raise ArgumentTypeError(f"{text!r} is not 3 to 255 of the characters A-Z a-z 0-9 _ . -")
    return text


def a_url(text: str) -> str:
    """A URL that a client can call. Raises ArgumentTypeError when it is none."""
    if not text.startswith(("http://", "https://")):
        raise ArgumentTypeError(f"{text!r} is not a URL, such as http://127.0.0.1:4566")
    return text


def _parser() -> ArgumentParser:
    parser = _Parser(
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
    parser.add_argument(
        "--table", required=True, type=a_table_name, metavar="NAME", help="the table to load into"
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
