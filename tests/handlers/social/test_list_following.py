from __future__ import annotations

import pytest

from lambdas.design.social import LIST_FOLLOWERS, LIST_FOLLOWING
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.cursors import assert_refused
from tests.handlers.social.samples import follow, person


def test_returns_whom_the_person_follows_and_since_when_and_not_the_other_direction(
    put: Put,
) -> None:
    put(person("ann"), person("bob"), follow("ann", "bob", "2024-03-01T18:20:00.000Z"))
    put(follow("bob", "ann"), follow("carla", "ann"), follow("anna", "carla"))

    assert call(LIST_FOLLOWING, {"person_id": "ann"}).items == [
        {
            "Type": "Follow",
            "PersonId": "ann",
            "FolloweeId": "bob",
            "Since": "2024-03-01T18:20:00.000Z",
            "Version": 1,
        }
    ]


@pytest.mark.parametrize("neighbour", ["FOLLOWS", "FOLLOWSUP#bob", "FOLLOW#bob", "BLOCKS#bob"])
def test_other_entities_of_the_partition_stay_out(put: Put, neighbour: str) -> None:
    put(person("ann"), follow("ann", "carla"))
    put(to_item(follow("ann", "x")) | {"SK": {"S": neighbour}})

    assert call(LIST_FOLLOWING, {"person_id": "ann"}).each("FolloweeId") == ["carla"]


@pytest.mark.parametrize("person_id", ["bob", "nobody", "an", "anna"])
def test_one_who_follows_nobody_has_an_empty_list_as_has_one_who_does_not_exist(
    put: Put, person_id: str
) -> None:
    put(person("ann"), person("bob"), follow("ann", "bob"))

    assert call(LIST_FOLLOWING, {"person_id": person_id}).body == {"items": [], "next": None}


def test_a_cursor_of_the_same_person_s_followers_is_refused(put: Put) -> None:
    put(
        *(follow("ann", each) for each in ("b", "c")), *(follow(each, "ann") for each in ("b", "c"))
    )
    followers = call(LIST_FOLLOWERS, {"person_id": "ann", "limit": "1"})
    following = call(LIST_FOLLOWING, {"person_id": "ann", "limit": "1"})

    assert_refused(LIST_FOLLOWING, {"person_id": "ann"}, str(followers.next))
    assert_refused(LIST_FOLLOWERS, {"person_id": "ann"}, str(following.next))


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(
    ("person_id", "expected"),
    [("alice", ["bob", "carla"]), ("bob", ["alice"]), ("carla", []), ("dave", ["bob"])],
)
def test_the_network_is_as_the_contract_has_it(person_id: str, expected: list[str]) -> None:
    assert call(LIST_FOLLOWING, {"person_id": person_id}).each("FolloweeId") == expected
