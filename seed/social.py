"""A social network of four: many to many between people and people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from lambdas.design.entity import Entity
from lambdas.design.social import Follow, Person


def items(_now: datetime) -> Iterator[Entity]:
    """All of the network; nothing in it depends on the time of loading."""
    yield from PEOPLE
    yield from FOLLOWS


PEOPLE = [
    Person(PersonId="alice", Name="Alice", Followers=1, Following=2),
    Person(PersonId="bob", Name="Bob", Followers=2, Following=1),
    Person(PersonId="carla", Name="Carla", Followers=1, Following=0),
    Person(PersonId="dave", Name="Dave", Followers=0, Following=1),
]

FOLLOWS = [
    Follow(PersonId="alice", FolloweeId="bob", Since="2024-03-01T18:20:00.000Z"),
    Follow(PersonId="alice", FolloweeId="carla", Since="2024-05-17T06:45:00.000Z"),
    Follow(PersonId="bob", FolloweeId="alice", Since="2024-03-02T07:05:00.000Z"),
    Follow(PersonId="dave", FolloweeId="bob", Since="2024-11-09T21:30:00.000Z"),
]
