"""Small entities for the tests; only what a test is about is given."""

from __future__ import annotations

from typing import Any

from lambdas.design.social import Follow, Person


def person(person_id: str, **attributes: Any) -> Person:
    return Person(PersonId=person_id, **({"Name": f"Person {person_id}"} | attributes))


def follow(person_id: str, followee_id: str, since: str = "2024-03-01T18:20:00.000Z") -> Follow:
    return Follow(PersonId=person_id, FolloweeId=followee_id, Since=since)
