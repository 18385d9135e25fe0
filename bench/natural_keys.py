"""Two questions of the shop by multi-attribute index keys: attributes with a meaning of their own,
and none that is composed.

DynamoDB has such keys since November 2025, in global secondary indexes alone: up to four attributes
in the partition key and up to four in the sort key (Developer Guide, "Multi-attribute keys
pattern"). What is here stands beside GSI1, holds the same products and orders, and answers what
AP-13 and AP-05 answer. Only `bench.multi_keys` and the tests use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from lambdas.design.ecommerce import Order, Product
from lambdas.design.entity import Entity
from lambdas.design.table import GSI1, GSI2, INVERTED_INDEX, TABLE
from lambdas.runtime import keys
from lambdas.runtime.items import Item, present, to_item

TABLE_NAME: Final = "natural-keys"

MOST_ATTRIBUTES: Final = 4
"""In a partition key, and in a sort key (API Reference, CreateTable)."""


class NaturalIndex(Struct, frozen=True):
    """A global secondary index whose keys are made of several attributes."""

    name: str
    partition: tuple[str, ...]
    """A condition names all of them, each with `=`."""
    sort: tuple[str, ...]
    """A condition names the first ones, each with `=` but for the last that it names."""
    purpose: str
    projection: Literal["ALL"] = "ALL"

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """All attributes that an item must have to stand in the index."""
        return self.partition + self.sort


LEVELS: Final = ("Category1", "Category2", "Category3", "Category4")
"""The category's levels. Its depth varies and a key's attributes must all be there, so what is not
so deep has `NO_LEVEL` in the rest; what is deeper has no place."""

NO_LEVEL: Final = "/"
"""The only text that no level can be: `/` is what separates them."""

BY_CATEGORY = NaturalIndex(
    "ByCategory", LEVELS[:1], (*LEVELS[1:], "PK"), "AP-13: a category and all below it."
)
BY_STATUS = NaturalIndex(
    "ByStatus", ("Type", "Status"), ("PlacedAt", "SK"), "AP-05: all orders, by their status."
)
WAITING = NaturalIndex(
    "Waiting", ("Type",), ("WaitsSince", "SK"), "AP-05, sparse: the attribute is there while it is."
)
BY_PRICE = NaturalIndex(
    "ByPrice",
    ("Currency", *LEVELS[:3]),
    ("Price", "PK"),
    "A question that is new: the cheapest products of a category.",
)
INDEXES: Final = (BY_CATEGORY, BY_STATUS, WAITING, BY_PRICE)

NUMBERS: Final = ("Price",)
"""The key attributes that are numbers, and sort as such; the others are text."""


class TooDeep(ValueError):
    """A category has more levels than a sort key takes attributes."""


# --- Items ----------------------------------------------------------------------------------


def natural(entity: Entity) -> Item:
    """The item that is stored for an entity: a product or an order without composed keys of GSI1,
    anything else as it is. Raises TooDeep."""
    item = to_item(entity)
    if isinstance(entity, Product | Order):
        for name in GSI1.key_attributes:
            item.pop(name, None)
    if isinstance(entity, Product):
        del item["Category"]  # the levels say it
        item |= {name: {"S": level} for name, level in levels(entity.Category).items()}
    return item


def waiting(entity: Entity) -> Item:
    """The same, with the attribute that a sparse index of pending orders needs."""
    item = natural(entity)
    if isinstance(entity, Order) and entity.Status == "PENDING":
        item["WaitsSince"] = {"S": entity.PlacedAt}
    return item


def levels(category: str) -> dict[str, str]:
    """The attributes of a category's levels. Raises TooDeep."""
    found = category.split("/")
    if len(found) > len(LEVELS):
        raise TooDeep(f"{category} has {len(found)} levels, and there is place for {len(LEVELS)}")
    return dict(zip(LEVELS, [*found, *[NO_LEVEL] * len(LEVELS)], strict=False))


def shown(item: Item) -> dict[str, Any]:
    """An item of the table as callers see it: as they see it in the single table."""
    entity: type[Entity] = Product if item["Type"]["S"] == "Product" else Order
    kept = {name: each for name, each in item.items() if name not in (*LEVELS, "WaitsSince")}
    if entity is Product:
        path = [item[name]["S"] for name in LEVELS if item[name]["S"] != NO_LEVEL]
        kept["Category"] = {"S": "/".join(path)}
    return present(kept, entity.primary)


