from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)
from botocore.stub import Stubber

from lambdas.runtime import settings, store
from lambdas.runtime.errors import (
    Conflict,
    Forbidden,
    Problem,
    Throttled,
    TooLarge,
    Unavailable,
)
from lambdas.runtime.store import Cancelled, ConditionFailed, Rejected, Store
from tests.runtime.conftest import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ROOT = Path(__file__).parents[2]
KEY = {"PK": {"S": "USER#U-001"}, "SK": {"S": "PROFILE"}}
QUERY = {
    "KeyConditionExpression": "PK = :partition",
    "ExpressionAttributeValues": {":partition": {"S": "USER#U-001"}},
}


@pytest.fixture(scope="module")
def offline() -> DynamoDBClient:
    """A client that reaches nothing."""
    return boto3.client(
        "dynamodb",
        region_name="eu-central-1",
        endpoint_url="http://127.0.0.1:1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture
def dynamodb(offline: DynamoDBClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    """The SDK with everything but the wire: it checks what it is given and what it gives back."""
    monkeypatch.setenv("TABLE_NAME", "Table-1")
    monkeypatch.setattr(store, "client", lambda: offline)
    with Stubber(offline) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


# --- Operations -----------------------------------------------------------------------------


def test_an_item_is_read_from_the_functions_table(dynamodb: Stubber) -> None:
    dynamodb.add_response(
        "get_item",
        {"Item": KEY, "ConsumedCapacity": {"CapacityUnits": 0.5}},
        {"TableName": "Table-1", "ReturnConsumedCapacity": "TOTAL", "Key": KEY},
    )
    assert Store().get_item({"Key": KEY}) == KEY


def test_an_item_that_is_not_there_is_none(dynamodb: Stubber) -> None:
    dynamodb.add_response("get_item", {"ConsumedCapacity": {"CapacityUnits": 0.5}})
    assert Store().get_item({"Key": KEY}) is None


def test_a_query_gives_its_items_and_where_it_stopped(dynamodb: Stubber) -> None:
    dynamodb.add_response(
        "query",
        {"Items": [KEY], "LastEvaluatedKey": KEY, "ConsumedCapacity": {"CapacityUnits": 0.5}},
        {"TableName": "Table-1", "ReturnConsumedCapacity": "TOTAL", **QUERY},
    )
    assert Store().query(QUERY) == ([KEY], KEY)
    dynamodb.add_response("query", {"Items": [], "ConsumedCapacity": {"CapacityUnits": 0.5}})
    assert Store().query(QUERY) == ([], None)


# --- Costs ----------------------------------------------------------------------------------


def test_requests_and_capacity_are_counted_exactly(dynamodb: Stubber) -> None:
    counted = Store()
    assert (counted.requests, counted.capacity) == (0, Decimal(0))
    for units in (0.1, 0.2, 127.5):
        dynamodb.add_response("get_item", {"ConsumedCapacity": {"CapacityUnits": units}})
        counted.get_item({"Key": KEY})
    assert counted.requests == 3
    assert str(counted.capacity) == "127.8"


def test_a_call_that_fails_is_counted_as_a_request_without_capacity(dynamodb: Stubber) -> None:
    counted = Store()
    dynamodb.add_client_error("query", "ThrottlingException")
    with pytest.raises(Throttled):
        counted.query(QUERY)
    dynamodb.add_client_error("get_item", "ValidationException")
    with pytest.raises(Rejected):
        counted.get_item({"Key": KEY})
    assert (counted.requests, counted.capacity) == (2, Decimal(0))


def test_a_call_that_reaches_nobody_is_counted_too(table: Table) -> None:
    table.fails(ReadTimeoutError(endpoint_url="x"))
    counted = Store()
    with pytest.raises(Unavailable):
        counted.query(QUERY)
    assert counted.requests == 1


def test_each_call_of_a_function_counts_from_nothing(dynamodb: Stubber) -> None:
    dynamodb.add_response("get_item", {"ConsumedCapacity": {"CapacityUnits": 0.5}})
    Store().get_item({"Key": KEY})
    assert Store().requests == 0


# --- DynamoDB's errors become ours ------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ProvisionedThroughputExceededException", Throttled),
        ("RequestLimitExceeded", Throttled),
        ("ThrottlingException", Throttled),
        ("ValidationException", Rejected),
        ("SerializationException", Rejected),
        ("InternalServerError", Unavailable),
        ("ServiceUnavailable", Unavailable),
        ("ResourceNotFoundException", Unavailable),
        ("AccessDeniedException", Unavailable),
        ("UnrecognizedClientException", Unavailable),
        ("ExpiredTokenException", Unavailable),
        ("LimitExceededException", Unavailable),
        ("SomethingNewException", Unavailable),
    ],
)
def test_an_error_code_has_its_meaning(dynamodb: Stubber, code: str, kind: type[Exception]) -> None:
    for operation in ("get_item", "query"):
        dynamodb.add_client_error(operation, code, service_message="secret of Alice")
        with pytest.raises(kind) as told:
            Store().get_item({"Key": KEY}) if operation == "get_item" else Store().query(QUERY)
        assert type(told.value) is kind
        assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "error",
    [
        ConnectTimeoutError(endpoint_url="https://secret"),
        ReadTimeoutError(endpoint_url="https://secret"),
        EndpointConnectionError(endpoint_url="https://secret"),
        ConnectionClosedError(endpoint_url="https://secret"),
        NoCredentialsError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_table_that_cannot_be_reached_is_not_available(
    table: Table, error: BotoCoreError
) -> None:
    for call in (lambda: Store().get_item({"Key": KEY}), lambda: Store().query(QUERY)):
        table.fails(error)
        with pytest.raises(Unavailable) as told:
            call()
        assert told.value.status == 503
        assert "secret" not in told.value.detail


def test_a_port_that_nobody_listens_on_is_not_available(
    offline: DynamoDBClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLE_NAME", "Table-1")
    monkeypatch.setattr(store, "client", lambda: offline)
    with pytest.raises(Unavailable, match="cannot be reached"):
        Store().get_item({"Key": KEY})


def test_a_request_that_is_invalid_is_no_answer_for_the_caller() -> None:
    assert not issubclass(Rejected, Problem)


@pytest.mark.parametrize(
    "answer",
    [None, [], {}, {"Items": None}, {"ConsumedCapacity": {"CapacityUnits": "much"}}],
    ids=repr,
)
def test_what_is_no_answer_of_dynamodb_s_is_not_available(table: Table, answer: Any) -> None:
    table.gives(answer)
    asked = Store()
    with pytest.raises(Unavailable):
        asked.get_item({"Key": KEY})
    assert asked.fault == "NoAnswer"


def test_a_statement_that_iam_denies_is_the_caller_s_doing_and_nothing_else_is(
    table: Table,
) -> None:
    denied = ClientError({"Error": {"Code": "AccessDeniedException", "Message": "arn:"}}, "x")
    for call, kind in (
        (lambda: Store().execute_statement({"Statement": "SELECT"}), Forbidden),
        (lambda: Store().query(QUERY), Unavailable),
    ):
        table.fails(denied)
        with pytest.raises(kind) as told:
            call()
        assert "arn:" not in str(told.value)


def test_the_last_fault_is_known_by_its_code_and_what_is_no_fault_is_not_noted(
    table: Table,
) -> None:
    asked = Store()
    for code in ("ThrottlingException", "ExpiredTokenException"):
        table.fails(ClientError({"Error": {"Code": code, "Message": "secret"}}, "x"))
        with pytest.raises(Problem):
            asked.query(QUERY)
        assert asked.fault == code
    asked = Store()
    table.fails(ClientError({"Error": {"Code": "ConditionalCheckFailedException"}}, "x"))
    with pytest.raises(ConditionFailed):
        asked.update_item(UPDATE)
    assert asked.fault is None


# --- Time -------------------------------------------------------------------------------------


class Stopwatch:
    """The time as the store sees it."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def stopwatch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    stopwatch = Stopwatch()
    monkeypatch.setattr("time.monotonic", stopwatch)
    return stopwatch


def test_a_call_is_over_before_the_function_and_that_before_the_gateway() -> None:
    """The gateway gives up after 29 s where it is a REST API, after 30 s as an HTTP API."""
    attempt = 3 * settings.CONNECT_TIMEOUT_SECONDS + settings.READ_TIMEOUT_SECONDS
    botocore_s_pauses = sum(2**retry for retry in range(settings.ATTEMPTS - 1))

    assert botocore_s_pauses == settings.PAUSES_SECONDS
    assert settings.longest_operation() == settings.ATTEMPTS * attempt + botocore_s_pauses
    assert settings.longest_call() == settings.LAST_START_SECONDS + settings.longest_operation()
    assert settings.longest_call() < settings.FUNCTION_TIMEOUT_SECONDS < 29


def test_an_operation_begins_as_long_as_there_is_time_and_not_later(
    table: Table, stopwatch: Stopwatch
) -> None:
    asked = Store()
    stopwatch.seconds += settings.LAST_START_SECONDS - 0.1
    table.finds()
    asked.query(QUERY)
    stopwatch.seconds += 0.1
    for call in (
        lambda: asked.query(QUERY),
        lambda: asked.update_item(UPDATE),
        lambda: asked.transact([STEP], "a-token"),
        lambda: asked.get_items([KEY]),
    ):
        with pytest.raises(Unavailable, match="too long"):
            call()
    assert asked.requests == len(table.calls) == 1
    assert not asked.has_time
    assert Store().has_time


def test_a_write_that_meets_another_is_tried_again_only_while_there_is_time(
    table: Table, stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: setattr(stopwatch, "seconds", 5000))
    table.fails(ClientError({"Error": {"Code": "TransactionConflictException"}}, "x"))
    with pytest.raises(Unavailable):
        Store().update_item(UPDATE)
    assert len(table.calls) == 1


# --- Writes -----------------------------------------------------------------------------------

UPDATE = {"Key": KEY, "UpdateExpression": "SET #n0 = :v0"}
CONSUMED = {"ConsumedCapacity": {"CapacityUnits": 1.5}}
STEP = ("Put", {"Item": KEY})
WRITES: list[tuple[str, Callable[[], Any]]] = [
    ("update_item", lambda: Store().update_item(UPDATE)),
    ("delete_item", lambda: Store().delete_item({"Key": KEY})),
    ("transact_write_items", lambda: Store().transact([STEP], "a-token")),
]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The bounds of the pauses that are made, without the waiting."""
    bounds: list[float] = []

    def at_once(_: float, bound: float) -> float:
        bounds.append(bound)
        return 0.0

    monkeypatch.setattr("random.uniform", at_once)
    return bounds


def test_an_update_gives_the_item_as_it_then_is(dynamodb: Stubber) -> None:
    sent = {
        "TableName": "Table-1",
        "ReturnConsumedCapacity": "TOTAL",
        "ReturnValues": "ALL_NEW",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        **UPDATE,
    }
    dynamodb.add_response("update_item", {"Attributes": KEY, **CONSUMED}, sent)
    counted = Store()
    assert counted.update_item(UPDATE) == KEY
    assert (counted.requests, str(counted.capacity)) == (1, "1.5")


def test_a_deletion_asks_what_is_there_only_if_that_is_why_it_fails(dynamodb: Stubber) -> None:
    sent = {
        "TableName": "Table-1",
        "ReturnConsumedCapacity": "TOTAL",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "Key": KEY,
    }
    dynamodb.add_response("delete_item", CONSUMED, sent)
    Store().delete_item({"Key": KEY})


def test_a_transaction_costs_what_it_costs_in_each_table(dynamodb: Stubber) -> None:
    of_step = {"TableName": "Table-1", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    sent = {
        "ReturnConsumedCapacity": "TOTAL",
        "ClientRequestToken": "a-token",
        "TransactItems": [{"Put": {"Item": KEY, **of_step}}],
    }
    answer = {"ConsumedCapacity": [{"CapacityUnits": 4.0}, {"CapacityUnits": 0.1}]}
    dynamodb.add_response("transact_write_items", answer, sent)
    counted = Store()
    counted.transact([STEP], "a-token")
    assert (counted.requests, str(counted.capacity)) == (1, "4.1")


def test_items_are_read_together_and_what_is_left_over_is_asked_for_again(
    dynamodb: Stubber, pauses: list[float]
) -> None:
    keys = [{"PK": {"S": f"P#{n}"}, "SK": {"S": f"P#{n}"}} for n in range(3)]
    rest = {"UnprocessedKeys": {"Table-1": {"Keys": keys[1:]}}}
    for answer, asked in (
        ({"Responses": {"Table-1": keys[:1]}, **rest}, keys),
        ({"Responses": {}, **rest}, keys[1:]),
        ({"Responses": {"Table-1": keys[2:]}}, keys[1:]),
    ):
        wanted = {"Keys": asked, "ConsistentRead": True}
        sent = {"RequestItems": {"Table-1": wanted}, "ReturnConsumedCapacity": "TOTAL"}
        dynamodb.add_response("batch_get_item", {**answer, "ConsumedCapacity": []}, sent)
    counted = Store()
    assert counted.get_items(keys) == [keys[0], keys[2]]
    assert counted.requests == 3
    assert pauses == [0.04, 0.08]


def test_a_batch_that_is_never_done_is_throttled(table: Table, pauses: list[float]) -> None:
    for _ in range(settings.ATTEMPTS_AT_A_BATCH):
        table.answers(Responses={}, UnprocessedKeys={"Table-1": {"Keys": [KEY]}})
    with pytest.raises(Throttled):
        Store().get_items([KEY])
    assert len(table.calls) == 5
    assert len(pauses) == 4


@pytest.mark.parametrize(("operation", "write"), WRITES, ids=[name for name, _ in WRITES])
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ProvisionedThroughputExceededException", Throttled),
        ("ThrottlingException", Throttled),
        ("RequestLimitExceeded", Throttled),
        ("InternalServerError", Unavailable),
        ("AccessDeniedException", Unavailable),
        ("ValidationException", Rejected),
        ("SerializationException", Rejected),
        ("ItemCollectionSizeLimitExceededException", Unavailable),
    ],
)
def test_an_error_code_means_the_same_for_a_write(
    dynamodb: Stubber, operation: str, write: Callable[[], Any], code: str, kind: type[Exception]
) -> None:
    dynamodb.add_client_error(operation, code, service_message="secret of Alice")
    with pytest.raises(kind) as told:
        write()
    assert type(told.value) is kind
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "message",
    [
        "Item size has exceeded the maximum allowed size",
        "Item size to update has exceeded the maximum allowed size",
    ],
)
def test_an_item_that_dynamodb_finds_too_large_is_told_with_the_size_it_may_have(
    dynamodb: Stubber, message: str
) -> None:
    """An update adds to what is stored, so only DynamoDB knows the size."""
    dynamodb.add_client_error("update_item", "ValidationException", service_message=message)
    with pytest.raises(TooLarge, match="409600 bytes"):
        Store().update_item(UPDATE)


