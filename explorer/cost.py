"""What requests cost, by DynamoDB's published rules, in request units of an on-demand table.

Reads: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
Writes: the same page, and for the indexes
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from lambdas.design.keys import Index
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime.items import Item, size

READ_BYTES: Final = 4096
WRITE_BYTES: Final = 1024


def read_units(found: Iterable[Item]) -> Decimal:
    """The units of an eventually consistent read: half of one for each 4 KB that it reads."""
    return Decimal(max(1, _blocks(sum(map(size, found)), READ_BYTES))) / 2


def write_units(item: Item) -> dict[str, int]:
    """What it costs to put the item where it was not: one unit for each KB, in the table and again
    in each index that it enters. In a transaction it is twice as much."""
    return {
        index.name: _blocks(size(projected(index, item)), WRITE_BYTES)
        for index in (TABLE, *INDEXES)
        if is_in(index, item)
    }


def is_in(index: Index, item: Item) -> bool:
    """Whether the item has both key attributes of the index."""
    return all(name in item for name in index.key_attributes)


def projected(index: Index, item: Item) -> Item:
    """What an index has of an item."""
    if index.projection == "ALL":
        return item
    names = {*index.key_attributes, *TABLE.key_attributes}
    return {name: value for name, value in item.items() if name in names}


def _blocks(size_in_bytes: int, block: int) -> int:
    return -(-size_in_bytes // block)
