"""The service as the machines see it: its entry points, its clock, and the table beneath."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer
from msgspec.json import Encoder

from lambdas.design.pattern import AccessPattern
from lambdas.runtime.items import MARK
from tests.handlers.caller import event, handler

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Fields = dict[str, Any]
"""An item as a caller sees it."""

START = datetime(2024, 3, 2, 9, 15, 0, 123000, tzinfo=UTC)


class Clock:
    """The functions' clock, which stands still unless it is moved on."""

    def __init__(self) -> None:
        self.now = START

    def advance(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @property
    def text(self) -> str:
        """Now, as times are stored."""
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"


@dataclass(frozen=True)
class Answer:
    """What the caller gets."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text, parse_float=Decimal) if self.text else None

    @property
    def named(self) -> set[str]:
        """What the answer says is wrong, or in the way."""
        return {error["name"] for error in self.body.get("errors", [])}


@dataclass(frozen=True)
class Outcome:
    """What the model says that the caller should get."""

    status: int
    body: Any = None
    """None: an error's text is not the model's business."""
    version: int | None = None
    location: str | None = None
    named: set[str] = field(default_factory=set)
    """The fields that an error names."""


class Service:
    """Every access pattern on one table."""

    def __init__(self, dynamodb: DynamoDBClient, table: str, clock: Clock) -> None:
        self.dynamodb = dynamodb
        self.table = table
        self.clock = clock

    def ask(
        self,
        pattern: AccessPattern,
        parameters: Mapping[str, str] | None = None,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """The answer to a call; headers without a value are not sent."""
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        call = event(pattern, parameters or {}, {"content-type": "application/json", **sent})
        if body is not None:
            call["body"] = Encoder(decimal_format="number").encode(body).decode()
        given = handler(pattern)(call, SimpleNamespace(aws_request_id="a-request"))
        answer = Answer(given["statusCode"], given["headers"], given.get("body", ""))
        assert answer.status not in {500, 503}, answer.text
        assert MARK not in answer.text
        assert (answer.status == 204) == (answer.text == "")
        return answer

    def stored(self) -> list[Fields]:
        """Every item of the table, as plain values."""
        plain = TypeDeserializer()
        pages = self.dynamodb.get_paginator("scan").paginate(
            TableName=self.table, ConsistentRead=True
        )
        return [
            {name: plain.deserialize(value) for name, value in item.items()}
            for page in pages
            for item in page["Items"]
        ]

    def remove(self, item: Fields) -> None:
        """Takes an item out of the table, as nobody but DynamoDB itself does."""
        key = {name: {"S": item[name]} for name in ("PK", "SK")}
        self.dynamodb.delete_item(TableName=self.table, Key=key)

    def begin_anew(self) -> None:
        """An empty table, at the beginning of time."""
        for item in self.stored():
            self.remove(item)
        self.clock.now = START
