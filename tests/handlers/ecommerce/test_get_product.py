from __future__ import annotations

from decimal import Decimal

import pytest

from lambdas.design.ecommerce import GET_PRODUCT
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.ecommerce.samples import job, order_item, product


def test_returns_the_product_and_only_what_callers_may_see(put: Put) -> None:
    put(product("P-1", "books/fiction/märchen", Name='„Hänsel" & C#', Price=Decimal("79.90")))

    answer = call(GET_PRODUCT, {"product_id": "P-1"})

    assert answer.status == 200
    assert answer.body == {
        "Type": "Product",
        "ProductId": "P-1",
        "Name": '„Hänsel" & C#',
        "Price": Decimal("79.90"),
        "Currency": "EUR",
        "Category": "books/fiction/märchen",
        "Version": 1,
    }
    assert "Hänsel" in answer.text


@pytest.mark.parametrize("product_id", ["P-1", "P-10", "p-1", "P-1.", "P_1"])
def test_never_mistakes_one_id_for_another(put: Put, product_id: str) -> None:
    put(*(product(each) for each in ("P-1", "P-10", "p-1", "P-1.", "P_1")))

    assert call(GET_PRODUCT, {"product_id": product_id}).body["Name"] == f"Product {product_id}"


@pytest.mark.parametrize("absent", ["P-2", "P", "P-01", "J-1", "books"])
def test_a_product_that_does_not_exist_is_404_though_it_was_ordered(put: Put, absent: str) -> None:
    put(product("P-1", "books"), order_item("2024-01-15", "P-2"), job("J-1"))

    answer = call(GET_PRODUCT, {"product_id": absent})

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert "ETag" not in answer.headers


@pytest.mark.parametrize("category", ["books", "books/C#", "books/50 %/a+b"])
def test_a_category_is_shown_as_it_was_given_whatever_its_key_is(put: Put, category: str) -> None:
    put(product("P-1", category))

    assert call(GET_PRODUCT, {"product_id": "P-1"}).body["Category"] == category


@pytest.mark.parametrize("price", ["79.90", "0.1", "30.40", "0", "1234567890123456.789"])
def test_a_price_is_exact(put: Put, price: str) -> None:
    put(product("P-1", Price=Decimal(price)))

    answer = call(GET_PRODUCT, {"product_id": "P-1"})

    assert answer.body["Price"] == Decimal(price)
    assert not isinstance(answer.body["Price"], str)


def test_an_item_of_another_type_is_not_a_product(put: Put) -> None:
    put(to_item(product("P-1")) | {"Type": {"S": "Draft"}})

    assert call(GET_PRODUCT, {"product_id": "P-1"}).status == 404


def test_the_etag_is_the_version_in_quotes(put: Put) -> None:
    put(to_item(product("P-1")) | {"Version": {"N": "12"}})

    assert call(GET_PRODUCT, {"product_id": "P-1"}).headers["ETag"] == '"12"'


@pytest.mark.usefixtures("shop")
def test_the_shop_has_the_headphones_of_the_sample_order() -> None:
    body = call(GET_PRODUCT, {"product_id": "P-100"}).body

    assert body["Category"] == "electronics/audio/headphones"
    assert body["Price"] == Decimal("79.90")
