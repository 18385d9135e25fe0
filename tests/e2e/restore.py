"""Puts the deployed table back to what it was, so that tests that write disturb no others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from local.cloud import Cloud


@contextmanager
def restored(cloud: Cloud) -> Iterator[None]:
    """The table holds after the block what it held before."""
    dynamodb = cloud.dynamodb

    def everything() -> dict[tuple[str, str], dict[str, Any]]:
        pages = dynamodb.get_paginator("scan").paginate(TableName=cloud.table_name)
        items = [item for page in pages for item in page["Items"]]
        return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}

    before = everything()
    try:
        yield
    finally:
        after = everything()
        for name in after.keys() - before.keys():
            key = dict(zip(("PK", "SK"), ({"S": part} for part in name), strict=True))
            dynamodb.delete_item(TableName=cloud.table_name, Key=key)
        for name, item in before.items():
            if after.get(name) != item:
                dynamodb.put_item(TableName=cloud.table_name, Item=item)
