"""The example data as the documents show it, and the example calls on it.

A fixed present time, so that the same documents come out on every day.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final
from unittest import mock
from urllib.parse import quote, urlencode
from uuid import UUID

import boto3  # noqa: TID251 - its session; the calls are the store's
from moto import mock_aws

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import Write
from lambdas.design.pattern import IDEMPOTENCY_KEY, AccessPattern
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime import body, endpoint, store, times
from lambdas.runtime.arguments import Event
from lambdas.runtime.endpoint import Handler
from lambdas.runtime.items import Item, to_item
from lambdas.runtime.openapi.responses import successes
from lambdas.writes import ecommerce as writes
from seed.datasets import DATASETS

NOW: Final = datetime(2025, 1, 5, 12, tzinfo=UTC)
"""After everything in the example data, so that its sessions lie around it."""

TABLE_NAME: Final = "single-table"

ITEMS_A_BATCH: Final = 25
"""DynamoDB's limit."""

_ENVIRONMENT: Final = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_REGION": "eu-central-1",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "TABLE_NAME": TABLE_NAME,
}


Response = dict[str, Any]
"""What a handler gives the gateway."""

Request = tuple[str, dict[str, Any]]
"""A request of DynamoDB: the operation's name, and its parameters."""


class BadExample(Exception):
    """The example of a pattern does not give the declared answer on the example data."""


def items(dataset: str) -> list[Item]:
    """The items of a dataset, as they are stored; none where there is no example data for it."""
    made = DATASETS[dataset](NOW) if dataset in DATASETS else ()
    return [to_item(entity) for entity in made]


def has_data(pattern: AccessPattern) -> bool:
    """Whether there is example data for a pattern's dataset."""
    return pattern.dataset in DATASETS


def answers() -> dict[str, dict[str, Any]]:
    """The bodies that each pattern answers to its example, by its id and the status.

    Numbers are exact decimals. Raises BadExample when an answer is not as it is declared.
    """
    bodies = {
        each: {str(response["statusCode"]): _body(response) for response in sent}
        for each, sent in responses().items()
    }
    return {
        each: {status: found for status, found in by_status.items() if found is not None}
        for each, by_status in bodies.items()
        if any(found is not None for found in by_status.values())
    }


def responses() -> dict[str, list[Response]]:
    """What each pattern answers to its example, by its id; the second time as well where that is
    another status.

    Raises BadExample when an answer is not as it is declared.
    """
    known = [pattern for pattern in ACCESS_PATTERNS if has_data(pattern)]
    with table():
        found = {each.id: _called(each) for each in known if _only_reads(each)}
    for each in known:
        if not _only_reads(each):
            with table():  # as if no other example had been called before
                found[each.id] = _called(each)
    return {each.id: found[each.id] for each in known}


def requests(pattern: AccessPattern) -> list[Request]:
    """The requests that the example of a pattern makes of DynamoDB, in their order."""
    return _requests(pattern.id)


@lru_cache
def _requests(pattern_id: str) -> list[Request]:
    [pattern] = [each for each in ACCESS_PATTERNS if each.id == pattern_id]
    made: list[Request] = []

    def record(params: dict[str, Any], model: Any, **_: Any) -> None:
        made.append((model.name, dict(params)))

    with table():
        store.client().meta.events.register("before-parameter-build.dynamodb", record)
        handler(pattern)(event(pattern), None)
    return made


def event(pattern: AccessPattern, headers: Mapping[str, str] | None = None) -> Event:
    """The gateway's event for the example of a pattern."""
    in_path = {name: pattern.example[name] for name in pattern.path_parameters}
    in_query = query(pattern)
    path = pattern.path.format_map({name: quote(value) for name, value in in_path.items()})
    sent = {"body": body.write(pattern.example_body).decode()} if pattern.example_body else {}
    return {
        "version": "2.0",
        "routeKey": pattern.route,
        "rawPath": path,
        "rawQueryString": urlencode(in_query),
        "headers": {
            "host": "api.example.com",
            **{name.lower(): value for name, value in (headers or {}).items()},
        },
        "queryStringParameters": in_query,
        "pathParameters": in_path,
        "requestContext": {"http": {"method": pattern.method, "path": path}},
        "isBase64Encoded": False,
        **sent,
    }


