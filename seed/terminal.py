"""What the commands say to whoever runs them, and how they end."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Final

from tools.redaction import without_credentials

INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit status that shells expect of a command that Ctrl-C has ended."""


def say(line: str, end: str = "\n") -> None:
    """Tell whoever runs the command; stdout has the result alone."""
    print(without_credentials(line), end=end, file=sys.stderr, flush=True)


def silence() -> None:
    """Drop what stdout has not written yet; at its end Python would try once more, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
