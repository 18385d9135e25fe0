from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.ecommerce import (
    CHANGE_USER,
    CREATE_USER,
    DELETE_USER,
    FIND_USER_BY_EMAIL,
    GET_SESSION,
    GET_USER,
    GET_USER_WITH_ORDERS,
    LIST_EXPIRING_SESSIONS,
    LIST_USER_ORDERS,
    LIST_USER_SESSIONS,
    LIST_VIP_USERS,
    PLACE_ORDER,
    START_SESSION,
    EmailGuard,
)
from lambdas.design.pattern import AccessPattern
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Clock, Stored, changed
from tests.handlers.ecommerce.samples import order, product, session, user

ANN = user("1", Name="Ann", Email="Ann@x.de", VIP=True, Address={"Stadt": "Köln"})


@pytest.fixture(autouse=True)
def users(put: Put) -> None:
    put(ANN, EmailGuard(Email="Ann@x.de", UserId="1"))
    put(user("10"), EmailGuard(Email="user-10@x.de", UserId="10"))


def remove(user_id: str = "1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(DELETE_USER, {"user_id": user_id}, sent)


def test_only_a_tombstone_without_personal_data_is_left(put: Put, stored: Stored) -> None:
    put(changed(ANN, Version={"N": "3"}, LastCall={"S": "a call"}))

    assert remove().status == 204

    assert stored.all()["USER#1", "PROFILE"] == {
        "PK": {"S": "USER#1"},
        "SK": {"S": "PROFILE"},
        "Type": {"S": "DeletedUser"},
        "Version": {"N": "4"},
    }
    assert stored.item("EMAIL#ann@x.de") is None
    assert stored.types() == ["DeletedUser", "EmailGuard", "User"]


def test_reads_take_the_user_for_absent() -> None:
    remove()

    for pattern in (GET_USER, GET_USER_WITH_ORDERS):
        assert call(pattern, {"user_id": "1"}).status == 404
    assert call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"}).status == 404
    assert call(LIST_VIP_USERS, {}).items == []
    assert call(GET_USER, {"user_id": "10"}).status == 200


def test_orders_stay(put: Put) -> None:
    put(order("1", "2024-01-15"), order("1", "2024-02-01", Status="PENDING"))
    remove()

    assert call(LIST_USER_ORDERS, {"user_id": "1"}).each("OrderId") == ["2024-01-15", "2024-02-01"]


def test_sessions_end_and_those_of_others_do_not(put: Put, clock: Clock, stored: Stored) -> None:
    put(
        session("S-1", None),
        session("S-2", clock.after(days=1)),
        session("S-3", clock.after(days=-1)),  # which DynamoDB has not removed yet
        session("S-4", clock.after(days=1), user_id="10"),
    )

    assert remove().status == 204

    assert [key for key in stored.all() if key[0].startswith("SESSION#")] == [
        ("SESSION#S-4", "SESSION#S-4")
    ]
    assert call(LIST_USER_SESSIONS, {"user_id": "1"}).items == []
    assert call(GET_SESSION, {"session_id": "S-1"}).status == 404
    assert call(LIST_EXPIRING_SESSIONS, {"before": "9999"}).each("SessionId") == ["S-4"]


def test_the_address_is_free_and_the_id_is_not() -> None:
    remove()
    body = {"Name": "Bob", "Email": "ann@x.de"}

    taken = call(CREATE_USER, {}, None, {**body, "UserId": "1"})

    assert (taken.status, set(taken.errors)) == (409, {"UserId"})
    assert call(CREATE_USER, {}, None, {**body, "UserId": "2"}).status == 201


def test_nothing_can_be_done_as_a_deleted_user_any_more(put: Put, stored: Stored) -> None:
    put(product("P-1"))
    remove()
    before = stored.all()

    bodies: tuple[tuple[AccessPattern, dict[str, Any]], ...] = (
        (CHANGE_USER, {"Name": "Ann"}),
        (START_SESSION, {}),
        (PLACE_ORDER, {"Items": [{"ProductId": "P-1", "Quantity": 1}]}),
    )
    for pattern, body in bodies:
        assert call(pattern, {"user_id": "1"}, None, body).status == 404
    assert stored.all() == before


@pytest.mark.parametrize("absent", ["2", "01", "100"])
def test_a_user_who_does_not_exist_is_404_and_nothing_is_left_of_it(
    put: Put, stored: Stored, absent: str
) -> None:
    put(order("2", "2024-01-15"))
    before = stored.all()

    answer = remove(absent)

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert stored.all() == before


def test_a_second_deletion_is_404_and_ends_the_sessions_that_the_first_one_left(
    put: Put, stored: Stored
) -> None:
    remove()
    put(session("S-1", None), session("S-2", None, user_id="10"))

    assert remove().status == 404

    assert stored.types() == ["DeletedUser", "EmailGuard", "Session", "User"]
    assert stored.version("USER#1", "PROFILE") == 2


def test_the_version_that_was_read_is_deleted(put: Put) -> None:
    put(changed(ANN, Version={"N": "7"}))

    assert remove(If_Match='"7"').status == 204


@pytest.mark.parametrize("tag", ['"1"', '"6"', '"8"', '"70"'])
def test_another_version_is_412_and_nothing_is_deleted(put: Put, stored: Stored, tag: str) -> None:
    put(changed(ANN, Version={"N": "7"}), session("S-1", None))
    before = stored.all()

    assert remove(If_Match=tag).status == 412
    assert stored.all() == before


def test_a_body_does_not_matter() -> None:
    assert call(DELETE_USER, {"user_id": "1"}, None, "no JSON").status == 204


@pytest.mark.usefixtures("shop")
def test_the_example_deletes_a_user_of_the_dataset() -> None:
    assert call(DELETE_USER, DELETE_USER.example).status == 204
