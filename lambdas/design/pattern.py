"""The words in which access patterns are declared: what is answered, and the pattern itself."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from lambdas.design.access import Admin, Anyone, Oneself, Owner, People
from lambdas.design.entity import Entity
from lambdas.design.keys import DeclarationError, Index, Key, did_you_mean
from lambdas.design.operations import (
    FromNow,
    Operation,
    Parameter,
    PartiQLSelect,
    Permission,
    Query,
    Within,
    Write,
)
from lambdas.design.table import INVERTED_INDEX, TABLE
from lambdas.design.values import Cursor, EntityTag, IdempotencyKey, PageLimit

DEFAULT_LIMIT = 50


class Technique(StrEnum):
    """What of the lecture and of the article a pattern shows."""

    SINGLE_ITEM = "Single item"
    ONE_TO_MANY = "One-to-many"
    TIME_RANGE = "Time range"
    NEWEST_FIRST = "Newest first"
    INDEX_OVERLOADING = "Index overloading"
    SPARSE_INDEX = "Sparse index"
    COMPOSITE_SORT_KEY = "Composite sort key"
    INVERTED_INDEX = "Inverted index"
    MANY_TO_MANY = "Many-to-many"
    EMBEDDED_JSON = "Embedded JSON"
    ELEMENT_LIST = "Element list with several schemas"
    TIME_TO_LIVE = "Time to live"
    UNIQUENESS = "Uniqueness"
    IDEMPOTENCY = "Idempotency"
    OPTIMISTIC_LOCKING = "Optimistic locking"
    DUPLICATED_ATTRIBUTE = "Duplicated attribute"


LIMIT = Parameter("limit", PageLimit, "How many items a page has at most.", default=DEFAULT_LIMIT)
IF_MATCH = Parameter(
    "If-Match", EntityTag, "Only if this is still the item's `ETag`; otherwise 412."
)
IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    IdempotencyKey,
    "Makes a repeated call safe: within 24 hours the same key gives the first answer again.",
)
CURSOR = Parameter("cursor", Cursor, "Where the page begins: `next` of the page before.")


class OneItem(Struct, frozen=True):
    """Answers with the item itself; 404 when there is none."""


class Page(Struct, frozen=True):
    """Answers with `{"items": [...], "next": cursor or null}`."""

    must_exist: bool = False
    """The items together are one thing, such as a student: with none of them it is 404."""


class ParentAndPage(Struct, frozen=True):
    """Answers with a parent and a page of its children; 404 when the parent does not exist."""

    parent: str
    """The name that the parent has in the answer, such as `user`."""
    children: str


class ParentAndAll(Struct, frozen=True):
    """Answers with a parent and all its children; 404 when the parent does not exist."""

    parent: str
    children: str


class WholeItems(Struct, frozen=True):
    """Answers with `{"Items": [...], "NextToken": ...}`: items as stored, keys included."""


class NewItem(Struct, frozen=True):
    """Answers with a new item and 201; with 200 when the call's idempotency key is known."""

    location: str = ""
    """The path of the item, with its fields in braces; empty where no route reads it."""


class NewParentAndAll(Struct, frozen=True):
    """Answers with a new parent and all its children, as ParentAndAll reads them, and 201."""

    parent: str
    children: str
    location: str


class PutOrReplaced(Struct, frozen=True):
    """Answers with the item as it now is: 201 when it is new, 200 when it was there."""

    location: str = ""


class Nothing(Struct, frozen=True):
    """Answers with 204 and no body."""


class Progress(Struct, frozen=True):
    """Answers with `{"changed": n, "next": cursor or null}`; `next` is given back to go on."""


Answer = (
    OneItem
    | Page
    | ParentAndPage
    | ParentAndAll
    | WholeItems
    | NewItem
    | NewParentAndAll
    | PutOrReplaced
    | Nothing
    | Progress
)


