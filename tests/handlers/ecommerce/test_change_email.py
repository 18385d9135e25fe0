from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.ecommerce import CHANGE_EMAIL, FIND_USER_BY_EMAIL, EmailGuard
from lambdas.runtime.items import to_item, tombstone
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.ecommerce.samples import order, user

ANN = user("1", Name="Ann", Email="Ann@x.de", VIP=True)
BOB = user("2", Name="Bob", Email="bob@x.de")
GUARDS = [EmailGuard(Email=each.Email, UserId=each.UserId) for each in (ANN, BOB)]


@pytest.fixture(autouse=True)
def users(put: Put) -> None:
    put(ANN, BOB, *GUARDS)


def change(email: str, user_id: str = "1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(CHANGE_EMAIL, {"user_id": user_id}, sent, {"Email": email})


def test_the_profile_both_guards_and_the_index_have_the_new_address(stored: Stored) -> None:
    before = stored.all()

    answer = change("Anna@x.de")

    assert (answer.status, answer.etag) == (200, '"2"')
    assert answer.body == {
        "Type": "User",
        "UserId": "1",
        "Name": "Ann",
        "Email": "Anna@x.de",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "VIP": True,
        "Version": 2,
    }
    assert stored.item("USER#1", "PROFILE") == changed(
        ANN,
        Email={"S": "Anna@x.de"},
        GSI1PK={"S": "EMAIL#anna@x.de"},
        GSI1SK={"S": "USER#1"},
        Version={"N": "2"},
    )
    assert stored.all().keys() ^ before.keys() == {
        ("EMAIL#ann@x.de", "EMAIL#ann@x.de"),
        ("EMAIL#anna@x.de", "EMAIL#anna@x.de"),
    }
    assert stored.item("EMAIL#anna@x.de") == to_item(EmailGuard(Email="anna@x.de", UserId="1"))
    assert call(FIND_USER_BY_EMAIL, {"email": "ANNA@x.de"}).body == answer.body
    assert call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"}).status == 404


def test_the_old_address_is_free_again() -> None:
    change("anna@x.de")

    assert change("ann@x.de", "2").status == 200
    assert call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"}).body["UserId"] == "2"


def test_an_address_can_be_changed_there_and_back(stored: Stored) -> None:
    before = stored.all()
    change("anna@x.de")
    answer = change("Ann@x.de")

    assert answer.etag == '"3"'
    assert stored.item("USER#1", "PROFILE") == changed(ANN, Version={"N": "3"})
    assert stored.all().keys() == before.keys()


@pytest.mark.parametrize("email", ["bob@x.de", "BOB@x.de"])
def test_an_address_that_another_user_has_is_409_and_nothing_changes(
    stored: Stored, email: str
) -> None:
    before = stored.all()

    answer = change(email)

    assert (answer.status, answer.errors) == (409, {"Email": f"{email} is taken"})
    assert "Bob" not in answer.text
    assert stored.all() == before


@pytest.mark.parametrize("tag", [{}, {"If_Match": '"1"'}])
def test_the_same_address_changes_nothing(stored: Stored, tag: dict[str, str]) -> None:
    before = stored.all()

    answer = change("Ann@x.de", **tag)

    assert (answer.status, answer.etag, answer.requests) == (200, '"1"', 1)
    assert stored.all() == before


def test_another_case_of_it_changes_the_profile_alone(stored: Stored) -> None:
    guards = [stored.item(key) for key in ("EMAIL#ann@x.de", "EMAIL#bob@x.de")]

    answer = change("aNN@X.de", If_Match='"1"')

    assert (answer.status, answer.body["Email"], answer.etag) == (200, "aNN@X.de", '"2"')
    assert stored.item("USER#1", "PROFILE") == changed(
        ANN, Email={"S": "aNN@X.de"}, Version={"N": "2"}
    )
    assert [stored.item(key) for key in ("EMAIL#ann@x.de", "EMAIL#bob@x.de")] == guards
    assert stored.types() == ["EmailGuard", "EmailGuard", "User", "User"]
    assert call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"}).body == answer.body


@pytest.mark.parametrize(("first", "second"), [("jo\u0308rg@x.de", "j\u00f6rg@x.de")])
def test_two_ways_to_write_an_umlaut_are_one_address(
    stored: Stored, first: str, second: str
) -> None:
    change(first)
    types = stored.types()

    assert change(second, "2").status == 409
    assert change(second).status == 200
    assert stored.types() == types


def test_a_change_of_case_whose_answer_was_lost_counts_once(stored: Stored, wire: Wire) -> None:
    wire.loses(2)  # of the read, and of the update

    answer = change("aNN@X.de")

    assert (answer.status, answer.etag) == (200, '"2"')
    assert stored.version("USER#1", "PROFILE") == 2


@pytest.mark.parametrize("absent", ["3", "10", "01"])
def test_a_user_who_does_not_exist_is_404_and_takes_no_address(
    put: Put, stored: Stored, absent: str
) -> None:
    put(order("3", "2024-01-15"))
    before = stored.all()

    answer = change("new@x.de", absent)

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert stored.all() == before


def test_a_deleted_user_is_404(put: Put, stored: Stored) -> None:
    put(tombstone(to_item(ANN)))
    before = stored.all()

    assert change("new@x.de").status == 404
    assert stored.all() == before


@pytest.mark.parametrize("email", ["anna@x.de", "ANN@x.de", "Ann@x.de", "bob@x.de"])
@pytest.mark.parametrize("tag", ['"2"', '"10"'])
def test_another_version_is_412_whatever_the_address(stored: Stored, email: str, tag: str) -> None:
    before = stored.all()

    assert change(email, If_Match=tag).status == 412
    assert stored.all() == before


def test_the_version_that_was_read_is_changed(put: Put) -> None:
    put(changed(ANN, Version={"N": "7"}))

    assert change("anna@x.de", If_Match='"7"').etag == '"8"'


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "Email"),
        ({"Email": None}, "Email"),
        ({"Email": ""}, "Email"),
        ({"Email": "ann"}, "Email"),
        ({"Email": "a" * 250 + "@x.de"}, "Email"),
        ({"Email": ["a@x.de"]}, "Email"),
        ({"Email": "a@x.de", "Name": "Ann"}, "Name"),
        ({"email": "a@x.de"}, "email"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(body: Any, name: str) -> None:
    answer = call(CHANGE_EMAIL, {"user_id": "1"}, None, body)

    assert name in answer.refused or set(answer.refused) == {"Email"}
    assert answer.requests == 0
