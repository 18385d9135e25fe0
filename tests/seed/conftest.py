"""What the seed's tests share: a time, and a table that does not do as it is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from lambdas.runtime.items import Item
from seed.table import Table
from tests.seed.reluctant import Reluctant

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NOW = datetime(2025, 1, 15, 12, 0, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seed.table.FIRST_PAUSE_SECONDS", 0)


@pytest.fixture
def reluctant(dynamodb: DynamoDBClient) -> Reluctant:
    """A client of the template's table that a test can make give back, refuse and fail."""
    return Reluctant(dynamodb)


@pytest.fixture
def reluctant_table(reluctant: Reluctant, table: str) -> Table:
    return Table(reluctant.client, table)


@pytest.fixture
def stored(dynamodb: DynamoDBClient, table: str) -> Callable[[], list[Item]]:
    """All items of the table, in the order of their keys."""

    def stored() -> list[Item]:
        pages = dynamodb.get_paginator("scan").paginate(TableName=table)
        items: list[Item] = [item for page in pages for item in page["Items"]]  # type: ignore[misc]
        return sorted(items, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))

    return stored
