"""What the social network's writes do, beyond what is declared of them."""

from lambdas.design.social import Follow, Person
from lambdas.runtime.call import NOTHING, Answer, Call
from lambdas.runtime.changes import Step, create, new, shown, taken
from lambdas.runtime.errors import BadInput, Conflict, NotFound
from lambdas.runtime.expressions import add, delete, is_a, is_new, put
from lambdas.runtime.items import to_item
from lambdas.runtime.requests import Request
from lambdas.runtime.store import Cancelled


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
            return shown(Follow, already)
        missing = relation["PersonId"] if 1 in cancelled.failed else relation["FolloweeId"]
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
            raise Conflict("A person of this relation is no longer there.") from None
    return NOTHING


def _is_with_oneself(relation: dict[str, str]) -> bool:
    return relation["PersonId"] == relation["FolloweeId"]


def _counted(relation: dict[str, str], by: int) -> list[tuple[str, Request]]:
    """The counts on both people: one follows one more or less, the other is followed."""
    follower, followee = ({"PersonId": relation[name]} for name in ("PersonId", "FolloweeId"))
    return [
        ("Update", add(Person, follower, "Following", by, is_a(Person))),
        ("Update", add(Person, followee, "Followers", by, is_a(Person))),
    ]
