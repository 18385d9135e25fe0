"""Changes of the data, and the write units that each design takes for them.

A change is the entities before it and after it. Every item that differs is written, with the index
entries that differ; in a transaction the table's part counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from bench.several_tables.schema import rows
from bench.units import IN_TRANSACTION, index_write_units, write_units
from lambdas.design.ecommerce import EmailGuard, Job, Order, OrderItem, Product, Session, User
from lambdas.design.entity import Entity
from lambdas.design.keys import Index
from lambdas.design.table import INDEXES, TABLE
from lambdas.design.university import Enrolment, ResearchArticle, Teaching
from lambdas.runtime.items import Item, to_item


class Change(Struct, frozen=True):
    """A change, and how it is carried out in both designs."""

    title: str
    before: tuple[Entity, ...]
    after: tuple[Entity, ...]
    in_transaction: bool = False
    checks: int = 0
    """Items whose existence is checked in the same transaction."""


class Written(Struct, frozen=True):
    """What a change takes of one design."""

    items: int
    units: int
    of_indexes: int
    """The indexes' part of the units."""


def in_single_table(change: Change) -> Written:
    """What a change takes of the single table."""
    was, now = ({_key(item): item for item in _items(part)} for part in _states(change))
    return _written(change, [(TABLE.key_attributes, INDEXES, was, now)])


def in_several_tables(change: Change) -> Written:
    """What a change takes of the several tables."""
    before, after = (rows(part) for part in _states(change))
    parts = [(table.key_attributes, table.indexes, before[table], after[table]) for table in before]
    return _written(change, parts)


_Part = tuple[tuple[str, ...], tuple[Index, ...], Mapping[Any, Item], Mapping[Any, Item]]


def _written(change: Change, parts: Iterable[_Part]) -> Written:
    times = IN_TRANSACTION if change.in_transaction else 1
    items, of_table, of_indexes = 0, change.checks, 0
    for table_keys, indexes, was, now in parts:
        for before, after in _differing(was, now):
            items += 1
            of_table += write_units(before, after)
            of_indexes += sum(
                index_write_units(index, before, after, table_keys=table_keys) for index in indexes
            )
    return Written(items, of_table * times + of_indexes, of_indexes)


def _differing(
    was: Mapping[Any, Item], now: Mapping[Any, Item]
) -> Iterator[tuple[Item | None, Item | None]]:
    for key in {**was, **now}:
        if was.get(key) != now.get(key):
            yield was.get(key), now.get(key)


def _states(change: Change) -> tuple[tuple[Entity, ...], tuple[Entity, ...]]:
    return change.before, change.after


def _items(entities: Iterable[Entity]) -> Iterator[Item]:
    return map(to_item, entities)


def _key(item: Item) -> tuple[str, str]:
    return item[TABLE.partition_key]["S"], item[TABLE.sort_key]["S"]


# --- The changes ----------------------------------------------------------------------------

TIME: Final = "2024-03-02T09:15:00.123Z"
USER: Final = User(UserId="U-001", Name="Alice", Email="alice@x.de", CreatedAt=TIME)
GUARD: Final = EmailGuard(Email=USER.Email, UserId=USER.UserId)
ORDER: Final = Order(
    UserId=USER.UserId,
    OrderId=f"{TIME}-7F3K9Q",
    Status="PENDING",
    Total=Decimal("129.90"),
    Currency="EUR",
    PlacedAt=TIME,
)
PRODUCT: Final = Product(
    ProductId="P-100",
    Name="Kopfhörer",
    Price=Decimal("79.90"),
    Currency="EUR",
    Category="electronics/audio/headphones",
)
SESSION: Final = Session(
    SessionId="S-001", UserId=USER.UserId, CreatedAt=TIME, ExpiresAt=1_735_689_600
)
JOB: Final = Job(JobId="J-001", Status="QUEUED", CreatedAt=TIME)
SEMINAR: Final = "Die Kunst des Machine Learning"
TEACHING: Final = Teaching(Professor="Clara Codekraft", Seminar=SEMINAR, RaumNr="42", Jahr="2024")
ARTICLE: Final = ResearchArticle(
    Professor=TEACHING.Professor,
    Forschungsartikel="Graphen ohne Joins",
    Fachjournal="Modern IT",
    AnzSeiten="21",
)


def _order_items(count: int) -> tuple[Entity, ...]:
    return tuple(
        OrderItem(
            OrderId=ORDER.OrderId,
            ProductId=f"P-{number:03}",
            UserId=USER.UserId,
            Name=PRODUCT.Name,
            Quantity=1,
            UnitPrice=PRODUCT.Price,
        )
        for number in range(count)
    )


def _enrolments(count: int, room: str = "42") -> tuple[Entity, ...]:
    return tuple(
        Enrolment(Student=f"Student {number}", Seminar=SEMINAR, RaumNr=room, Semester="2")
        for number in range(count)
    )


_SEATS = _enrolments(50)
_NEW = Enrolment(Student="Student 1", Seminar="Rechnernetze", RaumNr="9", Semester="2")
_THERE = Enrolment(Student="Student 2", Seminar="Rechnernetze", RaumNr="9", Semester="2")

CHANGES: Final = (
    *(
        Change(
            f"Place an order of {count} item{'s' * (count > 1)} (CW-05)",
            (),
            (ORDER, *_order_items(count)),
            in_transaction=True,
            checks=1,
        )
        for count in (1, 3, 10)
    ),
    Change("Take payment of an order (CW-06)", (ORDER,), (replace(ORDER, Status="PAID"),)),
    Change("Sign up a user (CW-01)", (), (USER, GUARD), in_transaction=True),
    Change("Change a user's name (CW-02)", (USER,), (replace(USER, Name="Alicia"),)),
    Change("Put a new product (CW-07)", (), (PRODUCT,)),
    Change("Start a session (CW-08)", (), (SESSION,), in_transaction=True, checks=1),
    Change("Submit a job (CW-10)", (), (JOB,), in_transaction=True),
    Change("Enrol a student (UW-01)", (*_SEATS, _THERE), (*_SEATS, _THERE, _NEW)),
    Change(
        "Grade a student (UW-02)",
        (*_SEATS, _THERE),
        (*_SEATS, replace(_THERE, Note="1,3")),
    ),
    Change("Publish an article (UW-05)", (TEACHING,), (TEACHING, ARTICLE)),
    Change("Move a seminar of 50 students (UW-06)", _SEATS, _enrolments(50, room="43")),
)
