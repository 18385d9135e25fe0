"""What people with a token may touch, for every pattern; services and an open API ask nobody.

The gateway has looked at the token already: what a function gets are its claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.access import Admin, Anyone, Oneself, Owner
from lambdas.design.ecommerce import (
    CHANGE_ORDER_STATUS,
    CHANGE_USER,
    CREATE_USER,
    END_SESSION,
    GET_SESSION,
    GET_USER,
    LIST_ORDER_ITEMS,
    LIST_VIP_USERS,
    PLACE_ORDER,
)
from lambdas.design.pattern import AccessPattern
from lambdas.design.social import CREATE_PERSON
from lambdas.runtime import cursor
from lambdas.runtime.items import to_item
from tests.handlers.caller import Answer, called, event, example, send
from tests.handlers.conftest import Stored
from tests.people import ADMIN, STRANGER, not_the_strangers, open_to_others, whose

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ADMINS_ALONE = (
    "AP-05 AP-06 AP-12 AP-14 AP-16 AP-18 AP-19 CW-07 CW-10 CW-11 "
    "UW-01 UW-02 UW-03 UW-04 UW-05 UW-06"
)

ROUTED = [each for each in ACCESS_PATTERNS if not each.variant_of]

pytestmark = pytest.mark.usefixtures("dataset")


@pytest.fixture
def dataset(request: pytest.FixtureRequest, dynamodb: DynamoDBClient, table: str) -> None:
    """The example data of the tested pattern, of the shop where a test is of one of its own."""
    is_of_all = "pattern" in request.fixturenames
    pattern = request.getfixturevalue("pattern") if is_of_all else GET_USER
    seed = import_module(f"seed.{pattern.dataset}")
    items = [to_item(each) for each in seed.items(datetime.now(UTC))]
    for batch in (items[start : start + 25] for start in range(0, len(items), 25)):
        writes: Any = [{"PutRequest": {"Item": item}} for item in batch]
        dynamodb.batch_write_item(RequestItems={table: writes})


def ask(
    pattern: AccessPattern,
    claims: Mapping[str, Any] | None,
    body: Any = None,
    **parameters: str,
) -> Answer:
    """What a caller with these claims gets to a pattern's example, or to a call like it."""
    sent = event(pattern, pattern.example | parameters, None, body or example(pattern))
    return send(pattern, called(sent, {"jwt": {"claims": claims, "scopes": None}}))


def each_for(*kinds: type) -> pytest.MarkDecorator:
    found = [each for each in ROUTED if isinstance(each.people, kinds)]
    return pytest.mark.parametrize("pattern", found, ids=lambda each: each.name)


# --- Every pattern --------------------------------------------------------------------------


@each_for(Admin, Oneself, Owner)
def test_a_stranger_is_refused_and_nothing_changes(pattern: AccessPattern, stored: Stored) -> None:
    before = stored.all()

    answer = ask(pattern, {"sub": STRANGER}, not_the_strangers(pattern))

    assert answer.status == 403
    assert stored.all() == before


@each_for(Anyone)
def test_anyone_with_a_token_gets_in(pattern: AccessPattern) -> None:
    assert ask(pattern, {"sub": STRANGER}).status == 200


@each_for(Oneself, Owner)
def test_the_person_whose_it_is_gets_in(pattern: AccessPattern) -> None:
    assert ask(pattern, {"sub": whose(pattern)}, open_to_others(pattern)).status in {200, 201, 204}


@each_for(Admin)
def test_what_is_for_admins_needs_their_scope_and_not_one_like_it(pattern: AccessPattern) -> None:
    assert ask(pattern, {"sub": "U-001", "scope": "administrator xadmin"}).status == 403


@each_for(Anyone, Admin, Oneself, Owner)
def test_an_admin_gets_in_everywhere(pattern: AccessPattern) -> None:
    assert ask(pattern, ADMIN).status in {200, 201, 204}


@each_for(Anyone, Admin, Oneself, Owner)
def test_a_service_that_iam_has_let_in_gets_in_everywhere(pattern: AccessPattern) -> None:
    sent = event(pattern, pattern.example, None, example(pattern))
    principal = {"iam": {"userArn": "arn:aws:iam::1:role/shop"}}

    assert send(pattern, called(sent, principal)).status in {200, 201, 204}


