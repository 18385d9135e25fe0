"""The requests that a call makes of DynamoDB, each with the items before it and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import boto3
from botocore.exceptions import ClientError

from docs import sample
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import settings, store
from lambdas.runtime.items import Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PrimaryKey = tuple[str, str]

Items = dict[PrimaryKey, Item]
"""Items by their primary keys."""


class Request(NamedTuple):
    """A request of DynamoDB, and what came of it."""

    operation: str
    asked: dict[str, Any]
    answer: dict[str, Any]
    before: Items
    """Of the items whose keys it names, those that were there."""
    after: Items
    """The same after it; after one whose condition does not hold, as they would have become."""
    failed: bool


class Recorder:
    """Calls patterns' examples on the table of this process, and records what they ask for."""

    def __init__(self) -> None:
        self._observer = boto3.client("dynamodb")
        self._requests: list[Request] = []
        self._asked: dict[str, Any] = {}
        self._before: Items = {}

    def call(
        self, pattern: AccessPattern, headers: Mapping[str, str] = MappingProxyType({})
    ) -> list[Request]:
        """The requests that the example of a pattern makes."""
        first = len(self._requests)
        sample.handler(pattern)(sample.event(pattern, headers), None)
        return self._requests[first:]

    @contextmanager
    def restored(self) -> Iterator[None]:
        """The table holds after the block what it held before."""
        first = len(self._requests)
        yield
        for request in reversed(self._requests[first:]):
            self._put_back(request.before, request.after)

    def begin(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        """A request is about to be made."""
        self._asked = dict(params)
        self._before = self._items(touched(model.name, params))

    def end(self, parsed: dict[str, Any], model: Any, **_: Any) -> None:
        """A request has been answered."""
        failed = "Error" in parsed
        if failed:
            self._carry_out_in_spite_of_conditions()
        after = self._items(touched(model.name, self._asked))
        if failed:
            self._put_back(self._before, after)
        request = (model.name, self._asked, parsed, self._before, after, failed)
        self._requests.append(Request(*request))

    def _items(self, keys: Iterable[PrimaryKey]) -> Items:
        """Those of the items that are there."""
        get, table = self._observer.get_item, settings.table_name()
        found: Any = {key: get(TableName=table, Key=_as_key(key)).get("Item") for key in keys}
        return {key: item for key, item in found.items() if item}

    def _put_back(self, before: Items, after: Items) -> None:
        table = settings.table_name()
        for key in after.keys() - before.keys():
            self._observer.delete_item(TableName=table, Key=_as_key(key))
        for item in (item for key, item in before.items() if after.get(key) != item):
            self._observer.put_item(TableName=table, Item=item)

    def _carry_out_in_spite_of_conditions(self) -> None:
        steps = self._asked.get("TransactItems", [{"Update": self._asked}])
        for action, asked in ((action, asked) for step in steps for action, asked in step.items()):
            _carry_out(self._observer, action, asked)


@contextmanager
def recorder() -> Iterator[Recorder]:
    """Records what is called within, on the table of this process (`docs.sample.table`)."""
    recorder = Recorder()
    events = store.client().meta.events
    events.register("provide-client-params.dynamodb", recorder.begin)
    events.register("after-call.dynamodb", recorder.end)
    try:
        yield recorder
    finally:
        events.unregister("provide-client-params.dynamodb", recorder.begin)
        events.unregister("after-call.dynamodb", recorder.end)


def primary_key(item: Mapping[str, Any]) -> PrimaryKey:
    """The primary key of an item, or of the key of one."""
    return item["PK"]["S"], item["SK"]["S"]


def actions(operation: str, asked: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The writes of a request: each one's name within a transaction, and its own parameters."""
    if operation == "TransactWriteItems":
        return [(name, one) for each in asked["TransactItems"] for name, one in each.items()]
    name = operation.removesuffix("Item")
    return [(name, asked)] if name in {"Put", "Update", "Delete"} else []


def touched(operation: str, asked: dict[str, Any]) -> list[PrimaryKey]:
    """The primary keys that a request names."""
    if operation == "BatchGetItem":
        return [primary_key(key) for each in asked["RequestItems"].values() for key in each["Keys"]]
    return [primary_key(each.get("Key") or each["Item"]) for _, each in actions(operation, asked)]


def _as_key(key: PrimaryKey) -> dict[str, Any]:
    return {"PK": {"S": key[0]}, "SK": {"S": key[1]}}


def _carry_out(client: DynamoDBClient, action: str, asked: dict[str, Any]) -> None:
    table = settings.table_name()
    if action == "Put":
        client.put_item(TableName=table, Item=asked["Item"])
    elif action == "Delete":
        client.delete_item(TableName=table, Key=asked["Key"])
    elif action == "Update":
        try:
            client.update_item(**_unconditional(asked))
        except ClientError:  # it counts up a version that is not there: nothing would have come
            return


def _unconditional(asked: dict[str, Any]) -> dict[str, Any]:
    """An update without its condition, and without what only the condition stands for."""
    expression = asked["UpdateExpression"]
    kept = {
        part: {name: value for name, value in asked[part].items() if _is_in(name, expression)}
        for part in ("ExpressionAttributeNames", "ExpressionAttributeValues")
        if part in asked
    }
    return {
        "TableName": settings.table_name(),
        "Key": asked["Key"],
        "UpdateExpression": expression,
        **{part: each for part, each in kept.items() if each},
    }


def _is_in(placeholder: str, expression: str) -> bool:
    words = expression.replace(",", " ").replace("(", " ").replace(")", " ").split()
    return placeholder in words