def test_a_write_that_would_be_too_large_is_never_sent(table: Table) -> None:
    item = {"PK": {"S": "a"}, "Text": {"S": "ü" * 204_797}}  # 2 + 1 + 4 + 409594 bytes
    with pytest.raises(TooLarge, match="409601 bytes"):
        Store().transact([STEP, ("Put", {"Item": item})], "a-token")
    with pytest.raises(TooLarge, match=r"4096\d\d bytes"):
        Store().update_item({**UPDATE, "ExpressionAttributeValues": {":v0": {"S": "x" * 409_600}}})
    assert table.calls == []


def test_a_transaction_of_100_actions_is_sent_and_one_of_101_is_not(table: Table) -> None:
    table.answers()
    Store().transact([STEP] * 100, "a-token")
    with pytest.raises(TooLarge, match="101 actions"):
        Store().transact([STEP] * 101, "a-token")
    assert len(table.calls) == 1


@pytest.mark.parametrize("write", [write for _, write in WRITES], ids=[name for name, _ in WRITES])
@pytest.mark.parametrize("code", ["TransactionConflictException", "TransactionInProgressException"])
def test_a_write_that_meets_another_is_tried_again_with_growing_pauses(
    table: Table, pauses: list[float], write: Callable[[], Any], code: str
) -> None:
    for _ in range(7):
        table.fails(ClientError({"Error": {"Code": code, "Message": ""}}, "x"))
    table.answers(Attributes=KEY)
    write()
    assert len(table.calls) == 8
    assert pauses == [0.04, 0.08, 0.16, 0.32, 0.4, 0.4, 0.4]


