"""The connection to DynamoDB: on AWS, or to a local cloud."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import boto3
from botocore import __version__
from botocore.config import Config
from botocore.exceptions import BotoCoreError
from msgspec import json

from lambdas.runtime import settings, signatures
from lambdas.runtime.store import THROTTLED
from seed.faults import Failure, no_answer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

IN_FLIGHT: Final = 16
"""How many requests are under way at once: enough that this process, not the way to DynamoDB and
back, is what takes the time."""

BODY: Final = "single-table-body"

CONNECT_TIMEOUT_SECONDS: Final = 3
READ_TIMEOUT_SECONDS: Final = 10
ATTEMPTS: Final = 3


def connect(endpoint_url: str | None) -> DynamoDBClient:
    """A client for the endpoint, or for the one that the environment names.

    Raises Failure when the endpoint or what is configured for AWS cannot be used.
    """
    try:
        client = _client(endpoint_url, None)
        _check_port(client.meta.endpoint_url)
        # A proxy, if one is configured, cannot reach this machine's loopback.
        return _client(endpoint_url, {}) if is_loopback(client.meta.endpoint_url) else client
    except (BotoCoreError, ValueError) as error:
        raise no_answer(error, endpoint_url) from error


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine and no further, as the local cloud's does."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # another name
        return False


def _check_port(url: str) -> None:
    """The SDK looks at the port when it sends something, and then fails in a way of its own."""
    try:
        is_one = urlsplit(url).port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise Failure(f"the port in {url} is not one from 1 to 65535")


def _client(endpoint_url: str | None, proxies: dict[str, str] | None) -> DynamoDBClient:
    client = boto3.client(
        "dynamodb",
        region_name=settings.region(),
        endpoint_url=endpoint_url,
        config=Config(
            connect_timeout=CONNECT_TIMEOUT_SECONDS,
            read_timeout=READ_TIMEOUT_SECONDS,
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            max_pool_connections=IN_FLIGHT,
            proxies=proxies,
            # Both take longer than all else that is done for a batch. Items are made of entities.
            parameter_validation=False,
            signature_version=signatures.version(),
            user_agent=f"Botocore/{__version__} single-table-seed",
        ),
    )
    events: Any = client.meta.events
    events.register_first("needs-retry.dynamodb", _no_patience)
    events.register("provide-client-params.dynamodb.BatchWriteItem", write_body)
    events.register("before-call.dynamodb.BatchWriteItem", set_body)
    return client


def write_body(params: dict[str, Any], context: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Writes a batch in one step, where botocore walks every value in Python, and gives botocore
    one with nothing in it instead."""
    context[BODY] = json.encode(params)
    return {"RequestItems": {}}


def set_body(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
    """Puts it into the request, before that is signed."""
    params["body"] = context[BODY]


def _no_patience(response: tuple[Any, dict[str, Any]] | None, **_: Any) -> bool | None:
    """Leaves it to the table to wait for capacity: it knows how much of a batch has been taken,
    and botocore waits for a second or two."""
    code = response[1].get("Error", {}).get("Code") if response else None
    return False if code in THROTTLED else None
