"""The table as a data model of NoSQL Workbench, and a check of such models.

The format has no published specification. What is written and checked here is what AWS's own sample
models have (format 3.0): metadata, and for each table its keys, its attributes each with the one
type that it has everywhere, a facet for each entity with its sample items, and the indexes. Access
patterns are sentences in the description there, as they are here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import (
    UNSET,
    DecodeError,
    Struct,
    UnsetType,
    ValidationError,
    convert,
    field,
    json,
    to_builtins,
)

from explorer.rows import entity_of
from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.entity import Entity
from lambdas.design.keys import Index
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime import times
from lambdas.runtime.items import Item

SERVICE: Final = "Amazon DynamoDB"
VERSION: Final = "3.0"

AttributeType = Literal["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"]
KEY_TYPES: Final = frozenset({"S", "N", "B"})

INCLUDE: Final = "INCLUDE"

INDEX_KEYS: Final[Item] = {name: {"S": ""} for index in INDEXES for name in index.key_attributes}
"""Declared also where no item has them."""

Row = dict[str, dict[AttributeType, Any]]


class Unfit(Exception):
    """A file that is no JSON document."""


class Attribute(Struct):
    """An attribute and its type."""

    AttributeName: str
    AttributeType: AttributeType


class KeyAttributes(Struct):
    """The primary key of a table or an index."""

    PartitionKey: Attribute
    SortKey: Attribute | UnsetType = UNSET

    @property
    def each(self) -> list[Attribute]:
        return [self.PartitionKey, *([self.SortKey] if self.SortKey else [])]


class KeyAttributeAlias(Struct):
    """What a facet calls the key attributes."""

    PartitionKeyAlias: str
    SortKeyAlias: str | UnsetType = UNSET


class Facet(Struct):
    """A kind of item, with its sample data."""

    FacetName: str
    KeyAttributeAlias: KeyAttributeAlias
    NonKeyAttributes: list[str] = []
    TableData: list[Row] = []
    DataAccess: dict[str, Any] = field(default_factory=lambda: {"MySql": {}})


class Projection(Struct):
    """What an index has of an item."""

    ProjectionType: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    NonKeyAttributes: list[str] | UnsetType = UNSET


class SecondaryIndex(Struct):
    """A global secondary index."""

    IndexName: str
    KeyAttributes: KeyAttributes
    Projection: Projection


class Table(Struct):
    """A table with everything in it."""

    TableName: str
    KeyAttributes: KeyAttributes
    NonKeyAttributes: list[Attribute] = []
    TableFacets: list[Facet] = []
    GlobalSecondaryIndexes: list[SecondaryIndex] = []
    TableData: list[Row] = []
    DataAccess: dict[str, Any] = field(default_factory=lambda: {"MySql": {}})
    BillingMode: Literal["PAY_PER_REQUEST", "PROVISIONED"] | UnsetType = UNSET

    @property
    def rows(self) -> Iterator[Row]:
        """All sample items, those of the facets first."""
        for facet in self.TableFacets:
            yield from facet.TableData
        yield from self.TableData


class Metadata(Struct):
    """What the model says of itself."""

    Author: str
    DateCreated: str
    DateLastModified: str
    Description: str
    Version: Literal["1.0", "2.0", "3.0"]
    AWSService: Literal["Amazon DynamoDB"] | UnsetType = UNSET
    """Models of the first version, when there was DynamoDB alone, do not have it."""


class Model(Struct):
    """The whole document."""

    ModelName: str
    ModelMetadata: Metadata
    DataModel: list[Table]


# --- Writing --------------------------------------------------------------------------------


def model(table: str, found: Iterable[Item], now: datetime | None = None) -> Model:
    """The model of our table with these items as sample data.

    An entity is a facet, whose aliases are its key templates. Items of no entity stand beside them.
    """
    found = list(found)
    date = (now or times.now()).strftime("%b %d, %Y, %I:%M %p")
    facets = [_facet(entity, [i for i in found if entity_of(i) is entity]) for entity in ENTITIES]
    return Model(
        ModelName=table,
        ModelMetadata=Metadata("", date, date, _description(), VERSION, SERVICE),
        DataModel=[
            Table(
                TableName=table,
                KeyAttributes=_keys(TABLE),
                NonKeyAttributes=_attributes([INDEX_KEYS, *found]),
                TableFacets=facets,
                GlobalSecondaryIndexes=[
                    SecondaryIndex(each.name, _keys(each), Projection(each.projection))
                    for each in INDEXES
                ],
                TableData=[_row(item) for item in found if entity_of(item) is None],
                BillingMode="PAY_PER_REQUEST",
            )
        ],
    )


def written(made: Model) -> str:
    """A model as the text of a file."""
    return json.format(json.encode(made), indent=2).decode() + "\n"


def _description() -> str:
    lines = [f"* {each.id}: {each.summary}" for each in ACCESS_PATTERNS]
    return "\n".join(["The access patterns of this model:", *lines])


def _keys(index: Index) -> KeyAttributes:
    return KeyAttributes(*(Attribute(name, "S") for name in index.key_attributes))


def _facet(entity: type[Entity], found: list[Item]) -> Facet:
    alias = KeyAttributeAlias(str(entity.primary.partition), str(entity.primary.sort))
    names = [each.AttributeName for each in _attributes(found)]
    return Facet(entity.__name__, alias, names, [_row(item) for item in found])


def _attributes(found: Iterable[Item]) -> list[Attribute]:
    """Every attribute of the items with its type, besides the table's keys."""
    types = {name: next(iter(value)) for item in found for name, value in item.items()}
    names = [name for name in types if name not in TABLE.key_attributes]
    return [convert({"AttributeName": n, "AttributeType": types[n]}, Attribute) for n in names]


