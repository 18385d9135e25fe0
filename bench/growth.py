"""What each pattern costs in a table that grows, beside a Scan of it.

`python -m bench growth` measures up to a hundred thousand items, in about two minutes. `python -m
bench.growth --items 1000000` measures one more size, and keeps it with the others.
"""

from __future__ import annotations

import logging
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict, replace

from bench import page, results
from bench.busiest import Busiest
from bench.charges import charges, total
from bench.engines import dynalite
from bench.meter import Meter, consumed, metered
from bench.recording import Recorder, recorder
from bench.results import Found, Say
from docs import sample
from docs.markdown import picture, table
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.entity import Entity
from lambdas.design.operations import PartiQLSelect, Transaction, Write
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INVERTED_INDEX
from lambdas.runtime import store
from lambdas.runtime.items import Item, to_item
from lambdas.runtime.logs import logger
from seed import generated
from seed.generated.ecommerce import product
from seed.generated.social import star_id
from seed.generated.university import seminar
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
WRITES: Final = tuple(
    each
    for each in ACCESS_PATTERNS
    if isinstance(each.operation, Write)
    and not any(isinstance(step, Transaction) for step in each.operation.steps)
)
"""dynalite knows no transactions either."""


def measure(say: Say) -> Found:
    """The costs at each size; those at larger ones stay as they were measured last."""
    kept = results.kept().get("growth", {}).get("sizes", {})
    larger = {size: found for size, found in kept.items() if int(size) > max(SIZES)}
    return {"sizes": {str(size): grown(size, say) for size in SIZES} | larger}


def grown(count: int, say: Say) -> Found:
    """The costs in a table of so many items."""
    say(f"{count:,} items, in a dynalite of their own")
    with TemporaryDirectory() as folder, dynalite(Path(folder), on_disk=True) as url:
        with sample.table(url):
            busiest = Busiest()
            _load(count, busiest)
            with _quiet():
                reads = {each.id: _read(each, busiest) for each in READS}
                with recorder() as recording:
                    writes = {each.id: _write(each, recording) for each in WRITES}
            return {"reads": reads, "writes": writes, "scan": _scan()}


def _load(count: int, busiest: Busiest) -> None:
    entities = generated.entities("all", count, sample.NOW)
    table = Table(store.client(), sample.TABLE_NAME)
    with Progress(sys.stderr, f"loading {count:,} items", "wrote", count) as progress:
        table.put(map(to_item, busiest.watching(entities)), progress.advance)


class _quiet:  # noqa: N801 - reads as a word in a with statement
    """No log lines within; they would be this command's output."""

    def __enter__(self) -> None:
        logger.setLevel(logging.CRITICAL)

    def __exit__(self, *_: object) -> None:
        logger.setLevel(logging.INFO)


def _read(pattern: AccessPattern, busiest: Busiest) -> Found:
    asked = busiest.asked(pattern)
    with metered() as meter:
        response = sample.handler(pattern)(sample.event(asked), None)
    if response["statusCode"] != 200:  # noqa: PLR2004 - the number is its own name
        raise sample.BadExample(f"{pattern.id}: {asked.example} answers {response}")
    return _counted(meter)


def _counted(meter: Meter) -> Found:
    return {
        "requests": meter.requests,
        "units": meter.units,
        "counted": meter.counted,
        "bytes": meter.bytes,
    }


def _write(pattern: AccessPattern, recording: Recorder) -> Found:
    """The example's cost; the example data lies among the generated items."""
    with recording.restored():
        requests = recording.call(pattern)
    if any(each.failed for each in requests):
        raise sample.BadExample(f"{pattern.id} is refused")
    charged = [each for request in requests for each in charges(pattern, request)]
    return {"requests": len(requests), "units": total(charged, "read") + total(charged, "write")}


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
