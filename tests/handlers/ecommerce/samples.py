"""Small entities for the tests; only what a test is about is given."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from lambdas.design.ecommerce import (
    Job,
    Order,
    OrderItem,
    Product,
    Session,
    User,
)
from lambdas.design.values import JobStatus


def user(user_id: str, **attributes: Any) -> User:
    defaults: dict[str, Any] = {
        "Name": f"User {user_id}",
        "Email": f"user-{user_id}@x.de",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
    }
    return User(UserId=user_id, **(defaults | attributes))


def order(user_id: str, order_id: str, **attributes: Any) -> Order:
    defaults: dict[str, Any] = {
        "Status": "DELIVERED",
        "Total": Decimal("10.00"),
        "Currency": "EUR",
        "PlacedAt": f"{order_id[:10]}T12:00:00.000Z",
    }
    return Order(UserId=user_id, OrderId=order_id, **(defaults | attributes))


def orders(user_id: str, *order_ids: str, **attributes: Any) -> list[Order]:
    return [order(user_id, order_id, **attributes) for order_id in order_ids]


def order_item(order_id: str, product_id: str, **attributes: Any) -> OrderItem:
    defaults: dict[str, Any] = {
        "UserId": "1",
        "Name": f"Product {product_id}",
        "Quantity": 1,
        "UnitPrice": Decimal("10.00"),
    }
    return OrderItem(OrderId=order_id, ProductId=product_id, **(defaults | attributes))


def product(product_id: str, category: str = "books", **attributes: Any) -> Product:
    defaults: dict[str, Any] = {
        "Name": f"Product {product_id}",
        "Price": Decimal("10.00"),
        "Currency": "EUR",
    }
    return Product(ProductId=product_id, Category=category, **(defaults | attributes))


def session(
    session_id: str, expires_at: datetime | None = None, user_id: str = "1", **attributes: Any
) -> Session:
    defaults: dict[str, Any] = {"CreatedAt": "2023-01-01T00:00:00.000Z"}
    seconds = None if expires_at is None else int(expires_at.timestamp())
    return Session(
        SessionId=session_id, UserId=user_id, ExpiresAt=seconds, **(defaults | attributes)
    )


def job(job_id: str, status: JobStatus = "QUEUED", **attributes: Any) -> Job:
    defaults: dict[str, Any] = {"CreatedAt": "2023-01-01T00:00:00.000Z"}
    return Job(JobId=job_id, Status=status, **(defaults | attributes))


def failed(job_id: str, code: str, failed_at: str = "2024-01-15T10:00:00.000Z") -> Job:
    return job(job_id, "FAILED", ErrorCode=code, FailedAt=failed_at)
