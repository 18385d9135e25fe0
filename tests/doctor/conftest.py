"""What the doctor's tests share: the example data in moto's table, and the doctor at work on it."""

from __future__ import annotations

import json
from collections.abc import Callable
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

NOW = datetime.now(UTC)


class Said(NamedTuple):
    """What the doctor has found and done."""

    status: int
    kinds: dict[str, dict[str, Any]]
    report: dict[str, Any]

    @property
    def examples(self) -> dict[str, list[str]]:
        return {name: kind["examples"] for name, kind in self.kinds.items()}

    @property
    def faults(self) -> dict[str, int]:
        """How many are there now, by kind; what is no fault is left out."""
        counts = {
            name: kind["found"] - kind["mended"]
            for name, kind in self.kinds.items()
            if kind["isFault"]
        }
        return {name: count for name, count in counts.items() if count}


Doctor = Callable[..., Said]


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("doctor.table.INDEX_LAG_SECONDS", 0)


@pytest.fixture
def doctor(table: str, capsys: pytest.CaptureFixture[str]) -> Doctor:
    """Runs the command on the table; what it says, and its exit status."""

    def run(*words: str) -> Said:
        capsys.readouterr()
        status = command.main(["--table", table, "--json", "--whole-keys", *words])
        out, err = capsys.readouterr()
        assert out, err
        report = json.loads(out)
        return Said(status, {kind["kind"]: kind for kind in report["kinds"]}, report)

    return run


class Stored:
    """The items of moto's table, to be changed as no function of ours would."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def __getitem__(self, key: tuple[str, str]) -> Item:
        answer = self._client.get_item(TableName=self._table, Key=self._key(key))
        return dict(answer["Item"])  # type: ignore[arg-type]

    def __contains__(self, key: tuple[str, str]) -> bool:
        return "Item" in self._client.get_item(TableName=self._table, Key=self._key(key))

    def change(self, key: tuple[str, str], **attributes: Any) -> None:
        """Set attributes, or remove those that are None."""
        item = self[key] | {name: each for name, each in attributes.items() if each is not None}
        for name in (name for name, each in attributes.items() if each is None):
            item.pop(name, None)
        self.put(item)

    def put(self, item: Item) -> None:
        self._client.put_item(TableName=self._table, Item=item)

    def delete(self, key: tuple[str, str]) -> None:
        self._client.delete_item(TableName=self._table, Key=self._key(key))

    def all(self) -> dict[tuple[str, str], Item]:
        pages = self._client.get_paginator("scan").paginate(TableName=self._table)
        items: list[Item] = [item for page in pages for item in page["Items"]]  # type: ignore[misc]
        return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}

    def _key(self, key: tuple[str, str]) -> Any:
        return {name: {"S": text} for name, text in zip(TABLE.key_attributes, key, strict=True)}


@pytest.fixture
def stored(dynamodb: DynamoDBClient, table: str, put: Put) -> Stored:
    """The example data of all datasets, as the seed loads it."""
    put(*datasets.items(datasets.ALL, NOW))
    return Stored(dynamodb, table)
