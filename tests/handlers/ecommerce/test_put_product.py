from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from lambdas.design.ecommerce import GET_PRODUCT, LIST_CATEGORY_PRODUCTS, PUT_PRODUCT
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.ecommerce.samples import product

BODY = {
    "Name": "Kopfhörer",
    "Price": 79.5,
    "Currency": "EUR",
    "Category": "electronics/audio/headphones",
}
OLD = product("P-1", "books/novels", Name="Buch", Price=Decimal("9.99"))

pytestmark = pytest.mark.usefixtures("table")


def put_product(body: Any, product_id: str = "P-1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(PUT_PRODUCT, {"product_id": product_id}, sent, body)


def priced(price: str) -> str:
    """A body as text, with a price that no Python number need be."""
    return f'{{"Name": "Buch", "Price": {price}, "Currency": "EUR", "Category": "books/novels"}}'


def stored_item(price: str = "79.5", version: str = "1") -> dict[str, dict[str, str]]:
    return {
        "PK": {"S": "PRODUCT#P-1"},
        "SK": {"S": "PRODUCT#P-1"},
        "GSI1PK": {"S": "CATEGORY#electronics"},
        "GSI1SK": {"S": "audio#headphones#P-1"},
        "Type": {"S": "Product"},
        "Version": {"N": version},
        "Name": {"S": "Kopfhörer"},
        "Price": {"N": price},
        "Currency": {"S": "EUR"},
        "Category": {"S": "electronics/audio/headphones"},
    }


def test_a_product_that_is_new_is_201_and_has_a_place(stored: Stored) -> None:
    answer = put_product(BODY)

    assert (answer.status, answer.etag, answer.requests) == (201, '"1"', 1)
    assert answer.headers["Location"] == "/ecommerce/products/P-1"
    assert answer.body == {
        "Type": "Product",
        "ProductId": "P-1",
        "Name": "Kopfhörer",
        "Price": Decimal("79.5"),
        "Currency": "EUR",
        "Category": "electronics/audio/headphones",
        "Version": 1,
    }
    assert stored.all().keys() == {("PRODUCT#P-1", "PRODUCT#P-1")}
    assert stored.item("PRODUCT#P-1") == stored_item()


def test_a_product_that_was_there_is_200_and_replaced_with_both_index_keys(
    put: Put, stored: Stored
) -> None:
    put(OLD, product("P-10", "books/novels"))

    answer = put_product(BODY)

    assert (answer.status, answer.etag) == (200, '"2"')
    assert stored.item("PRODUCT#P-1") == stored_item(version="2")
    assert stored.types() == ["Product", "Product"]


def test_the_reads_agree_at_once(put: Put) -> None:
    put(OLD, product("P-10", "books/novels"))

    body = put_product(BODY).body

    assert call(GET_PRODUCT, {"product_id": "P-1"}).body == body
    for category in ("electronics", "electronics/audio", "electronics/audio/headphones"):
        assert call(LIST_CATEGORY_PRODUCTS, {"category": category}).items == [body]
    assert call(LIST_CATEGORY_PRODUCTS, {"category": "books"}).each("ProductId") == ["P-10"]


@pytest.mark.parametrize(
    ("category", "partition", "sort"),
    [
        ("books", "CATEGORY#books", "P-1"),
        ("books/novels", "CATEGORY#books", "novels#P-1"),
        ("C#/a%b/c#d", "CATEGORY#C%23", "a%25b#c%23d#P-1"),
        ("Bücher/Größe 1", "CATEGORY#Bücher", "Größe 1#P-1"),
        ("a/b/c/d/e", "CATEGORY#a", "b#c#d#e#P-1"),
    ],
)
def test_the_place_in_the_hierarchy_follows_from_the_category(
    stored: Stored, category: str, partition: str, sort: str
) -> None:
    assert put_product({**BODY, "Category": category}).body["Category"] == category

    item = stored.item("PRODUCT#P-1")
    assert item is not None
    assert (item["GSI1PK"], item["GSI1SK"]) == ({"S": partition}, {"S": sort})
    assert call(LIST_CATEGORY_PRODUCTS, {"category": category}).each("ProductId") == ["P-1"]


@pytest.mark.parametrize(
    "price",
    ["79.90", "30.40", "0.1", "0", "0.0001", "1e2", "1E+3", "12", "1000000000000", "12345678.9012"],
)
def test_a_price_is_exact(stored: Stored, price: str) -> None:
    answer = put_product(priced(price))

    assert Decimal(answer.body["Price"]) == Decimal(price)
    item = stored.item("PRODUCT#P-1")
    assert item is not None
    assert Decimal(item["Price"]["N"]) == Decimal(price)
    assert Decimal(call(GET_PRODUCT, {"product_id": "P-1"}).body["Price"]) == Decimal(price)


@pytest.mark.parametrize(
    "price",
    [
        "-1",
        "-0.01",
        "0.00001",
        "1000000000000.0001",
        "1000000000001",
        "9" * 39,
        "0." + "1" * 39,
        "1e13",
        "1e400",
        "1e-400",
        "null",
        "true",
        '"79.90"',
        '"NaN"',
        "[]",
        "[1]",
        "{}",
        "1" * 5000,
    ],
)
def test_a_price_that_is_none_is_refused_by_name(stored: Stored, price: str) -> None:
    answer = put_product(priced(price))

    assert set(answer.refused) == {"Price"}
    assert answer.requests == 0
    assert stored.all() == {}


@pytest.mark.parametrize("price", ["1e99999999999999999999", "-1e-99999999999999999999"])
def test_a_price_that_no_decimal_can_hold_is_refused(stored: Stored, price: str) -> None:
    assert set(put_product(priced(price)).refused) <= {"body", "Price"}
    assert stored.all() == {}


@pytest.mark.parametrize("price", ["NaN", "Infinity", "-Infinity", "0x10", "01", "1.", ".5", "+1"])
def test_what_is_no_number_of_json_is_refused(price: str) -> None:
    assert set(put_product(priced(price)).refused) == {"body"}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "Name"),
        ({**BODY, "Name": None}, "Name"),
        ({**BODY, "Name": ""}, "Name"),
        ({**BODY, "Name": "a" * 257}, "Name"),
        ({**BODY, "Currency": "eur"}, "Currency"),
        ({**BODY, "Currency": "EURO"}, "Currency"),
        ({**BODY, "Currency": "EUR\n"}, "Currency"),
        ({**BODY, "Category": ""}, "Category"),
        ({**BODY, "Category": "/"}, "Category"),
        ({**BODY, "Category": "audio/"}, "Category"),
        ({**BODY, "Category": "audio//cables"}, "Category"),
        ({**BODY, "Category": "a" * 257}, "Category"),
        ({**BODY, "Category": "😀" * 256}, "Category"),
        ({**BODY, "ProductId": "P-1"}, "ProductId"),
        ({**BODY, "Stock": 1}, "Stock"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, body: Any, name: str
) -> None:
    answer = put_product(body)

    assert name in answer.refused
    assert len(answer.refused) == 1
    assert answer.requests == 0
    assert stored.all() == {}


