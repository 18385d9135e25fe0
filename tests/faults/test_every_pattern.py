"""What the caller of every pattern is told when DynamoDB has a fault, and what is stored then.

Each fault happens to each operation of the pattern in turn, and from there on to all that follow.
The functions talk to a real server over a real socket; only their time-outs are shorter.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import boto3
import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends

from docs import sample
from lambdas.design import ACCESS_PATTERNS
from lambdas.design import ecommerce as shop
from lambdas.design.operations import Write
from lambdas.design.pattern import IDEMPOTENCY_KEY, AccessPattern
from lambdas.runtime import settings, store
from lambdas.runtime.items import MARK, Item, to_item
from lambdas.runtime.openapi.responses import successes
from lambdas.writes import ecommerce as shop_writes
from tests.conftest import REGION
from tests.faults.cases import FAULTS, SECRET, Case, cases, operations
from tests.faults.server import Server, serving

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def _is_quick(at: int, case: Case) -> bool:
    return at % 5 == 0 or case.pattern == next(c.pattern for c in cases() if c.fault is case.fault)


CASES = [
    pytest.param(case, id=str(case), marks=[] if _is_quick(at, case) else [pytest.mark.thorough])
    for at, case in enumerate(cases())
]
"""In `make test` every fifth, and each fault with the first pattern that it can happen to; all in
`make fuzz`."""

SESSIONS = [
    shop.Session(SessionId=f"S-90{n}", UserId="U-005", CreatedAt="2024-01-01T00:00:00.000Z")
    for n in (1, 2)
]
PARAMETERS = {
    "UW-03": {"student": "Nora Neugierig", "seminar": "Rechnernetze verstehen"},
}
"""Where the example of a pattern changes nothing on the example data."""

IN_STEPS = {"CW-04", "UW-06"}
"""What is written one by one: a user's sessions after the user, and the entries of a seminar."""

WITHOUT_A_STEP = {"CW-03", "CW-04"}
"""What is sent once more, without the step, when the guard of an address is somebody else's."""

INTERNAL = (
    *("Traceback", "botocore", "Exception", "Error", "lambdas", "arn:", "aws", "HTTP"),
    *("secret@x.de", "single-table", "127.0.0.1", "GetItem", "Query", "TransactWrite", "PK", "SK"),
)
"""What an answer about a fault never says."""


class Answer(NamedTuple):
    """What the caller gets."""

    status: int
    headers: dict[str, str]
    text: str


Stored = dict[tuple[str, str], Item]


class Table:
    """The table behind the server, as nobody's fault disturbs it."""

    def __init__(self, dynamodb: DynamoDBClient) -> None:
        self._dynamodb = dynamodb
        for session in SESSIONS:
            self._put(to_item(session))
        self.beginning = self.stored()

    def stored(self) -> Stored:
        """All that is stored, less which call it was."""
        # A scan takes moto far longer.
        tables = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables
        found = [each.to_json()["Attributes"] for each in tables[sample.TABLE_NAME].all_items()]
        items = [{k: v for k, v in item.items() if k != MARK} for item in found]
        return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}

    def restore(self) -> None:
        """As it was in the beginning."""
        stored = self.stored()
        for pk, sk in stored.keys() - self.beginning.keys():
            self._dynamodb.delete_item(
                TableName=sample.TABLE_NAME, Key={"PK": {"S": pk}, "SK": {"S": sk}}
            )
        for key, item in self.beginning.items():
            if stored.get(key) != item:
                self._put(item)

    def _put(self, item: Item) -> None:
        self._dynamodb.put_item(TableName=sample.TABLE_NAME, Item=item)


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    """The example data in moto, nothing left to chance, and no pauses."""
    # What is patched here goes back before what `sample.table` has patched does.
    with sample.table(), pytest.MonkeyPatch.context() as environment:
        environment.setattr(shop_writes, "choice", lambda letters: letters[0])
        environment.setattr(shop_writes, "uuid4", lambda: UUID(int=1))
        environment.setattr(settings, "LONGEST_PAUSE_SECONDS", 0.0)
        environment.setattr(
            "botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0
        )
        # A client may try again only so often in a row; here one makes all the calls.
        environment.setattr("botocore.retries.quota.RetryQuota.acquire", lambda *_: True)
        yield Table(boto3.client("dynamodb"))


