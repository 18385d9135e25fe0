"""What each pattern costs in a table that grows, beside a Scan of it.

`python -m bench growth` measures up to a hundred thousand items, in about two minutes. `python -m
bench.growth --items 1000000` measures one more size, in a quarter of an hour, and keeps it with the
others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from bench import sized
from bench.busiest import Busiest
from bench.charges import charges, total
from bench.engines import dynalite
from bench.meter import consumed, metered
from bench.recording import Recorder, actions, recorder
from bench.results import Found, Say
from docs import sample
from docs.markdown import picture, table
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.entity import Entity
from lambdas.design.operations import PartiQLSelect, Transaction, Write
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import store
from lambdas.runtime.items import to_item
from local.emulator import emulator, endpoint, free_port
from seed import generated
from seed.progress import Progress
from seed.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES: Final = (1_000, 10_000, 100_000)
"""Items, beside those of the example data."""

READS: Final = tuple(
    each
    for each in ACCESS_PATTERNS
    if not isinstance(each.operation, Write | PartiQLSelect)  # dynalite knows no PartiQL
)
WRITES: Final = tuple(each for each in ACCESS_PATTERNS if isinstance(each.operation, Write))

ON_DYNALITE: Final = tuple(
    each
    for each in WRITES
    if isinstance(each.operation, Write)
    and not any(isinstance(step, Transaction) for step in each.operation.steps)
)
"""The writes without transactions, which dynalite does not know."""

MOST_IN_MEMORY: Final = 100_000
"""With more items the emulator, which keeps them in memory, stops for longer than a function waits
for an answer."""


def measure(say: Say, sizes: Sequence[int] = SIZES) -> Found:
    """The costs at each size; see `sized`."""
    return sized.measured("growth", grown, sizes, say)


def grown(count: int, say: Say) -> Found:
    """The costs in a table of so many items."""
    say(f"{count:,} items")
    if count > MOST_IN_MEMORY:
        return _on_dynalite(count, ON_DYNALITE)
    return {**_on_dynalite(count), "writes": _on_the_emulator(count)}


def _on_dynalite(count: int, writes: Sequence[AccessPattern] = ()) -> Found:
    """The reads and the Scan, in the engine that counts read units as DynamoDB does."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        stack.enter_context(sample.table(stack.enter_context(dynalite(folder, on_disk=True))))
        busiest = Busiest()
        _load(count, busiest.watching(_made(count)))
        reads = {each.id: _read(each, busiest) for each in READS}
        written = _written(writes)
        for each in written.values():
            del each["counted"]  # it leaves the indexes out
        return {"reads": reads, "scan": _scan(), "writes": written}


def _on_the_emulator(count: int) -> Found:
    """The writes, in the engine that counts write units with each index."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        port = free_port()
        stack.enter_context(emulator(port, folder))
        stack.enter_context(sample.table(endpoint(port)))
        _load(count, _made(count))
        return _written(WRITES)


def _written(patterns: Iterable[AccessPattern]) -> Found:
    with recorder() as recording:
        return {each.id: _write(each, recording) for each in patterns}


def _made(count: int) -> Iterator[Entity]:
    return generated.entities("all", count, sample.NOW)


def _load(count: int, entities: Iterable[Entity]) -> None:
    target = Table(store.client(), sample.TABLE_NAME)
    with Progress(sys.stderr, f"loading {count:,} items", "wrote", count) as progress:
        target.put(map(to_item, entities), progress.advance)


def _read(pattern: AccessPattern, busiest: Busiest) -> Found:
    asked = busiest.asked(pattern)
    with metered() as meter:
        response = sample.handler(pattern)(sample.event(asked), None)
    if response["statusCode"] != 200:  # noqa: PLR2004 - the number is its own name
        raise sample.BadExample(f"{pattern.id}: {asked.example} answers {response}")
    return meter.counts()


def _write(pattern: AccessPattern, recording: Recorder) -> Found:
    """The example's cost; the example data lies among the generated items."""
    with recording.restored():
        requests = recording.call(pattern)
    if any(each.failed for each in requests):
        raise sample.BadExample(f"{pattern.id} is refused")
    charged = [each for request in requests for each in charges(pattern, request)]
    counted = [consumed(each.answer) for each in requests if actions(each.operation, each.asked)]
    return {
        "requests": len(requests),
        "units": total(charged, "write"),
        "counted": sum(counted),
        "read units": total(charged, "read"),
    }


def _scan() -> Found:
    """Everything, page by page: what a question costs that no key answers."""
    pages = (
        store.client()
        .get_paginator("scan")
        .paginate(TableName=sample.TABLE_NAME, Select="COUNT", ReturnConsumedCapacity="TOTAL")
    )
    requests = items = 0
    units = 0.0
    for each in pages:
        answer: dict[str, Any] = dict(each)
        requests, items = requests + 1, items + answer["Count"]
        units += consumed(answer)
    return {"requests": requests, "units": units, "items": items}


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """What each pattern costs at each size, beside a Scan."""
    sizes = {int(size): each for size, each in found["sizes"].items()}
    return "\n\n".join(
        [
            "## A table that grows",
            INTRODUCTION.format(largest=max(sizes)),
            picture("growth", ALT),
            _summary(sizes),
            "### Reads",
            FLAT,
            _reads(sizes),
            "### Writes",
            WRITTEN,
            _writes(sizes),
            "### What only DynamoDB can show",
            NOT_SHOWN,
        ]
    )


