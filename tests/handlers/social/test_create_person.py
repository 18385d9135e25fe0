from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.social import CREATE_PERSON, GET_PERSON
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored
from tests.handlers.social.samples import person

pytestmark = pytest.mark.usefixtures("table")


def create(body: Any, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(CREATE_PERSON, {}, sent, body)


def test_a_new_person_follows_nobody_and_is_followed_by_nobody(stored: Stored) -> None:
    answer = create({"PersonId": "ann", "Name": 'Änn "A" 😀'})

    assert (answer.status, answer.etag, answer.requests) == (201, '"1"', 1)
    assert answer.headers["Location"] == "/social/people/ann"
    assert answer.body == {
        "Type": "Person",
        "PersonId": "ann",
        "Name": 'Änn "A" 😀',
        "Followers": 0,
        "Following": 0,
        "Version": 1,
    }
    assert stored.all() == {
        ("PERSON#ann", "PERSON#ann"): {
            "PK": {"S": "PERSON#ann"},
            "SK": {"S": "PERSON#ann"},
            "Type": {"S": "Person"},
            "Version": {"N": "1"},
            "Name": {"S": 'Änn "A" 😀'},
            "Followers": {"N": "0"},
            "Following": {"N": "0"},
        }
    }
    assert call(GET_PERSON, {"person_id": "ann"}).body == answer.body


def test_an_id_that_is_taken_is_409_and_named_and_the_person_stays(
    put: Put, stored: Stored
) -> None:
    put(person("ann", Followers=3))
    before = stored.all()

    answer = create({"PersonId": "ann", "Name": "Anna"})

    assert (answer.status, answer.errors) == (409, {"PersonId": "ann is taken"})
    assert stored.all() == before


@pytest.mark.parametrize("person_id", ["Ann", "anna", "an", "a.n-n_~"])
def test_an_id_that_is_nearly_the_same_is_not_taken(put: Put, person_id: str) -> None:
    put(person("ann"))

    assert create({"PersonId": person_id, "Name": "Anna"}).status == 201


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "PersonId"),
        ({"Name": "Ann"}, "PersonId"),
        ({"PersonId": "ann"}, "Name"),
        ({"PersonId": None, "Name": "Ann"}, "PersonId"),
        ({"PersonId": "", "Name": "Ann"}, "PersonId"),
        ({"PersonId": "..", "Name": "Ann"}, "PersonId"),
        ({"PersonId": "a#b", "Name": "Ann"}, "PersonId"),
        ({"PersonId": "a" * 65, "Name": "Ann"}, "PersonId"),
        ({"PersonId": 1, "Name": "Ann"}, "PersonId"),
        ({"PersonId": "ann", "Name": ""}, "Name"),
        ({"PersonId": "ann", "Name": "a" * 257}, "Name"),
        ({"PersonId": "ann", "Name": "Ann", "Followers": 9}, "Followers"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, body: Any, name: str
) -> None:
    answer = create(body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == {}


def test_the_same_call_with_its_key_adds_one_person(stored: Stored) -> None:
    body = {"PersonId": "ann", "Name": "Ann"}
    first = create(body, Idempotency_Key="k")
    before = stored.all()

    again = create(body, Idempotency_Key="k")

    assert (first.status, again.status, again.text) == (201, 200, first.text)
    assert create({**body, "Name": "Anna"}, Idempotency_Key="k").status == 409
    assert create(body).status == 409
    assert stored.all() == before


@pytest.mark.usefixtures("network")
def test_the_example_joins_the_network() -> None:
    assert create({"PersonId": "erin", "Name": "Erin"}).status == 201
    assert create({"PersonId": "alice", "Name": "Alice"}).status == 409
