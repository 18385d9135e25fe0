"""Writes `docs/performance.md` and its plots from the results that are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench import results, summary

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = "docs/performance.md"
PLOTS: Final = "docs/plots"

INTRODUCTION: Final = """\
# What it costs, and how fast it is

Every figure on this page comes from `make bench`, which anyone can run again (`python -m bench
NAME` runs one part), but for the tables of a million items, which take longer: `python -m
bench.growth --items 1000000` and `python -m bench.rounds --items 1000000`. The page is written from
the results in [`bench/results/`](../bench/results); no figure is typed by hand.
"""


def text() -> str:
    """The page."""
    found = results.kept()
    sections = [results.module(name).section(each).strip() for name, each in found.items()]
    return "\n".join([INTRODUCTION, f"{summary.of(found)}\n", *(f"{each}\n" for each in sections)])


def plots() -> dict[str, str]:
    """The plots as SVG, by their paths in the repository."""
    from bench import plot  # noqa: PLC0415 - drawing needs more than `requirements.txt` installs

    with plot.style():
        return {
            f"{PLOTS}/{name}.svg": plot.svg(figure)
            for measurement, found in results.kept().items()
            for name, figure in results.module(measurement).plots(found).items()
        }


def write(root: Path = ROOT) -> Iterator[str]:
    """Write the page and the plots that are not up to date, and give their paths."""
    for name, written in {PAGE: text(), **plots()}.items():
        path = root / name
        if not path.exists() or path.read_text("utf-8") != written:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(written, "utf-8")
            yield name
