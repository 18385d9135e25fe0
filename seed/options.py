"""The values that options of several commands take."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import Final

TABLE_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{3,255}")


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
