"""What the reads of a block cost, whoever makes them with the functions' client."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from bench.units import read_units
from lambdas.runtime import store
from lambdas.runtime.items import Item, size
from lambdas.runtime.logs import logger


@dataclass
class Meter:
    """A sum over reads. Requests may come from several threads."""

    requests: int = 0
    units: float = 0
    """By DynamoDB's arithmetic, from the bytes of the items."""
    counted: float = 0
    """As the engine counts them itself."""
    bytes: int = 0
    """Of the items that were read."""

    def add(self, parsed: dict[str, Any], **_: Any) -> None:
        """A request has been answered."""
        batch = parsed.get("Responses")
        found = _found(parsed)
        sizes = [size(item) for item in found]
        self.requests += 1
        self.bytes += sum(sizes)
        self.units += read_units(sum(sizes)) if batch is None else sum(map(read_units, sizes))
        self.counted += consumed(parsed)

    def counts(self) -> dict[str, float]:
        """The sums, as JSON has them."""
        return asdict(self)


@contextmanager
def metered() -> Iterator[Meter]:
    """Counts what is read within with the client of this process (`lambdas.runtime.store`)."""
    meter, events = Meter(), store.client().meta.events
    events.register("after-call.dynamodb", meter.add)
    try:
        yield meter
    finally:
        events.unregister("after-call.dynamodb", meter.add)


def consumed(answer: dict[str, Any]) -> float:
    """The units that an engine says a request consumed."""
    told = answer.get("ConsumedCapacity") or []
    parts = told if isinstance(told, list) else [told]
    return float(sum(each["CapacityUnits"] for each in parts))


def _found(answer: dict[str, Any]) -> Iterable[Item]:
    for items in answer.get("Responses", {}).values():
        yield from items
    yield from answer.get("Items", ())
    if "Item" in answer:
        yield answer["Item"]


@contextmanager
def quiet() -> Iterator[None]:
    """The handlers write no log lines within; they would be the command's output."""
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
