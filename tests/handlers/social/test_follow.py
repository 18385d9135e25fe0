from __future__ import annotations

import pytest

from lambdas.design.social import FOLLOW, GET_FOLLOW, GET_PERSON, LIST_FOLLOWERS, LIST_FOLLOWING
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, changed
from tests.handlers.social import samples
from tests.handlers.social.samples import person


def follow(person_id: str, followee_id: str) -> Answer:
    return call(FOLLOW, {"person_id": person_id, "followee_id": followee_id})


def counts(person_id: str) -> tuple[int, int]:
    body = call(GET_PERSON, {"person_id": person_id}).body
    return body["Followers"], body["Following"]


@pytest.mark.usefixtures("clock")
def test_the_relation_is_new_and_counted_on_both_people(put: Put, stored: Stored) -> None:
    ann, bob = person("ann", Followers=4, Following=2), person("bob", Followers=7, Following=1)
    put(ann, bob, person("carla"))
    before = stored.all()

    answer = follow("ann", "bob")

    assert (answer.status, answer.etag, answer.requests) == (201, '"1"', 1)
    assert answer.headers["Location"] == "/social/people/ann/following/bob"
    assert answer.body == {
        "Type": "Follow",
        "PersonId": "ann",
        "FolloweeId": "bob",
        "Since": "2026-11-30T12:00:00.000Z",
        "Version": 1,
    }
    assert stored.all() == {
        **before,
        ("PERSON#ann", "FOLLOWS#bob"): {
            "PK": {"S": "PERSON#ann"},
            "SK": {"S": "FOLLOWS#bob"},
            "Type": {"S": "Follow"},
            "Version": {"N": "1"},
            "Since": {"S": "2026-11-30T12:00:00.000Z"},
        },
        ("PERSON#ann", "PERSON#ann"): changed(ann, Following={"N": "3"}, Version={"N": "2"}),
        ("PERSON#bob", "PERSON#bob"): changed(bob, Followers={"N": "8"}, Version={"N": "2"}),
    }


def test_the_reads_agree_at_once(put: Put) -> None:
    put(person("ann"), person("bob"))

    body = follow("ann", "bob").body

    path = {"person_id": "ann", "followee_id": "bob"}
    assert call(GET_FOLLOW, path).body == body
    assert call(LIST_FOLLOWING, {"person_id": "ann"}).items == [body]
    assert call(LIST_FOLLOWERS, {"person_id": "bob"}).each("PersonId") == ["ann"]
    assert call(LIST_FOLLOWING, {"person_id": "bob"}).items == []
    assert (counts("ann"), counts("bob")) == ((0, 1), (1, 0))


def test_to_follow_again_is_200_and_changes_nothing(put: Put, stored: Stored) -> None:
    put(person("ann"), person("bob"), samples.follow("ann", "bob", "2024-03-01T18:20:00.000Z"))
    before = stored.all()

    answer = follow("ann", "bob")

    assert (answer.status, answer.etag) == (200, '"1"')
    assert answer.body["Since"] == "2024-03-01T18:20:00.000Z"
    assert stored.all() == before


def test_two_people_may_follow_each_other(put: Put) -> None:
    put(person("ann"), person("bob"))

    assert [follow("ann", "bob").status, follow("bob", "ann").status] == [201, 201]
    assert (counts("ann"), counts("bob")) == ((1, 1), (1, 1))


def test_nobody_follows_oneself(put: Put, stored: Stored) -> None:
    put(person("ann"))
    before = stored.all()

    answer = follow("ann", "ann")

    assert set(answer.refused) == {"followee_id"}
    assert answer.requests == 0
    assert stored.all() == before


@pytest.mark.parametrize(
    ("person_id", "followee_id", "missing"),
    [
        ("ann", "bo", "bo"),
        ("ann", "Bob", "Bob"),
        ("an", "bob", "an"),
        ("carla", "dave", "carla"),
    ],
)
def test_a_person_who_does_not_exist_is_404_and_named_and_nothing_is_counted(
    put: Put, stored: Stored, person_id: str, followee_id: str, missing: str
) -> None:
    put(person("ann"), person("bob"))
    before = stored.all()

    answer = follow(person_id, followee_id)

    assert answer.status == 404
    assert f"'{missing}'" in answer.body["detail"]
    assert stored.all() == before


def test_what_has_a_person_s_key_but_is_none_is_404(put: Put, stored: Stored) -> None:
    put(person("ann"), to_item(person("bob")) | {"Type": {"S": "DeletedPerson"}})
    before = stored.all()

    assert follow("ann", "bob").status == 404
    assert stored.all() == before


@pytest.mark.usefixtures("network")
def test_carla_follows_dave() -> None:
    assert follow("carla", "dave").status == 201
    assert follow("alice", "bob").status == 200
    assert (counts("carla"), counts("dave"), counts("alice")) == ((1, 1), (1, 1), (1, 2))
