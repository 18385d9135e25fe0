"""What writes do about items that another program, or a hand, has stored as no entity can be.

None may answer 500 for it, change such an item in part, or remove what is not its own. The local
cloud answers like moto to all that stands here. To compare an attribute of another type with a
number is false for DynamoDB, and an exception in moto: no such condition is tried here.
"""

from __future__ import annotations

from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import (
    CHANGE_EMAIL,
    CHANGE_ORDER_STATUS,
    DELETE_USER,
    END_SESSION,
    FIND_USER_BY_EMAIL,
    GET_USER,
    PLACE_ORDER,
    SUBMIT_JOB,
    EmailGuard,
)
from lambdas.design.entity import Entity
from lambdas.design.pattern import IF_MATCH, AccessPattern, PutOrReplaced
from lambdas.design.social import FOLLOW, UNFOLLOW
from lambdas.design.university import MOVE_SEMINAR, WITHDRAW
from lambdas.runtime import logs
from lambdas.runtime.items import Item, to_item
from tests.conftest import Put
from tests.handlers.caller import Answer, call, called, event, example, send
from tests.handlers.conftest import Stored, changed
from tests.handlers.ecommerce.samples import job, order, product, session, user
from tests.handlers.social.samples import follow, person
from tests.handlers.university.samples import article, enrolment, teaching
from tests.people import STRANGER

pytestmark = pytest.mark.usefixtures("table")

Attribute = dict[str, Any]

ABSENT = None
TEXT: Attribute = {"S": "2"}

# --- The item that is changed ---------------------------------------------------------------

OF_EXAMPLE: dict[str, Entity] = {
    "CW-02": user("U-002"),
    "CW-03": user("U-002"),
    "CW-04": user("U-005"),
    "CW-06": order("U-001", "2024-01-15", Status="PENDING"),
    "CW-07": product("P-900"),
    "CW-11": job("J-001"),
    "UW-01": enrolment("Mia Muster", "Moderne UI Konzepte"),
    "UW-02": enrolment("Nora Neugierig", "Moderne UI Konzepte"),
    "UW-04": teaching("Prof. Dr. Felix Faktor", "Moderne UI Konzepte"),
    "UW-05": article("Prof. Dr. Clara Codekraft", "Graphen ohne Joins"),
}
"""The item that each pattern's example changes, as an entity has it."""

VERSIONED = [each for each in ACCESS_PATTERNS if each.id in OF_EXAMPLE]

GHOST = "only its keys"
SHAPES: dict[str, dict[str, Attribute | None]] = {
    "as it should be": {},
    "no Type": {"Type": ABSENT},
    "another Type": {"Type": {"S": "Draft"}},
    "a Type that is no text": {"Type": {"N": "1"}},
    GHOST: {},
    "no Version": {"Version": ABSENT},
    "a Version that is text": {"Version": TEXT},
    "a Version that is null": {"Version": {"NULL": True}},
}


def planted(pattern: AccessPattern, shape: str) -> Item:
    item = changed(OF_EXAMPLE[pattern.id], **SHAPES[shape])
    return {name: item[name] for name in ("PK", "SK")} if shape == GHOST else item


def expected(pattern: AccessPattern, shape: str) -> int:
    """The answer without If-Match. What is none of the entity is absent, as it is for reads."""
    if isinstance(pattern.answer, PutOrReplaced):
        return 201 if shape in (GHOST, "no Version") else 409 if "a Version" in shape else 200
    if "Type" in shape or shape == GHOST:
        return 404
    if pattern is DELETE_USER:  # nothing stands in the way of deleting personal data
        return 204
    return 409 if "Version" in shape else 200


def test_each_is_a_pattern_that_takes_a_version() -> None:
    assert all(IF_MATCH in each.headers for each in VERSIONED)
    assert len(VERSIONED) == len(OF_EXAMPLE)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("pattern", VERSIONED, ids=lambda each: each.name)
