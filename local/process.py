"""Child processes that never outlive us."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from local.logs import reason

WATCHER = Path(__file__).with_name("watcher.py")


class RunError(Exception):
    """What keeps the local cloud from running; the message is one line for who started it."""


@dataclass(frozen=True)
class Command:
    """A command line, the folder and variables it runs with, and the file its output goes to."""

    arguments: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    log: Path


@contextmanager
def running(command: Command) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command beside us; when the block ends, it and all that it started end.

    It gets a session of its own: Ctrl-C at the terminal reaches us alone, and we say what ends.
    """
    with command.log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  only commands of our own
            [sys.executable, "-I", "-S", str(WATCHER), *command.arguments],
            cwd=command.folder,
            env=command.environment,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.stdin:
            process.stdin.close()
        process.wait()


def run(*commands: Command) -> None:
    """Run the commands side by side until all have succeeded.

    Raises RunError, with the reason from its log, for the first of them that has not.
    """
    with ExitStack() as stack:
        started = [(stack.enter_context(running(command)), command.log) for command in commands]
        for process, log in started:
            if process.wait() != 0:
                raise RunError(f"{reason(log)} (log: {log})")
