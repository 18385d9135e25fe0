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

SHOW_VERSION = "import sys; print(sys.implementation.name, *sys.version_info[:2])"


@lru_cache
def interpreter(version: str) -> str | None:
    """The path of a CPython of this version, such as `3.14`: the one that this runs in, or one that
    is found by its name. None where there is none."""
    candidates = (sys.executable, shutil.which(f"python{version}"))
    return next((each for each in candidates if each and _version(each) == version), None)


def _version(python: str) -> str:
    asked = subprocess.run(  # noqa: S603 - one of the two above
        [python, "-c", SHOW_VERSION], capture_output=True, text=True, check=False
    )
    name, _, version = asked.stdout.strip().partition(" ")
    return version.replace(" ", ".") if name == "cpython" else ""


def compile_all(folder: Path, place: str, version: str) -> None:
    """Compiles all modules of a folder that a function finds at `place`; without that Python none.

    What cannot be compiled is left as it is.
    """
    if python := interpreter(version):
        command = [python, "-I", "-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
        # The place is what a traceback names, and not a folder of this machine.
        command += ["-s", str(folder), "-p", place, str(folder)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603
