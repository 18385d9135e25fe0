"""A social network of any size: small circles who follow one another, and stars whom all follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count as numbers
from typing import Final

from lambdas.design.entity import Entity
from lambdas.design.social import Follow, Person
from lambdas.runtime import times
from seed.generated import names
from seed.generated.chance import Chance
from seed.generated.units import filled

STARS: Final = 10
CIRCLE: Final = 8


def entities(count: int, now: datetime, chance: Chance) -> Iterator[Entity]:
    """So many entities of a network; all have followed whom they follow before `now`.

    The stars come last: by then their followers have been counted, in a memory that does not grow.
    """
    followers: Counter[int] = Counter()
    units = _circles(now, chance, followers)
    yield from filled(count - STARS, units, lambda number: _person(f"alone-{number:09d}", number))
    for number in range(STARS):
        yield _person(star_id(number), number, Followers=followers[number])


def person_id(number: int) -> str:
    """Somebody in a circle; those from 8 n to 8 n + 7 are in one."""
    return f"person-{number:09d}"


def star_id(number: int) -> str:
    """The first star has the most followers, the second half as many, and so on."""
    return f"star-{number}"


def _circles(now: datetime, chance: Chance, followers: Counter[int]) -> Iterator[list[Entity]]:
    """Without end: some people, and whom each follows among them and among the stars."""
    for number in numbers(step=CIRCLE):
        circle = range(number, number + CIRCLE)
        chosen = {each: _chosen(each, circle, chance) for each in circle}
        stars = {each: chance.ranks(chance.below(4), STARS) for each in circle}
        within = Counter(friend for friends in chosen.values() for friend in friends)
        people = [
            _person(
                person_id(each),
                each,
                Followers=within[each],
                Following=len(chosen[each]) + len(stars[each]),
            )
            for each in circle
        ]
        follows = [
            Follow(PersonId=person_id(each), FolloweeId=followee, Since=_before(now, chance))
            for each in circle
            for followee in (*map(person_id, chosen[each]), *map(star_id, stars[each]))
        ]
        # What follows is done only when the next circle is asked for: one that no longer fits is
        # dropped, and does not count.
        yield [*people, *follows]
        followers.update(star for each in stars.values() for star in each)


def _chosen(number: int, circle: range, chance: Chance) -> list[int]:
    """Whom somebody follows in the circle."""
    return [each for each in circle if each != number and chance.happens(0.4)]


def _person(person: str, number: int, *, Followers: int = 0, Following: int = 0) -> Person:  # noqa: N803
    return Person(
        PersonId=person, Name=names.person(number), Followers=Followers, Following=Following
    )


def _before(now: datetime, chance: Chance) -> str:
    return times.to_text(now - timedelta(minutes=chance.below(3 * 365 * 24 * 60)))
