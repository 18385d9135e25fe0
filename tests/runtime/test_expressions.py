"""What the writes look like to DynamoDB, which moto is more lenient with than DynamoDB is."""

import re
from typing import Any

import pytest

from lambdas.design.ecommerce import EmailGuard, Job, Order, Product, Session, User
from lambdas.design.entity import Entity
from lambdas.design.social import Person
from lambdas.design.university import ResearchArticle
from lambdas.runtime import expressions
from lambdas.runtime.expressions import (
    add,
    check,
    delete,
    differs,
    has_expired,
    has_version,
    is_a,
    is_new,
    is_not_marked,
    is_one_of,
    put,
    update,
)
from lambdas.runtime.keys import InvalidKeyValue
from lambdas.runtime.requests import Request

ANN = {"UserId": "1"}
ORDER = {"UserId": "1", "OrderId": "2024-01-15"}


def spelled(request: Request, name: str) -> str:
    """An expression with the names and values in the places of their placeholders."""
    text = str(request[name])
    for placeholder, attribute in request["ExpressionAttributeNames"].items():
        text = re.sub(rf"{placeholder}\b", attribute, text)
    for placeholder, value in request.get("ExpressionAttributeValues", {}).items():
        text = re.sub(rf"{placeholder}\b", str(next(iter(value.values()))), text)
    return text


def assert_complete(request: Request) -> None:
    """Every placeholder is used and declared, and every name stands behind one."""
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})
    assert "ExpressionAttributeNames" not in request or names
    assert "ExpressionAttributeValues" not in request or values
    text = " ".join(value for name, value in request.items() if name.endswith("Expression"))
    assert set(re.findall(r"[#:]\w+", text)) == {*names, *values}
    functions = (
        r"\b(SET|REMOVE|ADD|AND|OR|NOT|IN|if_not_exists|attribute_not_exists|attribute_type)\b"
    )
    assert not re.findall(r"[A-Za-z]\w*", re.sub(r"[#:]\w+", "", re.sub(functions, "", text)))


def removed(request: Request) -> list[str]:
    _, _, after = spelled(request, "UpdateExpression").partition(" REMOVE ")
    return after.split(", ") if after else []


def assigned(request: Request) -> dict[str, str]:
    text = spelled(request, "UpdateExpression").removeprefix("SET ").partition(" REMOVE ")[0]
    return dict(each.split(" = ", 1) for each in re.split(r", (?=[^,()]* = )", text))


# --- Updates --------------------------------------------------------------------------------


