"""What callers are told when the way to DynamoDB is bad, and what is stored then.

Each call is made twice from the same beginning: undisturbed, and with faults on the way. Both times
the caller has to get the same, and the table has to hold the same, item by item. What callers are
told of faults that last is in `tests/faults`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from msgspec.json import Encoder

from lambdas.design import ACCESS_PATTERNS, social, university
from lambdas.design import ecommerce as shop
from lambdas.design.entity import Entity
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import store, times
from lambdas.runtime.items import MARK, to_item
from lambdas.writes import ecommerce as shop_writes
from local.cloud import Cloud
from local.deployment import ACCESS_KEY, REGION, SECRET_KEY
from tests.e2e.proxy import LOST_ANSWER, LOST_REQUEST, Fault, Proxy, error, proxy_to
from tests.handlers.caller import event, handler

TABLE = "lost-answers"
NOW = datetime(2024, 3, 2, 9, 15, 0, 123000, tzinfo=UTC)
THEN = "2024-01-01T00:00:00.000Z"
ATTEMPTS = 3

# No price and no total ends in a zero behind the point: the emulator stores 2.50 as 2.5, and then
# does not know the transaction again that wrote it.
BEFORE: list[Entity] = [
    shop.User(UserId="U-1", Name="Ann", Email="ann@x.de", CreatedAt=THEN, VIP=True),
    shop.EmailGuard(Email="ann@x.de", UserId="U-1"),
    shop.Order(
        UserId="U-1",
        OrderId="2024-01-01",
        Status="PENDING",
        Total=Decimal(5),
        Currency="EUR",
        PlacedAt=THEN,
    ),
    shop.Product(ProductId="P-1", Name="Ding", Price=Decimal(3), Currency="EUR", Category="a/b"),
    shop.Session(SessionId="S-1", UserId="U-1", CreatedAt=THEN, ExpiresAt=2_000_000_000),
    shop.Session(SessionId="S-2", UserId="U-1", CreatedAt=THEN),
    shop.Job(JobId="J-1", Status="QUEUED", CreatedAt=THEN),
    university.Enrolment(Student="Nora", Seminar="C#", RaumNr="9", Semester="1"),
    university.Enrolment(Student="Finn", Seminar="C#", RaumNr="9", Semester="1"),
    university.Teaching(Professor="Faktor", Seminar="C#", RaumNr="9", Jahr="2024"),
    university.ResearchArticle(
        Professor="Faktor", Forschungsartikel="C#", Fachjournal="Modern IT", AnzSeiten="7"
    ),
    social.Person(PersonId="ann", Name="Ann", Followers=0, Following=1),
    social.Person(PersonId="bob", Name="Bob", Followers=1, Following=0),
    social.Follow(PersonId="ann", FolloweeId="bob", Since=THEN),
]
BEGINNING = {(item["PK"]["S"], item["SK"]["S"]): item for item in map(to_item, BEFORE)}


class Case(NamedTuple):
    """A call of a write."""

    pattern: AccessPattern
    parameters: dict[str, str]
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})

    def __str__(self) -> str:
        return "-".join([self.pattern.id, *self.headers])


KEY = {"Idempotency-Key": "a-key"}
FIRST = {"If-Match": '"1"'}
USER = {"user_id": "U-1"}
NORA = {"Student": "Nora", "Seminar": "C#"}
FAKTOR = {"Professor": "Faktor", "Seminar": "C#"}
ARTICLE = {"Professor": "Faktor", "Forschungsartikel": "C#"}
NEW_USER = {"UserId": "U-2", "Name": "Bob", "Email": "bob@x.de"}
LINES = {"Items": [{"ProductId": "P-1", "Quantity": 2}]}
PRODUCT = {"Name": "Dong", "Price": Decimal("2.60"), "Currency": "EUR", "Category": "a/c"}

CASES = [
    Case(shop.CREATE_USER, {}, NEW_USER),
    Case(shop.CREATE_USER, {}, NEW_USER, KEY),
    Case(shop.CHANGE_USER, USER, {"VIP": False, "Name": "Änne"}),
    Case(shop.CHANGE_USER, USER, {"VIP": False, "Name": "Änne"}, FIRST),
    Case(shop.CHANGE_EMAIL, USER, {"Email": "ann@y.de"}),
    Case(shop.CHANGE_EMAIL, USER, {"Email": "ann@y.de"}, FIRST),
    Case(shop.CHANGE_EMAIL, USER, {"Email": "ANN@x.de"}),
    Case(shop.DELETE_USER, USER),
    Case(shop.DELETE_USER, USER, None, FIRST),
    Case(shop.PLACE_ORDER, USER, LINES),
    Case(shop.PLACE_ORDER, USER, LINES, KEY),
    Case(shop.CHANGE_ORDER_STATUS, {**USER, "order_id": "2024-01-01"}, {"Status": "PAID"}),
    Case(shop.CHANGE_ORDER_STATUS, {**USER, "order_id": "2024-01-01"}, {"Status": "PAID"}, FIRST),
    Case(shop.PUT_PRODUCT, {"product_id": "P-2"}, PRODUCT),
    Case(shop.PUT_PRODUCT, {"product_id": "P-1"}, PRODUCT),
    Case(shop.PUT_PRODUCT, {"product_id": "P-1"}, PRODUCT, FIRST),
    Case(shop.START_SESSION, USER, {"TtlSeconds": 60}),
    Case(shop.START_SESSION, USER, {}, KEY),
    Case(shop.END_SESSION, {"session_id": "S-1"}),
    Case(shop.SUBMIT_JOB, {}, {"JobId": "J-2"}),
    Case(shop.SUBMIT_JOB, {}, {"JobId": "J-2"}, KEY),
    Case(shop.FINISH_JOB, {"job_id": "J-1"}, {"Status": "FAILED", "ErrorCode": "TIMEOUT"}),
    Case(shop.FINISH_JOB, {"job_id": "J-1"}, {"Status": "SUCCEEDED"}, FIRST),
    Case(university.ENROL, {}, {**NORA, "RaumNr": "7", "Semester": "2", "Note": "1,3"}, FIRST),
    Case(university.SET_GRADE, {}, {**NORA, "Note": "1,3"}, FIRST),
    Case(university.WITHDRAW, {"student": "Nora", "seminar": "C#"}),
    Case(university.ASSIGN_SEMINAR, {}, {**FAKTOR, "RaumNr": "7", "Jahr": "2025"}, FIRST),
    Case(
        university.PUBLISH_ARTICLE,
        {},
        {**ARTICLE, "Fachjournal": "Old IT", "Anz. Seiten": "9"},
        FIRST,
    ),
    Case(social.CREATE_PERSON, {}, {"PersonId": "eve", "Name": "Eve"}),
    Case(social.CREATE_PERSON, {}, {"PersonId": "eve", "Name": "Eve"}, KEY),
    Case(social.FOLLOW, {"person_id": "bob", "followee_id": "ann"}),
    Case(social.FOLLOW, {"person_id": "ann", "followee_id": "bob"}),
    Case(social.UNFOLLOW, {"person_id": "ann", "followee_id": "bob"}),
    Case(social.UNFOLLOW, {"person_id": "bob", "followee_id": "ann"}),
]
WITHOUT_A_TRACE = [
    Case(university.ENROL, {}, {**NORA, "RaumNr": "7", "Semester": "2"}),
    Case(university.SET_GRADE, {}, {**NORA, "Note": "1,3"}),
    Case(university.ASSIGN_SEMINAR, {}, {**FAKTOR, "RaumNr": "7", "Jahr": "2025"}),
    Case(university.PUBLISH_ARTICLE, {}, {**ARTICLE, "Fachjournal": "Old", "Anz. Seiten": "9"}),
]
"""The university's items bear no mark, so that without `If-Match` nothing tells that a write was
made before; the contract says so."""
MOVE = Case(university.MOVE_SEMINAR, {}, {"Seminar": "C#", "RaumNr": "7"})

EVERY_CASE = pytest.mark.parametrize("case", [*CASES, *WITHOUT_A_TRACE, MOVE], ids=str)
WRITES = {"TransactWriteItems", "UpdateItem", "DeleteItem"}


class Result(NamedTuple):
    """What a caller got, and what the table holds then."""

    status: int
    headers: dict[str, str]
    body: Any
    stored: dict[tuple[str, str], Any]


Send = Callable[..., Result]
"""Makes a case's call from the beginning, with faults of one operation on the way."""


