"""The social network of the lecture: a many-to-many relation of people with themselves."""

from lambdas.design.entity import Entity
from lambdas.design.operations import BeginsWith, GetItem, Parameter, Query
from lambdas.design.pattern import AccessPattern, OneItem, Page, Technique
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
    operation=GetItem(Follow.primary),
    answer=OneItem(),
    own_parameters=(PERSON_ID, FOLLOWEE_ID),
    shows=(Technique.MANY_TO_MANY, Technique.SINGLE_ITEM),
    example={"person_id": "alice", "followee_id": "bob"},
)

ACCESS_PATTERNS: tuple[AccessPattern, ...] = (
    GET_PERSON,
    LIST_FOLLOWING,
    LIST_FOLLOWERS,
    GET_FOLLOW,
)
