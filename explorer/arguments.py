"""What the command is told."""

from __future__ import annotations

from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from explorer.captions import DEFAULT, LANGUAGES
from lambdas.design import ENTITIES
from seed.options import a_table_name, a_url

DEFAULT_PORT: Final = 4580

DESCRIPTION: Final = """\
Show the table on a page: item collections in the table and in each index, what every access pattern
reads, and, on the local cloud, what every write moves.

Without --table it shows the table of the local cloud (`make run`). A deployed table is only read,
with your own AWS credentials: DescribeTable, GetItem, Query, Scan and PartiQL's SELECT."""

EXAMPLES: Final = """\
examples:
  python -m explorer
  python -m explorer --table SingleTable --region eu-central-1
  python -m explorer export --html table.html --entity User --entity Order
  python -m explorer export --png slides --workbench model.json
  python -m explorer check-workbench model.json

exit status: 0 done, 1 a fault (one line on stderr says which), 2 a wrong command line"""

SERVE: Final = "serve"
EXPORT: Final = "export"
CHECK: Final = "check-workbench"


def read(words: Sequence[str] | None = None) -> Namespace:
    """The arguments of the command line. Ends the program when it cannot be understood."""
    parser = ArgumentParser(
        prog="python -m explorer",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_table(parser)
    parser.add_argument(
        "--port",
        type=a_port,
        default=DEFAULT_PORT,
        help=f"the page's own (default: {DEFAULT_PORT})",
    )
    parser.set_defaults(command=SERVE)
    commands = parser.add_subparsers(metavar="COMMAND", title="instead of the page")
    export = commands.add_parser(EXPORT, help="write the views to files")
    export.set_defaults(command=EXPORT)
    _add_table(export, SUPPRESS)  # what stands before the command counts as well
    export.add_argument("--html", type=Path, metavar="FILE", help="all views, as one HTML file")
    export.add_argument("--png", type=Path, metavar="FOLDER", help="each view, as a picture")
    export.add_argument("--workbench", type=Path, metavar="FILE", help="a NoSQL Workbench model")
    export.add_argument("--language", choices=LANGUAGES, default=DEFAULT, help="of the captions")
    export.add_argument("--theme", choices=("light", "dark"), default="light", help="of pictures")
    export.add_argument(
        "--entity",
        action="append",
        default=[],
        choices=[entity.__name__ for entity in ENTITIES],
        metavar="NAME",
        help="only items of this entity; may be given several times",
    )
    check = commands.add_parser(CHECK, help="check a NoSQL Workbench model, say what is wrong")
    check.set_defaults(command=CHECK)
    check.add_argument("file", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    if chosen.command == EXPORT and not (chosen.html or chosen.png or chosen.workbench):
        export.error("say what to write: --html, --png or --workbench")
    return chosen


def a_port(text: str) -> int:
    """A port to listen on. Raises ArgumentTypeError when it is none."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 2**16:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not a number from 1 to 65535")


def _add_table(parser: ArgumentParser, default: str | None = None) -> None:
    parser.add_argument(
        "--table",
        type=a_table_name,
        default=default,
        metavar="NAME",
        help="a table (default: the local cloud's)",
    )
    parser.add_argument(
        "--region", default=default, metavar="R", help="its region (default: AWS_REGION)"
    )
    parser.add_argument(
        "--endpoint-url",
        type=a_url,
        default=default,
        metavar="U",
        help="where DynamoDB is (default: AWS_ENDPOINT_URL, else AWS)",
    )
