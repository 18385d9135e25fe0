"""The tables, their indexes, and the rows that stand in them for the single table's entities.

What is a fact of its own is stored once: a seminar's room with the seminar, a student's address
with the student, the customer of an order with the order. The name and the price in an order's item
stay there, since they are those of the day on which it was placed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from lambdas.design.ecommerce import EmailGuard, Job, Order, OrderItem, Product, Session, User
from lambdas.design.entity import Entity
from lambdas.design.keys import Index
from lambdas.design.university import Enrolment, ResearchArticle, Teaching
from lambdas.runtime.items import FIRST_VERSION, Item, attributes, to_attribute, to_item

Keys = tuple[str, ...]
"""The values of a row's primary key."""


class Table(Struct, frozen=True):
    """A table for one entity, and its global secondary indexes."""

    name: str
    partition_key: str
    sort_key: str | None = None
    indexes: tuple[Index, ...] = ()

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """The names of the primary key."""
        return (self.partition_key, self.sort_key) if self.sort_key else (self.partition_key,)

    def key(self, row: Item) -> Keys:
        """The primary key of a row."""
        return tuple(row[name]["S"] for name in self.key_attributes)


Rows = dict[Table, dict[Keys, Item]]
"""The rows of each table, by their primary keys."""

BY_EMAIL = Index("ByEmail", "EmailKey", "UserId", "ALL", "A user by the address in lower case.")
VIPS = Index("Vips", "VipKey", "UserId", "ALL", "Sparse: the VIPs alone.")
USERS = Table("Users", "UserId", indexes=(BY_EMAIL, VIPS))

EMAIL_ADDRESSES = Table("EmailAddresses", "EmailKey")

BY_ORDER_ID = Index("ByOrderId", "OrderId", "UserId", "ALL", "An order whose user is not known.")
PENDING = Index("Pending", "PendingKey", "OrderId", "ALL", "Sparse: orders that wait for payment.")
ORDERS = Table("Orders", "UserId", "OrderId", (BY_ORDER_ID, PENDING))

BY_PRODUCT = Index("ByProduct", "ProductId", "OrderId", "KEYS_ONLY", "The orders of a product.")
ORDER_ITEMS = Table("OrderItems", "OrderId", "ProductId", (BY_PRODUCT,))

BY_CATEGORY = Index("ByCategory", "TopCategory", "CategoryKey", "ALL", "The category hierarchy.")
PRODUCTS = Table("Products", "ProductId", indexes=(BY_CATEGORY,))

OF_USER = Index("OfUser", "UserId", "ExpiresKey", "ALL", "A user's sessions.")
EXPIRING = Index("Expiring", "ExpiringKey", "ExpiresKey", "ALL", "Sparse: sessions that expire.")
SESSIONS = Table("Sessions", "SessionId", indexes=(OF_USER, EXPIRING))

FAILED = Index("Failed", "FailedKey", "ErrorKey", "ALL", "Sparse: jobs that failed.")
JOBS = Table("Jobs", "JobId", indexes=(FAILED,))

STUDENTS = Table("Students", "Student")
PROFESSORS = Table("Professors", "Professor")
SEMINARS = Table("Seminars", "Seminar")

STUDENTS_OF = Index("BySeminar", "Seminar", "Student", "KEYS_ONLY", "The students of a seminar.")
ENROLMENTS = Table("Enrolments", "Student", "Seminar", (STUDENTS_OF,))

PROFESSORS_OF = Index("BySeminar", "Seminar", "Professor", "KEYS_ONLY", "Those of a seminar.")
TEACHINGS = Table("Teachings", "Professor", "Seminar", (PROFESSORS_OF,))

ARTICLES = Table("Articles", "Professor", "Forschungsartikel")