@pytest.fixture(scope="module")
def proxy(cloud: Cloud) -> Iterator[Proxy]:
    """The functions' only way to DynamoDB, and a table like the deployed one behind it."""
    dynamodb = cloud.dynamodb
    like: Any = dynamodb.describe_table(TableName=cloud.table_name)["Table"]
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in like["GlobalSecondaryIndexes"]
    ]
    dynamodb.create_table(
        TableName=TABLE,
        KeySchema=like["KeySchema"],
        AttributeDefinitions=like["AttributeDefinitions"],
        GlobalSecondaryIndexes=indexes,  # type: ignore[arg-type]  # as they were described
        BillingMode="PAY_PER_REQUEST",
    )
    with proxy_to(cloud.endpoint_url) as proxy, pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL", proxy.url)
        environment.setenv("AWS_REGION", REGION)
        environment.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        environment.setenv("TABLE_NAME", TABLE)
        # A client may try again only so often in a row; here one makes all the calls.
        environment.setattr("botocore.retries.quota.RetryQuota.acquire", lambda *_: True)
        store.client.cache_clear()
        yield proxy
        store.client.cache_clear()
    dynamodb.delete_table(TableName=TABLE)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK does not pause before it tries again, which takes a second on the average."""
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0)


@pytest.fixture
def send(proxy: Proxy, cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Send:
    """A call with nothing left to chance but its token."""
    monkeypatch.setattr(times, "now", lambda: NOW)
    monkeypatch.setattr(shop_writes, "choice", lambda letters: letters[0])
    monkeypatch.setattr(shop_writes, "uuid4", lambda: UUID(int=1))
    dynamodb = cloud.dynamodb

    def stored() -> dict[tuple[str, str], Any]:
        found = dynamodb.scan(TableName=TABLE, ConsistentRead=True)["Items"]
        return {(item["PK"]["S"], item["SK"]["S"]): _without_the_token(item) for item in found}

    def send(case: Case, operation: str = "", *faults: Fault, goes_on: bool = False) -> Result:
        if not goes_on:
            for pk, sk in stored():
                dynamodb.delete_item(TableName=TABLE, Key={"PK": {"S": pk}, "SK": {"S": sk}})
            for item in BEGINNING.values():
                dynamodb.put_item(TableName=TABLE, Item=item)
        proxy.disturb(operation, *faults)
        status, headers, body = answer(case)
        assert proxy.is_quiet, "not all faults have happened"
        return Result(status, headers, body, stored())

    return send


def answer(case: Case) -> tuple[int, dict[str, str], Any]:
    sent = event(case.pattern, case.parameters, case.headers)
    if case.body is not None:
        sent["body"] = Encoder(decimal_format="number").encode(case.body).decode()
    given = handler(case.pattern)(sent, SimpleNamespace(aws_request_id="a-request"))
    headers = {k: v for k, v in given["headers"].items() if k != "X-DynamoDB-Capacity"}
    return given["statusCode"], headers, json.loads(given.get("body", "null"))


def _without_the_token(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: ("a token" if name == MARK else value) for name, value in item.items()}


def test_there_is_a_case_of_every_write() -> None:
    writes = {each.id for each in ACCESS_PATTERNS if each.id[1] == "W"}

    assert {case.pattern.id for case in [*CASES, *WITHOUT_A_TRACE, MOVE]} == writes


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("times_lost", [1, pytest.param(2, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_write_whose_answer_is_lost_is_the_success_that_it_was_and_is_made_once(
    send: Send, proxy: Proxy, case: Case, times_lost: int
) -> None:
    undisturbed = send(case)
    operations = set(proxy.seen)

    for operation in sorted(operations):
        assert send(case, operation, *[LOST_ANSWER] * times_lost) == undisturbed, operation
        assert proxy.seen.count(operation) > times_lost
    assert undisturbed.status in {200, 201, 204}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("case", WITHOUT_A_TRACE, ids=str)
def test_a_university_write_without_if_match_is_counted_twice_and_nothing_worse(
    send: Send, case: Case
) -> None:
    undisturbed = send(case)
    disturbed = send(case, "UpdateItem", LOST_ANSWER)

    assert disturbed.status == 200
    assert disturbed.headers["ETag"] == '"3"'
    assert {**disturbed.body, "Version": 2} == undisturbed.body


@pytest.mark.usefixtures("at_once")
def test_a_seminar_s_entry_whose_answer_is_lost_is_moved_once(send: Send) -> None:
    undisturbed = send(MOVE)
    disturbed = send(MOVE, "UpdateItem", LOST_ANSWER)

    assert undisturbed.body == {"changed": 3, "next": None}
    assert disturbed.body == {"changed": 2, "next": None}  # one was found where it should be
    assert disturbed.stored == undisturbed.stored


@pytest.mark.usefixtures("at_once")
@EVERY_CASE
@pytest.mark.thorough
def test_a_request_that_does_not_arrive_is_sent_again_and_carried_out_once(
    send: Send, proxy: Proxy, case: Case
) -> None:
    undisturbed = send(case)

    for operation in sorted(set(proxy.seen)):
        assert send(case, operation, LOST_REQUEST, LOST_REQUEST) == undisturbed, operation


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "fault",
    [
        error(500, "InternalServerError"),
        error(503, "ServiceUnavailable"),
        error(400, "ThrottlingException"),
        error(400, "ProvisionedThroughputExceededException"),
    ],
    ids=lambda fault: json.loads(fault.body)["message"],
)
@pytest.mark.parametrize("case", [*CASES, *WITHOUT_A_TRACE, MOVE][::3], ids=str)
@pytest.mark.thorough
def test_a_fault_of_dynamodb_s_that_is_over_after_two_attempts_is_nobody_s_business(
    send: Send, proxy: Proxy, case: Case, fault: Fault
) -> None:
    undisturbed = send(case)
    operation = proxy.seen[-1]

    assert send(case, operation, fault, fault) == undisturbed
    assert proxy.seen.count(operation) >= 3


@pytest.mark.usefixtures("at_once")
@EVERY_CASE
@pytest.mark.thorough
def test_a_write_that_meets_another_at_the_same_items_is_tried_again(
    send: Send, proxy: Proxy, case: Case
) -> None:
    undisturbed = send(case)
    operation = next(each for each in proxy.seen if each in WRITES)
    conflict = _conflict(proxy.bodies[proxy.seen.index(operation)])

    met = send(case, operation, conflict)

    requests = int(undisturbed.headers.pop("X-DynamoDB-Requests"))
    assert int(met.headers.pop("X-DynamoDB-Requests")) == requests + 1
    assert met == undisturbed


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.thorough
def test_an_answer_that_is_lost_before_another_write_gets_in_the_way_is_still_a_success(
    send: Send, proxy: Proxy, case: Case
) -> None:
    undisturbed = send(case)
    operation = next(each for each in proxy.seen if each in WRITES)
    conflict = _conflict(proxy.bodies[proxy.seen.index(operation)])

    met = send(case, operation, LOST_ANSWER, conflict)

    assert met.status == undisturbed.status
    assert met.body == undisturbed.body
    assert met.stored == undisturbed.stored


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.headers == KEY], ids=lambda case: case.pattern.id
)
def test_a_transaction_that_is_still_in_progress_is_waited_for(send: Send, case: Case) -> None:
    undisturbed = send(case)

    met = send(
        case, "TransactWriteItems", LOST_ANSWER, error(400, "TransactionInProgressException")
    )

    assert met == undisturbed


@pytest.mark.usefixtures("at_once")
@EVERY_CASE
@pytest.mark.thorough
def test_when_every_answer_is_lost_all_is_written_or_nothing_and_to_repeat_it_is_safe(
    send: Send, proxy: Proxy, case: Case
) -> None:
    undisturbed = send(case)
    operation = next(each for each in proxy.seen if each in WRITES)

    lost = send(case, operation, *[LOST_ANSWER] * ATTEMPTS)
    again = send(case, goes_on=True)

    assert lost.status == 503
    if operation == "TransactWriteItems" and case.pattern is not shop.DELETE_USER:
        assert lost.stored == undisturbed.stored
    if case.headers == KEY:
        assert (again.status, again.body) == (200, undisturbed.body)
    elif case.headers == FIRST:
        assert again.status in {200, 404, 412}
        assert again.stored == undisturbed.stored
    assert again.status in {200, 201, 204, 404, 409, 412}


@pytest.mark.usefixtures("at_once")
def test_a_deletion_whose_answer_is_lost_for_good_is_ended_by_the_next(send: Send) -> None:
    case = Case(shop.DELETE_USER, USER)
    undisturbed = send(case)

    lost = send(case, "TransactWriteItems", *[LOST_ANSWER] * ATTEMPTS)
    again = send(case, goes_on=True)

    assert lost.status == 503
    assert ("SESSION#S-1", "SESSION#S-1") in lost.stored
    assert again.status == 404
    assert again.stored == undisturbed.stored


def _conflict(asked: dict[str, Any]) -> Fault:
    """Another transaction is at one of the items."""
    if "TransactItems" not in asked:
        return error(400, "TransactionConflictException")
    reasons = [{"Code": "None"} for _ in asked["TransactItems"]]
    reasons[-1] = {"Code": "TransactionConflict", "Message": "Transaction is ongoing"}
    return error(400, "TransactionCanceledException", CancellationReasons=reasons)
