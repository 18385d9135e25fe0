"""The real deployment, called over HTTP; what moto takes too lightly is tested here."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import (
    FIND_USER_BY_EMAIL,
    GET_USER,
    GET_USER_WITH_ORDERS,
    LIST_ORDER_ITEMS,
    LIST_PENDING_ORDERS,
    LIST_USER_ORDERS,
)
from lambdas.design.operations import Write
from lambdas.design.pattern import AccessPattern
from tests.e2e.http import Api

READS = [each for each in ACCESS_PATTERNS if not isinstance(each.operation, Write)]
ALICE = "U-001"
NEWEST_FIVE = ["2025-01-02", "2024-12-24", "2024-06-30", "2024-03-12", "2024-02-01"]


def order_ids(api: Api, **parameters: str) -> list[str]:
    answer = api.ask(LIST_USER_ORDERS, user_id=ALICE, **parameters)
    assert answer.status == 200, answer.text
    return [order["OrderId"] for order in answer.body["items"]]


@pytest.mark.parametrize("pattern", READS, ids=lambda pattern: pattern.id)
def test_every_read_s_example_is_answered_with_one_request(
    api: Api, pattern: AccessPattern
) -> None:
    answer = api.ask(pattern, **pattern.example)

    assert answer.status == 200, answer.text
    assert answer.body.get("items", answer.body.get("Items", answer.body))
    assert answer.headers["X-DynamoDB-Requests"] == "1"
    assert Decimal(answer.headers["X-DynamoDB-Capacity"]) > 0


def test_the_slide_finds_the_items_of_an_order(api: Api) -> None:
    items = api.ask(LIST_ORDER_ITEMS, order_id="2024-01-15").body["items"]

    assert [(item["ProductId"], item["Quantity"], item["UnitPrice"]) for item in items] == [
        ("P-100", 1, Decimal("79.90")),
        ("P-200", 2, 25),
    ]


def test_the_slide_finds_three_orders_in_january_2024(api: Api) -> None:
    assert order_ids(api, **{"from": "2024-01-01", "to": "2024-01-31"}) == [
        "2024-01-05",
        "2024-01-15",
        "2024-01-31T18:45:00.000Z-JAN31X",
    ]


def test_the_slide_finds_seven_orders_in_2024(api: Api) -> None:
    found = order_ids(api, period="2024")

    assert len(found) == 7
    assert "2025-01-02" not in found


def test_the_slide_finds_the_newest_five_orders(api: Api) -> None:
    assert order_ids(api, newest="true", limit="5") == NEWEST_FIVE


def test_a_user_is_found_by_an_address_in_capitals_and_not_by_a_part_of_it(api: Api) -> None:
    assert api.ask(FIND_USER_BY_EMAIL, email="ALICE@X.DE").body["UserId"] == ALICE
    assert api.ask(FIND_USER_BY_EMAIL, email="lice@x.de").status == 404


def test_only_pending_orders_are_pending(api: Api) -> None:
    pending = api.ask(LIST_PENDING_ORDERS).body["items"]

    assert {order["Status"] for order in pending} == {"PENDING"}
    assert {"2024-01-15", "2025-01-02"} <= {order["OrderId"] for order in pending}


@pytest.mark.parametrize("limit", range(1, 11))
def test_pages_of_any_size_have_every_order_once_and_none_is_empty(api: Api, limit: int) -> None:
    everything = order_ids(api)
    pages = [
        [order["OrderId"] for order in page.body["items"]]
        for page in api.pages(LIST_USER_ORDERS, user_id=ALICE, limit=str(limit))
    ]

    assert [order for page in pages for order in page] == everything
    assert all(pages)
    assert len(pages) == -(-len(everything) // limit)


def test_a_list_over_an_index_goes_on_where_its_page_ended(api: Api) -> None:
    everything = api.ask(LIST_PENDING_ORDERS).body["items"]
    pages = list(api.pages(LIST_PENDING_ORDERS, limit="1"))

    assert [page.body["items"][0] for page in pages] == everything


def test_the_overview_has_the_user_on_the_first_page_alone(api: Api) -> None:
    first = api.ask(GET_USER_WITH_ORDERS, user_id=ALICE, limit="5")
    cursor = first.body["orders"]["next"]
    second = api.ask(GET_USER_WITH_ORDERS, user_id=ALICE, limit="5", cursor=cursor)

    assert first.body["user"]["Name"]
    assert [order["OrderId"] for order in first.body["orders"]["items"]] == NEWEST_FIVE
    assert second.body["user"] is None
    assert len(second.body["orders"]["items"]) == 4
    assert second.body["orders"]["next"] is None


def test_another_users_cursor_is_refused(api: Api) -> None:
    cursor = api.ask(LIST_USER_ORDERS, user_id=ALICE, limit="1").body["next"]

    assert "cursor" in api.ask(LIST_USER_ORDERS, user_id="U-002", cursor=cursor).refused


@pytest.mark.parametrize("identifier", ["a b", "a%2Fb", "a+b", "a#b", "ü", "a?b", "x" * 65, "😀"])
def test_an_identifier_of_other_characters_is_refused_by_name(api: Api, identifier: str) -> None:
    assert "user_id" in api.ask(GET_USER, user_id=identifier).refused


@pytest.mark.parametrize("identifier", ["~._-", "a" * 64, "ALICE", "u-001"])
def test_an_identifier_that_nobody_has_is_not_found(api: Api, identifier: str) -> None:
    answer = api.ask(GET_USER, user_id=identifier)

    assert answer.status == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("limit=0", "limit"),
        ("limit=-1", "limit"),
        ("limit=abc", "limit"),
        ("limit=1e9", "limit"),
        ("limit=", "limit"),
        ("limit=1&limit=2", "limit"),
        ("from=2024-13", "from"),
        ("from=2024-02-30", "from"),
        ("from=2025&to=2024", "from"),
        ("period=2024&to=2024", "period"),
        ("newest=perhaps", "newest"),
        ("cursor=abc", "cursor"),
        ("form=2024", "form"),
    ],
)
def test_a_wrong_parameter_is_named_and_costs_no_request(api: Api, query: str, name: str) -> None:
    answer = api.send("GET", f"/ecommerce/users/{ALICE}/orders", query)

    assert name in answer.refused
    assert answer.headers["X-DynamoDB-Requests"] == "0"


def test_an_unknown_route_is_the_gateways_own_404(api: Api) -> None:
    answer = api.send("GET", "/ecommerce/nothing")

    assert answer.status == 404
    assert answer.body["message"] == "Not Found"
