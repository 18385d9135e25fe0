"""Engines that count units themselves, to hold the ledger against.

dynalite counts read units as DynamoDB does, and knows neither transactions nor PartiQL. The
emulator (`local.emulator`) counts write units with each index's part, and half a unit for any
query.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

from local.deployment import PATH, PROJECT
from local.emulator import HOST, START_TIMEOUT_S, endpoint, free_port
from local.logs import reason
from local.process import Command, RunError, running

DYNALITE: Final = PROJECT / "node_modules" / "dynalite" / "cli.js"


@contextmanager
def dynalite(folder: Path, *, on_disk: bool = False) -> Iterator[str]:
    """The URL of a dynalite of our own, with nothing in it; it ends with the block.

    Its log is dynalite.log in the folder, and so are its items if they are kept on disk: then
    memory is no limit. Raises RunError if it does not come up.
    """
    port, log = free_port(), folder / "dynalite.log"
    options = ["--host", HOST, "--port", str(port), "--createTableMs", "0"]
    if on_disk:
        options += ["--path", str(folder / "items")]
    environment = {"PATH": PATH, "HOME": os.environ.get("HOME", str(folder))}
    command = Command(["node", str(DYNALITE), *options], folder, environment, log)
    with running(command) as process:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not _answers(endpoint(port)):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RunError(f"dynalite did not start: {reason(log)} (log: {log})")
            time.sleep(0.05)
        yield endpoint(port)


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=START_TIMEOUT_S):  # noqa: S310 - on loopback
            return True
    except (URLError, OSError):
        return False
