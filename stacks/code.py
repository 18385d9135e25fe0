"""Puts together the code that all functions share: `lambdas/`, and byte code beside it.

The result is kept under `build/`, in a folder named after all that it depends on.
"""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from stacks.byte_code import compile_all, interpreter
from stacks.dependencies import ROOT, publish
from stacks.settings import Settings

BUILT = ROOT / "build" / "code"

PLACE = "/var/task"
"""Where Lambda unpacks a function's code."""


def code(settings: Settings, root: Path) -> Path:
    """The folder with the code under `root`, as Lambda unpacks it; its name is a digest of it.

    The name says whether there is byte code in it, but not which patch release compiled it, so that
    it is the same on all machines that have the functions' Python.
    """
    sources = sorted(each for each in (root / "lambdas").rglob("*") if _is_source(each))
    folder = BUILT / _digest(sources, root, settings)
    if not folder.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=BUILT) as unfinished:
            whole = Path(unfinished) / "whole"
            for source in sources:
                copy = whole / source.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
            compile_all(whole, PLACE, settings.python_version)
            publish(whole, folder)
    return folder


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"


def _digest(sources: list[Path], root: Path, settings: Settings) -> str:
    version = settings.python_version
    digest = sha256(f"byte code of {version}".encode() if interpreter(version) else b"sources")
    for source in sources:
        text = source.read_bytes()
        digest.update(f"\0{source.relative_to(root).as_posix()}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:32]
