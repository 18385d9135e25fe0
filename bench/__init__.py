"""Measurements that anyone can run again: `make bench`, or `python -m bench NAME` for one of them.

A measurement is a module of this package that `MEASUREMENTS` names; it has `measure(say)`, which
gives what it found as plain JSON (kept in `results/NAME.json`) and calls `say` with each step that
it begins, `section(found)`, which gives its part of `docs/performance.md`, and `plots(found)`,
which gives its figures by the names of their files in `docs/plots` (and imports `bench.plot` within
itself, since the page is written without matplotlib).
"""

from typing import Final

MEASUREMENTS: Final[tuple[str, ...]] = (
    "cost",
    "heat",
    "tables",
    "multi_keys",
    "growth",
    "rounds",
    "cold",
    "warm",
    "loading",
)
"""The measurements, in the order of the page."""
