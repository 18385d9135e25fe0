"""The words in which the requests of DynamoDB are declared: parameters, and operations on keys."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from lambdas.design.keys import SEPARATOR, DeclarationError, Index, Key
from lambdas.design.table import TABLE
from lambdas.design.values import PageLimit, PartiQL, StatementParameters, Token


class Parameter(Struct, frozen=True):
    """A value that the caller gives in the path or in the query string."""

    name: str
    type: Any
    """What it may be: a type of `lambdas.design.values`."""
    description: str
    fills: str | None = None
    """The field that it gives a value to; None when it steers the query instead."""
    required: bool = False
    default: Any = None


class Permission(Struct, frozen=True):
    """One IAM action on the table, or on one of its indexes alone."""

    action: str
    index: Index
    leading_keys: tuple[str, ...] = ()
    """What the partition keys must begin with; empty: any. A scan has none and is denied then."""


class GetItem(Struct, frozen=True):
    """Reads one item by its primary key."""

    action: ClassVar[str] = "dynamodb:GetItem"
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    key: Key

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key,)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that must have a value."""
        return self.key.fields


class WholeCollection(Struct, frozen=True):
    """No condition on the sort key: every item of the collection, whatever its entity."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()


class BeginsWith(Struct, frozen=True):
    """The sort key begins with its literals and with the fields that have a value.

    With nothing given that is the entity's own prefix (`ORDER#`), which leaves out the
    collection's other entities. The prefix ends with the separator, so that `audio` never
    matches `audiobooks`.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()


class Within(Struct, frozen=True):
    """A field of the sort key lies within a time range; both ends are inclusive as whole periods.

    The field's text begins with its time. `start` and `end` may be given alone; `period` is a
    range in one word and excludes both. With none of them it means the same as BeginsWith.
    """

    field: str
    start: Parameter
    end: Parameter
    period: Parameter | None = None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (self.start, self.end) + ((self.period,) if self.period else ())


class FromNow(Struct, frozen=True):
    """A time in the sort key lies ahead: from now on, and before the beginning of `before`."""

    field: str
    before: Parameter | None = None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (self.before,) if self.before else ()


SortCondition = WholeCollection | BeginsWith | Within | FromNow


class Query(Struct, frozen=True):
    """Reads one item collection, or a part of it, in the order of the sort key."""

    action: ClassVar[str] = "dynamodb:Query"
    key: Key
    """The key whose partition is read."""
    also: Key | None = None
    """The key of a second entity in the same collection."""
    sort: SortCondition = BeginsWith()
    descending: bool | Parameter = False
    """Reads backwards: always, or when the parameter is true."""

    def __post_init__(self) -> None:
        places = {(key.index, key.partition, key.shards, key.rounds) for key in self.keys}
        if self.also and len(places) > 1:
            raise DeclarationError(
                f"query: {self.also.entity.__name__} is not in the item collection "
                f"{self.key.partition} of {self.key.entity.__name__}"
            )
        if isinstance(self.sort, Within | FromNow) and self.sort.field not in self.key.sort.fields:
            raise DeclarationError(f"query: unknown field {self.sort.field!r} in {self.key.sort}")

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key, self.also) if self.also else (self.key,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that steer the query."""
        steering = (self.descending,) if isinstance(self.descending, Parameter) else ()
        return self.sort.parameters + steering

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that must have a value."""
        return self.key.partition.fields


class Statement(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A PartiQL statement, with the names that DynamoDB's own ExecuteStatement has."""

    Statement: PartiQL
    Parameters: StatementParameters | None = None
    Limit: PageLimit | None = None
    NextToken: Token | None = None


class PartiQLSelect(Struct, frozen=True):
    """Runs a SELECT of the caller's on the item collections of some entities, and on the same
    collections in the inverted index. It never writes and never scans."""

    action: ClassVar[str] = "dynamodb:PartiQLSelect"
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    fields: ClassVar[tuple[str, ...]] = ()
    keys: tuple[Key, ...]
    table_name: str
    """What the caller's statements call the table."""
    index_name: str
    """What the caller's statements call the inverted index."""

    def leading_keys(self, index: Index) -> tuple[str, ...]:
        """What the partition keys that may be read begin with, such as `Student#`."""
        entities = [key.entity for key in self.keys]
        keys = [each.primary if index == TABLE else each.inverted for each in entities]
        return tuple(dict.fromkeys(f"{key.partition.parts[0]}{SEPARATOR}" for key in keys))


class BatchGetItem(Struct, frozen=True):
    """Reads up to 100 items by their primary keys."""

    action: ClassVar[str] = "dynamodb:BatchGetItem"
    key: Key


class PutItem(Struct, frozen=True):
    """Writes a whole item."""

    action: ClassVar[str] = "dynamodb:PutItem"
    key: Key


class UpdateItem(Struct, frozen=True):
    """Changes attributes of an item, and the index keys that follow from them."""

    action: ClassVar[str] = "dynamodb:UpdateItem"
    key: Key


class DeleteItem(Struct, frozen=True):
    """Removes an item."""

    action: ClassVar[str] = "dynamodb:DeleteItem"
    key: Key


class ConditionCheck(Struct, frozen=True):
    """Holds a transaction to what an item is, without changing it."""

    action: ClassVar[str] = "dynamodb:ConditionCheckItem"
    key: Key


Single = GetItem | Query | BatchGetItem | PutItem | UpdateItem | DeleteItem | ConditionCheck


class Transaction(Struct, frozen=True):
    """Writes that are carried out together or not at all."""

    steps: tuple[PutItem | UpdateItem | DeleteItem | ConditionCheck, ...]


class Write(Struct, frozen=True):
    """What a write does, in order. The entry point's own function carries it out."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    fields: ClassVar[tuple[str, ...]] = ()
    steps: tuple[Single | Transaction, ...]

    @property
    def singles(self) -> tuple[Single, ...]:
        """Every operation, those within transactions too."""
        return tuple(
            single
            for step in self.steps
            for single in (step.steps if isinstance(step, Transaction) else (step,))
        )

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys of the items that are touched, each once."""
        return tuple(dict.fromkeys(single.key for single in self.singles))


Operation = GetItem | Query | PartiQLSelect | Write
