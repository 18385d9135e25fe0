"""Measurements in tables of growing size, of which one at a time can be measured anew."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence

from bench import page, results
from bench.results import Found, Say
from seed import generated

Measure = Callable[[int, Say], Found]
"""Measures in a table of so many items."""


def measured(name: str, one: Measure, sizes: Iterable[int], say: Say) -> Found:
    """What is found at each size; what was found at others stays as it was measured last."""
    kept = results.kept().get(name, {}).get("sizes", {})
    found = kept | {str(size): one(size, say) for size in sizes}
    return {"sizes": {size: found[size] for size in sorted(found, key=int)}}


def main(name: str, one: Measure, words: Sequence[str] | None = None) -> int:
    """Measure one more size, write the page anew, and return the exit status."""
    parser = ArgumentParser(
        prog=f"python -m bench.{name}",
        description="Measure one more size, and write the page anew.",
    )
    parser.add_argument("--items", type=int, required=True, help="how many, such as 1000000")
    count = parser.parse_args(words).items
    if count < generated.SMALLEST:
        parser.error(f"--items must be at least {generated.SMALLEST}")
    found = measured(name, one, [count], lambda step: print(step, file=sys.stderr))
    results.keep(name, found)
    for path in page.write():
        print(f"wrote {path}")
    return 0
