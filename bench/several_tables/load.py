"""Makes the tables in an engine, and fills them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bench.several_tables.schema import TABLES, Rows, Table
from lambdas.runtime import store

ROWS_A_BATCH: Final = 25
"""DynamoDB's limit."""


def create() -> None:
    """Make every table, with its indexes, and wait until each can be used."""
    client = store.client()
    for table in TABLES:
        client.create_table(**_definition(table))
    for table in TABLES:
        client.get_waiter("table_exists").wait(TableName=table.name, WaiterConfig={"Delay": 1})


def put(rows: Rows) -> Iterator[int]:
    """Write the rows, and give how many each batch had."""
    for table, by_key in rows.items():
        left = [{"PutRequest": {"Item": row}} for row in by_key.values()]
        while left:
            batch, left = left[:ROWS_A_BATCH], left[ROWS_A_BATCH:]
            asked: Any = {table.name: batch}
            if store.client().batch_write_item(RequestItems=asked)["UnprocessedItems"]:
                raise RuntimeError(f"{table.name}: the engine has left out a part of a batch")
            yield len(batch)


def _definition(table: Table) -> Any:
    names = {*table.key_attributes, *(n for index in table.indexes for n in index.key_attributes)}
    indexes = [
        {
            "IndexName": index.name,
            "KeySchema": _keys(*index.key_attributes),
            "Projection": {"ProjectionType": index.projection},
        }
        for index in table.indexes
    ]
    return {
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _keys(*table.key_attributes),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in sorted(names)
        ],
        **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
    }


def _keys(*names: str) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, kinds, strict=False)
    ]
