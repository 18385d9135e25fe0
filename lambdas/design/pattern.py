"""The words in which access patterns are declared: parameters, operations, the pattern itself."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from lambdas.design.entity import Entity
from lambdas.design.keys import DeclarationError, Index, Key
from lambdas.design.values import Cursor, Limit

DEFAULT_LIMIT = 50


class Technique(StrEnum):
    """What of the lecture and of the article a pattern shows."""

    SINGLE_ITEM = "Single item by its key"
    ONE_TO_MANY = "One-to-many: parent and children in one item collection"
    TIME_RANGE = "Time range on the sort key"
    NEWEST_FIRST = "Newest first"
    INDEX_OVERLOADING = "Index overloading"
    SPARSE_INDEX = "Sparse index"


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


LIMIT = Parameter("limit", Limit, "How many items a page has at most.", default=DEFAULT_LIMIT)
CURSOR = Parameter("cursor", Cursor, "Where the page begins: `next` of the page before.")


class Permission(Struct, frozen=True):
    """One IAM action on the table, or on one of its indexes alone."""

    action: str
    index: Index


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


SortCondition = WholeCollection | BeginsWith | Within


class Query(Struct, frozen=True):
    """Reads one item collection, or a part of it, in the order of the sort key."""

    action: ClassVar[str] = "dynamodb:Query"
    key: Key
    """The key whose partition is read."""
    children: Key | None = None
    """The key of a second entity in the same collection."""
    sort: SortCondition = BeginsWith()
    descending: bool | Parameter = False
    """Reads backwards: always, or when the parameter is true."""

    def __post_init__(self) -> None:
        if self.children and self.children.partition != self.key.partition:
            raise DeclarationError(
                f"query: {self.children.entity.__name__} is not in the item collection "
                f"{self.key.partition} of {self.key.entity.__name__}"
            )
        if isinstance(self.sort, Within) and self.sort.field not in self.key.sort.fields:
            raise DeclarationError(f"query: unknown field {self.sort.field!r} in {self.key.sort}")

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key, self.children) if self.children else (self.key,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that steer the query."""
        steering = (self.descending,) if isinstance(self.descending, Parameter) else ()
        return self.sort.parameters + steering

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that must have a value."""
        return self.key.partition.fields


Operation = GetItem | Query


class OneItem(Struct, frozen=True):
    """Answers with the item itself; 404 when there is none."""


class Page(Struct, frozen=True):
    """Answers with `{"items": [...], "next": cursor or null}`."""


class ParentAndPage(Struct, frozen=True):
    """Answers with a parent and a page of its children; 404 when the parent does not exist."""

    parent: str
    """The name that the parent has in the answer, such as `user`."""
    children: str


Answer = OneItem | Page | ParentAndPage


class AccessPattern(Struct, frozen=True, kw_only=True):
    """One question that the table answers, and everything that follows from it being asked.

    Making one raises DeclarationError when its parts do not fit together.
    """

    id: str
    """Its number in the lecture, such as `AP-01`."""
    name: str
    """The entry point's name in `lambdas.handlers`."""
    route: str
    """Method and path, such as `GET /ecommerce/users/{user_id}`."""
    summary: str
    operation: Operation
    answer: Answer
    own_parameters: tuple[Parameter, ...] = ()
    """The parameters that give values to fields."""
    shows: tuple[Technique, ...]
    example: dict[str, str]
    """Parameters that give an answer on the dataset."""
    variant_of: str | None = None
    """The pattern whose route and function this one shares."""

    def __post_init__(self) -> None:
        _check(self)

    def variant(
        self,
        *,
        id: str,  # noqa: A002 - the same word as in the declaration
        name: str,
        summary: str,
        shows: tuple[Technique, ...],
        example: dict[str, str],
    ) -> AccessPattern:
        """The same route asked with other parameters, as an access pattern of its own."""
        return replace(
            self,
            id=id,
            name=name,
            summary=summary,
            shows=shows,
            example=example,
            variant_of=self.id,
        )

    @property
    def method(self) -> str:
        return self.route.split(" ")[0]

    @property
    def path(self) -> str:
        return self.route.split(" ")[1]

    @property
    def dataset(self) -> str:
        """The first segment of the path, which is also the module of the entry point."""
        return self.path.split("/")[1]

    @property
    def path_parameters(self) -> tuple[str, ...]:
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    @property
    def is_paged(self) -> bool:
        return isinstance(self.answer, Page | ParentAndPage)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter of the route: its own, the operation's, and those of a page."""
        paging = (LIMIT, CURSOR) if self.is_paged else ()
        return self.own_parameters + self.operation.parameters + paging

    @property
    def index(self) -> Index:
        return self.operation.keys[0].index

    @property
    def permissions(self) -> tuple[Permission, ...]:
        """All that its function may do."""
        return (Permission(self.operation.action, self.index),)

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """What it returns."""
        return tuple(key.entity for key in self.operation.keys)

    @property
    def errors(self) -> tuple[int, ...]:
        """The statuses besides success that the function itself can answer with."""
        absent = () if isinstance(self.answer, Page) else (404,)
        return (400, *absent, 429, 500, 503)


def _check(pattern: AccessPattern) -> None:
    errors = (_route_error, _parameter_error, _key_error, _example_error)
    for error in (find(pattern) for find in errors):
        if error:
            raise DeclarationError(f"{pattern.id} {pattern.name}: {error}")


def _route_error(pattern: AccessPattern) -> str | None:
    if not re.fullmatch(r"(GET|POST|PUT|PATCH|DELETE) (/[a-z-]+|/\{\w+\})+", pattern.route):
        return f"route {pattern.route!r} is not a method and a path"
    required = _required(pattern)
    missing = [name for name in pattern.path_parameters if name not in required]
    return f"path placeholder {missing[0]!r} has no required parameter" if missing else None


def _parameter_error(pattern: AccessPattern) -> str | None:
    names = [parameter.name for parameter in pattern.parameters]
    twice = [name for name in names if names.count(name) > 1]
    return f"parameter {twice[0]!r} is declared twice" if twice else None


def _key_error(pattern: AccessPattern) -> str | None:
    fields = {field for key in pattern.operation.keys for field in key.fields}
    for parameter in pattern.own_parameters:
        if parameter.fills not in fields:
            return f"parameter {parameter.name!r} fills unknown field {parameter.fills!r}"
    filled = {parameter.fills for parameter in pattern.own_parameters if parameter.required}
    unfilled = [field for field in pattern.operation.fields if field not in filled]
    return f"no required parameter fills {unfilled[0]!r} of the key" if unfilled else None


def _example_error(pattern: AccessPattern) -> str | None:
    unknown = set(pattern.example) - {parameter.name for parameter in pattern.parameters}
    if unknown:
        return f"the example gives unknown parameter {min(unknown)!r}"
    missing = _required(pattern) - set(pattern.example)
    return f"the example lacks {min(missing)!r}" if missing else None


def _required(pattern: AccessPattern) -> set[str]:
    return {parameter.name for parameter in pattern.own_parameters if parameter.required}