def test_a_category_may_be_as_long_as_its_key_and_no_longer(stored: Stored) -> None:
    """Four bytes each, and the id behind them: 1020 bytes, then 1025."""
    body = {**BODY, "Category": "a/" + "😀" * 254}
    assert put_product(body, "P-1").status == 201

    answer = put_product(body, "P-123456")

    [(name, reason)] = answer.refused.items()
    assert name in {"Category", "product_id"}
    assert "1025 bytes" in reason
    assert stored.types() == ["Product"]


@pytest.mark.parametrize("name", list(BODY))
def test_nothing_of_it_may_be_missing(put: Put, stored: Stored, name: str) -> None:
    put(OLD)
    before = stored.all()

    answer = put_product({each: value for each, value in BODY.items() if each != name})

    assert answer.refused == {name: "is missing"}
    assert stored.all() == before


def test_the_version_that_was_read_is_replaced(put: Put) -> None:
    put(changed(OLD, Version={"N": "7"}))

    assert put_product(BODY, If_Match='"7"').etag == '"8"'


@pytest.mark.parametrize("tag", ['"1"', '"8"', '"70"'])
def test_another_version_is_412_and_nothing_changes(put: Put, stored: Stored, tag: str) -> None:
    put(changed(OLD, Version={"N": "7"}))
    before = stored.all()

    assert put_product(BODY, If_Match=tag).status == 412
    assert stored.all() == before


def test_a_product_that_does_not_exist_has_no_version(stored: Stored) -> None:
    assert put_product(BODY, If_Match='"1"').status == 412
    assert stored.all() == {}


@pytest.mark.parametrize("is_there", [False, True])
def test_a_product_whose_answer_was_lost_is_the_success_it_was_and_counts_once(
    put: Put, stored: Stored, wire: Wire, is_there: bool
) -> None:
    put(*([OLD] if is_there else []))
    wire.loses()

    answer = put_product(BODY)

    version = "2" if is_there else "1"
    assert (answer.status, answer.etag) == (200 if is_there else 201, f'"{version}"')
    assert wire.requests.count("UpdateItem") == 2
    assert stored.item("PRODUCT#P-1") == stored_item(version=version)


@pytest.mark.usefixtures("shop")
def test_the_example_is_a_new_product_of_its_category() -> None:
    body = priced("249.00").replace("books/novels", "electronics/audio")

    assert put_product(body, "P-900").status == 201

    found = call(LIST_CATEGORY_PRODUCTS, {"category": "electronics/audio"}).each("ProductId")
    assert {"P-100", "P-200", "P-900"} <= set(found)
