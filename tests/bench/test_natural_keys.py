"""Multi-attribute keys give the same answers as the declared index, on the same data.

moto carries them; its own tests of them were run against DynamoDB as well. What it lets pass that
DynamoDB refuses is not relied upon here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from botocore.exceptions import ClientError
from msgspec.structs import replace

from bench import natural_keys
from bench.natural_keys import (
    BY_CATEGORY,
    BY_PRICE,
    BY_STATUS,
    INDEXES,
    LEVELS,
    MOST_ATTRIBUTES,
    NO_LEVEL,
    TABLE_NAME,
    NaturalQuery,
    TooDeep,
    cheapest,
    in_category,
    levels,
    natural,
    pending,
    shown,
    waiting,
    waiting_longest,
)
from docs import sample
from lambdas.design.ecommerce import LIST_CATEGORY_PRODUCTS, LIST_PENDING_ORDERS, Order, Product
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import store
from lambdas.runtime.items import Item
from seed.datasets import DATASETS

Answer = list[dict[str, Any]]
Put = Callable[..., None]

PRODUCT = Product(
    ProductId="P-1", Name="Kabel", Price=Decimal(9), Currency="EUR", Category="home/garden"
)


@pytest.fixture(scope="module")
def table() -> Iterator[None]:
    """The single table and the other one, both with the example data; the latter's index by price
    comes later than its items."""
    with sample.table():
        client: Any = store.client()
        first = tuple(each for each in INDEXES if each is not BY_PRICE)
        client.create_table(**natural_keys.definition(first))
        for entity in DATASETS["ecommerce"](sample.NOW):
            client.put_item(TableName=TABLE_NAME, Item=waiting(entity))
        client.update_table(
            TableName=TABLE_NAME,
            AttributeDefinitions=natural_keys.definition()["AttributeDefinitions"],
            GlobalSecondaryIndexUpdates=[{"Create": natural_keys.secondary(BY_PRICE)}],
        )
        yield


pytestmark = pytest.mark.usefixtures("table")


def declared(pattern: AccessPattern, **example: str) -> Answer:
    """What the single table's own handler answers."""
    asked = replace(pattern, example=example)
    response = sample.handler(pattern)(sample.event(asked), None)
    assert response["statusCode"] == 200, response
    found: Answer = json.loads(response["body"], parse_float=exact, parse_int=exact)["items"]
    return found


def exact(text: str) -> Decimal:
    """moto keeps the zeros at the end of 79.90, DynamoDB does not."""
    return Decimal(text).normalize()


def asked(query: NaturalQuery) -> Answer:
    """What the other table answers, as callers would see it."""
    text = msgspec.json.encode([shown(item) for item in items(query.request)])
    found: Answer = json.loads(text, parse_float=exact, parse_int=exact)
    return found


def items(request: dict[str, Any]) -> list[Item]:
    found: Any = store.client().query(**request)
    return list(found["Items"])


@pytest.fixture
def put() -> Iterator[Put]:
    """Puts items beside those of the example data, for one test."""
    client: Any = store.client()
    keys = []

    def put(*made: Item) -> None:
        for item in made:
            client.put_item(TableName=TABLE_NAME, Item=item)
            keys.append({name: item[name] for name in ("PK", "SK")})

    yield put
    for key in keys:
        client.delete_item(TableName=TABLE_NAME, Key=key)


CATEGORIES = [
    "electronics",
    "electronics/audio",
    "electronics/audio/headphones",
    "books/non-fiction/programming",
    "books/non-fiction/programming/C#",
    "books/non-fiction/programming/C",
    "books/nothing",
]


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_has_the_same_products_in_the_same_order(category: str) -> None:
    found = asked(in_category(category))

    assert found == declared(LIST_CATEGORY_PRODUCTS, category=category)
    assert bool(found) == (category != "books/nothing")


def test_a_level_is_compared_as_a_whole_with_no_separator_to_think_of() -> None:
    """`audio` also begins `audiobooks`, and `headphones` begins `headphones-accessories`."""
    categories = {each["Category"] for each in asked(in_category("electronics/audio"))}
    assert "electronics/audio/headphones-accessories" in categories
    assert "electronics/audiobooks" not in categories

    nearest = {each["Category"] for each in asked(in_category("electronics/audio/headphones"))}
    assert nearest == {"electronics/audio/headphones"}


def test_the_same_orders_are_pending_oldest_first() -> None:
    expected = declared(LIST_PENDING_ORDERS)

    assert asked(pending()) == asked(waiting_longest()) == expected
    assert {order["Status"] for order in expected} == {"PENDING"}


@pytest.mark.parametrize(
    ("first", "last", "some"),
    [("2024-01", "2024-01", True), ("2024", "2025", True), ("1999", "2001", False)],
)
def test_the_same_orders_were_placed_in_a_range(first: str, last: str, some: bool) -> None:
    found = asked(pending(first, last))

    assert found == declared(LIST_PENDING_ORDERS, **{"from": first, "to": last})
    assert bool(found) == some


def test_an_order_whose_id_is_a_day_sorts_by_the_time_at_which_it_was_placed(put: Put) -> None:
    """By its id it stands before all orders of its day."""
    day, hour = replace(ORDER, OrderId="2019-03-02"), replace(ORDER, OrderId="2019-03-02T08-A")
    placed = {
        day.OrderId: replace(day, PlacedAt="2019-03-02T10:00:00.000Z"),
        hour.OrderId: replace(hour, PlacedAt="2019-03-02T08:00:00.000Z"),
    }
    put(*map(waiting, placed.values()))

    found = [each["OrderId"] for each in asked(pending("2019", "2019"))]
    assert found == [hour.OrderId, day.OrderId]
    assert sorted(found) == found[::-1]


