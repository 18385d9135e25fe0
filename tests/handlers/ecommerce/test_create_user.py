from __future__ import annotations

import re
from typing import Any

import pytest

from lambdas.design.ecommerce import CREATE_USER, FIND_USER_BY_EMAIL, GET_USER, LIST_VIP_USERS
from lambdas.runtime.items import to_item, tombstone
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Clock, Stored
from tests.handlers.ecommerce.samples import user

pytestmark = pytest.mark.usefixtures("table")

ANN = {"UserId": "1", "Name": "Ann", "Email": "Ann@x.de"}


def create(body: Any, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(CREATE_USER, {}, sent, body)


def test_answers_with_the_new_user_and_says_where_it_is(clock: Clock, stored: Stored) -> None:
    assert clock.now.hour == 12

    answer = create({**ANN, "VIP": True, "Address": {"Straße": "Größe 1"}})

    assert answer.status == 201
    assert answer.headers["Location"] == "/ecommerce/users/1"
    assert answer.etag == '"1"'
    assert answer.requests == 1
    assert answer.body == {
        "Type": "User",
        "UserId": "1",
        "Name": "Ann",
        "Email": "Ann@x.de",
        "CreatedAt": "2026-11-30T12:00:00.000Z",
        "VIP": True,
        "Address": {"Straße": "Größe 1"},
        "Version": 1,
    }
    assert stored.all() == {
        ("USER#1", "PROFILE"): {
            "PK": {"S": "USER#1"},
            "SK": {"S": "PROFILE"},
            "GSI1PK": {"S": "EMAIL#ann@x.de"},
            "GSI1SK": {"S": "USER#1"},
            "GSI2PK": {"S": "VIP"},
            "GSI2SK": {"S": "USER#1"},
            "Type": {"S": "User"},
            "Version": {"N": "1"},
            "Name": {"S": "Ann"},
            "Email": {"S": "Ann@x.de"},
            "CreatedAt": {"S": "2026-11-30T12:00:00.000Z"},
            "VIP": {"BOOL": True},
            "Address": {"M": {"Straße": {"S": "Größe 1"}}},
        },
        ("EMAIL#ann@x.de", "EMAIL#ann@x.de"): {
            "PK": {"S": "EMAIL#ann@x.de"},
            "SK": {"S": "EMAIL#ann@x.de"},
            "Type": {"S": "EmailGuard"},
            "Version": {"N": "1"},
            "UserId": {"S": "1"},
        },
    }


def test_the_reads_agree_at_once(stored: Stored) -> None:
    body = create({**ANN, "VIP": True}).body

    assert stored.types() == ["EmailGuard", "User"]
    assert call(GET_USER, {"user_id": "1"}).body == body
    assert call(FIND_USER_BY_EMAIL, {"email": "aNN@x.de"}).body == body
    assert call(LIST_VIP_USERS, {}).items == [body]


@pytest.mark.parametrize("without", [{}, {"VIP": False}, {"VIP": None}, {"Address": None}])
def test_who_is_no_vip_stays_out_of_the_index_with_both_keys(
    stored: Stored, without: dict[str, Any]
) -> None:
    body = create({**ANN, **without}).body

    item = stored.item("USER#1", "PROFILE")
    assert item is not None
    for name in ("VIP", "Address", "GSI2PK", "GSI2SK"):
        assert name not in item
        assert name not in body
    assert call(LIST_VIP_USERS, {}).items == []


@pytest.mark.parametrize("without", [{}, {"UserId": None}])
def test_an_id_is_made_when_none_is_given(stored: Stored, without: dict[str, Any]) -> None:
    made = [
        create({"Name": "Ann", "Email": f"{n}@x.de", **without}).body["UserId"] for n in range(3)
    ]

    assert len(set(made)) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9._~-]{1,64}", each) for each in made)
    assert all(("USER#" + each, "PROFILE") in stored.all() for each in made)


@pytest.mark.parametrize(
    ("second", "taken"),
    [
        ({"UserId": "1", "Email": "b@x.de"}, {"UserId": "1 is taken"}),
        ({"UserId": "2", "Email": "Ann@x.de"}, {"Email": "Ann@x.de is taken"}),
        ({"UserId": "2", "Email": "aNN@X.DE"}, {"Email": "aNN@X.DE is taken"}),
        (
            {"UserId": "1", "Email": "ann@x.de"},
            {"UserId": "1 is taken", "Email": "ann@x.de is taken"},
        ),
    ],
)
def test_what_is_taken_is_409_and_named_and_nothing_is_written(
    stored: Stored, second: dict[str, str], taken: dict[str, str]
) -> None:
    create(ANN)
    before = stored.all()

    answer = create({"Name": "Bob", **second})

    assert answer.status == 409
    assert answer.errors == taken
    assert all(name in answer.body["detail"] for name in taken)
    assert "Ann" not in answer.text.replace("Ann@x.de", "")
    assert stored.all() == before


