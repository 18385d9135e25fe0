"""What the command lines of several commands have in common."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from typing import Final, NoReturn

from seed.faults import Failure

TABLE_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{3,255}")


class Parser(ArgumentParser):
    """Refuses a wrong command line in one line, as every other fault."""

    def error(self, message: str) -> NoReturn:
        raise Failure(f"{message} ({self.prog} --help tells more)")


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