@pytest.mark.parametrize("write", [write for _, write in WRITES], ids=[name for name, _ in WRITES])
def test_a_write_that_meets_another_for_ever_is_a_conflict(
    table: Table, pauses: list[float], write: Callable[[], Any]
) -> None:
    for _ in range(settings.ATTEMPTS_AT_A_CONFLICT):
        table.fails(ClientError({"Error": {"Code": "TransactionConflictException"}}, "x"))
    with pytest.raises(Conflict, match="try again"):
        write()
    assert len(table.calls) == 8
    assert sum(pauses) < 3


def test_a_condition_that_does_not_hold_brings_the_item_that_is_there(table: Table) -> None:
    for item in (KEY, None):
        response: Any = {"Error": {"Code": "ConditionalCheckFailedException"}}
        table.fails(ClientError(response | ({"Item": item} if item else {}), "UpdateItem"))
        with pytest.raises(ConditionFailed) as told:
            Store().update_item(UPDATE)
        assert told.value.item == item


def test_what_failed_in_a_transaction_is_known_by_its_position_whatever_else_went_wrong(
    table: Table,
) -> None:
    reasons = [
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Item": KEY},
        {"Code": "TransactionConflict"},
        {"Code": "ConditionalCheckFailed"},
        {"Code": "ThrottlingError"},
    ]
    response: Any = {
        "Error": {"Code": "TransactionCanceledException"},
        "CancellationReasons": reasons,
    }
    table.fails(ClientError(response, "TransactWriteItems"))
    with pytest.raises(Cancelled) as told:
        Store().transact([STEP] * 5, "a-token")
    assert told.value.failed == {1: KEY, 3: None}
    assert len(table.calls) == 1


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Item size to update has exceeded the maximum allowed size", TooLarge),
        ("Item size has exceeded the maximum allowed size", TooLarge),
        ("An operand in the update expression has an incorrect data type", Conflict),
        ("Number overflow. Attempting to store a number with magnitude larger", Conflict),
        (None, Conflict),
    ],
)
def test_a_step_that_does_not_fit_what_is_stored_is_too_large_only_if_that_is_its_size(
    table: Table, message: str | None, kind: type[Problem]
) -> None:
    response: Any = {
        "Error": {"Code": "TransactionCanceledException"},
        "CancellationReasons": [{"Code": "None"}, {"Code": "ValidationError", "Message": message}],
    }
    table.fails(ClientError(response, "TransactWriteItems"))
    with pytest.raises(kind):
        Store().transact([STEP] * 2, "a-token")
    assert len(table.calls) == 1