# --- Questions ------------------------------------------------------------------------------


Range = tuple[str, dict[str, str], dict[str, str]]
"""An attribute, and its first and last value."""


class NaturalQuery(Struct, frozen=True):
    """A Query of an index by several attributes."""

    index: NaturalIndex
    equal: Mapping[str, str]
    """Attributes of the partition key and then of the sort key, with their values."""
    between: Range | None = None
    """The sort key's next attribute."""

    @property
    def request(self) -> dict[str, Any]:
        """The parameters of the Query."""
        conditions = [f"#{name} = :{name}" for name in self.equal]
        values: dict[str, Any] = {f":{name}": {"S": value} for name, value in self.equal.items()}
        names = list(self.equal)
        if self.between:
            ranged, first, last = self.between
            conditions.append(f"#{ranged} BETWEEN :first AND :last")
            values |= {":first": first, ":last": last}
            names.append(ranged)
        return {
            "TableName": TABLE_NAME,
            "IndexName": self.index.name,
            "KeyConditionExpression": " AND ".join(conditions),
            "ExpressionAttributeNames": {f"#{name}": name for name in names},
            "ExpressionAttributeValues": values,
            "ReturnConsumedCapacity": "TOTAL",
        }


def in_category(category: str) -> NaturalQuery:
    """AP-13: the products of a category and of all below it."""
    return NaturalQuery(BY_CATEGORY, dict(zip(LEVELS, category.split("/"), strict=False)))


def pending(first: str = "", last: str = "") -> NaturalQuery:
    """AP-05: the pending orders; those placed in a range of whole periods if it is given."""
    between = ("PlacedAt", {"S": first}, {"S": last + keys.LAST}) if first else None
    return NaturalQuery(BY_STATUS, {"Type": "Order", "Status": "PENDING"}, between)


def waiting_longest() -> NaturalQuery:
    """AP-05, by the sparse index."""
    return NaturalQuery(WAITING, {"Type": "Order"})


def cheapest(currency: str, category: str, most: str) -> NaturalQuery:
    """The products of a category (of three levels) up to a price, the cheapest first."""
    equal = {"Currency": currency, **dict(zip(LEVELS, category.split("/"), strict=False))}
    return NaturalQuery(BY_PRICE, equal, ("Price", {"N": "0"}, {"N": most}))


# --- The table ------------------------------------------------------------------------------


def definition(indexes: tuple[NaturalIndex, ...] = INDEXES) -> dict[str, Any]:
    """What CreateTable takes: the single table without GSI1, and with these indexes."""
    others = [
        {
            "IndexName": each.name,
            "KeySchema": schema(each.key_attributes[:1], each.key_attributes[1:]),
            "Projection": {"ProjectionType": each.projection},
        }
        for each in (GSI2, INVERTED_INDEX)
    ]
    names = {*TABLE.key_attributes, *GSI2.key_attributes}
    for index in indexes:
        names.update(index.key_attributes)
    return {
        "TableName": TABLE_NAME,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": schema(TABLE.key_attributes[:1], TABLE.key_attributes[1:]),
        "AttributeDefinitions": types(names),
        "GlobalSecondaryIndexes": [*map(secondary, indexes), *others],
    }


def secondary(index: NaturalIndex) -> dict[str, Any]:
    """An index as CreateTable and UpdateTable take it."""
    return {
        "IndexName": index.name,
        "KeySchema": schema(index.partition, index.sort),
        "Projection": {"ProjectionType": index.projection},
    }


def schema(partition: tuple[str, ...], sort: tuple[str, ...]) -> list[dict[str, str]]:
    """The key schema: the attributes of the partition key, then those of the sort key in order."""
    kinds = ("HASH", partition), ("RANGE", sort)
    return [{"AttributeName": name, "KeyType": kind} for kind, names in kinds for name in names]


def types(names: set[str]) -> list[dict[str, str]]:
    """The definitions of key attributes."""
    return [
        {"AttributeName": name, "AttributeType": "N" if name in NUMBERS else "S"}
        for name in sorted(names)
    ]