class AccessPattern(Struct, frozen=True, kw_only=True, dict=True):
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
    people: People = Admin()
    """Which people may call it; what is not said is for admins alone."""
    operation: Operation
    answer: Answer
    own_parameters: tuple[Parameter, ...] = ()
    """The parameters that give values to fields."""
    headers: tuple[Parameter, ...] = ()
    """What it takes besides, in headers."""
    refuses: tuple[int, ...] = ()
    """The statuses of a write that what is stored can stand in the way of: 404, 409."""
    body: type[Struct] | None = None
    """What the request's body must be."""
    shows: tuple[Technique, ...]
    example: dict[str, str]
    """Parameters that give an answer on the dataset."""
    example_body: Struct | None = None
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

    @cached_property
    def path_parameters(self) -> tuple[str, ...]:
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    @property
    def is_paged(self) -> bool:
        return isinstance(self.answer, Page | ParentAndPage)

    @property
    def is_idempotent(self) -> bool:
        """Whether a key makes a repeated call give the first answer again."""
        return IDEMPOTENCY_KEY in self.headers

    @property
    def is_bounded_by_now(self) -> bool:
        """Whether the present time is a bound of what is read."""
        return isinstance(self.operation, Query) and isinstance(self.operation.sort, FromNow)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter of the route: its own, the operation's, and those of a page."""
        paging: tuple[Parameter, ...] = (LIMIT, CURSOR) if self.is_paged else ()
        if isinstance(self.answer, Progress):
            paging = (CURSOR,)
        return self.own_parameters + self.operation.parameters + paging

    @property
    def index(self) -> Index:
        return self.operation.keys[0].index

    @cached_property
    def collection(self) -> Key | None:
        """The key by which it reads an item collection: all that it does, or what it does first."""
        operation = self.operation
        first = operation.steps[0] if isinstance(operation, Write) else operation
        return first.key if isinstance(first, Query) else None

    @cached_property
    def is_sharded(self) -> bool:
        """Whether that is spread over several partition keys."""
        return self.collection is not None and self.collection.is_sharded

    @property
    def requests(self) -> int:
        """How many requests a read makes."""
        return self.collection.requests if self.collection else 1

    @property
    def permissions(self) -> tuple[Permission, ...]:
        """All that its function may do."""
        operation = self.operation
        if isinstance(operation, PartiQLSelect):
            return tuple(
                Permission(operation.action, index, operation.leading_keys(index))
                for index in (TABLE, INVERTED_INDEX)
            )
        if isinstance(operation, Write):
            allowed = (Permission(each.action, each.key.index) for each in operation.singles)
            return tuple(dict.fromkeys(allowed))
        return (Permission(operation.action, self.index),)

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """What it returns."""
        return tuple(key.entity for key in self.operation.keys)

    @property
    def refuses_people(self) -> bool:
        """Whether a person with a token can be answered with 403."""
        return self.people != Anyone()

    @property
    def errors(self) -> tuple[int, ...]:
        """The statuses besides success that the function itself can answer with."""
        is_list = self.answer in (Page(), WholeItems())
        denied = (403,) if isinstance(self.operation, PartiQLSelect) else ()
        absent = () if isinstance(self.operation, Write) or is_list else (404,)
        moved_on = (412,) if IF_MATCH in self.headers else ()
        too_large = (413,) if isinstance(self.operation, Write) and self.body else ()
        others = {*denied, *absent, *self.refuses, *moved_on, *too_large}
        return tuple(sorted({400, *others, 429, 500, 503}))


def _check(pattern: AccessPattern) -> None:
    errors = (_route_error, _parameter_error, _key_error, _people_error, _example_error)
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
            hint = did_you_mean(parameter.fills or "", fields)
            return f"parameter {parameter.name!r} fills unknown field {parameter.fills!r}{hint}"
    filled = {parameter.fills for parameter in pattern.own_parameters if parameter.required}
    needed = (*pattern.operation.fields, *_in_front_of_a_range(pattern))
    unfilled = [field for field in needed if field not in filled]
    return f"no required parameter fills {unfilled[0]!r} of the key" if unfilled else None


def _in_front_of_a_range(pattern: AccessPattern) -> tuple[str, ...]:
    """The fields of the sort key before the one that a range is over: with one of them open, the
    range would be compared with that field's values."""
    operation = pattern.operation
    if not isinstance(operation, Query) or not isinstance(operation.sort, Within | FromNow):
        return ()
    fields = operation.key.sort.fields
    return fields[: fields.index(operation.sort.field)]


def _people_error(pattern: AccessPattern) -> str | None:
    people, sent = pattern.people, _encoded(pattern.body)
    match people:
        case Oneself(field, reserved):
            filled = {parameter.fills for parameter in pattern.own_parameters} | sent
            if field not in filled:
                return f"nothing gives {field!r}, which must be the caller's own"
            unknown = [each.name for each in reserved if each.name not in sent]
            return f"the body has no {unknown[0]!r} to reserve" if unknown else None
        case Owner(attribute):
            if pattern.index.projection != "ALL":
                return f"{pattern.index.name} does not say whose its items are"
            for entity in pattern.entities:
                if attribute not in entity.__struct_encode_fields__:
                    return f"{entity.__name__} has no {attribute!r} that says whose it is"
    return None


def _encoded(body: type[Struct] | None) -> set[str]:
    """The names in a body."""
    return set(body.__struct_encode_fields__) if body else set()


def _example_error(pattern: AccessPattern) -> str | None:
    unknown = set(pattern.example) - {parameter.name for parameter in pattern.parameters}
    if unknown:
        return f"the example gives unknown parameter {min(unknown)!r}"
    missing = _required(pattern) - set(pattern.example)
    if missing:
        return f"the example lacks {min(missing)!r}"
    if pattern.body and not isinstance(pattern.example_body, pattern.body):
        return f"the example lacks a body of {pattern.body.__name__}"
    return None


def _required(pattern: AccessPattern) -> set[str]:
    return {parameter.name for parameter in pattern.parameters if parameter.required}