def test_it_is_changed_whole_or_refused_and_stays(
    put: Put, stored: Stored, pattern: AccessPattern, shape: str
) -> None:
    near_miss = user("U-0021")
    put(planted(pattern, shape), near_miss)
    before = stored.all()

    stale = call(pattern, pattern.example, {"If-Match": '"5"'}, example(pattern))
    assert stale.status == (404 if expected(pattern, shape) == 404 else 412)
    assert stored.all() == before

    answer = call(pattern, pattern.example, None, example(pattern))
    assert answer.status == expected(pattern, shape)
    assert (stored.all() == before) == (answer.status >= 400)
    assert stored.item("USER#U-0021", "PROFILE") == to_item(near_miss)
    if answer.status == 409:
        assert "its Version is no whole number" in answer.body["detail"]


@pytest.mark.parametrize("status", [ABSENT, {"N": "1"}, {"S": ""}, {"S": "abc"}])
def test_an_order_of_no_status_goes_nowhere(
    put: Put, stored: Stored, status: Attribute | None
) -> None:
    put(changed(OF_EXAMPLE["CW-06"], Status=status))
    before = stored.all()

    answer = call(CHANGE_ORDER_STATUS, CHANGE_ORDER_STATUS.example, None, {"Status": "PAID"})

    assert (answer.status, set(answer.errors)) == (409, {"Status"})
    assert stored.all() == before


