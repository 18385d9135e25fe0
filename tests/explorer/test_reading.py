from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import EndpointConnectionError

from explorer import reading
from explorer.reading import Filter, NotARead, Unreadable
from explorer.rows import primary_key
from lambdas.design.ecommerce import Order, OrderItem, User
from lambdas.design.keys import Index
from lambdas.design.table import GSI1, INVERTED_INDEX, TABLE
from lambdas.runtime import store
from tests.conftest import Put
from tests.explorer.views import KNOWN_VIEWS
from tests.handlers.ecommerce.samples import order_item, orders, user

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EVERY_VIEW = pytest.mark.parametrize("index", KNOWN_VIEWS, ids=lambda index: index.name or "table")


@pytest.fixture
def shop(put: Put) -> None:
    """Two users with three orders each, one of them pending, and a few lines."""
    for name in ("1", "10"):
        put(user(name), *orders(name, "2024-01", "2024-02"))
        put(*orders(name, f"2025-0{name[-1]}", Status="PENDING"))
    put(*(order_item("2024-01", f"P-{number}") for number in range(4)))


@pytest.mark.usefixtures("shop")
@EVERY_VIEW
def test_the_pages_of_a_view_have_each_of_its_items_once(
    index: Index, dynamodb: DynamoDBClient, table: str
) -> None:
    name: Any = {"IndexName": index.name} if index.name else {}
    everything: Any = dynamodb.scan(TableName=table, **name)["Items"]

    pages = []
    after = None
    while True:
        page = reading.page(index, Filter(), after, limit=3)
        pages.append(page)
        after = page.after
        if after is None:
            break

    found = [primary_key(item) for page in pages for item in page.items]
    assert sorted(found) == sorted(primary_key(item) for item in everything)
    assert len(pages) > 1
    assert all(page.looked_at <= 3 for page in pages)


@pytest.mark.usefixtures("shop")
@EVERY_VIEW
def test_a_filter_leaves_the_items_of_the_entities_that_are_wanted(index: Index) -> None:
    everything, _ = reading.everything(index, Filter(), 100)
    wanted, is_all = reading.everything(index, Filter((Order, OrderItem)), 100)

    prefixes = ("ORDER#", "ITEM#")
    expected = [item for item in everything if item["SK"]["S"].startswith(prefixes)]
    assert list(map(primary_key, wanted)) == list(map(primary_key, expected))
    assert is_all
    assert wanted


@pytest.mark.usefixtures("shop")
def test_a_filter_takes_keys_that_begin_as_wanted() -> None:
    found, _ = reading.everything(TABLE, Filter(partition="USER#10", sort="ORDER#2024"), 100)

    assert [primary_key(item) for item in found] == [
        ("USER#10", "ORDER#2024-01"),
        ("USER#10", "ORDER#2024-02"),
    ]


@pytest.mark.usefixtures("shop")
def test_the_key_s_own_words_filter_an_index_that_has_no_types() -> None:
    found, _ = reading.everything(INVERTED_INDEX, Filter((User,)), 100)

    assert {primary_key(item) for item in found} == {("USER#1", "PROFILE"), ("USER#10", "PROFILE")}


@pytest.mark.usefixtures("shop")
def test_a_filter_stops_after_so_many_items_and_can_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "MOST_SEARCHED", 5)

    page = reading.page(TABLE, Filter(partition="NOTHING#"))

    assert (page.items, page.looked_at) == ([], 5)
    assert page.after


@pytest.mark.usefixtures("shop")
def test_a_collection_is_read_alone_from_either_end() -> None:
    keys = [primary_key(item) for item in reading.collection(TABLE, "USER#1").items]

    assert [sort for _, sort in keys] == [
        "ORDER#2024-01",
        "ORDER#2024-02",
        "ORDER#2025-01",
        "PROFILE",
    ]
    assert {partition for partition, _ in keys} == {"USER#1"}
    backwards = reading.collection(TABLE, "USER#1", backwards=True)
    assert [primary_key(item) for item in backwards.items] == keys[::-1]
    pending = reading.collection(GSI1, "STATUS#PENDING").items
    assert [item["SK"]["S"] for item in pending] == ["ORDER#2025-00", "ORDER#2025-01"]


@pytest.mark.usefixtures("shop")
def test_one_item_is_read_by_its_key() -> None:
    item = reading.item("USER#1", "PROFILE")

    assert item
    assert item["Type"] == {"S": "User"}
    assert reading.item("USER#1", "PROFIL") is None


@pytest.mark.parametrize(
    "text", ["x", "%%%", "bnVsbA==", "W10=", "eyJQSyI6MX0=", "eyJQSyI6IlVTRVIjMSJ9", "ÿ"]
)
def test_a_place_that_nobody_was_given_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its own message, or that of the decoder
        reading.read_position(text)


def test_a_place_comes_back_as_it_was_given() -> None:
    last = {"PK": {"S": "USER#Jörg"}, "SK": {"S": "PROFILE"}}

    assert reading.read_position(reading.write_position(last)) == last


def test_a_table_that_does_not_answer_is_told_without_its_message(
    table: str, dynamodb: DynamoDBClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table, dynamodb
    monkeypatch.setenv("TABLE_NAME", "another")

    with pytest.raises(Unreadable, match=r"^ResourceNotFoundException$"):
        reading.item_count()


def test_a_server_that_nobody_reaches_is_named(table: str) -> None:
    assert table

    def refuse(**_: Any) -> None:
        raise EndpointConnectionError(endpoint_url="http://127.0.0.1:1")

    events = store.client().meta.events
    events.register_first("before-send.dynamodb", refuse)
    try:
        with pytest.raises(Unreadable) as raised:
            reading.item_count()
    finally:
        events.unregister("before-send.dynamodb", refuse)
    url = store.client().meta.endpoint_url
    assert str(raised.value) == f"EndpointConnectionError: nothing answers at {url}"


@pytest.mark.parametrize(
    ("url", "is_told"),
    [
        ("http://127.0.0.1:4566", True),
        ("http://localhost:4566", True),
        ("https://dynamodb.eu-central-1.amazonaws.com", False),
    ],
)
def test_only_the_local_cloud_is_said_to_be_startable(url: str, is_told: bool) -> None:
    assert ("`make run`" in reading.nobody_answers(OSError(), url)) == is_told


def test_whatever_is_watched_cannot_write(table: str) -> None:
    item = {"PK": {"S": "A"}, "SK": {"S": "B"}}
    with reading.watched() as exchanges:
        with pytest.raises(NotARead):
            store.client().put_item(TableName=table, Item=item)
        with pytest.raises(NotARead):
            store.client().delete_item(TableName=table, Key=item)
        store.client().get_item(TableName=table, Key=item)

    assert [exchange.operation for exchange in exchanges] == ["GetItem"]


def test_what_is_not_watched_is_nobody_s_business(table: str) -> None:
    reading.client()

    store.client().put_item(TableName=table, Item={"PK": {"S": "A"}, "SK": {"S": "B"}})

    assert reading.item("A", "B")
