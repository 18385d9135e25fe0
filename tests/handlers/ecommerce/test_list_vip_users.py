from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_VIP_USERS
from tests.conftest import Put
from tests.handlers.caller import call, pages
from tests.handlers.ecommerce.samples import order, order_item, session, user


def test_returns_the_users_whose_vip_is_true_and_not_those_where_it_is_false_or_absent(
    put: Put,
) -> None:
    put(user("1", VIP=True), user("2", VIP=False), user("3"), user("4", VIP=True))

    answer = call(LIST_VIP_USERS, {})

    assert answer.each("UserId") == ["1", "4"]
    assert answer.each("VIP") == [True, True]


def test_shows_all_of_a_user_and_nothing_internal(put: Put) -> None:
    put(user("1", Name="Käthe", VIP=True, Address={"Straße": "Müllerstraße"}))

    answer = call(LIST_VIP_USERS, {})

    assert answer.items == [
        {
            "Type": "User",
            "UserId": "1",
            "Name": "Käthe",
            "Email": "user-1@x.de",
            "CreatedAt": "2023-01-01T00:00:00.000Z",
            "VIP": True,
            "Address": {"Straße": "Müllerstraße"},
            "Version": 1,
        }
    ]
    assert "Müllerstraße" in answer.text


def test_the_other_collections_of_the_index_stay_out(put: Put) -> None:
    put(user("1", VIP=True), order("1", "VIP"), order_item("VIP", "VIP"))
    put(session("VIP", user_id="VIP"), session("1", user_id="1"))

    assert call(LIST_VIP_USERS, {}).each("UserId") == ["1"]


def test_without_vips_the_list_is_empty(put: Put) -> None:
    put(user("1"), user("VIP", VIP=False))

    assert call(LIST_VIP_USERS, {}).items == []


@pytest.mark.parametrize("name", ["user_id", "vip", "VIP"])
@pytest.mark.usefixtures("table")
def test_there_is_nothing_to_choose(name: str) -> None:
    assert set(call(LIST_VIP_USERS, {name: "true"}).refused) == {name}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("limit", [1, 2, 50])
def test_the_lecture_s_index_gives_the_shop_s_two_vips(limit: int) -> None:
    found = pages(LIST_VIP_USERS, {}, limit)

    assert [name for page in found for name in page.each("Name")] == ["Alice", "Käthe Grünwald"]
