"""The social network as two dictionaries; the counts are counted, not kept."""

from __future__ import annotations

from collections.abc import Iterator

from lambdas.design import social
from lambdas.design.entity import Entity
from lambdas.design.social import Follow, Person
from tests.stateful.machine import Read, found, listed
from tests.stateful.memory import Memory
from tests.stateful.service import Clock, Fields, Outcome

IDS = ("ann", "ann2", "Ann", "~._-")


class People:
    """Who there is, and who follows whom since when."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.names: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.follows: dict[tuple[str, str], str] = {}
        self.memory = Memory(clock)

    def join(self, person: str, name: str, key: str | None) -> Outcome:
        def outcome() -> Outcome:
            if person in self.names:
                return Outcome(409, named={"PersonId"})
            self.names[person], self.versions[person] = name, 1
            return Outcome(201, self.person(person), 1, f"/social/people/{person}")

        return self.memory.once(social.CREATE_PERSON.id, key, (person, name), outcome)

    def follow(self, follower: str, followee: str) -> Outcome:
        if follower == followee:
            return Outcome(400, named={"followee_id"})
        if (follower, followee) in self.follows:
            return Outcome(200, self.relation(follower, followee), 1)
        if not {follower, followee} <= self.names.keys():
            return Outcome(404)
        self.follows[follower, followee] = self.clock.text
        self._count(follower, followee)
        location = f"/social/people/{follower}/following/{followee}"
        return Outcome(201, self.relation(follower, followee), 1, location)

    def unfollow(self, follower: str, followee: str) -> Outcome:
        if self.follows.pop((follower, followee), None):
            self._count(follower, followee)
        return Outcome(204)

    def _count(self, *people: str) -> None:
        for person in people:
            self.versions[person] += 1

    def person(self, person: str) -> Fields | None:
        if person not in self.names:
            return None
        return {
            "Type": "Person",
            "PersonId": person,
            "Name": self.names[person],
            "Followers": sum(followee == person for _, followee in self.follows),
            "Following": sum(follower == person for follower, _ in self.follows),
            "Version": self.versions[person],
        }

    def relation(self, follower: str, followee: str) -> Fields | None:
        since = self.follows.get((follower, followee))
        if since is None:
            return None
        fields = {"PersonId": follower, "FolloweeId": followee, "Since": since}
        return {"Type": "Follow", **fields, "Version": 1}

    def stored(self) -> Iterator[tuple[Entity, int] | Fields]:
        for person in self.names:
            fields = self.person(person) or {}
            counts = {name: fields[name] for name in ("Followers", "Following")}
            yield (
                Person(PersonId=person, Name=self.names[person], **counts),
                self.versions[person],
            )
        for (follower, followee), since in self.follows.items():
            yield Follow(PersonId=follower, FolloweeId=followee, Since=since), 1
        yield from self.memory.stored()

    def reads(self) -> Iterator[Read]:
        for one in IDS:
            person = {"person_id": one}
            follows = [self.relation(*pair) or {} for pair in sorted(self.follows)]
            followed = [each for each in follows if each["PersonId"] == one]
            followers = [
                {"PersonId": each["PersonId"], "FolloweeId": one}
                for each in follows
                if each["FolloweeId"] == one
            ]
            yield social.GET_PERSON, person, found(self.person(one))
            yield social.LIST_FOLLOWING, person, listed(followed)
            yield social.LIST_FOLLOWERS, person, listed(followers)
            for other in IDS:
                pair = {**person, "followee_id": other}
                yield social.GET_FOLLOW, pair, found(self.relation(one, other))
