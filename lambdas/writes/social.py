"""What the social network's writes do, beyond what is declared of them."""

from lambdas.design.social import Follow, Person
from lambdas.runtime import items
from lambdas.runtime.call import NOTHING, Answer, Call
from lambdas.runtime.changes import Step, create, new, shown, taken
from lambdas.runtime.errors import BadInput, Conflict, NotFound
from lambdas.runtime.expressions import add, delete, is_a, is_new, put
from lambdas.runtime.items import Item, to_item
from lambdas.runtime.requests import Request
from lambdas.runtime.store import Cancelled

UNCOUNTABLE = "A person of this relation is stored with a count or a Version that is no number."


def create_person(call: Call) -> Answer:
    """SW-01: a person whose id nobody else has."""
    person = Person(PersonId=call.body.PersonId, Name=call.body.Name)
    item = to_item(person)
    return create(
        call,
        new(call, Person, item),
        Step("Put", put(person, is_new()), taken(PersonId=person.PersonId)),
    )


def follow(call: Call) -> Answer:
    """SW-02: the relation and both counts; following again changes nothing."""
    relation = call.values
    if _is_with_oneself(relation):
        raise BadInput({"followee_id": "must be somebody else"})
    follow = Follow(**relation, Since=call.time)
    try:
        call.store.transact(
            [("Put", put(follow, is_new())), *_counted(relation, 1)],
            call.token,
        )
    except Cancelled as cancelled:
        if (already := cancelled.failed.get(0)) is not None:
            return shown(Follow, _followed(already))
        at, person = min(cancelled.failed.items())
        if person is not None and items.is_a(person, Person):
            raise Conflict(UNCOUNTABLE) from None
        missing = relation["PersonId"] if at == 1 else relation["FolloweeId"]
        raise NotFound(f"There is no Person with PersonId {missing!r}.") from None
    return new(call, Follow, to_item(follow))


def unfollow(call: Call) -> Answer:
    """SW-03: the relation and both counts; not following changes nothing."""
    relation = call.values
    if _is_with_oneself(relation):  # which nobody can begin
        return NOTHING
    ended = ("Delete", delete(Follow.primary, relation, is_a(Follow)))
    try:
        call.store.transact([ended, *_counted(relation, -1)], call.token)
    except Cancelled as cancelled:
        if 0 not in cancelled.failed:
            there = all(item and items.is_a(item, Person) for item in cancelled.failed.values())
            gone = "A person of this relation is no longer there."
            raise Conflict(UNCOUNTABLE if there else gone) from None
        if (kept := cancelled.failed[0]) is not None:
            _followed(kept)
    return NOTHING


def _followed(stored: Item) -> Item:
    """What is stored as the relation. Raises Conflict when it is none, and so in the way of it."""
    if not items.is_a(stored, Follow):
        raise Conflict("What is stored in the place of this relation is none.")
    return stored


def _is_with_oneself(relation: dict[str, str]) -> bool:
    return relation["PersonId"] == relation["FolloweeId"]


def _counted(relation: dict[str, str], by: int) -> list[tuple[str, Request]]:
    """The counts on both people: one follows one more or less, the other is followed."""
    follower, followee = ({"PersonId": relation[name]} for name in ("PersonId", "FolloweeId"))
    return [
        ("Update", add(Person, follower, "Following", by, is_a(Person))),
        ("Update", add(Person, followee, "Followers", by, is_a(Person))),
    ]
