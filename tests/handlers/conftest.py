from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ConnectionClosedError

from lambdas.runtime import store
from lambdas.runtime.items import MARK, Item, to_item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from lambdas.design.entity import Entity


class Clock:
    """The functions' clock, which stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def after(self, **duration: float) -> datetime:
        """The time so long after now, or before it."""
        return self.now + timedelta(**duration)

    def move(self, **duration: float) -> None:
        self.now = self.after(**duration)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("lambdas.runtime.times.now", lambda: clock.now)
    return clock


class Stored:
    """What is in the table, as DynamoDB has it."""

    def __init__(self, dynamodb: DynamoDBClient, table: str) -> None:
        self._dynamodb, self._table = dynamodb, table

    def all(self) -> dict[tuple[str, str], Item]:
        """Every item by its key."""
        found: Any = self._dynamodb.scan(TableName=self._table, ConsistentRead=True)["Items"]
        return {(item["PK"]["S"], item["SK"]["S"]): item for item in found}

    def item(self, partition: str, sort: str | None = None) -> Item | None:
        """The item with this key, less the mark of its last call; None when there is none."""
        item = self.all().get((partition, sort or partition))
        return item and {name: value for name, value in item.items() if name != MARK}

    def version(self, partition: str, sort: str | None = None) -> int:
        """How often the item has been written."""
        return int(self.all()[partition, sort or partition]["Version"]["N"])

    def mark(self, partition: str, sort: str | None = None) -> str | None:
        """The name of the call that changed the item last, if it has one."""
        item = self.all()[partition, sort or partition]
        return str(item[MARK]["S"]) if MARK in item else None

    def types(self) -> list[str]:
        """The type of every item, in the order of the alphabet."""
        return sorted(item["Type"]["S"] for item in self.all().values())


@pytest.fixture
def stored(dynamodb: DynamoDBClient, table: str) -> Stored:
    return Stored(dynamodb, table)


class Wire:
    """The way to DynamoDB: it can lose answers to requests that were carried out."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._lost = 0

    def loses(self, answers: int = 1) -> None:
        """Lose the next answers; the SDK sends their requests again."""
        self._lost = answers

    def __call__(self, event_name: str, **_: Any) -> None:
        self.requests.append(event_name.rpartition(".")[2])
        if self._lost:
            self._lost -= 1
            raise ConnectionClosedError(endpoint_url="https://dynamodb")


@pytest.fixture
def wire(table: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    """Moto answers while a request is sent, so what stands behind it sees what it carried out.

    It must be registered for every service, as moto is: what is registered for one goes first.
    """
    assert table
    monkeypatch.setattr("time.sleep", lambda _: None)
    wire, events = Wire(), store.client().meta.events
    events.register_last("before-send", wire)
    yield wire
    events.unregister("before-send", wire)


def changed(entity: Entity | Item, **attributes: dict[str, Any] | None) -> Item:
    """The item of an entity with other attributes; None stands for one that it has not."""
    item = (entity if isinstance(entity, dict) else to_item(entity)) | attributes
    return {name: value for name, value in item.items() if value is not None}