def test_an_update_sets_what_was_sent_and_counts_the_version() -> None:
    request = update(User, ANN, {"Name": "Anna"}, is_a(User))
    assert request["Key"] == {"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}}
    assert assigned(request) == {"Name": "Anna", "Version": "Version + 1"}
    assert removed(request) == []
    assert spelled(request, "ConditionExpression") == (
        "(Type = User) AND (attribute_type(Version, N))"
    )
    assert_complete(request)


def test_none_removes_an_attribute() -> None:
    request = update(User, ANN, {"Address": None})
    assert removed(request) == ["Address"]
    assert assigned(request) == {"Version": "Version + 1"}
    assert_complete(request)


def test_an_upsert_counts_from_nothing_and_says_what_the_item_is() -> None:
    request = update(Person, {"PersonId": "a"}, {"Name": "A"}, is_upsert=True)
    assert assigned(request) == {
        "Name": "A",
        "Type": "Person",
        "Version": "if_not_exists(Version, 0) + 1",
    }
    assert spelled(request, "ConditionExpression") == (
        "(attribute_not_exists(Version) OR attribute_type(Version, N))"
    )
    assert_complete(request)


def test_a_mark_is_set_in_the_same_request() -> None:
    assert assigned(update(User, ANN, {"Name": "A"}, mark="a-call"))["LastCall"] == "a-call"


def test_a_name_with_a_space_and_a_dot_stands_behind_a_placeholder() -> None:
    values = {"Professor": "Max", "Forschungsartikel": "KI"}
    request = update(ResearchArticle, values, {"Anz. Seiten": "8"})
    assert "Anz. Seiten" in request["ExpressionAttributeNames"].values()
    assert_complete(request)


@pytest.mark.parametrize(
    ("entity", "values", "changes", "set_keys", "removed_keys"),
    [
        (User, ANN, {"VIP": True}, {"GSI2PK": "VIP", "GSI2SK": "USER#1"}, []),
        (User, ANN, {"VIP": None}, {}, ["GSI2PK", "GSI2SK"]),
        (User, ANN, {"Name": "A"}, {}, []),
        (User, ANN, {"Email": "A@x.de"}, {"GSI1PK": "EMAIL#a@x.de", "GSI1SK": "USER#1"}, []),
        (Order, ORDER, {"Status": "PAID"}, {}, ["GSI1PK", "GSI1SK"]),
        (
            Order,
            ORDER,
            {"Status": "PENDING"},
            {"GSI1PK": "STATUS#PENDING", "GSI1SK": "2024-01-15"},
            [],
        ),
        (
            Job,
            {"JobId": "J"},
            {"ErrorCode": "E", "FailedAt": "2024-01-01T00:00:00.000Z"},
            {"GSI1PK": "JOB#FAILED", "GSI1SK": "E#2024-01-01T00:00:00.000Z#J"},
            [],
        ),
        (Job, {"JobId": "J"}, {"ErrorCode": None, "FailedAt": None}, {}, ["GSI1PK", "GSI1SK"]),
        (
            Product,
            {"ProductId": "P"},
            {"Category": "a/b"},
            {"GSI1PK": "CATEGORY#a", "GSI1SK": "b#P"},
            [],
        ),
        (Product, {"ProductId": "P"}, {"Name": "A"}, {}, []),
        (
            Session,
            {"SessionId": "S", "UserId": "1"},
            {"ExpiresAt": 0},
            {
                "GSI1PK": "SESSION#EXPIRING",
                "GSI1SK": "1970-01-01T00:00:00.000Z#S",
                "GSI2PK": "USER#1",
                "GSI2SK": "SESSION#1970-01-01T00:00:00.000Z#S",
            },
            [],
        ),
    ],
)
def test_both_keys_of_an_index_are_set_or_removed_or_left_alone(
    entity: type[Entity],
    values: dict[str, Any],
    changes: dict[str, Any],
    set_keys: dict[str, str],
    removed_keys: list[str],
) -> None:
    request = update(entity, values, changes)
    keys = {name: v for name, v in assigned(request).items() if name.startswith("GSI")}
    assert keys == set_keys
    assert [name for name in removed(request) if name.startswith("GSI")] == removed_keys
    assert_complete(request)


def test_a_change_that_leaves_half_a_key_unknown_is_never_written() -> None:
    with pytest.raises(InvalidKeyValue):
        update(Job, {"JobId": "J"}, {"ErrorCode": "E"})


def test_an_update_names_each_attribute_once() -> None:
    """DynamoDB refuses two paths that overlap."""
    request = update(
        Product, {"ProductId": "P"}, {"Name": "N", "Category": "c"}, mark="m", is_upsert=True
    )
    names = list(request["ExpressionAttributeNames"].values())
    assert len(names) == len(set(names))
    paths = [*assigned(request), *removed(request)]
    assert len(paths) == len(set(paths))


def test_a_count_is_added_to_with_the_version() -> None:
    for by in (1, -1):
        request = add(Person, {"PersonId": "a"}, "Followers", by, is_a(Person))
        assert spelled(request, "UpdateExpression") == f"ADD Followers {by}, Version 1"
        assert spelled(request, "ConditionExpression") == (
            "(Type = Person)"
            " AND (attribute_not_exists(Followers) OR attribute_type(Followers, N))"
            " AND (attribute_not_exists(Version) OR attribute_type(Version, N))"
        )
        assert_complete(request)


# --- Conditions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ((is_new(),), "(attribute_not_exists(PK))"),
        ((is_a(Order),), "(Type = Order)"),
        ((has_version(7),), "(Version = 7)"),
        ((is_not_marked("m"),), "(NOT LastCall = m)"),
        ((is_one_of("Status", ("PENDING", "PAID")),), "(Status IN (PENDING, PAID))"),
        ((is_one_of("Status", ()),), "(attribute_not_exists(Type))"),
        ((differs("RaumNr", "9"),), "(RaumNr <> 9)"),
        ((has_expired("ExpiresAt", 9),), "(attribute_not_exists(PK) OR ExpiresAt < 9)"),
        (
            (has_expired("ExpiresAt", 9), has_version(7)),
            "(attribute_not_exists(PK) OR ExpiresAt < 9) AND (Version = 7)",
        ),
    ],
)
def test_conditions_hold_together_each_in_its_own_parentheses(
    conditions: tuple[expressions.Condition, ...], text: str
) -> None:
    for request in (
        check(Order.primary, ORDER, *conditions),
        delete(Order.primary, ORDER, *conditions),
        put(EmailGuard(Email="a@x.de", UserId="1"), *conditions),
    ):
        assert spelled(request, "ConditionExpression") == text
        assert_complete(request)


def test_without_conditions_a_request_has_no_expressions_at_all() -> None:
    assert delete(Session.primary, {"SessionId": "S"}) == {
        "Key": {"PK": {"S": "SESSION#S"}, "SK": {"S": "SESSION#S"}}
    }
    assert set(put(EmailGuard(Email="a@x.de", UserId="1"))) == {"Item"}


def test_what_cannot_stand_in_a_key_is_refused() -> None:
    for build in (delete, check):
        with pytest.raises(InvalidKeyValue):
            build(Session.primary, {"SessionId": ""})
    with pytest.raises(InvalidKeyValue):
        update(User, {"UserId": ""}, {"Name": "A"})
