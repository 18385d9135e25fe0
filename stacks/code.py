"""Puts together the code that all functions share: `lambdas/`, and byte code beside it.

The result is kept under `build/`, in a folder named after all that it depends on.
"""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from stacks.byte_code import compile_all, form
from stacks.dependencies import ROOT, publish
from stacks.settings import Settings

BUILT = ROOT / "build" / "code"

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
    return folder


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"


def _digest(folder: Path, settings: Settings) -> str:
    digest = sha256(form(settings.python_version).encode())
    for source in sorted(each for each in folder.rglob("*") if each.is_file()):
        text = source.read_bytes()
        digest.update(f"\0{source.relative_to(folder).as_posix()}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:32]
