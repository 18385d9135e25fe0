"""The doctor's rounds in tables of growing size: how many items a second, and how much memory.

`python -m bench rounds` looks at up to a hundred thousand items; `python -m bench.rounds --items N`
adds a table of so many.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench import pairs, sized
from bench.engines import dynalite
from bench.results import Found, Say
from docs import sample
from docs.markdown import table
from lambdas.runtime import store
from lambdas.runtime.items import to_item
from local.deployment import PROJECT
from local.process import RunError
from seed import generated
from seed.progress import Progress
from seed.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES: Final = (10_000, 100_000)
MOST_RELATED: Final = 100_000
"""Beyond that each item is looked at by itself alone: what depends on others takes hours."""

KINDS: Final = {"items": "each item by itself", "relations": "what depends on others as well"}
PROGRAM: Final = """
import re, resource, sys
from pathlib import Path
from doctor.__main__ import main

status = main(sys.argv[1:])
try:  # what Linux says in getrusage has the process that started this one in it
    [peak] = re.findall(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
except FileNotFoundError:  # and macOS counts in bytes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(peak)
sys.exit(status)
"""
"""The command, and after its report the kilobytes of memory that it had at the most."""


def measure(say: Say, sizes: Sequence[int] = SIZES) -> Found:
    """What the rounds take at each size; see `sized`."""
    return sized.measured("rounds", made, sizes, say)


def made(count: int, say: Say) -> Found:
    """The rounds in a table of so many items, and the example data besides."""
    say(f"{count:,} items")
    kinds = [kind for kind in KINDS if kind == "items" or count <= MOST_RELATED]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        url = stack.enter_context(dynalite(folder, on_disk=True))
        stack.enter_context(sample.table(url))
        with Progress(sys.stderr, f"loading {count:,} items", "wrote", count) as progress:
            entities = generated.entities("all", count, sample.NOW)
            Table(store.client(), sample.TABLE_NAME).put(map(to_item, entities), progress.advance)
        return {kind: _rounds(url, kind) for kind in kinds}


def _rounds(url: str, kind: str) -> Found:
    """One run of the command, as a process of its own. Raises RunError when it cannot look."""
    options = ["--items-only"] if kind == "items" else []
    command = [sys.executable, "-c", PROGRAM, "--table", sample.TABLE_NAME, "--json", *options]
    began = time.perf_counter()
    ended = subprocess.run(  # noqa: S603 - our own module
        command, cwd=PROJECT, env=pairs.environment(url), stdout=subprocess.PIPE, check=False
    )
    if ended.returncode not in (0, 1):
        raise RunError(f"the doctor ended with {ended.returncode}")
    report, _, peak = ended.stdout.decode().strip().rpartition("\n")
    return {
        "items": json.loads(report)["items"],
        "seconds": round(time.perf_counter() - began, 1),
        "megabytes": round(int(peak) * 1024 / 1e6),
        "is_clean": ended.returncode == 0,
    }


# --- The page -------------------------------------------------------------------------------


INTRODUCTION: Final = f"""\
`python -m doctor` in tables that the seed's generator has filled, as a process of its own; memory
is the most that it had, some fifty MB of which are Python with botocore. dynalite carries them,
with its items on disk, on the same two processors as the doctor, so the rates say what the doctor
needs at least, not what DynamoDB gives: `--read-units-per-second` is the limit there. What depends
on others asks for them, which takes a request for each guard, count and order; beyond
{MOST_RELATED:,} items it was left out. `python -m bench.rounds --items 1000000` takes ten
minutes, most of them to load the table."""


def section(found: Found) -> str:
    """A row for each size and each kind of rounds."""
    rows = [
        (
            f"{int(size):,}",
            KINDS[kind],
            f"{each['seconds']:,.0f}",
            f"{each['items'] / each['seconds']:,.0f}",
            f"{each['megabytes']:,}",
        )
        for size, kinds in found["sizes"].items()
        for kind, each in kinds.items()
    ]
    header = ("Items", "What it looks at", "Seconds", "Items a second", "MB")
    return "\n\n".join(["## The doctor's rounds", INTRODUCTION, table(header, rows)])


def plots(found: Found) -> dict[str, Figure]:  # noqa: ARG001 - as every measurement has it
    """None: the table says it all."""
    return {}


if __name__ == "__main__":
    sys.exit(sized.main("rounds", made))
