"""What it means that a write did not hold: by position, and with the item that stood in its way."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from msgspec.structs import replace

from lambdas.design.ecommerce import (
    CHANGE_USER,
    CREATE_USER,
    DELETE_USER,
    PUT_PRODUCT,
    ChangedUser,
    NewUser,
    Product,
    User,
)
from lambdas.design.pattern import IDEMPOTENCY_KEY, IF_MATCH
from lambdas.design.university import SET_GRADE, Enrolment, Grade
from lambdas.runtime import idempotency
from lambdas.runtime.call import Answer, Call
from lambdas.runtime.changes import Step, absent, change, create, moved_on, taken, transact, upsert
from lambdas.runtime.errors import (
    Conflict,
    NotFound,
    Throttled,
    TooLarge,
    Unavailable,
    VersionMismatch,
)
from lambdas.runtime.items import MARK, Item
from lambdas.writes import ecommerce as writes
from tests.runtime.conftest import Table
from tests.runtime.samples import a_call, user_item

ATTRIBUTES = {"Name": {"S": "Ann"}, "Email": {"S": "a@x.de"}}


def stored(version: int = 1, **attributes: dict[str, Any]) -> Item:
    return user_item("1", **{**ATTRIBUTES, **attributes}) | {"Version": {"N": str(version)}}


def patch(tag: str | None = None) -> Call:
    headers = {IF_MATCH.name: tag} if tag else {}
    return a_call(CHANGE_USER, {"user_id": "1"}, ChangedUser(Name="Anna"), headers)


def carry_out(call: Call) -> Answer:
    return change(call, User, call.values, call.sent)


def failed(item: Item | None) -> ClientError:
    response: Any = {"Error": {"Code": "ConditionalCheckFailedException", "Message": "secret"}}
    if item:
        response["Item"] = item
    return ClientError(response, "UpdateItem")


def cancelled(*codes: str | tuple[str, Item]) -> ClientError:
    reasons = [
        {"Code": code} if isinstance(code, str) else {"Code": code[0], "Item": code[1]}
        for code in codes
    ]
    response: Any = {
        "Error": {"Code": "TransactionCanceledException", "Message": "secret"},
        "CancellationReasons": reasons,
    }
    return ClientError(response, "TransactWriteItems")


FAILED = "ConditionalCheckFailed"

# --- One update -----------------------------------------------------------------------------


def test_a_change_asks_for_the_item_as_it_then_is(table: Table) -> None:
    table.answers(Attributes=stored(2, LastCall={"S": "a-token"}))
    answer = carry_out(patch())
    assert (answer.status, answer.headers) == (200, {"ETag": '"2"'})
    assert answer.body["Name"] == "Ann"
    assert MARK not in answer.body
    [call] = table.calls
    assert call["ReturnValues"] == "ALL_NEW"
    assert call["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"


@pytest.mark.parametrize("tag", [None, '"1"'])
def test_an_item_that_this_call_has_changed_already_is_a_success(
    table: Table, tag: str | None
) -> None:
    table.fails(failed(stored(2, LastCall={"S": "a-token"})))
    assert carry_out(patch(tag)).headers == {"ETag": '"2"'}


@pytest.mark.parametrize("tag", [None, '"1"'])
def test_an_item_that_another_call_has_changed_is_none(table: Table, tag: str | None) -> None:
    table.fails(failed(stored(2, LastCall={"S": "another-token"}, Name={"S": "Anna"})))
    with pytest.raises(VersionMismatch if tag else Conflict):
        carry_out(patch(tag))


def test_the_mark_is_the_call_s_own(table: Table) -> None:
    table.answers(Attributes=stored(2))
    carry_out(replace(patch(), token="my-token"))
    [call] = table.calls
    assert {"S": "my-token"} in call["ExpressionAttributeValues"].values()


@pytest.mark.parametrize("item", [None, stored() | {"Type": {"S": "DeletedUser"}}])
@pytest.mark.parametrize("tag", [None, '"1"', '"9"'])
def test_what_does_not_exist_is_not_found_whatever_version_was_named(
    table: Table, item: Item | None, tag: str | None
) -> None:
    table.fails(failed(item))
    with pytest.raises(NotFound, match="There is no User with UserId '1'"):
        carry_out(patch(tag))


def test_another_version_is_a_mismatch(table: Table) -> None:
    table.fails(failed(stored(3)))
    with pytest.raises(VersionMismatch):
        carry_out(patch('"1"'))


def test_what_else_does_not_hold_means_what_was_said(table: Table) -> None:
    call, seen = patch('"3"'), []

    def meaning(item: Item | None) -> Conflict:
        seen.append(item)
        return Conflict("because")

    table.fails(failed(stored(3)))
    with pytest.raises(Conflict, match="because"):
        change(call, User, call.values, call.sent, otherwise=meaning)
    assert seen == [stored(3)]


def grade(tag: str | None) -> Call:
    headers = {IF_MATCH.name: tag} if tag else {}
    return a_call(SET_GRADE, {}, Grade(Student="Mia", Seminar="KI", Note="1"), headers)


@pytest.mark.parametrize(
    ("tag", "version", "note", "is_ours"),
    [
        ('"1"', 2, "1", True),
        ('"1"', 2, "2", False),
        ('"1"', 3, "1", False),
        ('"1"', 1, "1", False),
        (None, 2, "1", False),
    ],
)
def test_without_a_mark_one_s_own_change_is_known_by_the_next_version_and_what_was_sent(
    table: Table, tag: str | None, version: int, note: str, is_ours: bool
) -> None:
    call = grade(tag)
    item: Item = {
        "PK": {"S": "Student#Mia"},
        "SK": {"S": "Seminar#KI"},
        "Type": {"S": "Enrolment"},
        "Version": {"N": str(version)},
        "Note": {"S": note},
    }
    table.fails(failed(item))
    if is_ours:
        answer = change(call, Enrolment, call.values, {"Note": "1"})
        assert answer.headers == {"ETag": '"2"'}
    else:
        with pytest.raises((VersionMismatch, Conflict)):
            change(call, Enrolment, call.values, {"Note": "1"})
    [request] = table.calls
    assert MARK not in request["ExpressionAttributeNames"].values()


@pytest.mark.parametrize(("version", "status"), [(1, 201), (2, 200), (10, 200)])
def test_an_upsert_is_new_with_the_first_version(table: Table, version: int, status: int) -> None:
    call = a_call(PUT_PRODUCT, {"product_id": "P"}, PUT_PRODUCT.example_body)
    item: Item = {
        "PK": {"S": "PRODUCT#P"},
        "SK": {"S": "PRODUCT#P"},
        "Type": {"S": "Product"},
        "Version": {"N": str(version)},
    }
    table.answers(Attributes=item)
    answer = upsert(call, Product, call.values, call.sent)
    assert answer.status == status
    assert answer.headers.get("Location") == ("/ecommerce/products/P" if status == 201 else None)


def test_an_upsert_of_a_version_of_nothing_is_a_mismatch(table: Table) -> None:
    headers = {IF_MATCH.name: '"1"'}
    call = a_call(PUT_PRODUCT, {"product_id": "P"}, PUT_PRODUCT.example_body, headers)
    table.fails(failed(None))
    with pytest.raises(VersionMismatch):
        upsert(call, Product, call.values, call.sent)


# --- Transactions ---------------------------------------------------------------------------

STEPS = (
    Step("Put", {"Item": {}}, taken(UserId="1")),
    Step("Put", {"Item": {}}, taken(Email="a@x.de")),
    Step("ConditionCheck", {"Key": {}}, absent(User, UserId="1")),
)


@pytest.mark.parametrize(
    ("codes", "errors"),
    [
        ((FAILED, "None", "None"), {"UserId": "1 is taken"}),
        (("None", FAILED, "None"), {"Email": "a@x.de is taken"}),
        ((FAILED, FAILED, "None"), {"UserId": "1 is taken", "Email": "a@x.de is taken"}),
        ((FAILED, "TransactionConflict", "None"), {"UserId": "1 is taken"}),
        (("ThrottlingError", FAILED, "None"), {"Email": "a@x.de is taken"}),
    ],
)
def test_what_is_taken_is_told_by_the_position_of_the_step_that_failed(
    table: Table, codes: tuple[str, ...], errors: dict[str, str]
) -> None:
    table.fails(cancelled(*codes))
    with pytest.raises(Conflict) as told:
        transact(patch(), *STEPS)
    assert told.value.errors == errors
    assert all(name in told.value.detail for name in errors)
    assert len(table.calls) == 1


def test_what_is_missing_goes_before_what_is_taken(table: Table) -> None:
    table.fails(cancelled(FAILED, "None", FAILED))
    with pytest.raises(NotFound, match="There is no User with UserId '1'"):
        transact(patch(), *STEPS)


DISPENSABLE = Step("Delete", {"Key": {}}, taken(), is_dispensable=True)


def test_what_is_dispensable_is_left_out_under_another_token_when_it_alone_fails(
    table: Table,
) -> None:
    table.fails(cancelled("None", FAILED, "None"))
    table.answers()
    transact(patch(), STEPS[0], DISPENSABLE, STEPS[2])
    first, second = table.calls
    assert [next(iter(step)) for step in first["TransactItems"]] == [
        "Put",
        "Delete",
        "ConditionCheck",
    ]
    assert [next(iter(step)) for step in second["TransactItems"]] == ["Put", "ConditionCheck"]
    assert first["ClientRequestToken"] == "a-token"
    assert second["ClientRequestToken"] != "a-token"
    assert len(second["ClientRequestToken"]) <= 36  # DynamoDB's limit


def test_what_is_dispensable_has_no_part_in_why_a_transaction_fails(table: Table) -> None:
    table.fails(cancelled(FAILED, FAILED, "None"))
    with pytest.raises(Conflict) as told:
        transact(patch(), STEPS[0], DISPENSABLE, STEPS[2])
    assert told.value.detail == "UserId '1' is taken."
    assert len(table.calls) == 1


def test_a_transaction_carries_the_call_s_token_and_asks_for_what_stands_in_its_way(
    table: Table,
) -> None:
    table.answers()
    transact(patch(), *STEPS)
    [call] = table.calls
    assert call["ClientRequestToken"] == "a-token"
    assert [next(iter(step)) for step in call["TransactItems"]] == ["Put", "Put", "ConditionCheck"]
    for step in call["TransactItems"]:
        [request] = step.values()
        assert request["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
        assert request["TableName"] == "Table-1"


def test_a_transaction_that_meets_another_is_tried_again_with_the_same_token(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    for _ in range(3):
        table.fails(cancelled("None", "TransactionConflict", "None"))
    table.answers()
    transact(patch(), *STEPS)
    assert [call["ClientRequestToken"] for call in table.calls] == ["a-token"] * 4


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (("None", "ThrottlingError", "None"), Throttled),
        (("None", "ProvisionedThroughputExceeded", "None"), Throttled),
        (("None", "ItemCollectionSizeLimitExceeded", "None"), TooLarge),
        (("ValidationError", "None", "None"), Conflict),
        (("Something", "None", "None"), Unavailable),
        ((), Unavailable),
    ],
)
def test_what_else_cancels_a_transaction_has_its_meaning(
    table: Table, codes: tuple[str, ...], kind: type[Exception]
) -> None:
    table.fails(cancelled(*codes))
    with pytest.raises(kind) as told:
        transact(patch(), *STEPS)
    assert "secret" not in str(told.value)
    assert len(table.calls) == 1


def test_a_change_since_the_read_is_a_mismatch_or_a_conflict() -> None:
    assert isinstance(moved_on(patch('"1"'))(None), VersionMismatch)
    assert isinstance(moved_on(patch())(None), Conflict)


# --- What is made once ----------------------------------------------------------------------

MADE = Answer({"UserId": "1"}, {"ETag": '"1"'}, 201)


def sign_up(key: str | None, name: str = "Ann") -> Call:
    headers = {IDEMPOTENCY_KEY.name: key} if key else {}
    return a_call(CREATE_USER, {}, NewUser(Name=name, Email="a@x.de"), headers)


def test_with_a_key_the_record_is_the_first_step(table: Table) -> None:
    table.answers()
    assert create(sign_up("k"), MADE, *STEPS) == MADE
    [call] = table.calls
    first = call["TransactItems"][0]["Put"]["Item"]
    assert first["PK"] == {"S": "IDEMPOTENCY#CW-01#anybody#k"}
    assert len(call["TransactItems"]) == 4


def test_without_a_key_there_is_no_record(table: Table) -> None:
    table.answers()
    assert create(sign_up(None), MADE, *STEPS) == MADE
    assert len(table.calls[0]["TransactItems"]) == 3


def test_a_known_key_goes_before_what_is_taken_meanwhile(table: Table) -> None:
    """Of the second call the record fails, and so does what the first one has made."""
    record = idempotency.remembering(sign_up("k"), MADE)["Item"]
    table.fails(cancelled((FAILED, record), FAILED, FAILED, "None"))
    answer = create(sign_up("k"), Answer({"UserId": "2"}, {}, 201), *STEPS)
    assert (answer.status, bytes(answer.body)) == (200, b'{"UserId":"1"}')


def test_a_known_key_of_another_request_is_a_conflict(table: Table) -> None:
    record = idempotency.remembering(sign_up("k"), MADE)["Item"]
    table.fails(cancelled((FAILED, record), FAILED, FAILED, "None"))
    with pytest.raises(Conflict, match="Idempotency-Key"):
        create(sign_up("k", "Bob"), MADE, *STEPS)


def test_with_a_new_key_the_positions_are_those_of_all_steps(table: Table) -> None:
    table.fails(cancelled("None", "None", FAILED, "None"))
    with pytest.raises(Conflict) as told:
        create(sign_up("k"), MADE, *STEPS)
    assert told.value.errors == {"Email": "a@x.de is taken"}


# --- Deletions that do not come to their end ------------------------------------------------


def test_the_sessions_of_a_user_are_ended_page_by_page(table: Table) -> None:
    sessions = [{"PK": {"S": f"SESSION#{n}"}, "SK": {"S": f"SESSION#{n}"}} for n in range(3)]
    first, second, third = ({**each, "Type": {"S": "Session"}} for each in sessions)
    table.has(stored())
    table.answers()
    table.finds(first, second, last=sessions[1])
    table.answers()
    table.answers()
    table.finds(third)
    table.answers()
    assert writes.delete_user(a_call(DELETE_USER, {"user_id": "1"})).status == 204
    deleted = [each["Key"] for each in table.calls if set(each) >= {"Key"} and "PK" in each["Key"]]
    assert [each for each in deleted if each in sessions] == sessions
    assert table.calls[5]["ExclusiveStartKey"] == sessions[1]


def test_a_deletion_that_could_not_end_the_sessions_is_not_told_as_a_success(
    table: Table,
) -> None:
    table.has(stored())
    table.answers()
    table.fails(ReadTimeoutError(endpoint_url="x"))
    with pytest.raises(Unavailable):
        writes.delete_user(a_call(DELETE_USER, {"user_id": "1"}))