@each_for(Anyone, Admin, Oneself, Owner)
def test_where_callers_are_people_nobody_gets_in_without_a_token(
    pattern: AccessPattern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTH", "jwt")
    sent = event(pattern, pattern.example, None, example(pattern))

    for authorizer in (None, {}, {"jwt": None}, {"iam": {"userArn": "arn:aws:iam::1:root"}}):
        refused = send(pattern, called(sent, authorizer))
        assert (refused.status, refused.requests) == (403, 0)


# --- The declaration as a whole -------------------------------------------------------------


def test_it_is_declared_who_may_call_what() -> None:
    """What is open to others than admins is all here; a pattern that comes later is theirs."""
    declared = {
        str(kind): " ".join(each.id for each in ROUTED if str(each.people) == str(kind))
        for kind in dict.fromkeys(str(each.people) for each in ROUTED)
    }
    of_admins = declared.pop("admins").split()
    assert {*ADMINS_ALONE.split()} <= {*of_admins}
    assert declared == {
        "oneself (UserId)": "AP-01 AP-02 AP-04 AP-17 CW-03 CW-04 CW-05 CW-08",
        "the owner (UserId)": "AP-03 AP-10 AP-15 CW-09",
        "anyone": "AP-11 AP-13 UN-01 UN-02 UN-03 UN-04 UN-05 UN-06 UN-07 UN-08 "
        "SO-01 SO-02 SO-03 SO-04",
        "oneself (UserId); VIP: admins": "CW-01 CW-02",
        "oneself (UserId); Status other than CANCELLED: admins": "CW-06",
        "oneself (PersonId)": "SW-01 SW-02 SW-03",
    }


# --- What is said of oneself ----------------------------------------------------------------


def test_whoever_signs_up_gets_the_tokens_subject_as_id() -> None:
    answer = ask(CREATE_USER, {"sub": STRANGER}, {"Name": "Ann", "Email": "ann@x.de"})

    assert (answer.status, answer.body["UserId"]) == (201, STRANGER)


def test_an_admin_may_sign_up_somebody_else() -> None:
    body = {"Name": "Ann", "Email": "ann@x.de", "UserId": "U-950", "VIP": True}

    assert ask(CREATE_USER, ADMIN, body).body["UserId"] == "U-950"


@pytest.mark.parametrize("subject", ["auth0|42", "a b", "a" * 65, ".."])
def test_a_subject_that_is_no_id_can_sign_nobody_up(subject: str) -> None:
    answer = ask(CREATE_USER, {"sub": subject}, {"Name": "Ann", "Email": "ann@x.de"})

    assert answer.status == 403
    assert "UserId" in answer.body["detail"]


@pytest.mark.parametrize("subject", ["auth0|42", "a/../b", "ann\r\nSet-Cookie: a=b", "\ud800"])
def test_an_admin_whose_subject_is_no_id_signs_up_others_alone(
    subject: str, stored: Stored
) -> None:
    """What has an id that no route takes could be read, changed and deleted by nobody."""
    admin, before = {**ADMIN, "sub": subject}, stored.all()

    answer = ask(CREATE_USER, admin, {"Name": "Ann", "Email": "ann@x.de"})

    assert (answer.status, stored.all()) == (403, before)
    assert ask(CREATE_USER, admin, {"Name": "A", "Email": "a@x.de", "UserId": "A"}).status == 201


@pytest.mark.parametrize("other", ["u-001", "U-0011", "U-00"])
def test_an_id_like_ones_own_is_another(other: str) -> None:
    assert ask(GET_USER, {"sub": other}).status == 403


@pytest.mark.parametrize("pattern", [CREATE_PERSON])
def test_a_person_joins_under_the_own_id_alone(pattern: AccessPattern) -> None:
    assert ask(pattern, {"sub": "erin"}).status == 201
    assert ask(pattern, {"sub": "erin"}, {"PersonId": "eve", "Name": "Eve"}).status == 403


@pytest.mark.parametrize("vip", [True, False, None])
def test_nobody_makes_a_vip_of_oneself_nor_ends_it(vip: bool | None) -> None:
    for body in ({"VIP": vip}, {"VIP": vip, "Name": "Bob"}):
        answer = ask(CHANGE_USER, {"sub": "U-002"}, body)
        assert answer.status == 403
        assert "VIP" in answer.body["detail"]
    assert ask(CHANGE_USER, {"sub": "U-002"}, {"Name": "Bob"}).status == 200
    assert ask(CHANGE_USER, ADMIN, {"VIP": vip}).status == 200


@pytest.mark.parametrize("status", ["PENDING", "PAID", "SHIPPED", "DELIVERED"])
def test_of_their_own_orders_people_cancel_and_do_nothing_else(status: str) -> None:
    assert ask(CHANGE_ORDER_STATUS, {"sub": "U-001"}, {"Status": status}).status == 403
    assert ask(CHANGE_ORDER_STATUS, {"sub": "U-001"}, {"Status": "CANCELLED"}).status == 200


# --- What is said by the items --------------------------------------------------------------


def test_the_items_of_an_order_say_whose_it_is() -> None:
    assert ask(LIST_ORDER_ITEMS, {"sub": "U-002"}).status == 403
    assert ask(LIST_ORDER_ITEMS, {"sub": "U-002"}, order_id="no-such-order").items == []


@pytest.mark.parametrize("after", ["P-000", "P-999"])
def test_a_forged_cursor_does_not_tell_where_the_items_of_another_s_order_end(after: str) -> None:
    order = LIST_ORDER_ITEMS.example["order_id"]
    last: Any = {"PK": {"S": f"ORDER#{order}"}, "SK": {"S": f"ITEM#{after}"}}
    forged = cursor.write(LIST_ORDER_ITEMS, {"order_id": order}, last, "")

    assert ask(LIST_ORDER_ITEMS, {"sub": STRANGER}, cursor=forged).status == 403
    assert ask(LIST_ORDER_ITEMS, ADMIN, cursor=forged).status == 200


def test_owners_turn_the_pages_of_their_lists() -> None:
    first = ask(LIST_ORDER_ITEMS, {"sub": "U-001"}, limit="1")
    assert first.next is not None

    second = ask(LIST_ORDER_ITEMS, {"sub": "U-001"}, limit="200", cursor=first.next)

    assert (second.status, second.next) == (200, None)
    assert first.each("ProductId") < second.each("ProductId")


def test_a_refusal_has_nothing_of_the_item() -> None:
    answer = ask(GET_SESSION, {"sub": STRANGER})

    assert answer.body["detail"] == "This belongs to somebody else."
    assert "U-001" not in answer.text


def test_a_session_of_somebody_else_goes_on(stored: Stored) -> None:
    assert ask(END_SESSION, {"sub": STRANGER}).status == 403
    assert stored.item("SESSION#S-003")
    assert ask(END_SESSION, {"sub": STRANGER}, session_id="S-999").status == 204


# --- Tokens ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "claims",
    [
        {"scope": "admin"},
        {"scope": "openid admin email"},
        {"scp": "[openid admin]"},
        {"scp": ["openid", "admin"]},
    ],
)
def test_the_scope_is_found_where_issuers_put_it(claims: dict[str, Any]) -> None:
    assert ask(LIST_VIP_USERS, {"sub": "a", **claims}).status == 200


