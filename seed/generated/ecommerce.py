"""A shop of any size: most customers order little, some a great deal; a few products sell most."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count as numbers
from typing import Final

from lambdas.design.ecommerce import (
    EmailGuard,
    Job,
    Order,
    OrderItem,
    Product,
    Session,
    User,
)
from lambdas.design.entity import Entity
from lambdas.design.values import OrderStatus
from lambdas.runtime import times
from seed.generated import names
from seed.generated.chance import Chance
from seed.generated.units import filled

YEARS_BACK: Final = 3
MOST_ORDERS, MOST_ITEMS = 500, 97
"""The most of a customer and the most of an order; the latter is what a transaction can write."""

STATUSES: Final[tuple[OrderStatus, ...]] = (
    *("DELIVERED",) * 16,
    "PENDING",
    "PAID",
    "SHIPPED",
    "CANCELLED",
)
CATEGORIES: Final = (
    "electronics/audio/headphones",
    "electronics/audio/cables",
    "electronics/audiobooks",
    "electronics/cameras",
    "books/novels",
    "books/science/computing",
    "home/kitchen",
    "home/garden/tools",
)
ERROR_CODES: Final = ("TIMEOUT", "NO_STOCK", "PAYMENT_REFUSED")
ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def entities(count: int, now: datetime, chance: Chance) -> Iterator[Entity]:
    """So many entities of a shop; everything in it has happened before `now`, but for sessions that
    end after it."""
    return filled(count, _units(now, chance), lambda number: _job(f"J-more-{number:09d}", now))


def user_id(number: int) -> str:
    """A customer's id; a load has them without a gap from 0 on."""
    return f"U-{number:09d}"


def product(number: int) -> Product:
    """A product is made from its number alone, so that an order need not look it up."""
    return Product(
        ProductId=f"P-{number:09d}",
        Name=f"{names.LAST[number * 7 % len(names.LAST)]} {number}",
        Price=Decimal(number * 7919 % 29_900 + 100).scaleb(-2),
        Currency="EUR",
        Category=CATEGORIES[number % len(CATEGORIES)],
    )


def _units(now: datetime, chance: Chance) -> Iterator[list[Entity]]:
    """Without end: a product, a customer with orders and sessions, a job; and again."""
    for number in numbers():
        yield [product(number)]
        user = _user(number, now, chance)
        yield [user, EmailGuard(Email=user.Email, UserId=user.UserId)]
        for _ in range(chance.few(MOST_ORDERS) - 1):
            yield _order(user.UserId, number + 1, now, chance)
        for session in range(chance.below(3)):
            yield [_session(f"S-{number:09d}-{session}", user.UserId, now, chance)]
        job = f"J-{number:09d}"
        yield [_failed(job, now, chance) if chance.happens(0.1) else _job(job, now)]


def _user(number: int, now: datetime, chance: Chance) -> User:
    name = names.person(number)
    return User(
        UserId=user_id(number),
        Name=name,
        Email=f"{name.replace(' ', '.')}.{number}@example.org",
        CreatedAt=_before(now, chance),
        VIP=True if chance.happens(0.02) else None,
        Address=names.address(number) if chance.happens(0.7) else None,
    )


def _order(user: str, products: int, now: datetime, chance: Chance) -> list[Entity]:
    """An order and its items; `products` is how many there are to choose from."""
    placed = _before(now, chance)
    order_id = f"{placed}-{''.join(chance.of(ALPHABET) for _ in range(6))}"
    items = [
        OrderItem(
            OrderId=order_id,
            ProductId=bought.ProductId,
            UserId=user,
            Name=bought.Name,
            Quantity=chance.few(9),
            UnitPrice=bought.Price,
        )
        for bought in map(product, chance.ranks(chance.few(MOST_ITEMS), products))
    ]
    order = Order(
        UserId=user,
        OrderId=order_id,
        Status=chance.of(STATUSES),
        Total=sum((item.Quantity * item.UnitPrice for item in items), Decimal(0)),
        Currency="EUR",
        PlacedAt=placed,
    )
    return [order, *items]


def _session(session: str, user: str, now: datetime, chance: Chance) -> Session:
    ends = int(now.timestamp()) + chance.below(30 * 24 * 3600) + 60
    return Session(
        SessionId=session,
        UserId=user,
        CreatedAt=times.to_text(now - timedelta(seconds=chance.below(24 * 3600))),
        ExpiresAt=ends if chance.happens(0.9) else None,
    )


def _job(job: str, now: datetime) -> Job:
    return Job(JobId=job, Status="SUCCEEDED", CreatedAt=times.to_text(now))


def _failed(job: str, now: datetime, chance: Chance) -> Job:
    began = _before(now, chance)
    return Job(
        JobId=job,
        Status="FAILED",
        CreatedAt=began,
        ErrorCode=ERROR_CODES[chance.rank(len(ERROR_CODES))],
        FailedAt=began,
    )


def _before(now: datetime, chance: Chance) -> str:
    """A time in the last years."""
    back = chance.below(YEARS_BACK * 365 * 24 * 3600 * 1000)
    return times.to_text(now - timedelta(milliseconds=back))
