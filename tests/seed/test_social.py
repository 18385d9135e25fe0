from __future__ import annotations

from datetime import UTC, datetime

from lambdas.design.social import Follow, Person
from seed import social

ENTITIES = list(social.items(datetime(2025, 1, 15, 12, 0, tzinfo=UTC)))
PEOPLE = [entity for entity in ENTITIES if isinstance(entity, Person)]
FOLLOWS = [entity for entity in ENTITIES if isinstance(entity, Follow)]


def test_there_are_four_people() -> None:
    assert [person.PersonId for person in PEOPLE] == ["alice", "bob", "carla", "dave"]


def test_they_follow_each_other_as_agreed_and_not_the_other_way_round() -> None:
    assert [(follow.PersonId, follow.FolloweeId) for follow in FOLLOWS] == [
        ("alice", "bob"),
        ("alice", "carla"),
        ("bob", "alice"),
        ("dave", "bob"),
    ]


def test_the_counts_of_each_person_are_those_of_the_relations() -> None:
    for person in PEOPLE:
        following = [follow for follow in FOLLOWS if follow.PersonId == person.PersonId]
        followers = [follow for follow in FOLLOWS if follow.FolloweeId == person.PersonId]
        assert (person.Following, person.Followers) == (len(following), len(followers))
