"""What the doctor's tests share: the example data in moto's table, and the doctor at work on it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from doctor import __main__ as command
from lambdas.design.table import TABLE
from lambdas.runtime.items import Item
from seed import datasets
from tests.conftest import Put

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NOW = datetime(2025, 1, 15, 12, 0, tzinfo=UTC)
"""When the example data is loaded: since then two of its sessions have expired."""

Place = tuple[str, str]
"""The text of a primary key."""


class Said(NamedTuple):
    """What the doctor has found and done."""

    status: int
    kinds: dict[str, dict[str, Any]]
    report: dict[str, Any]

    @property
    def examples(self) -> dict[str, list[str]]:
        """What was found of each kind; what is no fault is left out."""
        return {name: sorted(k["examples"]) for name, k in self.kinds.items() if k["isFault"]}

    @property
    def there(self) -> dict[str, int]:
        """How many faults are there now, by kind."""
        counts = {n: k["found"] - k["mended"] for n, k in self.kinds.items() if k["isFault"]}
        return {name: count for name, count in counts.items() if count}


Doctor = Callable[..., Said]


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("doctor.table.INDEX_LAG_SECONDS", 0)


@pytest.fixture(autouse=True)
def _one_call_at_a_time(dynamodb: DynamoDBClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """moto is not made for threads: a transaction that it refuses puts back a copy of the whole
    table, and with it takes back what the doctor wrote in another segment meanwhile."""
    lock = threading.RLock()
    call: Any = dynamodb._make_api_call  # type: ignore[attr-defined]  # noqa: SLF001

    def alone(*request: Any) -> Any:
        with lock:
            return call(*request)

    monkeypatch.setattr(dynamodb, "_make_api_call", alone)


@pytest.fixture
def doctor(
    table: str,
    dynamodb: DynamoDBClient,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Doctor:
    """Runs the command on the table; what it says, and its exit status."""
    monkeypatch.setattr(command, "connect", lambda _endpoint_url: dynamodb)

    def run(*words: str) -> Said:
        capsys.readouterr()
        status = command.main(["--table", table, "--json", "--whole-keys", *words])
        out, err = capsys.readouterr()
        assert out, err
        report = json.loads(out)
        return Said(status, {kind["kind"]: kind for kind in report["kinds"]}, report)

    return run


def key(place: Place) -> Any:
    return {name: {"S": text} for name, text in zip(TABLE.key_attributes, place, strict=True)}


def place(item: Item) -> Place:
    return item["PK"]["S"], item["SK"]["S"]


def changed(item: Item, **attributes: Any) -> Item:
    """An item with other attributes, and without those that are None."""
    both: Item = item | attributes
    return {name: each for name, each in both.items() if each is not None}


class Stored:
    """The items of moto's table, to be changed as no function of ours would."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self.client = client
        self.table = table

    def __getitem__(self, place: Place) -> Item:
        answer: Any = self.client.get_item(TableName=self.table, Key=key(place))
        return dict(answer["Item"])

    def __contains__(self, place: Place) -> bool:
        return "Item" in self.client.get_item(TableName=self.table, Key=key(place))

    def change(self, place: Place, **attributes: Any) -> None:
        """Set attributes, or remove those that are None."""
        self.put(changed(self[place], **attributes))

    def put(self, item: Item) -> None:
        self.client.put_item(TableName=self.table, Item=item)

    def delete(self, place: Place) -> None:
        self.client.delete_item(TableName=self.table, Key=key(place))

    def all(self) -> dict[Place, Item]:
        """Every item."""
        pages = self.client.get_paginator("scan").paginate(TableName=self.table)
        items: list[Any] = [item for page in pages for item in page["Items"]]
        return {place(item): item for item in items}

    @contextmanager
    def before_each(self, operation: str, act: Callable[[], None]) -> Iterator[None]:
        """Let somebody else act just before each call of an operation, such as UpdateItem."""
        event = f"before-parameter-build.dynamodb.{operation}"

        def once(**_: Any) -> None:
            act()

        self.client.meta.events.register(event, once)
        try:
            yield
        finally:
            self.client.meta.events.unregister(event, once)


@pytest.fixture
def stored(dynamodb: DynamoDBClient, table: str, put: Put) -> Stored:
    """The example data of all datasets, as the seed loads it."""
    put(*datasets.items(datasets.ALL, NOW))
    return Stored(dynamodb, table)
