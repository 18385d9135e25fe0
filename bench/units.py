"""DynamoDB's arithmetic: what reads and writes consume, from the bytes of the items.

The rules are those of the Developer Guide: "DynamoDB read and write operations", "DynamoDB item
sizes and formats", "Using Global Secondary Indexes in DynamoDB" (their write capacity), and "Amazon
DynamoDB Transactions: How it works" (their capacity).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final, Protocol

from lambdas.design.keys import Index
from lambdas.design.table import TABLE
from lambdas.runtime.items import Item, size

READ_STEP: Final = 4096
"""The bytes that one unit reads with strong consistency, half a unit otherwise."""

WRITE_STEP: Final = 1024
"""The bytes that one unit writes."""

IN_TRANSACTION: Final = 2
"""How often an item's read or write counts in a transaction: it is prepared, then committed. The
entries of indexes count once: they follow after the commit (measured on DynamoDB by the authors of
dynoxide, github.com/nubo-db/dynoxide, pull request 188)."""


class Keyed(Protocol):
    """An index, as far as the arithmetic asks: which attributes an item needs to stand in it, and
    what of the item stands there."""

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """The attributes of its partition key and of its sort key."""

    @property
    def projection(self) -> str:
        """`ALL` or `KEYS_ONLY`."""


def read_units(total: int, *, consistent: bool = False) -> float:
    """What one read of so many bytes consumes: of GetItem those of the item, of Query those of all
    items that it reads. BatchGetItem is a read for each of its items. What is not there consumes as
    much as the smallest."""
    return max(1, ceil(total / READ_STEP)) * (1 if consistent else 0.5)


def write_units(before: Item | None, after: Item | None) -> int:
    """What a write consumes of the table: the larger of the item before it and after it counts.

    That is also what a write consumes whose condition does not hold, with the item as it would
    have become. To delete what is not there is a write of the smallest.
    """
    larger = max(size(item) if item else 0 for item in (before, after))
    return _steps(larger)


def index_write_units(
    index: Keyed,
    before: Item | None,
    after: Item | None,
    *,
    table_keys: Sequence[str] = TABLE.key_attributes,
) -> int:
    """What a write consumes of an index: for an entry that is put, removed or changed the steps of
    its own size, for one whose key changes those of both, for one that stays as it is nothing."""
    was, now = (entry(index, each, table_keys=table_keys) for each in (before, after))
    if was == now:
        return 0
    if was and now and all(was[name] == now[name] for name in index.key_attributes):
        return _steps(max(size(was), size(now)))
    return sum(_steps(size(each)) for each in (was, now) if each)


def entry(
    index: Keyed, item: Item | None, *, table_keys: Sequence[str] = TABLE.key_attributes
) -> Item | None:
    """What an index has of an item; None when the item does not stand in it. `table_keys` are the
    key attributes of the table that it is an index of."""
    if item is None or not all(name in item for name in index.key_attributes):
        return None
    if index.projection == "ALL":
        return item
    kept = {*index.key_attributes, *table_keys}
    return {name: value for name, value in item.items() if name in kept}


def key(index: Index, item: Item) -> tuple[str, str]:
    """An item's partition key and sort key in an index."""
    return item[index.partition_key]["S"], item[index.sort_key]["S"]


def _steps(total: int) -> int:
    return max(1, ceil(total / WRITE_STEP))
