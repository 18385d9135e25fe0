"""What no table in the test process shows: the ends of pages as DynamoDB has them, cursors that it
refuses, and items that it should not have."""

from typing import Any

import pytest

from lambdas.design.ecommerce import (
    FIND_USER_BY_EMAIL,
    GET_USER,
    GET_USER_WITH_ORDERS,
    LIST_USER_ORDERS,
)
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import reads
from lambdas.runtime.call import Answer
from lambdas.runtime.errors import BadInput, NotFound
from lambdas.runtime.store import Rejected
from tests.runtime.conftest import Table
from tests.runtime.samples import LIST_PRODUCT_ORDERS, a_call, order_item, user_item

ORDERS = [order_item(f"2024-01-0{n}") for n in range(1, 6)]


def answer(pattern: AccessPattern, **query: str) -> Answer:
    """The answer to a call with the path of the pattern's example."""
    path = {name: pattern.example[name] for name in pattern.path_parameters}
    if pattern is LIST_PRODUCT_ORDERS:
        path = {"product_id": "P-100"}
    return reads.answer(a_call(pattern, path, **query))


def order_ids(page: dict[str, Any]) -> list[str]:
    return [item["OrderId"] for item in page["items"]]


# --- Pages ----------------------------------------------------------------------------------


def test_a_page_asks_for_one_item_more_than_it_shows(table: Table) -> None:
    table.finds()
    answer(LIST_USER_ORDERS, limit="3")
    table.finds()
    answer(LIST_USER_ORDERS, limit="200")
    assert [call["Limit"] for call in table.calls] == [4, 201]


def test_a_page_that_is_exactly_full_has_no_next_one(table: Table) -> None:
    table.finds(*ORDERS[:3])
    page = answer(LIST_USER_ORDERS, limit="3").body
    assert order_ids(page) == ["2024-01-01", "2024-01-02", "2024-01-03"]
    assert page["next"] is None


def test_a_page_that_one_more_follows_goes_on_after_the_last_item_it_shows(table: Table) -> None:
    table.finds(*ORDERS[:4], last=ORDERS[3])
    page = answer(LIST_USER_ORDERS, limit="3").body
    assert order_ids(page) == ["2024-01-01", "2024-01-02", "2024-01-03"]
    table.finds(*ORDERS[3:])
    following = answer(LIST_USER_ORDERS, limit="3", cursor=page["next"]).body
    assert table.calls[1]["ExclusiveStartKey"] == {
        "PK": {"S": "USER#U-001"},
        "SK": {"S": "ORDER#2024-01-03"},
    }
    assert order_ids(following) == ["2024-01-04", "2024-01-05"]
    assert following["next"] is None


def test_a_page_that_ends_at_one_megabyte_goes_on_after_the_last_item_that_was_read(
    table: Table,
) -> None:
    table.finds(*ORDERS[:2], last=ORDERS[1])
    page = answer(LIST_USER_ORDERS, limit="3").body
    assert len(page["items"]) == 2
    table.finds()
    answer(LIST_USER_ORDERS, limit="3", cursor=page["next"])
    assert table.calls[1]["ExclusiveStartKey"]["SK"] == {"S": "ORDER#2024-01-02"}


def test_the_first_page_has_no_start_key(table: Table) -> None:
    table.finds()
    answer(LIST_USER_ORDERS)
    assert "ExclusiveStartKey" not in table.calls[0]


def test_a_list_of_nothing_is_no_error(table: Table) -> None:
    table.finds()
    assert answer(LIST_USER_ORDERS) == Answer({"items": [], "next": None}, {})


def test_an_index_of_keys_alone_has_pages_too(table: Table) -> None:
    entries = [{"PK": {"S": f"ORDER#{n}"}, "SK": {"S": "ITEM#P-100"}} for n in (1, 2)]
    table.finds(*entries, last=entries[1])
    page = answer(LIST_PRODUCT_ORDERS, limit="1").body
    assert page["items"] == [{"OrderId": "1", "ProductId": "P-100"}]
    table.finds()
    answer(LIST_PRODUCT_ORDERS, limit="1", cursor=page["next"])
    assert table.calls[1]["ExclusiveStartKey"] == entries[0]


# --- A cursor that DynamoDB refuses -----------------------------------------------------------


def test_a_start_key_that_dynamodb_refuses_is_the_callers_fault(table: Table) -> None:
    table.finds(*ORDERS[:2], last=ORDERS[1])
    page = answer(LIST_USER_ORDERS, limit="1").body
    table.fails(Rejected("ValidationException"))
    with pytest.raises(BadInput) as refusal:
        answer(LIST_USER_ORDERS, limit="1", cursor=page["next"])
    assert list(refusal.value.errors) == ["cursor"]


