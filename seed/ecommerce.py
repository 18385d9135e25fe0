"""The shop: five customers and their orders, a small range of goods, logins, background jobs.

Beside what a lecture would show stand near misses: things that a query with a careless key would
return as well. Each has a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

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


def items(now: datetime) -> Iterator[Entity]:
    """All of the shop. Only the sessions depend on `now`: they begin and end around it."""
    yield from USERS
    yield from (EmailGuard(Email=user.Email, UserId=user.UserId) for user in USERS)
    yield from PRODUCTS
    yield from ORDERS
    yield from sessions(now)
    yield from JOBS


# --- Users ----------------------------------------------------------------------------------

USERS = [
    User(
        UserId="U-001",
        Name="Alice",
        Email="alice@x.de",
        VIP=True,
        Address={
            "Strasse": "Lindenallee",
            "Hausnummer": "12",
            "Postleitzahl": "50667",
            "Stadt": "Köln",
            "Land": "Deutschland",
        },
        CreatedAt="2023-05-02T08:14:00.000Z",
    ),
    User(
        UserId="U-002",
        Name="Bob",
        Email="bob@x.de",
        Address={
            "Strasse": "Große Bleichen",
            "Hausnummer": "3b",
            "Postleitzahl": "20354",
            "Stadt": "Hamburg",
            "Land": "Deutschland",
        },
        CreatedAt="2023-08-17T17:40:00.000Z",
    ),
    User(
        UserId="U-003",
        Name="Käthe Grünwald",
        Email="kaethe.gruenwald@example.org",
        VIP=True,
        Address={
            "Strasse": "Müllerstraße",
            "Hausnummer": "41",
            "Postleitzahl": "80469",
            "Stadt": "München",
            "Land": "Deutschland",
        },
        CreatedAt="2023-11-30T20:05:00.000Z",
    ),
    User(
        UserId="U-004",
        Name="Jörg Weißenböck",
        # The profile keeps the address as it was typed; keys have it in lower case.
        Email="Joerg.Weissenboeck@example.org",
        Address={
            "Strasse": "Am Künstlerhaus",
            "Hausnummer": "7",
            "Postleitzahl": "8010",
            "Stadt": "Graz",
            "Land": "Österreich",
        },
        CreatedAt="2024-02-11T11:22:00.000Z",
    ),
    # Nearly Alice: another address than alice@x.de, no address to send to, and no order yet.
    User(
        UserId="U-005",
        Name="Alice Öztürk",
        Email="alice@x.de.example.org",
        CreatedAt="2025-01-04T09:00:00.000Z",
    ),
]

# --- Products -------------------------------------------------------------------------------


def product(product_id: str, price: str, category: str, name: str) -> Product:
    """A product of the range; its price is in euros."""
    return Product(
        ProductId=product_id, Name=name, Price=Decimal(price), Currency="EUR", Category=category
    )


PRODUCTS = [
    product("P-100", "79.90", "electronics/audio/headphones", "Kopfhörer Klangwelle"),
    product("P-101", "34.50", "electronics/audio/headphones", "In-Ear-Kopfhörer Flüsterton"),
    # Begins with "headphones", and is a category of its own.
    product("P-110", "12.90", "electronics/audio/headphones-accessories", "Ersatz-Ohrpolster"),
    product("P-200", "25.00", "electronics/audio/cables", "Lautsprecherkabel, 10 m"),
    product("P-201", "9.99", "electronics/audio/cables", "Klinkenkabel, 1,5 m"),
    # Directly in "audio", one level above the others.
    product("P-210", "149.00", "electronics/audio", "Bluetooth-Lautsprecher Küchenklang"),
    # Begins with "audio", and is another category.
    product("P-300", "14.95", "electronics/audiobooks", "Hörbuch: Die Verwandlung"),
    product("P-301", "19.95", "electronics/audiobooks", "Hörbuch: Der Schimmelreiter"),
    # The first level alone.
    product("P-310", "50.00", "electronics", "Gutschein Elektronik"),
    product("P-400", "8.00", "books/fiction/classics", "Effi Briest"),
    product("P-401", "7.50", "books/fiction/classics", "Die Verwandlung"),
    product("P-402", "29.00", "books/fiction/märchen", "Kinder- und Hausmärchen"),
    product("P-410", "39.90", "books/non-fiction/databases", "Datenmodelle ohne Joins"),
    product("P-411", "44.90", "books/non-fiction/databases/nosql", "Zugriffsmuster zuerst"),
    # A key writes this level as C%23, since # is what separates its parts; C is its neighbour.
    product("P-420", "42.00", "books/non-fiction/programming/C#", "Nebenläufigkeit in C#"),
    product("P-421", "38.00", "books/non-fiction/programming/C", "Zeiger, Schritt für Schritt"),
    product("P-430", "24.00", "books/non-fiction/cooking/baking", "Brot und Brötchen"),
]

PRODUCT_NAMES = {product.ProductId: product.Name for product in PRODUCTS}

# --- Orders, each followed by its items -----------------------------------------------------


def order(
    user_id: str, order_id: str, status: OrderStatus, total: str, placed_at: str | None = None
) -> Order:
    """An order over a total in euros.

    Without `placed_at` that time is in the id, as it is for every new order: the time and six
    characters, so that two of one day never meet.
    """
    return Order(
        UserId=user_id,
        OrderId=order_id,
        Status=status,
        Total=Decimal(total),
        Currency="EUR",
        PlacedAt=placed_at or order_id.rpartition("-")[0],
    )


def item(user_id: str, order_id: str, product_id: str, quantity: int, unit_price: str) -> OrderItem:
    """So many of a product, at the price in euros that it had on that day."""
    return OrderItem(
        OrderId=order_id,
        ProductId=product_id,
        UserId=user_id,
        Name=PRODUCT_NAMES[product_id],
        Quantity=quantity,
        UnitPrice=Decimal(unit_price),
    )


ORDERS = [
    order("U-001", "2023-11-20", "DELIVERED", "92.85", "2023-11-20T19:02:00.000Z"),
    item("U-001", "2023-11-20", "P-100", 1, "69.90"),  # it costs more by now
    item("U-001", "2023-11-20", "P-300", 1, "14.95"),
    item("U-001", "2023-11-20", "P-400", 1, "8.00"),
    order("U-001", "2024-01-05", "DELIVERED", "39.90", "2024-01-05T07:30:00.000Z"),
    item("U-001", "2024-01-05", "P-410", 1, "39.90"),
    order("U-001", "2024-01-15", "PENDING", "129.90", "2024-01-15T10:12:00.000Z"),
    item("U-001", "2024-01-15", "P-100", 1, "79.90"),
    item("U-001", "2024-01-15", "P-200", 2, "25.00"),
    # The evening of 31 January is still January; the midnight after it is not.
    order("U-001", "2024-01-31T18:45:00.000Z-JAN31X", "SHIPPED", "29.97"),
    item("U-001", "2024-01-31T18:45:00.000Z-JAN31X", "P-201", 3, "9.99"),
    order("U-001", "2024-02-01", "CANCELLED", "149.00", "2024-02-01T00:00:00.000Z"),
    item("U-001", "2024-02-01", "P-210", 1, "149.00"),
    order("U-001", "2024-03-12", "DELIVERED", "39.99", "2024-03-12T12:48:00.000Z"),
    item("U-001", "2024-03-12", "P-201", 1, "8.99"),  # it costs more by now
    item("U-001", "2024-03-12", "P-400", 2, "8.00"),
    item("U-001", "2024-03-12", "P-401", 2, "7.50"),
    order("U-001", "2024-06-30", "DELIVERED", "34.50", "2024-06-30T15:20:00.000Z"),
    item("U-001", "2024-06-30", "P-101", 1, "34.50"),
    order("U-001", "2024-12-24", "PAID", "108.00", "2024-12-24T09:05:00.000Z"),
    item("U-001", "2024-12-24", "P-310", 1, "50.00"),
    item("U-001", "2024-12-24", "P-402", 2, "29.00"),
    order("U-001", "2025-01-02", "PENDING", "57.80", "2025-01-02T21:33:00.000Z"),
    item("U-001", "2025-01-02", "P-110", 1, "12.90"),
    item("U-001", "2025-01-02", "P-411", 1, "44.90"),
    # On the day of Alice's 2024-01-15, which is what this id begins with.
    order("U-002", "2024-01-15T16:05:12.480Z-7F3K9Q", "DELIVERED", "104.90"),
    item("U-002", "2024-01-15T16:05:12.480Z-7F3K9Q", "P-100", 1, "79.90"),
    item("U-002", "2024-01-15T16:05:12.480Z-7F3K9Q", "P-200", 1, "25.00"),
    order("U-002", "2024-02-29T07:41:30.007Z-B4XW2M", "PENDING", "42.00"),
    item("U-002", "2024-02-29T07:41:30.007Z-B4XW2M", "P-420", 1, "42.00"),
    # The last millisecond of 2023.
    order("U-003", "2023-12-31T23:59:59.999Z-9ZK2PT", "DELIVERED", "24.00"),
    item("U-003", "2023-12-31T23:59:59.999Z-9ZK2PT", "P-430", 1, "24.00"),
    order("U-003", "2024-07-01T05:00:00.000Z-H6D8RC", "SHIPPED", "238.80"),
    item("U-003", "2024-07-01T05:00:00.000Z-H6D8RC", "P-210", 1, "149.00"),
    item("U-003", "2024-07-01T05:00:00.000Z-H6D8RC", "P-411", 2, "44.90"),
    order("U-004", "2024-12-01T18:30:45.250Z-QM5T1V", "CANCELLED", "69.85"),
    item("U-004", "2024-12-01T18:30:45.250Z-QM5T1V", "P-300", 1, "14.95"),
    item("U-004", "2024-12-01T18:30:45.250Z-QM5T1V", "P-301", 2, "19.95"),
    item("U-004", "2024-12-01T18:30:45.250Z-QM5T1V", "P-401", 2, "7.50"),
]

# --- Sessions -------------------------------------------------------------------------------

SOON = timedelta(hours=1)
MONTH = timedelta(days=30)


def sessions(now: datetime) -> Iterator[Session]:
    """Logins that began before `now`, and end soon, later, never, or have ended."""
    yield Session(
        SessionId="S-001",
        UserId="U-001",
        CreatedAt=times.to_text(now),
        ExpiresAt=epoch(now + MONTH),
    )
    yield Session(
        SessionId="S-002",
        UserId="U-001",
        CreatedAt=times.to_text(now - timedelta(hours=7)),
        ExpiresAt=epoch(now + SOON),
    )
    # Without ExpiresAt: it does not end by itself, and is in no list of those that will.
    yield Session(SessionId="S-003", UserId="U-001", CreatedAt="2024-12-24T09:01:00.000Z")
    # Over, though it may lie in the table for days until the time to live removes it.
    yield Session(
        SessionId="S-004",
        UserId="U-001",
        CreatedAt=times.to_text(now - timedelta(hours=9)),
        ExpiresAt=epoch(now - SOON),
    )
    yield Session(
        SessionId="S-005",
        UserId="U-002",
        CreatedAt=times.to_text(now - timedelta(days=16)),
        ExpiresAt=epoch(now + timedelta(days=14)),
    )
    yield Session(SessionId="S-006", UserId="U-003", CreatedAt="2025-01-03T22:10:00.000Z")


def epoch(time: datetime) -> int:
    """A time in whole seconds since 1970-01-01T00:00:00Z; fractions are cut off."""
    return int(time.timestamp())


# --- Jobs -----------------------------------------------------------------------------------

JOBS = [
    Job(JobId="J-001", Status="QUEUED", CreatedAt="2025-01-05T06:00:00.000Z"),
    Job(JobId="J-002", Status="SUCCEEDED", CreatedAt="2025-01-05T03:00:00.000Z"),
    Job(JobId="J-003", Status="SUCCEEDED", CreatedAt="2025-01-04T03:00:00.000Z"),
    Job(
        JobId="J-004",
        Status="FAILED",
        CreatedAt="2025-01-03T03:00:00.000Z",
        ErrorCode="TIMEOUT",
        FailedAt="2025-01-03T03:15:00.000Z",
    ),
    # The same error earlier, so it is listed before J-004.
    Job(
        JobId="J-005",
        Status="FAILED",
        CreatedAt="2024-12-30T03:00:00.000Z",
        ErrorCode="TIMEOUT",
        FailedAt="2024-12-30T03:15:00.000Z",
    ),
    # Begins with TIMEOUT, and is another error.
    Job(
        JobId="J-006",
        Status="FAILED",
        CreatedAt="2025-01-02T03:00:00.000Z",
        ErrorCode="TIMEOUT_AT_BANK",
        FailedAt="2025-01-02T03:00:30.000Z",
    ),
    Job(
        JobId="J-007",
        Status="FAILED",
        CreatedAt="2025-01-01T03:00:00.000Z",
        ErrorCode="MAILBOX_FULL",
        FailedAt="2025-01-01T03:00:02.000Z",
    ),
]
