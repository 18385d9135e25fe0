from __future__ import annotations

import pytest

from lambdas.design.social import GET_PERSON
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.social.samples import follow, person


def test_returns_the_person_with_the_counts_that_are_kept_on_the_item(put: Put) -> None:
    put(person("ann", Name='Änn "A" 😀', Followers=12, Following=3), follow("bob", "ann"))

    answer = call(GET_PERSON, {"person_id": "ann"})

    assert answer.body == {
        "Type": "Person",
        "PersonId": "ann",
        "Name": 'Änn "A" 😀',
        "Followers": 12,
        "Following": 3,
        "Version": 1,
    }


def test_a_person_whom_nobody_follows_has_counts_of_nought(put: Put) -> None:
    put(person("ann"))

    body = call(GET_PERSON, {"person_id": "ann"}).body

    assert (body["Followers"], body["Following"]) == (0, 0)


@pytest.mark.parametrize("person_id", ["ann", "anna", "Ann", "an"])
def test_never_mistakes_one_id_for_another(put: Put, person_id: str) -> None:
    put(*(person(each) for each in ("ann", "anna", "Ann", "an")))

    assert call(GET_PERSON, {"person_id": person_id}).body["Name"] == f"Person {person_id}"


@pytest.mark.parametrize("absent", ["bob", "carla", "a"])
def test_a_person_who_does_not_exist_is_404_followed_or_not(put: Put, absent: str) -> None:
    put(person("ann"), follow("ann", "bob"), follow("carla", "ann"))

    answer = call(GET_PERSON, {"person_id": absent})

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert "ETag" not in answer.headers


def test_an_item_of_another_type_is_not_a_person(put: Put) -> None:
    put(to_item(person("ann")) | {"Type": {"S": "Tombstone"}})

    assert call(GET_PERSON, {"person_id": "ann"}).status == 404


def test_the_etag_is_the_version_in_quotes(put: Put) -> None:
    put(to_item(person("ann")) | {"Version": {"N": "12"}})

    assert call(GET_PERSON, {"person_id": "ann"}).headers["ETag"] == '"12"'


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(
    ("person_id", "followers", "following"),
    [("alice", 1, 2), ("bob", 2, 1), ("carla", 1, 0), ("dave", 0, 1)],
)
def test_the_network_has_four_people(person_id: str, followers: int, following: int) -> None:
    body = call(GET_PERSON, {"person_id": person_id}).body

    assert (body["Followers"], body["Following"]) == (followers, following)