def query(pattern: AccessPattern) -> dict[str, str]:
    """The query string of a pattern's example, by name."""
    in_path = pattern.path_parameters
    return {name: value for name, value in pattern.example.items() if name not in in_path}


def _only_reads(pattern: AccessPattern) -> bool:
    return not isinstance(pattern.operation, Write)


def _called(pattern: AccessPattern) -> list[Response]:
    headers = {IDEMPOTENCY_KEY.name: "a-key"} if pattern.is_idempotent else {}
    statuses = successes(pattern)
    sent = [handler(pattern)(event(pattern, headers), None) for _ in statuses]
    for status, response in zip(statuses, sent, strict=True):
        if response["statusCode"] != status:
            raise BadExample(
                f"{pattern.id}'s example {pattern.example} is answered with "
                f"{response['statusCode']} and not {status} on the example data of "
                f"seed/{pattern.dataset}.py: {response.get('body')}"
            )
    return sent


def _body(response: Response) -> Any:
    text = response.get("body")
    return json.loads(text, parse_float=_as_dynamodb_has_it) if text else None


def _as_dynamodb_has_it(number: str) -> Decimal:
    """DynamoDB drops the zeros at the end of 79.90, moto does not."""
    return Decimal(f"{Decimal(number).normalize():f}")


def handler(pattern: AccessPattern) -> Handler:
    """The entry point of a pattern; a variant shares that of its pattern."""
    routed = pattern.variant_of or pattern.id
    [name] = [each.name for each in ACCESS_PATTERNS if each.id == routed]
    found: Handler = getattr(import_module(f"lambdas.handlers.{pattern.dataset}"), name)
    return found


@contextmanager
def table(endpoint_url: str = "") -> Iterator[None]:
    """A table that has all the example data, at the fixed time: within this process, or in the
    engine that answers at the URL."""
    at = {"AWS_ENDPOINT_URL": endpoint_url} if endpoint_url else {}
    with ExitStack() as settings:
        settings.enter_context(mock.patch.dict(os.environ, _ENVIRONMENT | at))
        settings.enter_context(mock.patch.object(times, "now", return_value=NOW))
        settings.enter_context(mock.patch.object(endpoint, "logger"))
        for where, name, drawn in _draws():
            settings.enter_context(mock.patch.object(where, name, drawn))
        settings.enter_context(mock.patch.object(boto3, "DEFAULT_SESSION", _session()))
        if not endpoint_url:
            settings.enter_context(mock_aws(config={"core": {"reset_boto3_session": False}}))
        store.client.cache_clear()
        try:
            _create_table()
            _load([_as_kept(item) for dataset in DATASETS for item in items(dataset)])
            yield
        finally:
            store.client.cache_clear()


@lru_cache
def _session() -> boto3.Session:
    """What the clients are made from: it reads the SDK's large files once, not for each table."""
    return boto3.Session()


def _draws() -> list[tuple[ModuleType, str, Callable[..., Any]]]:
    """What makes ids at random, and what makes the same ones every time."""
    chance = random.Random(0)  # noqa: S311 - nobody has to be unable to guess these

    def uuid4() -> UUID:
        return UUID(int=chance.getrandbits(128), version=4)

    return [
        (endpoint, "uuid4", uuid4),
        (writes, "uuid4", uuid4),
        (writes, "choice", chance.choice),
    ]


def _create_table() -> None:
    names = sorted({name for index in (TABLE, *INDEXES) for name in index.key_attributes})
    store.client().create_table(
        TableName=TABLE_NAME,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": TABLE.partition_key, "KeyType": "HASH"},
            {"AttributeName": TABLE.sort_key, "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
        GlobalSecondaryIndexes=[
            {
                "IndexName": index.name,
                "KeySchema": [
                    {"AttributeName": index.partition_key, "KeyType": "HASH"},
                    {"AttributeName": index.sort_key, "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": index.projection},
            }
            for index in INDEXES
        ],
    )


def _load(everything: list[Item]) -> None:
    for start in range(0, len(everything), ITEMS_A_BATCH):
        batch = everything[start : start + ITEMS_A_BATCH]
        store.client().batch_write_item(
            RequestItems={TABLE_NAME: [{"PutRequest": {"Item": item}} for item in batch]}
        )


def _as_kept(item: Item) -> Item:
    return {
        name: {"N": str(_as_dynamodb_has_it(each["N"]))} if "N" in each else each
        for name, each in item.items()
    }