def test_a_seminar_moves_without_the_entry_whose_version_cannot_be_counted(
    put: Put, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = StringIO()
    monkeypatch.setattr(logs.handler, "stream", log)
    odd = changed(enrolment("Mia", "KI"), Version=ABSENT)
    put(enrolment("Finn", "KI"), odd, enrolment("Nora", "KI"), teaching("Max", "KI"))

    answer = call(MOVE_SEMINAR, {}, None, {"Seminar": "KI", "RaumNr": "43"})

    assert (answer.status, answer.body) == (200, {"changed": 3, "next": None})
    assert stored.item("Student#Mia", "Seminar#KI") == odd
    assert log.getvalue().count("item left out") == 1
    assert "Mia" not in log.getvalue()

    call(MOVE_SEMINAR, {}, None, {"Seminar": "KI", "RaumNr": "43"})
    assert log.getvalue().count("item left out") == 2  # and not for those that are there already


# --- The address of a user ------------------------------------------------------------------

ANN = user("U-1", Email="ann@x.de")
OWN = EmailGuard(Email="ann@x.de", UserId="U-1")
SOMEBODY_ELSES = EmailGuard(Email="ann@x.de", UserId="U-2")

NO_ADDRESS = [ABSENT, {"N": "1"}, {"S": ""}, {"S": "a" * 1100}]


def change_email(email: str = "new@x.de") -> Answer:
    return call(CHANGE_EMAIL, {"user_id": "U-1"}, None, {"Email": email})


def delete_user() -> Answer:
    return call(DELETE_USER, {"user_id": "U-1"})


@pytest.mark.parametrize("email", NO_ADDRESS)
def test_whoever_has_no_address_can_get_one(
    put: Put, stored: Stored, email: Attribute | None
) -> None:
    put(changed(ANN, Email=email), OWN)

    answer = change_email()

    assert (answer.status, answer.body["Email"], answer.etag) == (200, "new@x.de", '"2"')
    assert stored.item("EMAIL#new@x.de") == to_item(EmailGuard(Email="new@x.de", UserId="U-1"))
    assert stored.item("EMAIL#ann@x.de") == to_item(OWN)
    assert change_email().requests == 1  # it is the same now


@pytest.mark.parametrize("email", NO_ADDRESS)
def test_whoever_has_no_address_can_be_deleted(
    put: Put, stored: Stored, email: Attribute | None
) -> None:
    put(changed(ANN, Email=email))

    assert (delete_user().status, stored.types()) == (204, ["DeletedUser"])


@pytest.mark.parametrize("version", [ABSENT, TEXT, {"N": "1.5"}])
def test_of_a_user_without_a_version_a_first_tombstone_is_left(
    put: Put, stored: Stored, version: Attribute | None
) -> None:
    put(changed(ANN, Version=version), OWN)

    assert (delete_user().status, stored.types()) == (204, ["DeletedUser"])
    assert stored.version("USER#U-1", "PROFILE") == 1


@pytest.mark.parametrize("guard", [SOMEBODY_ELSES, changed(OWN, UserId=ABSENT)])
def test_a_guard_that_is_somebody_else_s_stays_and_stops_nothing(
    put: Put, stored: Stored, guard: EmailGuard | Item
) -> None:
    for write in (change_email, delete_user):
        put(ANN, guard)
        answer = write()
        assert answer.status < 300
        assert answer.requests - (write is delete_user) == 3  # once more, without the guard
        assert stored.item("EMAIL#ann@x.de") == changed(guard)

    put(ANN, OWN)
    assert (change_email("newer@x.de").requests, stored.item("EMAIL#ann@x.de")) == (2, None)


def test_an_address_is_taken_whatever_the_old_one_s_guard_is(put: Put, stored: Stored) -> None:
    put(ANN, SOMEBODY_ELSES, EmailGuard(Email="new@x.de", UserId="U-3"))
    before = stored.all()

    answer = change_email()

    assert (answer.status, answer.requests) == (409, 2)
    assert answer.body["detail"] == "Email 'new@x.de' is taken."
    assert stored.all() == before


def test_the_user_is_found_by_the_address_whatever_else_is_in_its_collection(put: Put) -> None:
    put({"PK": {"S": "x"}, "SK": {"S": "x"}, "GSI1PK": {"S": "EMAIL#ann@x.de"}, "GSI1SK": TEXT})
    put(ANN)

    assert call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"}).body["UserId"] == "U-1"


def test_who_a_user_is_says_the_key_and_no_attribute(put: Put) -> None:
    put(changed(ANN, UserId={"S": "U-777"}))

    assert call(GET_USER, {"user_id": "U-1"}).body["UserId"] == "U-1"


# --- What is deleted ------------------------------------------------------------------------

NO_SESSION = changed(session("S-1", None, user_id="U-1"), Type={"S": "Draft"})


def test_a_deleted_user_s_sessions_end_and_nothing_else_in_their_collection(
    put: Put, stored: Stored
) -> None:
    put(ANN, OWN, NO_SESSION, session("S-2", None, user_id="U-1"))

    assert delete_user().status == 204
    assert stored.types() == ["DeletedUser", "Draft"]


@pytest.mark.parametrize("kind", [ABSENT, {"S": "Draft"}, {"N": "1"}])
@pytest.mark.parametrize(
    ("pattern", "entity"),
    [
        (END_SESSION, session(END_SESSION.example["session_id"])),
        (WITHDRAW, enrolment(*WITHDRAW.example.values())),
    ],
    ids=["end_session", "withdraw"],
)
def test_what_is_of_another_type_is_absent_and_stays(
    put: Put, stored: Stored, pattern: AccessPattern, entity: Entity, kind: Attribute | None
) -> None:
    put(changed(entity, Type=kind))
    before = stored.all()

    admin = {"jwt": {"claims": {"sub": STRANGER, "scope": "admin"}}}
    for authorizer in (None, admin):
        answer = send(pattern, called(event(pattern, pattern.example), authorizer))
        assert (answer.status, answer.requests) == (204, 1)
    assert stored.all() == before

    put(entity)
    assert call(pattern, pattern.example).status == 204
    assert stored.all() == {}


# --- Products that are ordered --------------------------------------------------------------

NAMES: list[Attribute | None] = [ABSENT, {"N": "1"}, {"S": ""}, {"B": b"x"}, {"L": []}]
PRICES: list[Attribute | None] = [
    *(ABSENT, {"S": "1"}, {"BOOL": True}, {"NULL": True}),
    *({"N": each} for each in ("-7", "1000000000000.1", "0.00001", "1E+125", "9" * 38)),
]
CURRENCIES: list[Attribute | None] = [ABSENT, {"N": "1"}, {"S": ""}, {"S": "abc"}]
"""What no product can be put with."""


def place(products: int = 1) -> Answer:
    lines = [{"ProductId": f"P-{n}", "Quantity": 999} for n in range(products)]
    return call(PLACE_ORDER, {"user_id": "U-1"}, None, {"Items": lines})


@pytest.mark.parametrize("kind", [ABSENT, {"S": "Draft"}, {"N": "1"}])
def test_what_is_no_product_for_readers_is_none_to_order(
    put: Put, stored: Stored, kind: Attribute | None
) -> None:
    put(ANN, product("P-0"), changed(product("P-1"), Type=kind))
    before = stored.all()

    assert place(2).refused == {"Items[1].ProductId": "is no product: P-1"}
    assert stored.all() == before


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        *(("Name", each) for each in NAMES),
        *(("Price", each) for each in PRICES),
        *(("Currency", each) for each in CURRENCIES),
    ],
)
def test_a_product_that_nobody_could_have_put_is_not_sold(
    put: Put, stored: Stored, name: str, attribute: Attribute | None
) -> None:
    put(ANN, product("P-0"), changed(product("P-1"), **{name: attribute}))
    before = stored.all()

    answer = place(2)

    assert (answer.status, set(answer.errors)) == (409, {"Items[1].ProductId"})
    assert name in answer.body["detail"]
    assert stored.all() == before


