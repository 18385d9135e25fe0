from __future__ import annotations

from decimal import Decimal

import pytest

from lambdas.design.ecommerce import GET_ORDER
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.ecommerce.samples import order, order_item, product, session, user

ORDER = "2024-01-15"


def test_returns_the_order_and_its_items_and_nothing_else_of_either(put: Put) -> None:
    put(user("1"), order("1", ORDER, Status="PENDING", Total=Decimal("129.90")))
    put(order_item(ORDER, "P-200", Name="Kabel, 10 m", Quantity=2, UnitPrice=Decimal("25.00")))
    put(order_item(ORDER, "P-100", UnitPrice=Decimal("79.90")))

    answer = call(GET_ORDER, {"order_id": ORDER})

    assert answer.status == 200
    assert answer.body == {
        "order": {
            "Type": "Order",
            "UserId": "1",
            "OrderId": ORDER,
            "Status": "PENDING",
            "Total": Decimal("129.90"),
            "Currency": "EUR",
            "PlacedAt": "2024-01-15T12:00:00.000Z",
            "Version": 1,
        },
        "items": [
            {
                "Type": "OrderItem",
                "OrderId": ORDER,
                "ProductId": "P-100",
                "UserId": "1",
                "Name": "Product P-100",
                "Quantity": 1,
                "UnitPrice": Decimal("79.90"),
                "Version": 1,
            },
            {
                "Type": "OrderItem",
                "OrderId": ORDER,
                "ProductId": "P-200",
                "UserId": "1",
                "Name": "Kabel, 10 m",
                "Quantity": 2,
                "UnitPrice": Decimal("25.00"),
                "Version": 1,
            },
        ],
    }


@pytest.mark.parametrize("order_id", ["2024-01-1", "2024-01-155", f"{ORDER}T00:00:00.000Z-AAAAAA"])
def test_never_mistakes_one_order_for_another(put: Put, order_id: str) -> None:
    for each in (ORDER, "2024-01-1", "2024-01-155", f"{ORDER}T00:00:00.000Z-AAAAAA"):
        put(order("1", each), order_item(each, f"P-{each[:9]}"), order_item(each, "P-1"))

    answer = call(GET_ORDER, {"order_id": order_id})

    assert answer.body["order"]["OrderId"] == order_id
    assert {each["OrderId"] for each in answer.body["items"]} == {order_id}
    assert len(answer.body["items"]) == 2


@pytest.mark.parametrize("status", ["PENDING", "CANCELLED"])
def test_an_order_of_any_status_is_found(put: Put, status: str) -> None:
    put(order("1", ORDER, Status=status))

    assert call(GET_ORDER, {"order_id": ORDER}).body["order"]["Status"] == status


def test_an_order_without_items_has_an_empty_list(put: Put) -> None:
    put(order("1", ORDER), order_item("2024-01-16", "P-1"))

    answer = call(GET_ORDER, {"order_id": ORDER})

    assert answer.status == 200
    assert answer.body["items"] == []


@pytest.mark.parametrize("order_id", ["2024-01", "2024-01-16", "1", "VIP"])
def test_an_order_that_does_not_exist_is_404_items_or_not(put: Put, order_id: str) -> None:
    put(order("1", ORDER), order_item("2024-01-16", "P-1"), product("1"), session("1"))
    put(user("VIP", VIP=True))

    answer = call(GET_ORDER, {"order_id": order_id})

    assert answer.status == 404
    assert order_id in answer.body["detail"]
    assert "ETag" not in answer.headers
    assert "P-1" not in answer.text


def test_the_items_come_in_the_order_of_their_products(put: Put) -> None:
    put(order("1", ORDER), *(order_item(ORDER, each) for each in ("P-3", "P-10", "p-1", "P-1")))

    items = call(GET_ORDER, {"order_id": ORDER}).body["items"]

    assert [each["ProductId"] for each in items] == ["P-1", "P-10", "P-3", "p-1"]


def test_the_largest_order_comes_as_a_whole(put: Put) -> None:
    products = [f"P-{number:03d}" for number in range(97)]
    put(order("1", ORDER), *(order_item(ORDER, each, Name="ü" * 256) for each in products))

    items = call(GET_ORDER, {"order_id": ORDER}).body["items"]

    assert [each["ProductId"] for each in items] == products


@pytest.mark.parametrize("name", ["limit", "cursor"])
def test_it_has_no_pages(put: Put, name: str) -> None:
    put(order("1", ORDER), order_item(ORDER, "P-1"))

    answer = call(GET_ORDER, {"order_id": ORDER, name: "1"})

    assert set(answer.refused) == {name}
    assert set(call(GET_ORDER, {"order_id": ORDER}).body) == {"order", "items"}


def test_the_etag_is_the_version_of_the_order_and_not_of_an_item(put: Put) -> None:
    put(to_item(order_item(ORDER, "P-1")) | {"Version": {"N": "3"}})
    put(to_item(order("1", ORDER)) | {"Version": {"N": "12"}})
    put(to_item(order_item(ORDER, "P-2")) | {"Version": {"N": "4"}})

    assert call(GET_ORDER, {"order_id": ORDER}).headers["ETag"] == '"12"'


def test_an_item_of_another_type_is_not_shown(put: Put) -> None:
    put(order("1", ORDER), order_item(ORDER, "P-1"), order_item(ORDER, "P-3"))
    put(to_item(order_item(ORDER, "P-2")) | {"Type": {"S": "Draft"}})

    items = call(GET_ORDER, {"order_id": ORDER}).body["items"]

    assert [each["ProductId"] for each in items] == ["P-1", "P-3"]


def test_what_is_left_of_an_order_is_not_an_order(put: Put) -> None:
    put(order_item(ORDER, "P-1"), to_item(order("1", ORDER)) | {"Type": {"S": "Tombstone"}})

    assert call(GET_ORDER, {"order_id": ORDER}).status == 404


@pytest.mark.usefixtures("shop")
def test_the_sample_order_has_two_items_that_come_to_its_total() -> None:
    body = call(GET_ORDER, {"order_id": "2024-01-15"}).body

    assert body["order"]["UserId"] == "U-001"
    assert [(i["ProductId"], i["Quantity"], i["UnitPrice"]) for i in body["items"]] == [
        ("P-100", 1, Decimal("79.90")),
        ("P-200", 2, Decimal("25.00")),
    ]
    assert body["order"]["Total"] == Decimal("129.90")
    assert body["order"]["Currency"] == "EUR"
