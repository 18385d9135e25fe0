"""Loading: the seed's writer beside boto3's `batch_writer`, by the clock, at an endpoint that takes
its time and at one that has not the capacity."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import boto3
from boto3.dynamodb.types import TypeDeserializer

from bench import canned, pairs
from bench.results import Found, Say
from docs.markdown import table
from lambdas.runtime.items import Item, to_item
from seed import generated
from seed.connection import connect, set_body, write_body
from seed.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELAY_MS: Final = 5
NOW: Final = datetime(2025, 1, 15, 12, 0, tzinfo=UTC)
ENDPOINTS: Final[dict[str, dict[str, Any]]] = {
    "free": {"items": 20_000, "items_a_second": None, "turns": 5},
    "throttled": {"items": 5000, "items_a_second": 1000, "turns": 3},
}
NAMES: Final = {
    "free": "takes all, each request in 5 ms",
    "throttled": "takes 1000 items a second, each request in 5 ms",
}

Load = Callable[[list[Item]], None]


def measure(say: Say) -> Found:
    """The seconds that each writer takes, and how many items have arrived."""
    found: Found = {}
    for name, endpoint in ENDPOINTS.items():
        say(f"an endpoint that {NAMES[name]}: {endpoint['turns']} turns")
        entities = generated.entities("all", endpoint["items"], NOW)
        items = [to_item(entity) for entity in entities]
        arrived: list[int] = []
        writers = {
            writer.__name__: _turn(writer, items, endpoint["items_a_second"], arrived)
            for writer in (seed_writer, walking_writer, batch_writer)
        }
        took = pairs.taken_in_turn(writers, endpoint["turns"], say)
        found[name] = {
            "writers": pairs.compared(took, to="seed_writer"),
            "items": endpoint["items"],
            "lost": endpoint["items"] - min(arrived),
        }
    return found


def _turn(writer: Load, items: list[Item], rate: float | None, arrived: list[int]) -> pairs.Turn:
    """A load into an endpoint of its own: the seconds that it takes."""

    def turn() -> float:
        with canned.running(delay_ms=DELAY_MS, items_a_second=rate) as url:
            with patch.dict(os.environ, pairs.environment(url)):
                began = time.perf_counter()
                writer(items)
                took = time.perf_counter() - began
                limits = boto3.client("dynamodb", region_name="eu-central-1").describe_limits()
            arrived.append(limits["TableMaxWriteCapacityUnits"])
        return took

    return turn


def seed_writer(items: list[Item]) -> None:
    """What `python -m seed` writes with."""
    Table(connect(os.environ["AWS_ENDPOINT_URL"]), "Table").put(items, lambda _: None)


def walking_writer(items: list[Item]) -> None:
    """The same, but botocore writes each batch by walking its values."""
    client = connect(os.environ["AWS_ENDPOINT_URL"])
    events: Any = client.meta.events
    events.unregister("provide-client-params.dynamodb.BatchWriteItem", write_body)
    events.unregister("before-call.dynamodb.BatchWriteItem", set_body)
    Table(client, "Table").put(items, lambda _: None)


def batch_writer(items: list[Item]) -> None:
    """boto3's own way to write many items, which wants them as Python values."""
    read: Any = TypeDeserializer().deserialize
    table = boto3.resource("dynamodb", region_name="eu-central-1").Table("Table")
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item={name: read(value) for name, value in item.items()})


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """Both writers at both endpoints."""
    rows = []
    for name, each in found.items():
        ours, walking, boto = (
            each["writers"][writer] for writer in ("seed_writer", "walking_writer", "batch_writer")
        )
        rows.append(
            (
                NAMES[name],
                f"{each['items'] / ours['median']:,.0f}",
                f"{each['items'] / walking['median']:,.0f}",
                f"{each['items'] / boto['median']:,.0f}",
                pairs.shown(boto["ratio"]),
                f"{each['lost']}",
            )
        )
    header = (
        "The endpoint",
        "seed: items/s",
        "as botocore writes: items/s",
        "batch_writer: items/s",
        "times as fast",
        "items lost",
    )
    return "\n\n".join(["## Loading", INTRODUCTION, table(header, rows)])


INTRODUCTION: Final = """\
By the clock: `python -m seed` has sixteen batches under way, where boto3's `batch_writer` waits for
each, and spares the check of every value that botocore makes by default. msgspec writes a batch as
JSON in one step; the third column is the seed without that, where botocore walks every value. What
DynamoDB gives back is sent again after a pause chosen by chance. For more than a client can send,
there is `--format dynamodb-json`: it writes the lines that DynamoDB's import from S3 takes."""


def plots(found: Found) -> dict[str, Figure]:  # noqa: ARG001 - as every measurement has it
    """None: the table says it all."""
    return {}
