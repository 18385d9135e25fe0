"""What is asked of a generated load is what has the largest collection in it."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.busiest import Busiest
from docs import sample
from lambdas.design.ecommerce import (
    FIND_USER_BY_EMAIL,
    GET_ORDER,
    LIST_NEWEST_USER_ORDERS,
    LIST_USER_ORDERS,
    Order,
    OrderItem,
    User,
)
from lambdas.design.entity import Entity
from lambdas.design.university import LIST_SEMINAR_STUDENTS, Enrolment
from seed import generated

LOAD = list(generated.entities("all", 3_000, sample.NOW))


@pytest.fixture(scope="module")
def busiest() -> Busiest:
    watching = Busiest()
    assert list(watching.watching(LOAD)) == LOAD  # they pass as they are
    return watching


def most(entity: type[Entity], field: str) -> int:
    """How many items the value has that most items have."""
    return max(Counter(getattr(each, field) for each in LOAD if type(each) is entity).values())


def having(entity: type[Entity], field: str, value: str) -> int:
    return sum(type(each) is entity and getattr(each, field) == value for each in LOAD)


def test_the_user_has_the_most_orders(busiest: Busiest) -> None:
    user_id = busiest.asked(LIST_USER_ORDERS).example["user_id"]

    assert having(Order, "UserId", user_id) == most(Order, "UserId") > 5


def test_the_order_has_the_most_items(busiest: Busiest) -> None:
    order_id = busiest.asked(GET_ORDER).example["order_id"]

    assert having(OrderItem, "OrderId", order_id) == most(OrderItem, "OrderId") > 5


def test_the_seminar_has_the_most_students(busiest: Busiest) -> None:
    title = busiest.asked(LIST_SEMINAR_STUDENTS).example["title"]

    assert having(Enrolment, "Seminar", title) == most(Enrolment, "Seminar") > 5


def test_one_of_a_kind_that_has_no_collection_is_one_that_exists(busiest: Busiest) -> None:
    email = busiest.asked(FIND_USER_BY_EMAIL).example["email"]

    assert having(User, "Email", email) == 1


def test_what_is_not_required_stays_as_the_example_has_it(busiest: Busiest) -> None:
    asked = busiest.asked(LIST_NEWEST_USER_ORDERS).example

    assert asked["limit"] == LIST_NEWEST_USER_ORDERS.example["limit"]
    assert asked["user_id"] != LIST_NEWEST_USER_ORDERS.example["user_id"]
