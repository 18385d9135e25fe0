"""What the measurements found, each in a file of its own, so that the page can be written again
without measuring again."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from bench import MEASUREMENTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER: Final = Path(__file__).parent / "results"

Found = dict[str, Any]
"""What a measurement found, as JSON has it."""

Say = Callable[[str], None]
"""Tells whoever waits what is being done."""


class Measurement(Protocol):
    """What the module of a measurement has."""

    def measure(self, say: Say) -> Found:
        """Measure; nothing in what it gives may depend on where it is run but the figures."""

    def section(self, found: Found) -> str:
        """The part of the page, from its title (`## ...`) on."""

    def plots(self, found: Found) -> dict[str, Figure]:
        """The figures by the names of their files; see `bench.plot`."""


def module(name: str) -> Measurement:
    """The module of a measurement."""
    return cast(Measurement, import_module(f"bench.{name}"))


def keep(name: str, found: Found) -> None:
    """Write what a measurement found to its file."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(f"{text}\n", "utf-8")


def kept() -> dict[str, Found]:
    """What each measurement has found, in the order of the page; those that were never run are
    left out."""
    files = {name: FOLDER / f"{name}.json" for name in MEASUREMENTS}
    return {name: json.loads(file.read_bytes()) for name, file in files.items() if file.exists()}
