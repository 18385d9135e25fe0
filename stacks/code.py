"""Puts together the code that all functions share: `lambdas/`, and byte code beside it.

The result is kept under `build/`, in a folder named after all that it depends on.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from stacks.byte_code import compile_all, form
from stacks.dependencies import ROOT, publish
from stacks.settings import Settings

BUILT = ROOT / "build" / "code"

KEPT = 5
"""How many folders stay: there is one for each state of the sources."""

IN_USE_SECONDS = 60 * 60
"""A folder that is younger may be in use by another process, and stays in any case."""

PLACE = "/var/task"
"""Where Lambda unpacks a function's code."""


def code(settings: Settings, root: Path) -> Path:
    """The folder with the code under `root`, as Lambda unpacks it; its name is a digest of it.

    The name says whether there is byte code in it, but not which patch release compiled it, so that
    it is the same on all machines that have the functions' Python. Raises BuildError.
    """
    BUILT.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=BUILT) as unfinished:
        whole = Path(unfinished) / "whole"
        for source in filter(_is_source, (root / "lambdas").rglob("*")):
            copy = whole / source.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
        # Of the copy, since a source may be saved while it is copied.
        folder = BUILT / _digest(whole, settings)
        if not folder.exists():
            compile_all(whole, PLACE, settings.python_version)
            publish(whole, folder)
            _move_old(Path(unfinished))
        os.utime(folder)  # it is in use now
    return folder


def _move_old(leaving: Path) -> None:
    """Move what is no longer used into a folder that is about to go, so that none is half there."""
    with suppress(FileNotFoundError):  # another process was faster
        built = sorted((each for each in BUILT.iterdir() if each != leaving), key=_used)
        for old in built[:-KEPT]:
            if _used(old) < time.time() - IN_USE_SECONDS:
                old.rename(leaving / old.name)


def _used(folder: Path) -> float:
    return folder.stat().st_mtime


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"


def _digest(folder: Path, settings: Settings) -> str:
    digest = sha256(form(settings.python_version).encode())
    for source in sorted(each for each in folder.rglob("*") if each.is_file()):
        text = source.read_bytes()
        digest.update(f"\0{source.relative_to(folder).as_posix()}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:32]