def test_no_composed_attribute_is_stored() -> None:
    stored = {name for entity in DATASETS["ecommerce"](sample.NOW) for name in natural(entity)}
    product, order = natural(PRODUCT), natural(ORDER)

    assert not any(name.startswith("GSI1") for item in (product, order) for name in item)
    assert "GSI1PK" in stored  # of users, sessions and jobs, whose questions stay as they are
    assert "WaitsSince" not in order
    assert waiting(ORDER)["WaitsSince"] == {"S": ORDER.PlacedAt}
    assert waiting(replace(ORDER, Status="PAID")) == natural(replace(ORDER, Status="PAID"))


ORDER = Order(
    UserId="U-1",
    OrderId="2024-03-02T09:15:00.123Z-7F3K9Q",
    Status="PENDING",
    Total=Decimal(10),
    Currency="EUR",
    PlacedAt="2024-03-02T09:15:00.123Z",
)


def test_an_index_takes_no_more_attributes_than_dynamodb_does() -> None:
    for index in INDEXES:
        assert 0 < len(index.partition) <= MOST_ATTRIBUTES, index.name
        assert 0 < len(index.sort) <= MOST_ATTRIBUTES, index.name


# --- What becomes easier --------------------------------------------------------------------


def test_an_index_that_comes_later_has_every_item_without_a_write() -> None:
    """Made after the items; what the keys need was in them already."""
    found = asked(cheapest("EUR", "electronics/audio/headphones", "1000"))

    assert {each["ProductId"] for each in found} == {"P-100", "P-101"}


def test_numbers_sort_as_numbers(put: Put) -> None:
    made = [
        replace(
            PRODUCT, ProductId=f"P-at-{price}", Price=Decimal(price), Category="home/garden/tools"
        )
        for price in ("100", "9.5", "10", "9")
    ]
    put(*map(natural, made))

    found = asked(cheapest("EUR", "home/garden/tools", "10"))
    assert [str(each["Price"]) for each in found] == ["9", "9.5", "1E+1"]


# --- What becomes another thing, or impossible ------------------------------------------------


def test_what_has_not_all_of_the_attributes_is_not_in_the_index(put: Put) -> None:
    """So a category that is not so deep needs a value for the levels that it does not have."""
    whole = natural(PRODUCT)
    assert [whole[name]["S"] for name in LEVELS] == ["home", "garden", NO_LEVEL, NO_LEVEL]
    put(whole)
    assert asked(in_category("home/garden"))

    put({name: value for name, value in whole.items() if value != {"S": NO_LEVEL}})
    assert "P-1" not in {each["ProductId"] for each in asked(in_category("home/garden"))}


def test_a_category_can_be_as_deep_as_there_are_attributes_and_no_deeper() -> None:
    assert set(levels("a/b/c/d").values()) == {"a", "b", "c", "d"}
    with pytest.raises(TooDeep, match="5 levels, and there is place for 4"):
        levels("a/b/c/d/e")


def test_natural_attributes_are_not_sparse() -> None:
    """Every order has a status and a time, so each stands in the index for good."""
    paid = NaturalQuery(BY_STATUS, {"Type": "Order", "Status": "PAID"})

    assert {each["Status"] for each in asked(paid)} == {"PAID"}
    assert {each["Status"] for each in asked(waiting_longest())} == {"PENDING"}


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("#p = :a AND #third = :b", "Category2 must have equality conditions"),
        ("#second = :b", "missed key schema element: Category1"),
        ("begins_with(#p, :a)", "not supported"),
    ],
    ids=["a level left out", "no partition key", "a range of the partition key"],
)
def test_a_condition_goes_from_left_to_right(condition: str, reason: str) -> None:
    named = {"#p": LEVELS[0], "#second": LEVELS[1], "#third": LEVELS[2]}
    given = {":a": {"S": "electronics"}, ":b": {"S": "audio"}}
    request = in_category("electronics").request | {
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": {n: v for n, v in named.items() if n in condition},
        "ExpressionAttributeValues": {n: v for n, v in given.items() if n in condition},
    }

    with pytest.raises(ClientError, match=reason):
        items(request)


def test_a_range_is_the_last_condition() -> None:
    ranged = ("Category2", {"S": "a"}, {"S": "b"})
    found = asked(NaturalQuery(BY_CATEGORY, {"Category1": "electronics"}, ranged))
    assert {each["Category"].split("/")[1] for each in found if "/" in each["Category"]} == {
        "audio",
        "audiobooks",
    }

    later = NaturalQuery(BY_CATEGORY, {"Category1": "electronics", "Category3": "cables"}, ranged)
    with pytest.raises(ClientError, match=r"not supported|must have equality"):
        items(later.request)


def test_a_page_ends_with_every_attribute_of_both_keys() -> None:
    request = in_category("electronics/audio").request | {"Limit": 2}
    first: Any = store.client().query(**request)
    second: Any = store.client().query(**request, ExclusiveStartKey=first["LastEvaluatedKey"])

    assert set(first["LastEvaluatedKey"]) == {*BY_CATEGORY.key_attributes, "PK", "SK"}
    both = [*first["Items"], *second["Items"]]
    assert both == items(in_category("electronics/audio").request)[:4]
