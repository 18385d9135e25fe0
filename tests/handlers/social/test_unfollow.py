from __future__ import annotations

import pytest

from lambdas.design.social import GET_FOLLOW, GET_PERSON, LIST_FOLLOWERS, UNFOLLOW
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, changed
from tests.handlers.social.samples import follow, person

ANN = person("ann", Followers=4, Following=2)
BOB = person("bob", Followers=7, Following=1)


def unfollow(person_id: str, followee_id: str) -> Answer:
    return call(UNFOLLOW, {"person_id": person_id, "followee_id": followee_id})


def test_the_relation_is_gone_and_both_counts_are_one_less(put: Put, stored: Stored) -> None:
    put(ANN, BOB, follow("ann", "bob"), follow("bob", "ann"), follow("ann", "bobby"))
    before = stored.all()

    answer = unfollow("ann", "bob")

    assert (answer.status, answer.requests) == (204, 1)
    del before["PERSON#ann", "FOLLOWS#bob"]
    assert stored.all() == {
        **before,
        ("PERSON#ann", "PERSON#ann"): changed(ANN, Following={"N": "1"}, Version={"N": "2"}),
        ("PERSON#bob", "PERSON#bob"): changed(BOB, Followers={"N": "6"}, Version={"N": "2"}),
    }
    path = {"person_id": "ann", "followee_id": "bob"}
    assert call(GET_FOLLOW, path).status == 404
    assert call(LIST_FOLLOWERS, {"person_id": "bob"}).items == []


@pytest.mark.parametrize(
    ("person_id", "followee_id"), [("ann", "bob"), ("ann", "nobody"), ("nobody", "bob")]
)
def test_who_does_not_follow_changes_nothing(
    put: Put, stored: Stored, person_id: str, followee_id: str
) -> None:
    put(ANN, BOB, follow("bob", "ann"))
    before = stored.all()

    assert unfollow(person_id, followee_id).status == 204
    assert stored.all() == before


def test_it_is_counted_once_however_often_it_is_asked(put: Put, stored: Stored) -> None:
    put(ANN, BOB, follow("ann", "bob"))

    assert [unfollow("ann", "bob").status for _ in range(3)] == [204] * 3
    assert stored.version("PERSON#ann") == stored.version("PERSON#bob") == 2


def test_a_relation_whose_person_is_gone_is_409_and_stays(put: Put, stored: Stored) -> None:
    put(ANN, follow("ann", "bob"))
    before = stored.all()

    assert unfollow("ann", "bob").status == 409
    assert stored.all() == before


def test_nobody_follows_oneself_so_that_changes_nothing(put: Put, stored: Stored) -> None:
    put(ANN)
    before = stored.all()

    answer = unfollow("ann", "ann")

    assert (answer.status, answer.requests) == (204, 0)
    assert stored.all() == before


@pytest.mark.usefixtures("network")
def test_dave_follows_bob_no_more() -> None:
    assert unfollow("dave", "bob").status == 204
    body = call(GET_PERSON, {"person_id": "bob"}).body
    assert (body["Followers"], body["Following"]) == (1, 1)