@pytest.mark.parametrize(
    "claims",
    [
        {"scope": "Admin"},
        {"scope": "shop/admin"},
        {"scope": ""},
        {"scope": None},
        {"scope": "[admin"},
        {"scope": "admin]"},
        {"scope": "[[admin]]"},
        {"scope": "openid,admin"},
        {"scope": "openid\tadmin"},
        {"scope": "openid\u2003admin"},
        {"scp": ["administrator"]},
        {"scp": [{"name": "admin"}, 7]},
        {"scp": ["openid admin"]},
        {"groups": "admin"},
        {"admin": "true"},
    ],
)
def test_what_only_looks_like_the_scope_is_none(claims: dict[str, Any]) -> None:
    assert ask(LIST_VIP_USERS, {"sub": "a", **claims}).status == 403


def test_the_deployment_may_call_the_scope_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADMIN_SCOPE", "shop/admin")

    assert ask(LIST_VIP_USERS, {"sub": "a", "scope": "shop/admin"}).status == 200
    assert ask(LIST_VIP_USERS, {"sub": "a", "scope": "admin"}).status == 403


@pytest.mark.parametrize("claims", [{}, {"scope": "admin"}, {"sub": "", "scope": "admin"}])
def test_a_token_without_a_subject_is_nobodys(
    claims: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTH", "jwt")
    assert ask(LIST_VIP_USERS, claims).status == 403


# --- Idempotency keys -----------------------------------------------------------------------


def test_a_key_that_an_admin_used_gives_the_person_no_answer_of_the_admins() -> None:
    key = {"Idempotency-Key": "k"}
    sent = event(PLACE_ORDER, PLACE_ORDER.example, key, example(PLACE_ORDER))
    orders = [
        send(PLACE_ORDER, called(sent, {"jwt": {"claims": claims}})).body["order"]["OrderId"]
        for claims in (ADMIN, {"sub": "U-001"}, {"sub": "U-001"})
    ]

    assert orders[0] != orders[1] == orders[2]


ROLES = "arn:aws:sts::111122223333:assumed-role"


@pytest.mark.parametrize(
    ("principal", "is_the_same"),
    [
        (f"{ROLES}/shop/botocore-session-2", True),
        (f"{ROLES}/shop2/botocore-session-1", False),
        ("arn:aws:iam::111122223333:user/shop/botocore-session-1", False),
    ],
)
def test_a_service_that_starts_anew_repeats_its_call_and_another_makes_one_of_its_own(
    principal: str, is_the_same: bool
) -> None:
    sent = event(PLACE_ORDER, PLACE_ORDER.example, {"Idempotency-Key": "k"}, example(PLACE_ORDER))
    first, second = (
        send(PLACE_ORDER, called(sent, {"iam": {"userArn": arn}})).body["order"]["OrderId"]
        for arn in (f"{ROLES}/shop/botocore-session-1", principal)
    )

    assert (first == second) == is_the_same