@pytest.mark.parametrize("price", ["0", "1.5", "0.0001", "1000000000000"])
def test_one_at_the_edge_of_what_can_be_put_is_sold_at_its_exact_price(
    put: Put, price: str
) -> None:
    put(ANN, changed(product("P-0"), Price={"N": price}, Category=ABSENT))

    answer = place()

    assert answer.status == 201
    assert Decimal(answer.body["order"]["Total"]) == 999 * Decimal(price)


# --- Idempotency ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Digest", "Answer", "Headers"])
def test_a_record_that_is_none_is_409_and_nothing_is_made(
    put: Put, stored: Stored, name: str
) -> None:
    headers = {"Idempotency-Key": "k"}
    first = call(SUBMIT_JOB, {}, headers, {})
    [record] = [each for each in stored.all().values() if each["Type"] == {"S": "Idempotency"}]
    assert call(SUBMIT_JOB, {}, headers, {}).text == first.text

    for attribute in (ABSENT, {"N": "1"}):
        put(changed(record, **{name: attribute}))
        before = stored.all()
        assert call(SUBMIT_JOB, {}, headers, {}).status == 409
        assert stored.all() == before


# --- Who follows whom -----------------------------------------------------------------------

PATH = {"person_id": "ann", "followee_id": "bob"}


@pytest.mark.parametrize("pattern", [FOLLOW, UNFOLLOW], ids=["follow", "unfollow"])
@pytest.mark.parametrize(
    ("person_id", "name"),
    [("ann", "Following"), ("bob", "Followers"), ("ann", "Version"), ("bob", "Version")],
)
def test_a_count_that_is_no_number_stops_the_relation_from_changing(
    put: Put, stored: Stored, pattern: AccessPattern, person_id: str, name: str
) -> None:
    put(person("ann"), person("bob"), *([follow("ann", "bob")] if pattern is UNFOLLOW else []))
    put(changed(person(person_id), **{name: TEXT}))
    before = stored.all()

    answer = call(pattern, PATH)

    assert answer.status == 409
    assert "no number" in answer.body["detail"]
    assert stored.all() == before


def test_a_count_that_is_absent_begins(put: Put, stored: Stored) -> None:
    put(changed(person("ann"), Following=ABSENT, Version=ABSENT), person("bob"))

    assert call(FOLLOW, PATH).status == 201
    assert stored.version("PERSON#ann") == 1
    assert (stored.item("PERSON#ann") or {})["Following"] == {"N": "1"}


@pytest.mark.parametrize("pattern", [FOLLOW, UNFOLLOW], ids=["follow", "unfollow"])
@pytest.mark.parametrize("kind", [ABSENT, {"S": "Draft"}])
def test_what_stands_in_the_place_of_a_relation_stays_and_is_not_taken_for_one(
    put: Put, stored: Stored, pattern: AccessPattern, kind: Attribute | None
) -> None:
    put(person("ann"), person("bob"), changed(follow("ann", "bob"), Type=kind))
    before = stored.all()

    assert call(pattern, PATH).status == 409
    assert stored.all() == before
