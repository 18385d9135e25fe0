"""The social network of the lecture: a many-to-many relation of people with themselves."""

from msgspec import Struct

from lambdas.design.access import Anyone, Oneself
from lambdas.design.entity import Entity
from lambdas.design.idempotency import REMEMBER
from lambdas.design.operations import (
    BeginsWith,
    DeleteItem,
    GetItem,
    Parameter,
    PutItem,
    Query,
    Transaction,
    UpdateItem,
    Write,
)
from lambdas.design.pattern import (
    IDEMPOTENCY_KEY,
    AccessPattern,
    NewItem,
    Nothing,
    OneItem,
    Page,
    PutOrReplaced,
    Technique,
)
from lambdas.design.table import TABLE
from lambdas.design.values import Id, Text, Time, Whole

# --- Entities -------------------------------------------------------------------------------


class Person(Entity):
    """Somebody who follows and is followed. Both counts are kept on the item, so that nobody has
    to read the relations to count them."""

    primary = TABLE.key("PERSON#{PersonId}", "PERSON#{PersonId}")

    PersonId: Id
    Name: Text
    Followers: Whole = 0
    Following: Whole = 0


class Follow(Entity):
    """One person follows another: the table answers whom, the inverted index by whom."""

    primary = TABLE.key("PERSON#{PersonId}", "FOLLOWS#{FolloweeId}")

    PersonId: Id
    FolloweeId: Id
    Since: Time


ENTITIES: tuple[type[Entity], ...] = (Person, Follow)

# --- Parameters -----------------------------------------------------------------------------

PERSON_ID = Parameter("person_id", Id, "The person.", fills="PersonId", required=True)
FOLLOWEE_ID = Parameter(
    "followee_id", Id, "The person who is followed.", fills="FolloweeId", required=True
)
FOLLOWED_PERSON_ID = Parameter(
    "person_id", Id, "The person who is followed.", fills="FolloweeId", required=True
)

# --- Access patterns ------------------------------------------------------------------------

GET_PERSON = AccessPattern(
    id="SO-01",
    name="get_person",
    route="GET /social/people/{person_id}",
    summary="A person, with the counts of followers and followed.",
    people=Anyone(),
    operation=GetItem(Person.primary),
    answer=OneItem(),
    own_parameters=(PERSON_ID,),
    shows=(Technique.SINGLE_ITEM,),
    example={"person_id": "alice"},
)

LIST_FOLLOWING = AccessPattern(
    id="SO-02",
    name="list_following",
    route="GET /social/people/{person_id}/following",
    summary="Whom a person follows.",
    people=Anyone(),
    operation=Query(Follow.primary, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(PERSON_ID,),
    shows=(Technique.MANY_TO_MANY, Technique.ONE_TO_MANY),
    example={"person_id": "alice"},
)

LIST_FOLLOWERS = AccessPattern(
    id="SO-03",
    name="list_followers",
    route="GET /social/people/{person_id}/followers",
    summary="Who follows a person.",
    people=Anyone(),
    operation=Query(Follow.inverted, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(FOLLOWED_PERSON_ID,),
    shows=(Technique.MANY_TO_MANY, Technique.INVERTED_INDEX),
    example={"person_id": "bob"},
)

GET_FOLLOW = AccessPattern(
    id="SO-04",
    name="get_follow",
    route="GET /social/people/{person_id}/following/{followee_id}",
    summary="Whether one person follows another, and since when.",
    people=Anyone(),
    operation=GetItem(Follow.primary),
    answer=OneItem(),
    own_parameters=(PERSON_ID, FOLLOWEE_ID),
    shows=(Technique.MANY_TO_MANY, Technique.SINGLE_ITEM),
    example={"person_id": "alice", "followee_id": "bob"},
)

# --- Bodies of writes -----------------------------------------------------------------------


class NewPerson(Struct, forbid_unknown_fields=True):
    """A person who joins."""

    PersonId: Id
    Name: Text


# --- Writes ---------------------------------------------------------------------------------

CREATE_PERSON = AccessPattern(
    id="SW-01",
    name="create_person",
    route="POST /social/people",
    summary="Adds a person whose id nobody else has.",
    people=Oneself("PersonId"),
    operation=Write((Transaction((PutItem(Person.primary), REMEMBER)),)),
    answer=NewItem("/social/people/{PersonId}"),
    headers=(IDEMPOTENCY_KEY,),
    refuses=(409,),
    body=NewPerson,
    shows=(Technique.IDEMPOTENCY,),
    example={},
    example_body=NewPerson(PersonId="erin", Name="Erin"),
)

FOLLOW = AccessPattern(
    id="SW-02",
    name="follow",
    route="PUT /social/people/{person_id}/following/{followee_id}",
    summary="Lets one person follow another, and counts it on both.",
    people=Oneself("PersonId"),
    operation=Write((Transaction((PutItem(Follow.primary), UpdateItem(Person.primary))),)),
    answer=PutOrReplaced("/social/people/{PersonId}/following/{FolloweeId}"),
    own_parameters=(PERSON_ID, FOLLOWEE_ID),
    refuses=(404, 409),
    shows=(Technique.MANY_TO_MANY,),
    example={"person_id": "carla", "followee_id": "dave"},
)

UNFOLLOW = AccessPattern(
    id="SW-03",
    name="unfollow",
    route="DELETE /social/people/{person_id}/following/{followee_id}",
    summary="Ends that one person follows another, whether or not it was so.",
    people=Oneself("PersonId"),
    operation=Write((Transaction((DeleteItem(Follow.primary), UpdateItem(Person.primary))),)),
    answer=Nothing(),
    own_parameters=(PERSON_ID, FOLLOWEE_ID),
    refuses=(409,),
    shows=(Technique.MANY_TO_MANY,),
    example={"person_id": "dave", "followee_id": "bob"},
)

READS: tuple[AccessPattern, ...] = (
    GET_PERSON,
    LIST_FOLLOWING,
    LIST_FOLLOWERS,
    GET_FOLLOW,
)

WRITES: tuple[AccessPattern, ...] = (
    CREATE_PERSON,
    FOLLOW,
    UNFOLLOW,
)