TABLES: Final = (
    USERS,
    EMAIL_ADDRESSES,
    ORDERS,
    ORDER_ITEMS,
    PRODUCTS,
    SESSIONS,
    JOBS,
    STUDENTS,
    PROFESSORS,
    SEMINARS,
    ENROLMENTS,
    TEACHINGS,
    ARTICLES,
)


def rows(entities: Iterable[Entity]) -> Rows:
    """The rows that stand for the entities; what several of them repeat is there once."""
    stored: Rows = {table: {} for table in TABLES}
    for entity in entities:
        for table, row in rows_of(entity):
            of_table = stored[table]
            of_table[table.key(row)] = of_table.get(table.key(row), {}) | row
    return stored


def rows_of(entity: Entity) -> Iterator[tuple[Table, Item]]:
    """The rows that stand for one entity. Raises TypeError for one of another dataset."""
    yield from _of_shop(entity) if entity.dataset() == "ecommerce" else _of_university(entity)


def _of_shop(entity: Entity) -> Iterator[tuple[Table, Item]]:
    """A row for each. The values of its index keys are encoded as in the single table."""
    keys = {name: each["S"] for name, each in to_item(entity).items() if "S" in each}
    is_in_gsi1, is_in_gsi2 = "GSI1PK" in keys, "GSI2PK" in keys
    match entity:
        case User():
            index_keys = {"EmailKey": _after(keys["GSI1PK"])}
            yield USERS, _row(entity, index_keys | ({"VipKey": "VIP"} if is_in_gsi2 else {}))
        case EmailGuard():
            yield EMAIL_ADDRESSES, _row(entity, {"EmailKey": _after(keys["PK"])})
        case Order():
            yield ORDERS, _row(entity, {"PendingKey": "PENDING"} if is_in_gsi1 else {})
        case OrderItem():
            yield ORDER_ITEMS, _row(entity, without=("UserId",))
        case Product():
            place = {"TopCategory": _after(keys["GSI1PK"]), "CategoryKey": keys["GSI1SK"]}
            yield PRODUCTS, _row(entity, place)
        case Session():
            ends = {"ExpiresKey": _after(keys["GSI2SK"])}
            yield SESSIONS, _row(entity, ends | ({"ExpiringKey": "YES"} if is_in_gsi1 else {}))
        case Job():
            failed = {"FailedKey": "FAILED", "ErrorKey": keys["GSI1SK"]} if is_in_gsi1 else {}
            yield JOBS, _row(entity, failed)


def _of_university(entity: Entity) -> Iterator[tuple[Table, Item]]:
    """A row for the relation or the article, and one for each of those whom it names."""
    match entity:
        case Enrolment():
            yield ENROLMENTS, _row(entity, without=("RaumNr", "Adresse"))
            yield STUDENTS, _row(entity, only=("Student", "Adresse"))
            yield SEMINARS, _row(entity, only=("Seminar", "RaumNr"))
        case Teaching():
            yield TEACHINGS, _row(entity, without=("RaumNr",))
            yield PROFESSORS, _row(entity, only=("Professor",))
            yield SEMINARS, _row(entity, only=("Seminar", "RaumNr"))
        case ResearchArticle():
            yield ARTICLES, _row(entity)
            yield PROFESSORS, _row(entity, only=("Professor",))
        case _:
            raise TypeError(f"there is no table for a {type(entity).__name__}")


def _row(
    entity: Entity,
    index_keys: Mapping[str, str] = MappingProxyType({}),
    *,
    only: tuple[str, ...] | None = None,
    without: tuple[str, ...] = (),
) -> Item:
    """The attributes of an entity under their own names, those of indexes, and a version."""
    values: dict[str, Any] = {**attributes(entity), **index_keys, "Version": FIRST_VERSION}
    wanted = {*(only or values), "Version"} - {*without}
    return {name: to_attribute(value) for name, value in values.items() if name in wanted}


def _after(key: str) -> str:
    """The value in a key of the single table, `EMAIL#alice@x.de`."""
    return key.partition("#")[2]
