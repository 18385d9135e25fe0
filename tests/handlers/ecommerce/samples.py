"""Small entities for the tests; only what a test is about is given."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lambdas.design.ecommerce import Order, OrderItem, User


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