@pytest.fixture(scope="module")
def server(table: Table) -> Iterator[Server]:
    """The functions' only way to the table."""
    assert table
    with serving() as server, pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL", server.url)
        store.client.cache_clear()
        events = store.client().meta.events
        events.register("before-sign.dynamodb", server.before_sign)
        events.register("before-send.dynamodb", server.before_send)
        yield server


@pytest.fixture(autouse=True)
def restored(table: Table, server: Server) -> Iterator[None]:
    yield
    server.begins()
    server.settle()
    table.restore()


def call(pattern: AccessPattern) -> Answer:
    headers = {IDEMPOTENCY_KEY.name: "a-key"} if pattern.is_idempotent else {}
    sent = sample.event(pattern, headers)
    if pattern.id in PARAMETERS:
        sent["queryStringParameters"] = PARAMETERS[pattern.id]
    given = sample.handler(pattern)(sent, None)
    return Answer(given["statusCode"], given["headers"], given.get("body", ""))


class Undisturbed(NamedTuple):
    """A call to which nothing happens: the answer, what is stored then, what was asked for."""

    answer: Answer
    stored: Stored
    operations: list[str]


@pytest.fixture(scope="module")
def undisturbed(table: Table, server: Server) -> dict[str, Undisturbed]:
    found = {}
    for pattern in ACCESS_PATTERNS:
        server.begins()
        answer = call(pattern)
        found[pattern.id] = Undisturbed(answer, table.stored(), list(server.seen))
        table.restore()
    return found


def test_the_quick_cases_have_every_pattern_and_every_fault() -> None:
    quick: list[Any] = [case.values[0] for case in CASES if not case.marks]

    assert {case.pattern.id for case in quick} == {each.id for each in ACCESS_PATTERNS}
    assert {case.fault.name for case in quick} == {each.name for each in FAULTS}


def test_every_pattern_succeeds_while_nothing_happens(undisturbed: dict[str, Undisturbed]) -> None:
    for pattern in ACCESS_PATTERNS:
        found = undisturbed[pattern.id]
        assert found.answer.status in successes(pattern), pattern.id
        assert set(found.operations) == set(operations(pattern)), pattern.id


@pytest.mark.parametrize("case", CASES)
def test_a_fault_gets_its_status_and_does_no_harm(
    case: Case, server: Server, table: Table, undisturbed: dict[str, Undisturbed]
) -> None:
    good = undisturbed[case.pattern.id]
    can_strike = case.fault.operations
    struck = [each for each in good.operations if not can_strike or each in can_strike]

    for place, operation in enumerate(struck):
        server.begins(case.fault, place)
        begin = time.monotonic()
        told = call(case.pattern)
        seconds = time.monotonic() - begin
        server.settle()

        _check_answer(case, told)
        requests = case.fault.requests + (case.pattern.id in WITHOUT_A_STEP)
        assert server.seen.count(operation) <= struck.count(operation) - 1 + requests
        assert seconds < settings.longest_call()
        if isinstance(case.pattern.operation, Write):
            _check_stored(case, server, table, good)
        else:
            server.begins()
            assert call(case.pattern).text == good.answer.text
    assert struck


def _check_answer(case: Case, told: Answer) -> None:
    problem = json.loads(told.text)
    assert told.status in case.pattern.errors
    assert told.status == case.status or case.status is None
    assert problem["status"] == told.status
    assert told.headers["Content-Type"] == "application/problem+json"
    assert told.headers.get("Retry-After") == ("1" if told.status == 429 else None)
    assert [name for name in (*INTERNAL, SECRET) if name in told.text] == []


def _check_stored(case: Case, server: Server, table: Table, good: Undisturbed) -> None:
    """All is written or nothing, or what is documented as steps; the same call again ends it."""
    stored = table.stored()
    if case.pattern.id not in IN_STEPS:
        done = _without_versions(stored) == _without_versions(good.stored)
        assert stored == table.beginning or (case.fault.is_applied and done)

    server.begins()
    again = call(case.pattern)

    assert _without_versions(table.stored()) == _without_versions(good.stored)
    if stored == table.beginning or case.pattern.id == "UW-06":
        assert again.status == good.answer.status
    elif case.pattern.is_idempotent:
        assert (again.status, again.text) == (200, good.answer.text)
    else:
        assert again.status in {200, 204, 404, 409}
    table.restore()


def _without_versions(stored: Stored) -> Stored:
    """What is stored; not how often it has been written, which a repeated write adds to."""
    return {
        key: {name: value for name, value in item.items() if name != "Version"}
        for key, item in stored.items()
    }