def test_a_request_without_a_start_key_that_dynamodb_refuses_is_our_own_fault(
    table: Table,
) -> None:
    table.fails(Rejected("ValidationException"))
    with pytest.raises(Rejected):
        answer(LIST_USER_ORDERS)


# --- A parent with a page of its children -----------------------------------------------------


def test_the_first_page_has_the_parent_and_as_many_children_as_the_limit_says(
    table: Table,
) -> None:
    newest_first = ORDERS[::-1]
    table.finds(user_item(), *newest_first[:3], last=newest_first[2])
    overview = answer(GET_USER_WITH_ORDERS, limit="2").body
    assert table.calls[0]["Limit"] == 4
    assert overview["user"]["UserId"] == "U-001"
    assert order_ids(overview["orders"]) == ["2024-01-05", "2024-01-04"]
    assert overview["orders"]["next"]


def test_a_later_page_has_children_alone_and_goes_on_where_the_first_one_ended(
    table: Table,
) -> None:
    newest_first = ORDERS[::-1]
    table.finds(user_item(), *newest_first[:3], last=newest_first[2])
    first = answer(GET_USER_WITH_ORDERS, limit="2").body
    table.finds(*newest_first[2:])
    second = answer(GET_USER_WITH_ORDERS, limit="3", cursor=first["orders"]["next"]).body
    assert table.calls[1]["Limit"] == 4
    assert table.calls[1]["ExclusiveStartKey"]["SK"] == {"S": "ORDER#2024-01-04"}
    assert second["user"] is None
    assert order_ids(second["orders"]) == ["2024-01-03", "2024-01-02", "2024-01-01"]
    assert second["orders"]["next"] is None


def test_a_parent_whose_children_fill_the_page_exactly_has_no_next_one(table: Table) -> None:
    table.finds(user_item(), *ORDERS[:2])
    overview = answer(GET_USER_WITH_ORDERS, limit="2").body
    assert len(overview["orders"]["items"]) == 2
    assert overview["orders"]["next"] is None


def test_a_parent_without_children_is_found_and_children_without_a_parent_are_not(
    table: Table,
) -> None:
    table.finds(user_item())
    assert answer(GET_USER_WITH_ORDERS).body["orders"] == {"items": [], "next": None}
    for found in ([], ORDERS[:2]):
        table.finds(*found)
        with pytest.raises(NotFound):
            answer(GET_USER_WITH_ORDERS)


def test_a_later_page_without_children_is_not_taken_for_a_missing_parent(table: Table) -> None:
    table.finds(user_item(), *ORDERS[:2], last=ORDERS[1])
    first = answer(GET_USER_WITH_ORDERS, limit="1").body
    table.finds()
    later = answer(GET_USER_WITH_ORDERS, cursor=first["orders"]["next"]).body
    assert later == {"user": None, "orders": {"items": [], "next": None}}


# --- Single items ---------------------------------------------------------------------------


def test_a_single_item_comes_with_its_version_as_an_etag(table: Table) -> None:
    table.has(user_item(Version={"N": "7"}))
    found = answer(GET_USER)
    assert found.headers == {"ETag": '"7"'}
    assert found.body["UserId"] == "U-001"


def test_a_single_item_of_an_index_is_asked_for_once_and_alone(table: Table) -> None:
    table.finds(user_item())
    assert answer(FIND_USER_BY_EMAIL, email="alice@x.de").headers == {"ETag": '"1"'}
    assert [call["Limit"] for call in table.calls] == [1]


def test_a_missing_item_is_told_by_what_was_asked(table: Table) -> None:
    table.has(None)
    with pytest.raises(NotFound, match="There is no User with user_id 'U-001'"):
        answer(GET_USER)
    table.finds()
    with pytest.raises(NotFound, match=r"There is no User with email 'nobody@x.de'"):
        answer(FIND_USER_BY_EMAIL, email="nobody@x.de")


# --- Items that belong to nobody ------------------------------------------------------------


def test_an_item_of_another_type_under_the_key_is_not_shown(table: Table) -> None:
    table.has(user_item(Type={"S": "Tombstone"}))
    with pytest.raises(NotFound):
        answer(GET_USER)
    table.finds(ORDERS[0], order_item("2024-01-02", Type={"S": "Stranger"}), ORDERS[2])
    assert order_ids(answer(LIST_USER_ORDERS).body) == ["2024-01-01", "2024-01-03"]
