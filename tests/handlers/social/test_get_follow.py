from __future__ import annotations

import pytest

from lambdas.design.social import GET_FOLLOW
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.social.samples import follow, person


def test_returns_that_one_person_follows_another_and_since_when(put: Put) -> None:
    put(follow("ann", "bob", "2024-03-01T18:20:00.000Z"), follow("bob", "ann"))

    answer = call(GET_FOLLOW, {"person_id": "ann", "followee_id": "bob"})

    assert answer.body == {
        "Type": "Follow",
        "PersonId": "ann",
        "FolloweeId": "bob",
        "Since": "2024-03-01T18:20:00.000Z",
        "Version": 1,
    }


@pytest.mark.parametrize(
    ("person_id", "followee_id"),
    [
        ("bob", "ann"),
        ("ann", "bo"),
        ("ann", "bobby"),
        ("an", "bob"),
        ("anna", "bob"),
        ("ann", "Bob"),
        ("ann", "ann"),
        ("bob", "bob"),
        ("nobody", "bob"),
    ],
)
def test_one_who_does_not_follow_another_is_404_though_the_other_may_follow_back(
    put: Put, person_id: str, followee_id: str
) -> None:
    put(person("ann"), person("bob"), person("anna"), follow("ann", "bob"))

    answer = call(GET_FOLLOW, {"person_id": person_id, "followee_id": followee_id})

    assert answer.status == 404
    assert person_id in answer.body["detail"]
    assert followee_id in answer.body["detail"]
    assert "ETag" not in answer.headers


def test_an_item_of_another_type_is_not_a_relation(put: Put) -> None:
    put(to_item(follow("ann", "bob")) | {"Type": {"S": "Request"}})

    assert call(GET_FOLLOW, {"person_id": "ann", "followee_id": "bob"}).status == 404


def test_the_etag_is_the_version_in_quotes(put: Put) -> None:
    put(to_item(follow("ann", "bob")) | {"Version": {"N": "12"}})

    answer = call(GET_FOLLOW, {"person_id": "ann", "followee_id": "bob"})

    assert answer.headers["ETag"] == '"12"'


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(
    ("person_id", "followee_id", "status"),
    [("alice", "carla", 200), ("carla", "alice", 404), ("dave", "bob", 200), ("bob", "dave", 404)],
)
def test_the_network_is_as_the_contract_has_it(
    person_id: str, followee_id: str, status: int
) -> None:
    answer = call(GET_FOLLOW, {"person_id": person_id, "followee_id": followee_id})

    assert answer.status == status
