from __future__ import annotations

from decimal import Decimal

import pytest

from lambdas.design.ecommerce import GET_USER_WITH_ORDERS, LIST_ORDER_ITEMS, LIST_USER_ORDERS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof, carried
from tests.handlers.ecommerce.samples import order, order_item, orders, user

ORDER = "2024-01-15"
THREE = ("P-100", "P-20", "P-3")


def test_returns_the_order_s_items_and_only_those(put: Put) -> None:
    put(order("1", ORDER), *(order_item(ORDER, each) for each in THREE))
    put(order_item("2024-01-1", "P-7"), order_item(f"{ORDER}T00:00:00.000Z-AAAAAA", "P-8"))

    answer = call(LIST_ORDER_ITEMS, {"order_id": ORDER})

    assert answer.each("ProductId") == list(THREE)
    assert answer.each("OrderId") == [ORDER] * 3
    assert answer.next is None


def test_shows_all_of_an_item_and_nothing_internal(put: Put) -> None:
    put(order_item(ORDER, "P-200", Name="Kabel, 10 m", Quantity=2, UnitPrice=Decimal("25.00")))

    answer = call(LIST_ORDER_ITEMS, {"order_id": ORDER})

    assert answer.body == {
        "items": [
            {
                "Type": "OrderItem",
                "OrderId": ORDER,
                "ProductId": "P-200",
                "UserId": "1",
                "Name": "Kabel, 10 m",
                "Quantity": 2,
                "UnitPrice": Decimal(25),
                "Version": 1,
            }
        ],
        "next": None,
    }


def test_other_entities_of_the_partition_stay_out(put: Put) -> None:
    put(order_item(ORDER, "P-1"))
    for neighbour in ("ITEM", "ITEMS#P-1", "ITEM$", "INVOICE#1", "SHIPMENT#1"):
        put(to_item(order_item(ORDER, "x")) | {"SK": {"S": neighbour}})

    assert call(LIST_ORDER_ITEMS, {"order_id": ORDER}).each("ProductId") == ["P-1"]


def test_an_item_of_another_type_is_not_shown(put: Put) -> None:
    put(order_item(ORDER, "P-1"), to_item(order_item(ORDER, "P-2")) | {"Type": {"S": "Draft"}})

    assert call(LIST_ORDER_ITEMS, {"order_id": ORDER}).each("ProductId") == ["P-1"]


def test_an_id_with_colons_arrives_decoded_and_is_taken_as_it_is(put: Put) -> None:
    order_id = "2024-03-02T09:15:00.123Z-7F3K9Q"
    put(order_item(order_id, "P-1"), order_item("2024-03-02T09:15:00.123Z-7F3K9R", "P-2"))

    assert call(LIST_ORDER_ITEMS, {"order_id": order_id}).each("ProductId") == ["P-1"]


@pytest.mark.parametrize("order_id", [ORDER, "2024-01-16", "2024-01"])
def test_without_items_the_list_is_empty_not_404(put: Put, order_id: str) -> None:
    put(order("1", ORDER), order_item("2024-01-1", "P-1"), order_item("2024-01-155", "P-1"))

    answer = call(LIST_ORDER_ITEMS, {"order_id": order_id})

    assert answer.status == 200
    assert answer.body == {"items": [], "next": None}


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_pages_have_every_item_once_and_none_is_empty(put: Put, limit: int) -> None:
    put(*(order_item(ORDER, each) for each in THREE), order_item("2024-01-16", "P-5"))

    found = pages(LIST_ORDER_ITEMS, {"order_id": ORDER}, limit)

    assert [product for page in found for product in page.each("ProductId")] == list(THREE)
    assert [len(page.items) for page in found] == sizes(len(THREE), limit)


def test_a_cursor_is_taken_as_it_was_given_and_not_otherwise(put: Put) -> None:
    put(*(order_item(ORDER, each) for each in THREE))
    cursor = str(call(LIST_ORDER_ITEMS, {"order_id": ORDER, "limit": "1"}).next)

    assert ORDER not in carried(cursor)
    assert_tamper_proof(LIST_ORDER_ITEMS, {"order_id": ORDER}, cursor)


def test_a_cursor_of_another_order_or_another_pattern_is_refused(put: Put) -> None:
    put(*(order_item(order_id, each) for each in THREE for order_id in ("1", "2")))
    put(user("1"), *orders("1", "2024-01-15", "2024-01-16"))
    of_two = call(LIST_ORDER_ITEMS, {"order_id": "2", "limit": "1"})
    of_orders = call(LIST_USER_ORDERS, {"user_id": "1", "limit": "1"})
    of_overview = call(GET_USER_WITH_ORDERS, {"user_id": "1", "limit": "1"})

    assert_refused(LIST_ORDER_ITEMS, {"order_id": "1"}, str(of_two.next))
    assert_refused(LIST_ORDER_ITEMS, {"order_id": "1"}, str(of_orders.next))
    # One parameter with the same value: only the pattern is another one.
    assert_refused(LIST_ORDER_ITEMS, {"order_id": "1"}, str(of_overview.next))


def test_prices_are_exact_and_umlauts_stay_umlauts(put: Put) -> None:
    put(order_item(ORDER, "P-1", Name="Kopfhörer Größe ½", UnitPrice=Decimal("79.90")))

    answer = call(LIST_ORDER_ITEMS, {"order_id": ORDER})

    assert answer.items[0]["UnitPrice"] == Decimal("79.90")
    assert "Kopfhörer Größe ½" in answer.text


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_query_gives_the_sample_order_s_two_items() -> None:
    answer = call(LIST_ORDER_ITEMS, {"order_id": "2024-01-15"})

    assert [(each["ProductId"], each["Quantity"], each["UnitPrice"]) for each in answer.items] == [
        ("P-100", 1, Decimal("79.90")),
        ("P-200", 2, Decimal("25.00")),
    ]