def _row(item: Item) -> Row:
    """An item as JSON has it: binary values in base64."""
    row: Row = to_builtins(item)
    return row


# --- Checking -------------------------------------------------------------------------------


def read(file: Path) -> Any:
    """The JSON document in a file. Raises Unfit, and OSError where there is no such file."""
    try:
        return json.decode(file.read_bytes())
    except (DecodeError, UnicodeError) as error:
        raise Unfit(f"{file} is no JSON: {error}") from error


def faults(document: Any) -> list[str]:
    """What NoSQL Workbench could not import, a sentence each; none for a model that fits."""
    try:
        checked = convert(document, Model)
    except ValidationError as error:
        return [str(error)]
    names = [table.TableName for table in checked.DataModel]
    found = [] if names else ["the model has no table"]
    found += _twice("tables", names)
    return found + [
        f"table {table.TableName}: {fault}" for table in checked.DataModel for fault in _of(table)
    ]


def _of(table: Table) -> Iterator[str]:
    declared = [*table.KeyAttributes.each, *table.NonKeyAttributes]
    types = {each.AttributeName: each.AttributeType for each in declared}
    yield from _twice("attributes", [each.AttributeName for each in declared])
    yield from _twice("indexes", [each.IndexName for each in table.GlobalSecondaryIndexes])
    yield from _twice("facets", [each.FacetName for each in table.TableFacets])
    yield from _keys_of("the table", table.KeyAttributes, types)
    for index in table.GlobalSecondaryIndexes:
        yield from _keys_of(f"index {index.IndexName}", index.KeyAttributes, types)
        yield from _projected(index, types)
    for facet in table.TableFacets:
        for name in facet.NonKeyAttributes:
            if name not in types:
                yield f"facet {facet.FacetName}: its attribute {name!r} is not one of the table's"
    yield from _rows_of(table, types)


def _keys_of(owner: str, keys: KeyAttributes, types: dict[str, AttributeType]) -> Iterator[str]:
    for each in keys.each:
        name, kind = each.AttributeName, each.AttributeType
        if kind not in KEY_TYPES:
            yield f"{owner}: a key attribute is S, N or B, and {name!r} is {kind}"
        if types.get(name, kind) != kind:
            yield f"{owner}: {name!r} is {kind} here, and {types[name]} as the table's attribute"
        elif name not in types:
            yield f"{owner}: its key {name!r} is not one of the table's attributes"


def _projected(index: SecondaryIndex, types: dict[str, AttributeType]) -> Iterator[str]:
    projection = index.Projection
    names = projection.NonKeyAttributes or []
    if (projection.ProjectionType == INCLUDE) != bool(names):
        yield f"index {index.IndexName}: NonKeyAttributes belong to the projection INCLUDE alone"
    for name in names:
        if name not in types:
            yield f"index {index.IndexName}: it projects {name!r}, which the table does not have"


def _rows_of(table: Table, types: dict[str, AttributeType]) -> Iterator[str]:
    keys = [each.AttributeName for each in table.KeyAttributes.each]
    seen: set[str] = set()
    for at, row in enumerate(table.rows, 1):
        if missing := [name for name in keys if name not in row]:
            yield f"item {at} has no {missing[0]!r}"
            continue
        primary = json.encode([row[name] for name in keys]).decode()
        if primary in seen:
            yield f"item {at} has the key of another: {primary}"
        seen.add(primary)
        yield from _values(at, row, types)


def _values(at: int, row: Row, types: dict[str, AttributeType]) -> Iterator[str]:
    for name, value in row.items():
        if len(value) != 1:
            yield f"item {at}: {name!r} must have one type with its value"
        elif name not in types:
            yield f"item {at}: its attribute {name!r} is not one of the table's"
        elif types[name] not in value:
            [kind] = value
            yield f"item {at}: {name!r} is {kind} here and {types[name]} elsewhere; it has one type"


def _twice(kinds: str, names: list[str]) -> list[str]:
    return [
        f"two {kinds} have the name {name!r}"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