INTRODUCTION: Final = """\
The same calls in tables of up to {largest:,} items: [generated](../seed/generated), skewed, the
same each time, and the example data among them. Two engines on loopback carry them, since each
counts only one half as DynamoDB does: dynalite, with its items on disk, the reads, and ministack,
the local cloud's, in memory, the writes. The functions are this project's, and everything is really
asked for, read and written. Requests and bytes are counted at the functions' client, and units
follow from the bytes. "Counted the same" says how often the engine's own count is equal; dynalite
takes a letter such as ü for one byte, where DynamoDB takes two. `python -m bench growth` measures
up to a hundred thousand items in two minutes; `python -m bench.growth --items 1000000` adds a
million in a quarter of an hour."""

ALT: Final = (
    "Two charts over the number of items, both axes in powers of ten. Left: read units, right: "
    "requests. A thin line for each read pattern, which stays flat once a page is full; a thick "
    "line for a Scan, which grows as the table does."
)

FLAT: Final = """\
Each read asks for the largest collection that the load has of its kind: the customer with the most
orders, the largest order, the fullest seminar. A list grows until its page is full (50 items, and
one more to know whether a page follows), and stays there. What is not paged has a bound of its own:
an order (AP-10) has 97 items at most. Every read is one request at every size. PartiQL (UN-08) is
left out, since dynalite does not know it."""

WRITTEN: Final = f"""\
The examples on the example data, which lies among the generated items. Of each the write units,
with every index; what some of them read first is in the third column. Beyond {MOST_IN_MEMORY:,}
items the writes are dynalite's as well: it knows no transactions, so those are left out there, and
counts no indexes. A transaction names its items by their keys, as every write does."""

NOT_SHOWN: Final = """\
How long a request takes, in the median and at worst, while a table splits its partitions; whether
one partition's traffic is too much for it ([above](#which-partitions-get-hot), by calculation);
the throttling of a new table until it has grown to its load. An engine on one machine has no
partitions, and its own speed says nothing about DynamoDB's."""


def _summary(sizes: dict[int, Found]) -> str:
    header = ["Items", "The dearest read: requests", "units", "bytes", "Reads counted the same"]
    header += [
        "Writes as at the first size",
        "Writes counted the same",
        "A Scan: requests",
        "units",
    ]
    first = next(iter(sizes.values()))["writes"]
    rows = []
    for size, found in sizes.items():
        reads, writes, scan = found["reads"].values(), found["writes"], found["scan"]
        unchanged = [each["units"] == first[name]["units"] for name, each in writes.items()]
        rows.append(
            [
                f"{size:,}",
                str(max(each["requests"] for each in reads)),
                f"{max(each['units'] for each in reads):g}",
                f"{max(each['bytes'] for each in reads):,}",
                _counted_the_same(reads),
                f"{sum(unchanged)} of {len(unchanged)}",
                _counted_the_same(writes.values()),
                f"{scan['requests']:,}",
                f"{scan['units']:,.10g}",
            ]
        )
    return table(header, rows)


def _counted_the_same(found: Iterable[Found]) -> str:
    """How often the engine's own count of units is that of the arithmetic."""
    same = [each["counted"] == each["units"] for each in found if "counted" in each]
    return f"{sum(same)} of {len(same)}" if same else ""


def _reads(sizes: dict[int, Found]) -> str:
    header = ["Pattern", *(f"Units at {_power(size)}" for size in sizes)]
    header += [f"Bytes at {_power(size)}" for size in sizes]
    rows = []
    for pattern in _measured(sizes):
        found = [each["reads"][pattern.id] for each in sizes.values()]
        units = [f"{each['units']:g}" for each in found]
        rows.append(
            [f"{pattern.id} {pattern.name}", *units, *(f"{each['bytes']:,}" for each in found)]
        )
    return table(header, rows)


def _measured(sizes: dict[int, Found]) -> list[AccessPattern]:
    """The reads that were there when this was measured; a new one waits for the next time."""
    return [each for each in READS if all(each.id in found["reads"] for found in sizes.values())]


def _writes(sizes: dict[int, Found]) -> str:
    header = ["Pattern", "Requests", "Read units", *(f"Units at {_power(size)}" for size in sizes)]
    rows = []
    for pattern in WRITES:
        found = [each["writes"].get(pattern.id) for each in sizes.values()]
        cells = [
            " ".join(dict.fromkeys(f"{each[what]:g}" for each in found if each))
            for what in ("requests", "read units")
        ]
        units = [f"{each['units']:g}" if each else "" for each in found]
        rows.append([f"{pattern.id} {pattern.name}", *cells, *units])
    return table(header, rows)


def _power(size: int) -> str:
    """A size as a heading of a column: 1,000,000 is long."""
    for name, unit in (("m", 1_000_000), ("k", 1_000)):
        if size % unit == 0:
            return f"{size // unit}{name}"
    return f"{size:,}"


def plots(found: Found) -> dict[str, Figure]:
    """The reads over the size of the table, beside a Scan."""
    from bench import plot  # noqa: PLC0415 - the page is written without matplotlib

    sizes = {int(size): each for size, each in found["sizes"].items()}
    drawn = plot.figure(10, 4.5)
    for axes, what in zip(drawn.subplots(1, 2), ("units", "requests"), strict=True):
        for at, pattern in enumerate(_measured(sizes)):
            values = [each["reads"][pattern.id][what] for each in sizes.values()]
            label = None if at else "each read pattern"
            axes.plot(list(sizes), values, color=plot.COLOURS[0], linewidth=1, label=label)
        scanned = [each["scan"][what] for each in sizes.values()]
        axes.plot(
            list(sizes), scanned, color=plot.COLOURS[1], linewidth=3, marker="o", label="a Scan"
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("items in the table")
        axes.set_ylabel({"units": "read units", "requests": "requests"}[what])
        axes.legend(loc="upper left")
    return {"growth": drawn}


if __name__ == "__main__":
    sys.exit(sized.main("growth", grown))