def test_a_transaction_that_is_cancelled_for_reasons_that_are_none_is_not_available(
    table: Table,
) -> None:
    response: Any = {
        "Error": {"Code": "TransactionCanceledException"},
        "CancellationReasons": [None, {}],
    }
    table.fails(ClientError(response, "TransactWriteItems"))
    with pytest.raises(Unavailable):
        Store().transact([STEP] * 2, "a-token")


# --- The client -----------------------------------------------------------------------------


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A process that has no client yet; it has none afterwards either."""
    store.client.cache_clear()
    yield monkeypatch
    store.client.cache_clear()


@pytest.mark.parametrize("region", ["eu-central-1", "us-west-2"])
def test_the_client_is_of_the_functions_own_region(fresh: pytest.MonkeyPatch, region: str) -> None:
    fresh.setenv("AWS_REGION", region)
    fresh.setenv("AWS_DEFAULT_REGION", "sa-east-1")
    assert store.client().meta.region_name == region


def test_there_is_one_client(fresh: pytest.MonkeyPatch) -> None:
    fresh.setenv("AWS_REGION", "eu-central-1")
    assert store.client() is store.client()


def test_the_client_waits_as_the_settings_say(fresh: pytest.MonkeyPatch) -> None:
    fresh.setenv("AWS_REGION", "eu-central-1")
    config: Any = store.client().meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": settings.ATTEMPTS}
    assert config.connect_timeout == settings.CONNECT_TIMEOUT_SECONDS
    assert config.read_timeout == settings.READ_TIMEOUT_SECONDS


def test_a_function_leaves_the_check_of_its_requests_to_dynamodb(
    fresh: pytest.MonkeyPatch,
) -> None:
    fresh.setenv("AWS_REGION", "eu-central-1")
    fresh.setenv("AWS_LAMBDA_FUNCTION_NAME", "get_user")
    fresh.setenv("TABLE_NAME", "Table-1")
    sent: list[Any] = []

    def answer(params: dict[str, Any], **_: Any) -> Any:
        sent.append(params["body"])
        return SimpleNamespace(status_code=200), {"Items": [], "ConsumedCapacity": {}}

    store.client().meta.events.register("before-call.dynamodb.Query", answer)
    Store().query({"Limit": "many"})
    assert [json.loads(body)["Limit"] for body in sent] == ["many"]


def test_elsewhere_a_request_that_cannot_be_is_our_own_fault_and_is_not_sent(
    fresh: pytest.MonkeyPatch,
) -> None:
    """So the tests find it. It is no fault of DynamoDB's, which would be answered with 503."""
    fresh.setenv("AWS_REGION", "eu-central-1")
    fresh.setenv("TABLE_NAME", "Table-1")
    counted = Store()
    with pytest.raises(ParamValidationError, match="Limit"):
        counted.query({"Limit": "many"})
    assert counted.fault is None


