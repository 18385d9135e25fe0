from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from lambdas.design.ecommerce import (
    CHANGE_ORDER_STATUS,
    DELETE_USER,
    GET_ORDER,
    LIST_ORDER_ITEMS,
    LIST_PENDING_ORDERS,
    LIST_PRODUCT_ORDERS,
    LIST_USER_ORDERS,
    PLACE_ORDER,
    PUT_PRODUCT,
    EmailGuard,
)
from lambdas.runtime.items import to_item, tombstone
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Clock, Stored
from tests.handlers.ecommerce.samples import order, product, user

HEADPHONES = product("P-100", Name="Kopfhörer", Price=Decimal("79.90"))
CABLE = product("P-200", Name="Kabel", Price=Decimal("25.00"))
TWO_LINES = [{"ProductId": "P-200", "Quantity": 2}, {"ProductId": "P-100", "Quantity": 1}]


@pytest.fixture(autouse=True)
def wares(put: Put) -> None:
    put(user("1"), user("10"), HEADPHONES, CABLE, product("P-10", Currency="USD"))


def place(items: Any, user_id: str = "1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(PLACE_ORDER, {"user_id": user_id}, sent, {"Items": items})


def unknown(count: int) -> list[dict[str, Any]]:
    return [{"ProductId": f"X-{n}", "Quantity": 1} for n in range(count)]


def test_answers_with_the_order_and_its_items_at_the_products_names_and_prices(
    clock: Clock,
) -> None:
    assert clock.now.minute == 0

    answer = place(TWO_LINES)

    order_id = answer.body["order"]["OrderId"]
    assert answer.status == 201
    assert re.fullmatch(r"2026-11-30T12:00:00\.000Z-[0-9A-HJKMNP-TV-Z]{6}", order_id)
    assert answer.headers["Location"] == f"/ecommerce/orders/{order_id}"
    assert answer.etag == '"1"'
    assert answer.requests == 2
    assert answer.body == {
        "order": {
            "Type": "Order",
            "UserId": "1",
            "OrderId": order_id,
            "Status": "PENDING",
            "Total": Decimal("129.90"),
            "Currency": "EUR",
            "PlacedAt": "2026-11-30T12:00:00.000Z",
            "Version": 1,
        },
        "items": [
            {
                "Type": "OrderItem",
                "OrderId": order_id,
                "ProductId": "P-100",
                "UserId": "1",
                "Name": "Kopfhörer",
                "Quantity": 1,
                "UnitPrice": Decimal("79.90"),
                "Version": 1,
            },
            {
                "Type": "OrderItem",
                "OrderId": order_id,
                "ProductId": "P-200",
                "UserId": "1",
                "Name": "Kabel",
                "Quantity": 2,
                "UnitPrice": Decimal("25.00"),
                "Version": 1,
            },
        ],
    }


@pytest.mark.usefixtures("clock")
def test_stores_the_order_and_its_items_with_all_their_keys(stored: Stored) -> None:
    before = stored.all()

    order_id = place(TWO_LINES).body["order"]["OrderId"]

    after = stored.all()
    assert {key: after[key] for key in before} == before
    made = {key: item for key, item in after.items() if key not in before}
    lines = {
        (f"ORDER#{order_id}", f"ITEM#{product_id}"): {
            "PK": {"S": f"ORDER#{order_id}"},
            "SK": {"S": f"ITEM#{product_id}"},
            "GSI2PK": {"S": f"ORDER#{order_id}"},
            "GSI2SK": {"S": f"ITEM#{product_id}"},
            "Type": {"S": "OrderItem"},
            "Version": {"N": "1"},
            "UserId": {"S": "1"},
            "Name": {"S": name},
            "Quantity": {"N": quantity},
            "UnitPrice": {"N": price},
        }
        for product_id, name, quantity, price in (
            ("P-100", "Kopfhörer", "1", "79.90"),
            ("P-200", "Kabel", "2", "25.00"),
        )
    }
    assert made == {
        ("USER#1", f"ORDER#{order_id}"): {
            "PK": {"S": "USER#1"},
            "SK": {"S": f"ORDER#{order_id}"},
            "GSI1PK": {"S": "STATUS#PENDING"},
            "GSI1SK": {"S": order_id},
            "GSI2PK": {"S": f"ORDER#{order_id}"},
            "GSI2SK": {"S": "ORDER"},
            "Type": {"S": "Order"},
            "Version": {"N": "1"},
            "Status": {"S": "PENDING"},
            "Total": {"N": "129.90"},
            "Currency": {"S": "EUR"},
            "PlacedAt": {"S": "2026-11-30T12:00:00.000Z"},
        },
        **lines,
    }


def test_the_reads_agree_at_once(put: Put) -> None:
    put(order("1", "2024-01-15", Status="PENDING"))

    body = place(TWO_LINES).body

    order_id = body["order"]["OrderId"]
    assert call(GET_ORDER, {"order_id": order_id}).body == body
    assert call(LIST_ORDER_ITEMS, {"order_id": order_id}).items == body["items"]
    assert call(LIST_USER_ORDERS, {"user_id": "1"}).items[-1] == body["order"]
    assert call(LIST_PENDING_ORDERS, {}).each("OrderId") == ["2024-01-15", order_id]
    assert call(LIST_PRODUCT_ORDERS, {"product_id": "P-100"}).each("OrderId") == [order_id]


@pytest.mark.usefixtures("clock")
def test_orders_of_one_moment_never_meet() -> None:
    placed = {place(TWO_LINES).body["order"]["OrderId"] for _ in range(5)}

    assert len(placed) == 5
    assert len(call(LIST_USER_ORDERS, {"user_id": "1"}).items) == 5


@pytest.mark.parametrize(
    ("price", "quantity", "total"),
    [
        ("0.1", 3, "0.3"),
        ("30.40", 1, "30.40"),
        ("0", 5, "0"),
        ("0.0001", 999_999, "99.9999"),
        ("1000000000000", 1_000_000, "1000000000000000000"),
        ("999999999999.9999", 1_000_000, "999999999999999900.0000"),
    ],
)
def test_money_is_exact(put: Put, stored: Stored, price: str, quantity: int, total: str) -> None:
    put(product("P-1", Price=Decimal(price)))

    body = place([{"ProductId": "P-1", "Quantity": quantity}]).body

    assert Decimal(body["order"]["Total"]) == Decimal(total)
    item = stored.item("USER#1", f"ORDER#{body['order']['OrderId']}")
    assert item is not None
    assert Decimal(item["Total"]["N"]) == Decimal(total)


def test_a_later_price_does_not_change_what_was_ordered() -> None:
    body = place(TWO_LINES).body
    put_again = {"Name": "Neu", "Price": 1, "Currency": "EUR", "Category": "books"}
    assert call(PUT_PRODUCT, {"product_id": "P-100"}, None, put_again).status == 200

    assert call(GET_ORDER, {"order_id": body["order"]["OrderId"]}).body == body


def test_97_products_are_one_order_with_and_without_a_key(put: Put, stored: Stored) -> None:
    put(*(product(f"Q-{n}", Price=Decimal("0.01")) for n in range(97)))
    lines = [{"ProductId": f"Q-{n}", "Quantity": 1} for n in range(97)]

    for answer in (place(lines), place(lines, Idempotency_Key="k")):
        assert answer.status == 201
        assert len(answer.body["items"]) == 97
        assert answer.body["order"]["Total"] == Decimal("0.97")
        shown = [each["ProductId"] for each in answer.body["items"]]
        assert shown == sorted(shown)
    assert stored.types().count("OrderItem") == 2 * 97


# --- What is refused ------------------------------------------------------------------------


@pytest.mark.parametrize("absent", ["2", "01", "100"])
def test_a_user_who_does_not_exist_is_404_and_nothing_is_written(
    put: Put, stored: Stored, absent: str
) -> None:
    put(order("2", "2024-01-15"))
    before = stored.all()

    answer = place(TWO_LINES, absent)

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert stored.all() == before


def test_a_deleted_user_is_404(put: Put, stored: Stored) -> None:
    put(tombstone(to_item(user("1"))))
    before = stored.all()

    assert place(TWO_LINES).status == 404
    assert stored.all() == before


def test_unknown_products_are_400_each_named_at_its_place(stored: Stored) -> None:
    before = stored.all()

    answer = place([TWO_LINES[0], *unknown(2), {"ProductId": "P-1000", "Quantity": 1}])

    assert answer.refused == {
        "Items[1].ProductId": "is no product: X-0",
        "Items[2].ProductId": "is no product: X-1",
        "Items[3].ProductId": "is no product: P-1000",
    }
    assert stored.all() == before


def test_a_product_that_is_ordered_twice_is_400_and_nothing_is_read(stored: Stored) -> None:
    before = stored.all()

    answer = place([*TWO_LINES, {"ProductId": "P-200", "Quantity": 5}])

    assert set(answer.refused) == {"Items[2].ProductId"}
    assert answer.requests == 0
    assert stored.all() == before


def test_what_no_call_can_ask_is_400_though_its_idempotency_key_is_known() -> None:
    assert place(TWO_LINES, Idempotency_Key="k").status == 201

    answer = place([*TWO_LINES, {"ProductId": "P-200", "Quantity": 5}], Idempotency_Key="k")

    assert set(answer.refused) == {"Items[2].ProductId"}
    assert answer.requests == 0


def test_two_currencies_are_400_and_named(stored: Stored) -> None:
    before = stored.all()

    answer = place([*TWO_LINES, {"ProductId": "P-10", "Quantity": 1}])

    assert set(answer.refused) == {"Items"}
    assert "EUR" in answer.refused["Items"]
    assert "USD" in answer.refused["Items"]
    assert stored.all() == before


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "Items"),
        ({"Items": None}, "Items"),
        ({"Items": []}, "Items"),
        ({"Items": {}}, "Items"),
        ({"Items": "P-100"}, "Items"),
        ({"Items": unknown(98)}, "Items"),
        ({"Items": [{}]}, "Items[0].ProductId"),
        ({"Items": [{"ProductId": "P-100"}]}, "Items[0].Quantity"),
        ({"Items": [TWO_LINES[0], {"ProductId": "P-100"}]}, "Items[1].Quantity"),
        ({"Items": [{"ProductId": "P-100", "Quantity": 0}]}, "Items[0].Quantity"),
        ({"Items": [{"ProductId": "P-100", "Quantity": -1}]}, "Items[0].Quantity"),
        ({"Items": [{"ProductId": "P-100", "Quantity": 1_000_001}]}, "Items[0].Quantity"),
        ({"Items": [{"ProductId": "P-100", "Quantity": 1.5}]}, "Items[0].Quantity"),
        ({"Items": [{"ProductId": "P-100", "Quantity": "1"}]}, "Items[0].Quantity"),
        ({"Items": [{"ProductId": "P-100", "Quantity": True}]}, "Items[0].Quantity"),
        ({"Items": [{"ProductId": "P-100", "Quantity": None}]}, "Items[0].Quantity"),
        ({"Items": [{"ProductId": "P#100", "Quantity": 1}]}, "Items[0].ProductId"),
        ({"Items": [{"ProductId": "", "Quantity": 1}]}, "Items[0].ProductId"),
        ({"Items": [{**TWO_LINES[0], "UnitPrice": 1}]}, "Items[0].UnitPrice"),
        ({"Items": ["P-100"]}, "Items[0]"),
        ({"Items": TWO_LINES, "Total": 1}, "Total"),
        ({"Items": TWO_LINES, "Currency": "EUR"}, "Currency"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, body: Any, name: str
) -> None:
    before = stored.all()

    answer = call(PLACE_ORDER, {"user_id": "1"}, None, body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == before


# --- Idempotency ----------------------------------------------------------------------------


@pytest.mark.usefixtures("clock")
def test_the_same_call_with_its_key_places_one_order(stored: Stored) -> None:
    first = place(TWO_LINES, Idempotency_Key="k")
    before = stored.all()

    again = place(TWO_LINES, Idempotency_Key="k")

    assert (first.status, again.status) == (201, 200)
    assert again.text == first.text
    assert again.headers["Location"] == first.headers["Location"]
    assert again.etag == first.etag
    assert stored.all() == before


def test_the_key_is_checked_before_anything_else_is_read(put: Put) -> None:
    """The order was placed; that the user or a product has gone since does not change that."""
    put(EmailGuard(Email="user-1@x.de", UserId="1"))
    first = place(TWO_LINES, Idempotency_Key="k")
    order_id = first.body["order"]["OrderId"]
    other = {"Name": "Neu", "Price": 1, "Currency": "USD", "Category": "books"}
    assert call(PUT_PRODUCT, {"product_id": "P-100"}, None, other).status == 200
    path = {"user_id": "1", "order_id": order_id}
    assert call(CHANGE_ORDER_STATUS, path, None, {"Status": "PAID"}).status == 200
    assert call(DELETE_USER, {"user_id": "1"}).status == 204

    again = place(TWO_LINES, Idempotency_Key="k")

    assert (again.status, again.text, again.requests) == (200, first.text, 1)


def test_the_key_with_another_order_is_409_and_nothing_is_written(stored: Stored) -> None:
    place(TWO_LINES, Idempotency_Key="k")
    before = stored.all()

    for lines in (TWO_LINES[:1], TWO_LINES[::-1], unknown(1)):
        answer = place(lines, Idempotency_Key="k")
        assert (answer.status, answer.requests) == (409, 1)
    assert place(TWO_LINES, "10", Idempotency_Key="k").status == 409
    assert stored.all() == before


def test_an_order_that_was_refused_leaves_the_key_free() -> None:
    assert place(unknown(1), Idempotency_Key="k").status == 400
    assert place(TWO_LINES, "2", Idempotency_Key="k").status == 404

    assert place(TWO_LINES, Idempotency_Key="k").status == 201


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_order_costs_what_it_costs_there() -> None:
    lines = [{"ProductId": "P-100", "Quantity": 1}, {"ProductId": "P-200", "Quantity": 2}]

    body = place(lines, "U-001").body

    assert (body["order"]["Total"], body["order"]["Currency"]) == (Decimal("129.90"), "EUR")
