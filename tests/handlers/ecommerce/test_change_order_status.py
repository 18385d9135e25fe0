from __future__ import annotations

from decimal import Decimal
from itertools import product as pairs
from typing import Any, get_args

import pytest

from lambdas.design.ecommerce import CHANGE_ORDER_STATUS, GET_ORDER, LIST_PENDING_ORDERS
from lambdas.design.values import OrderStatus
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.ecommerce.samples import order

STATUSES = get_args(OrderStatus)
ALLOWED = {
    ("PENDING", "PAID"),
    ("PAID", "SHIPPED"),
    ("SHIPPED", "DELIVERED"),
    ("PENDING", "CANCELLED"),
    ("PAID", "CANCELLED"),
}
REFUSED = sorted(set(pairs(STATUSES, STATUSES)) - ALLOWED)
PENDING = order("1", "2024-01-15", Status="PENDING", Total=Decimal("129.90"))
KEY = ("USER#1", "ORDER#2024-01-15")


def change(status: Any, order_id: str = "2024-01-15", user_id: str = "1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    path = {"user_id": user_id, "order_id": order_id}
    return call(CHANGE_ORDER_STATUS, path, sent, {"Status": status})


def test_answers_with_the_order_as_it_now_is(put: Put) -> None:
    put(PENDING)

    answer = change("PAID")

    assert (answer.status, answer.etag, answer.requests) == (200, '"2"', 1)
    assert answer.body == {
        "Type": "Order",
        "UserId": "1",
        "OrderId": "2024-01-15",
        "Status": "PAID",
        "Total": Decimal("129.90"),
        "Currency": "EUR",
        "PlacedAt": "2024-01-15T12:00:00.000Z",
        "Version": 2,
    }
    assert call(GET_ORDER, {"order_id": "2024-01-15"}).body["order"] == answer.body


@pytest.mark.parametrize("status", ["PAID", "CANCELLED"])
def test_what_is_no_longer_pending_leaves_the_index_with_both_keys(
    put: Put, stored: Stored, status: str
) -> None:
    others = [order("1", "2024-01-1", Status="PENDING"), order("2", "2024-01-16", Status="PENDING")]
    put(PENDING, *others)

    change(status)

    assert stored.item(*KEY) == changed(
        PENDING, Status={"S": status}, GSI1PK=None, GSI1SK=None, Version={"N": "2"}
    )
    assert call(LIST_PENDING_ORDERS, {}).each("OrderId") == ["2024-01-1", "2024-01-16"]


@pytest.mark.parametrize(("before", "after"), sorted(ALLOWED))
def test_an_order_goes_its_way(put: Put, stored: Stored, before: Any, after: str) -> None:
    put(order("1", "2024-01-15", Status=before))

    assert change(after).body["Status"] == after

    item = order("1", "2024-01-15", Status=after)
    assert stored.item(*KEY) == changed(item, Version={"N": "2"})


@pytest.mark.parametrize(("before", "after"), REFUSED)
def test_every_other_step_is_409_and_says_where_the_order_is(
    put: Put, stored: Stored, before: Any, after: str
) -> None:
    put(order("1", "2024-01-15", Status=before))
    stored_before = stored.all()

    answer = change(after)

    assert (answer.status, answer.errors) == (409, {"Status": f"is {before}"})
    assert before in answer.body["detail"]
    assert after in answer.body["detail"]
    assert stored.all() == stored_before


def test_the_status_that_an_order_has_already_is_409(put: Put) -> None:
    put(PENDING)

    assert change("PAID").status == 200
    assert change("PAID").status == 409


@pytest.mark.parametrize("tag", [{}, {"If_Match": '"1"'}])
def test_a_change_whose_answer_was_lost_is_the_success_it_was_and_counts_once(
    put: Put, stored: Stored, wire: Wire, tag: dict[str, str]
) -> None:
    put(PENDING)
    wire.loses()

    answer = change("PAID", **tag)

    assert (answer.status, answer.body["Status"], answer.etag) == (200, "PAID", '"2"')
    assert wire.requests == ["UpdateItem"] * 2
    assert stored.version(*KEY) == 2
    assert change("PAID").status == 409


@pytest.mark.parametrize(
    ("user_id", "order_id"), [("2", "2024-01-15"), ("1", "2024-01-1"), ("1", "2024-01-150")]
)
def test_an_order_that_does_not_exist_is_404_and_is_not_made(
    put: Put, stored: Stored, user_id: str, order_id: str
) -> None:
    put(PENDING)
    before = stored.all()

    answer = change("PAID", order_id, user_id)

    assert answer.status == 404
    assert order_id in answer.body["detail"]
    assert stored.all() == before


def test_the_version_that_was_read_is_changed(put: Put) -> None:
    put(changed(PENDING, Version={"N": "7"}))

    assert change("PAID", If_Match='"7"').etag == '"8"'


@pytest.mark.parametrize("tag", ['"1"', '"8"', '"70"'])
@pytest.mark.parametrize("status", ["PAID", "DELIVERED"])
def test_another_version_is_412_whether_or_not_the_step_were_allowed(
    put: Put, stored: Stored, tag: str, status: str
) -> None:
    put(changed(PENDING, Version={"N": "7"}))
    before = stored.all()

    assert change(status, If_Match=tag).status == 412
    assert stored.all() == before


def test_a_step_that_is_not_allowed_is_409_though_the_version_matches(put: Put) -> None:
    put(PENDING)

    assert change("DELIVERED", If_Match='"1"').status == 409


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "Status"),
        ({"Status": None}, "Status"),
        ({"Status": ""}, "Status"),
        ({"Status": "paid"}, "Status"),
        ({"Status": "LOST"}, "Status"),
        ({"Status": 1}, "Status"),
        ({"Status": ["PAID"]}, "Status"),
        ({"Status": "PAID", "Total": 1}, "Total"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(put: Put, body: Any, name: str) -> None:
    put(PENDING)

    answer = call(CHANGE_ORDER_STATUS, {"user_id": "1", "order_id": "2024-01-15"}, None, body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_pending_order_is_paid() -> None:
    before = call(LIST_PENDING_ORDERS, {}).each("OrderId")

    assert change("PAID", "2024-01-15", "U-001").body["Total"] == Decimal("129.90")

    before.remove("2024-01-15")
    assert call(LIST_PENDING_ORDERS, {}).each("OrderId") == before