def test_a_client_that_cannot_be_made_is_a_table_that_is_not_available(
    fresh: pytest.MonkeyPatch,
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        fresh.delenv(name, raising=False)
    fresh.setenv("AWS_CONFIG_FILE", os.devnull)
    fresh.setenv("TABLE_NAME", "Table-1")
    asked = Store()
    with pytest.raises(Unavailable):
        asked.get_item({"Key": KEY})
    assert asked.fault == "NoRegionError"


def test_without_credentials_the_table_is_not_available(fresh: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        fresh.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        fresh.setenv(name, os.devnull)
    fresh.setenv("AWS_EC2_METADATA_DISABLED", "true")
    fresh.setenv("AWS_REGION", "eu-central-1")
    fresh.setenv("TABLE_NAME", "Table-1")
    fresh.setattr(boto3, "DEFAULT_SESSION", None)
    asked = Store()
    with pytest.raises(Unavailable):
        asked.get_item({"Key": KEY})
    assert asked.fault == "NoCredentialsError"


def clients_after_import(folder: Path, **environment: str) -> str:
    """How many clients a new process has made once it has imported the entry points."""
    code = """
import lambdas.handlers.ecommerce
from lambdas.runtime import store
print(store.client.cache_info().currsize)
"""
    run = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
            **environment,
        },
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_entry_points_are_imported_without_credentials_region_or_table_and_make_no_client(
    tmp_path: Path,
) -> None:
    assert clients_after_import(tmp_path) == "0"


def test_in_a_function_the_client_is_made_while_it_starts(tmp_path: Path) -> None:
    function = {"AWS_LAMBDA_FUNCTION_NAME": "get_user", "AWS_REGION": "eu-central-1"}
    assert clients_after_import(tmp_path, **function) == "1"


# --- What is counted for the log ------------------------------------------------------------


def test_reads_cost_read_units_and_writes_write_units(table: Table) -> None:
    counted = Store()
    table.has({"PK": {"S": "a"}})
    counted.get_item({"Key": {}})
    assert (str(counted.read_units), str(counted.write_units)) == ("0.5", "0")

    table.gives({"Attributes": {}, "ConsumedCapacity": {"CapacityUnits": 2.0}})
    counted.update_item({"Key": {}})
    assert (str(counted.read_units), str(counted.write_units)) == ("0.5", "2.0")
    assert str(counted.capacity) == "2.5"


def test_items_that_dynamodb_gives_are_counted_and_an_absent_one_is_not(table: Table) -> None:
    counted = Store()
    table.has(None)
    counted.get_item({"Key": {}})
    assert counted.items_read == 0

    table.has({"PK": {"S": "a"}})
    counted.get_item({"Key": {}})
    table.finds({"PK": {"S": "a"}}, {"PK": {"S": "b"}})
    counted.query({})
    assert (counted.items_read, counted.items_returned) == (3, 0)


@pytest.mark.usefixtures("pauses")
def test_every_other_writer_that_is_met_is_counted(table: Table) -> None:
    counted = Store()
    for _ in range(2):
        table.fails(ClientError({"Error": {"Code": "TransactionConflictException"}}, "x"))
    table.gives({"Attributes": {}, "ConsumedCapacity": {"CapacityUnits": 1.0}})
    counted.update_item(UPDATE)
    assert (counted.conflicts, counted.fault) == (2, None)


def test_what_the_sdk_sends_again_is_counted_whatever_the_answer_is(table: Table) -> None:
    counted = Store()
    table.has(None)
    counted.get_item({"Key": {}})
    assert counted.retries == 0

    table.answers(ResponseMetadata={"RetryAttempts": 2})
    counted.get_item({"Key": {}})
    error: Any = {
        "Error": {"Code": "ConditionalCheckFailedException"},
        "ResponseMetadata": {"RetryAttempts": 1},
    }
    table.fails(ClientError(error, "x"))
    with pytest.raises(ConditionFailed):
        counted.update_item(UPDATE)
    assert (counted.requests, counted.retries) == (3, 3)


def test_what_the_sdk_sends_again_to_any_shard_is_counted(table: Table) -> None:
    counted = Store()
    for attempts in (0, 1):
        table.answers(Items=[], ResponseMetadata={"RetryAttempts": attempts})
    counted.query_each([{}, {}])
    assert (counted.requests, counted.retries) == (2, 1)
