"""`python -m bench [NAME ...]`: measures, keeps the results, and writes `docs/performance.md` anew.

Without names it runs every measurement, which takes about an hour, most of it for `growth` and
`rounds`; `warm` takes five minutes and `cold` one. With `--show` what is named is printed as well.
With `--render` it measures nothing and writes the page and its plots from the results that are
there; `--render --show NAME` prints a part without measuring it.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence

from bench import MEASUREMENTS, page, results
from docs import sample
from seed.terminal import INTERRUPTED


def main(words: Sequence[str] | None = None) -> int:
    """Do as the command line says, and return the exit status."""
    parser = ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MEASUREMENTS)}")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--show", action="store_true", help="print the parts that are named")
    asked = parser.parse_args(words)
    if unknown := [name for name in asked.names if name not in MEASUREMENTS]:
        parser.error(f"no measurement {unknown[0]!r}; there are {', '.join(MEASUREMENTS)}")
    names = () if asked.render else asked.names or MEASUREMENTS
    try:
        for at, name in enumerate(names, 1):
            _measure(name, f"[{at}/{len(names)}] {name}")
    except KeyboardInterrupt:
        print("interrupted; what was measured before is kept", file=sys.stderr)
        return INTERRUPTED
    except sample.BadExample as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    parts = [results.module(name).section(results.kept()[name]) for name in asked.names]
    if asked.show:
        print(*parts, sep="\n")
    for path in page.write():
        print(f"wrote {path}")
    titles = [f'"{part.splitlines()[0].removeprefix("## ")}"' for part in parts]
    print("the results:", ", ".join([page.PAGE, *titles]))
    return 0


def _measure(name: str, label: str) -> None:
    print(label, file=sys.stderr, flush=True)
    begin = time.monotonic()
    found = results.module(name).measure(_say)
    results.keep(name, found)
    print(f"{label}: {time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)


def _say(step: str) -> None:
    print(f"  {step}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
