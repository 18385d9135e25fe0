"""Adds byte code to what is uploaded, where this machine has the Python that the functions run on.

A function cannot keep what it compiles, so what comes without byte code is compiled at every cold
start; `docs/performance.md` has what that takes. In each file of byte code there is a digest of its
source. Where the two do not fit, Python takes the source, so byte code can do no harm.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

TIMEOUT_SECONDS = 10
"""How long a Python may take to say its version."""

SOME_ARE_NOT = 1
"""The exit status of `compileall` when a module could not be compiled."""

SHOW_VERSION = "import sys; print(sys.implementation.name, *sys.version_info[:2])"


class BuildError(Exception):
    """What the functions need could not be built; the message has the reason."""


@lru_cache
def interpreter(version: str) -> str | None:
    """The path of a CPython of this version, such as `3.14`: the one that this runs in, or one that
    is found by its name. None where there is none."""
    candidates = (sys.executable, shutil.which(f"python{version}"))
    return next((each for each in candidates if each and _version(each) == version), None)


def form(version: str) -> str:
    """In which form modules are uploaded for this version: a part of the name of what is kept."""
    return f"byte code of {version}" if interpreter(version) else "sources"


def _version(python: str) -> str:
    try:
        asked = subprocess.run(  # noqa: S603 - one of the two above
            [python, "-c", SHOW_VERSION], capture_output=True, check=True, timeout=TIMEOUT_SECONDS
        )
        name, major, minor = asked.stdout.decode().split()
    except (OSError, ValueError, subprocess.SubprocessError):  # no Python, whatever it is called
        return ""
    return f"{major}.{minor}" if name == "cpython" else ""


def compile_all(folder: Path, place: str, version: str) -> None:
    """Compiles all modules of a folder that a function finds at `place`; without that Python none.

    A module that cannot be compiled is left as it is. Raises BuildError when not all were tried.
    """
    if not (python := interpreter(version)):
        return
    command = [python, "-I", "-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
    # The place is what a traceback names, and not a folder of this machine.
    command += ["-s", str(folder), "-p", place, str(folder)]
    ended = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    if ended.returncode not in (0, SOME_ARE_NOT):
        raise BuildError(
            f"{python} could not compile the functions' code; it ended with {ended.returncode}"
        )
