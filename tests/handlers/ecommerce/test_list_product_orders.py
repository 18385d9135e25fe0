from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_PRODUCT_ORDERS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages
from tests.handlers.ecommerce.samples import order, order_item, product, user


def test_returns_the_ids_of_the_orders_that_contain_the_product_and_no_more_of_them(
    put: Put,
) -> None:
    put(user("1"), product("P-1"), order("1", "2024-01-15"), order("1", "2024-01-16"))
    put(order_item("2024-01-15", "P-1"), order_item("2024-01-15", "P-10"))
    put(order_item("2024-01-16", "P-10"), order_item("2024-01-17", "P-2"))

    answer = call(LIST_PRODUCT_ORDERS, {"product_id": "P-1"})

    assert answer.items == [{"OrderId": "2024-01-15", "ProductId": "P-1"}]


@pytest.mark.parametrize("product_id", ["P-1", "P-10", "p-1", "P"])
def test_never_mistakes_one_product_for_another(put: Put, product_id: str) -> None:
    for each in ("P-1", "P-10", "p-1", "P"):
        put(order_item(f"order-with-{each}", each))

    found = call(LIST_PRODUCT_ORDERS, {"product_id": product_id}).items

    assert found == [{"OrderId": f"order-with-{product_id}", "ProductId": product_id}]


def test_orders_of_all_users_are_among_them_in_the_order_of_their_ids(put: Put) -> None:
    ids = ["2024-01-15", "2023-12-31", "2024-01-15T16:05:12.480Z-7F3K9Q", "2024-02-01"]
    put(*(order_item(each, "P-1", UserId=str(number)) for number, each in enumerate(ids)))

    assert call(LIST_PRODUCT_ORDERS, {"product_id": "P-1"}).each("OrderId") == sorted(ids)


@pytest.mark.parametrize("partition", ["CART#1", "ORDER", "ORDERS#1", "ORDERITEM#1", "USER#1"])
def test_other_entities_that_share_the_sort_key_stay_out(put: Put, partition: str) -> None:
    put(order_item("2024-01-15", "P-1"))
    put(to_item(order_item("x", "P-1")) | {"PK": {"S": partition}})

    assert call(LIST_PRODUCT_ORDERS, {"product_id": "P-1"}).each("OrderId") == ["2024-01-15"]


def test_a_product_that_nobody_has_ordered_has_an_empty_list_as_has_an_unknown_one(
    put: Put,
) -> None:
    put(product("P-1"), order_item("2024-01-15", "P-10"))

    assert call(LIST_PRODUCT_ORDERS, {"product_id": "P-1"}).items == []
    assert call(LIST_PRODUCT_ORDERS, {"product_id": "P-2"}).items == []


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("limit", [1, 2, 50])
def test_the_headphones_are_in_orders_of_two_users(limit: int) -> None:
    found = pages(LIST_PRODUCT_ORDERS, {"product_id": "P-100"}, limit)

    assert [order_id for page in found for order_id in page.each("OrderId")] == [
        "2023-11-20",
        "2024-01-15",
        "2024-01-15T16:05:12.480Z-7F3K9Q",
    ]
