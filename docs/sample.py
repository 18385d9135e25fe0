"""The example data as the documents show it, and the example calls on it.

A fixed present time, so that the same documents come out on every day.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from typing import Any, Final
from unittest import mock
from urllib.parse import quote, urlencode

from moto import mock_aws
from msgspec.json import Encoder

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime import endpoint, store, times
from lambdas.runtime.arguments import Event
from lambdas.runtime.endpoint import Handler
from lambdas.runtime.items import Item, to_item
from seed.datasets import DATASETS

NOW: Final = datetime(2025, 1, 5, 12, tzinfo=UTC)
"""After everything in the example data, so that its sessions lie around it."""

TABLE_NAME: Final = "single-table"

_ENVIRONMENT: Final = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_REGION": "eu-central-1",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "TABLE_NAME": TABLE_NAME,
}


class BadExample(Exception):
    """The example of a pattern does not give an answer on the example data."""


def items(dataset: str) -> list[Item]:
    """The items of a dataset, as they are stored; none where there is no example data for it."""
    made = DATASETS[dataset](NOW) if dataset in DATASETS else ()
    return [to_item(entity) for entity in made]


def has_data(pattern: AccessPattern) -> bool:
    """Whether there is example data for a pattern's dataset."""
    return pattern.dataset in DATASETS


def answers() -> dict[str, Any]:
    """What each pattern answers to its example, by its id, with exact decimals.

    Raises BadExample when an answer is an error.
    """
    known = [pattern for pattern in ACCESS_PATTERNS if has_data(pattern)]
    with table():
        found = {each.id: _answer(each) for each in known if _only_reads(each)}
    for each in known:
        if not _only_reads(each):
            with table():  # as if no other example had been called before
                found[each.id] = _answer(each)
    return {each.id: found[each.id] for each in known if found[each.id] is not None}


def event(pattern: AccessPattern) -> Event:
    """The gateway's event for the example of a pattern."""
    in_path = {name: pattern.example[name] for name in pattern.path_parameters}
    in_query = query(pattern)
    path = pattern.path.format_map({name: quote(value) for name, value in in_path.items()})
    numbers = Encoder(decimal_format="number")
    sent = {"body": numbers.encode(pattern.example_body).decode()} if pattern.body else {}
    return {
        "version": "2.0",
        "routeKey": pattern.route,
        "rawPath": path,
        "rawQueryString": urlencode(in_query),
        "headers": {"host": "api.example.com"},
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
    return pattern.method == "GET"


def _answer(pattern: AccessPattern) -> Any:
    response = handler(pattern)(event(pattern), None)
    status, body = response["statusCode"], response.get("body")
    if status >= 400:  # noqa: PLR2004 - where the errors begin
        raise BadExample(f"{pattern.id}: the example {pattern.example} answers {status}: {body}")
    return json.loads(body, parse_float=Decimal) if body else None


def handler(pattern: AccessPattern) -> Handler:
    """The entry point of a pattern; a variant shares that of its pattern."""
    routed = pattern.variant_of or pattern.id
    [name] = [each.name for each in ACCESS_PATTERNS if each.id == routed]
    found: Handler = getattr(import_module(f"lambdas.handlers.{pattern.dataset}"), name)
    return found


@contextmanager
def table() -> Iterator[None]:
    """A table within this process that has all the example data, at the fixed time."""
    with (
        mock.patch.dict(os.environ, _ENVIRONMENT),
        mock.patch.object(times, "now", return_value=NOW),
        mock.patch.object(endpoint, "logger"),
        mock_aws(),
    ):
        store.client.cache_clear()
        try:
            _create_table()
            for item in (item for dataset in DATASETS for item in items(dataset)):
                store.client().put_item(TableName=TABLE_NAME, Item=_as_kept(item))
            yield
        finally:
            store.client.cache_clear()


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


def _as_kept(item: Item) -> Item:
    """The item as DynamoDB keeps it: it drops the zeros at the end of 79.90, moto does not."""
    return {
        name: {"N": f"{Decimal(each['N']).normalize():f}"} if "N" in each else each
        for name, each in item.items()
    }
