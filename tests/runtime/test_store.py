from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)
from botocore.stub import Stubber

from lambdas.runtime import settings, store
from lambdas.runtime.errors import Problem, Throttled, Unavailable
from lambdas.runtime.store import Rejected, Store
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


def test_the_client_gives_up_while_the_function_can_still_answer(fresh: pytest.MonkeyPatch) -> None:
    fresh.setenv("AWS_REGION", "eu-central-1")
    config = store.client().meta.config
    retries = config.retries  # type: ignore[attr-defined]
    assert retries == {"mode": "standard", "total_max_attempts": 3}
    one_attempt = config.connect_timeout + config.read_timeout  # type: ignore[attr-defined]
    pauses = 1 + 2
    assert 3 * one_attempt + pauses < settings.FUNCTION_TIMEOUT_SECONDS < 30


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
