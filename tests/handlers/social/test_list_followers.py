from __future__ import annotations

import pytest

from lambdas.design.social import LIST_FOLLOWERS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages
from tests.handlers.social.samples import follow, person


def test_returns_who_follows_the_person_and_no_more_than_the_keys_tell(put: Put) -> None:
    put(person("ann"), person("bob"), follow("bob", "ann"), follow("carla", "ann"))
    put(follow("ann", "dave"), follow("dave", "anna"), follow("dave", "an"))

    assert call(LIST_FOLLOWERS, {"person_id": "ann"}).items == [
        {"PersonId": "bob", "FolloweeId": "ann"},
        {"PersonId": "carla", "FolloweeId": "ann"},
    ]


def test_people_who_follow_each_other_are_in_each_other_s_lists(put: Put) -> None:
    put(follow("ann", "bob"), follow("bob", "ann"))

    assert call(LIST_FOLLOWERS, {"person_id": "ann"}).each("PersonId") == ["bob"]
    assert call(LIST_FOLLOWERS, {"person_id": "bob"}).each("PersonId") == ["ann"]


@pytest.mark.parametrize("partition", ["PERSON", "PERSONS#x", "PERSONA#x", "GROUP#x"])
def test_other_entities_that_share_the_sort_key_stay_out(put: Put, partition: str) -> None:
    put(follow("bob", "ann"), to_item(follow("x", "ann")) | {"PK": {"S": partition}})

    assert call(LIST_FOLLOWERS, {"person_id": "ann"}).each("PersonId") == ["bob"]


@pytest.mark.parametrize("person_id", ["dave", "nobody", "an", "Ann"])
def test_one_without_followers_has_an_empty_list_as_has_one_who_does_not_exist(
    put: Put, person_id: str
) -> None:
    put(person("ann"), person("dave"), follow("bob", "ann"), follow("dave", "ann"))

    assert call(LIST_FOLLOWERS, {"person_id": person_id}).body == {"items": [], "next": None}


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize(
    ("person_id", "expected"),
    [("alice", ["bob"]), ("bob", ["alice", "dave"]), ("carla", ["alice"]), ("dave", [])],
)
def test_the_network_is_as_the_contract_has_it(
    person_id: str, expected: list[str], limit: int
) -> None:
    found = pages(LIST_FOLLOWERS, {"person_id": person_id}, limit)

    assert [each for page in found for each in page.each("PersonId")] == expected