@pytest.mark.parametrize(
    "other",
    [
        {"UserId": "01", "Email": "b@x.de"},
        {"UserId": "10", "Email": "ann@x.de.eu"},
        {"UserId": "u-1", "Email": "ann+1@x.de"},
        {"UserId": "U-1", "Email": "ann%40@x.de"},
    ],
)
def test_what_is_nearly_the_same_is_not_taken(other: dict[str, str]) -> None:
    create(ANN)
    create({"Name": "C", "UserId": "A-1", "Email": "u@x.de"})

    assert create({"Name": "Bob", **other}).status == 201


def test_ids_keep_their_case() -> None:
    assert create({**ANN, "UserId": "u"}).status == 201
    assert create({**ANN, "UserId": "U", "Email": "b@x.de"}).status == 201


def test_the_id_of_a_deleted_user_is_never_given_again(put: Put, stored: Stored) -> None:
    put(tombstone(to_item(user("1"))))
    before = stored.all()

    answer = create(ANN)

    assert (answer.status, answer.errors) == (409, {"UserId": "1 is taken"})
    assert stored.all() == before


def test_texts_stay_what_they_are() -> None:
    body = {"UserId": "1", "Name": ' Jörg\n"Weiß" \\ Ōmu 😀', "Email": "jörg+%23#1@köln.de"}

    answer = create(body)

    assert {name: answer.body[name] for name in body} == body
    assert call(FIND_USER_BY_EMAIL, {"email": body["Email"].upper()}).body == answer.body


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({}, {"Name"}),
        ({"Email": "a@x.de"}, {"Name"}),
        ({"Name": "Ann"}, {"Email"}),
        ({**ANN, "Name": None}, {"Name"}),
        ({**ANN, "Name": ""}, {"Name"}),
        ({**ANN, "Name": "a" * 257}, {"Name"}),
        ({**ANN, "Name": ["Ann"]}, {"Name"}),
        ({**ANN, "Email": None}, {"Email"}),
        ({**ANN, "Email": ""}, {"Email"}),
        ({**ANN, "Email": "ann"}, {"Email"}),
        ({**ANN, "Email": "a b@x.de"}, {"Email"}),
        ({**ANN, "Email": "ann@x.de\n"}, {"Email"}),
        ({**ANN, "Email": "a" * 250 + "@x.de"}, {"Email"}),
        ({**ANN, "UserId": ""}, {"UserId"}),
        ({**ANN, "UserId": ".."}, {"UserId"}),
        ({**ANN, "UserId": "a#b"}, {"UserId"}),
        ({**ANN, "UserId": "a/b"}, {"UserId"}),
        ({**ANN, "UserId": "1\n"}, {"UserId"}),
        ({**ANN, "UserId": "a" * 65}, {"UserId"}),
        ({**ANN, "UserId": 1}, {"UserId"}),
        ({**ANN, "VIP": "yes"}, {"VIP"}),
        ({**ANN, "VIP": 1}, {"VIP"}),
        ({**ANN, "Address": "Köln"}, {"Address"}),
        ({**ANN, "CreatedAt": "2024-01-01T00:00:00.000Z"}, {"CreatedAt"}),
        ({**ANN, "Version": 1}, {"Version"}),
        ({**ANN, "PK": "USER#2"}, {"PK"}),
        ({**ANN, "email": "a@x.de"}, {"email"}),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, body: Any, names: set[str]
) -> None:
    answer = create(body)

    assert set(answer.refused) == names
    assert answer.requests == 0
    assert stored.all() == {}


@pytest.mark.parametrize("address", [{"a": 1}, {"a": None}, {"": "a"}, {"a": {"b": "c"}}])
def test_a_part_of_an_address_that_cannot_be_taken_is_refused_within_it(
    stored: Stored, address: Any
) -> None:
    [name] = create({**ANN, "Address": address}).refused

    assert name.startswith("Address")
    assert stored.all() == {}


def test_a_user_may_not_be_too_large(stored: Stored) -> None:
    answer = create({**ANN, "Address": {"a": "ü" * 210_000}})

    assert answer.status == 413
    assert re.search(r"42\d{4} bytes", answer.body["detail"])
    assert "409600" in answer.body["detail"]
    assert answer.requests == 0
    assert stored.all() == {}


# --- Idempotency ----------------------------------------------------------------------------


def test_the_same_call_with_its_key_gives_the_first_answer_again(stored: Stored) -> None:
    body = {"Name": "Ann", "Email": "ann@x.de"}
    first = create(body, Idempotency_Key="k")
    before = stored.all()

    again = create(body, Idempotency_Key="k")

    assert (first.status, again.status) == (201, 200)
    assert again.text == first.text
    assert again.headers["Location"] == first.headers["Location"]
    assert again.etag == first.etag
    assert stored.all() == before
    assert stored.types() == ["EmailGuard", "Idempotency", "User"]


def test_what_is_taken_leaves_the_key_free(stored: Stored) -> None:
    create(ANN)
    assert create({**ANN, "UserId": "2"}, Idempotency_Key="k").status == 409
    assert stored.types() == ["EmailGuard", "User"]

    assert create({**ANN, "UserId": "2", "Email": "b@x.de"}, Idempotency_Key="k").status == 201


@pytest.mark.usefixtures("shop")
def test_the_address_of_alice_is_taken() -> None:
    answer = create({"Name": "A", "Email": "ALICE@x.de"})

    assert (answer.status, set(answer.errors)) == (409, {"Email"})
