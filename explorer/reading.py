"""Reads the table for the page: a page of an index, one item collection, one item.

Everything goes through the functions' own client (`lambdas.runtime.store`). What is asked here is
watched, so that the page can show each request to the letter, and nothing but reads passes.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection
from msgspec import DecodeError, json

from lambdas.design.entity import Entity
from lambdas.design.keys import Index
from lambdas.design.table import TABLE
from lambdas.runtime import keys, settings, store
from lambdas.runtime.expressions import Expressions
from lambdas.runtime.items import Item
from seed.connection import is_loopback

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PAGE_ITEMS: Final = 50
"""How many items a page of a view has at most."""

COLLECTION_ITEMS: Final = 200
"""How many items of one collection are shown at once; no list of the API has a longer page."""

MOST_SEARCHED: Final = 2_000
"""How many items a filter looks through before it shows what it has and offers to go on."""

READS: Final = frozenset({"DescribeTable", "ExecuteStatement", "GetItem", "Query", "Scan"})
"""The operations that pass. ExecuteStatement is given SELECTs alone (`lambdas.runtime.partiql`)."""

PrimaryKey = tuple[str, str]
"""The values of an item's `PK` and `SK`."""


class Unreadable(Exception):
    """The table cannot be read; the message says why, without anything of whoever asked."""


class NotARead(Exception):
    """Something was about to be sent that is no read."""


class Exchange(NamedTuple):
    """One request of DynamoDB, and what it answered."""

    operation: str
    request: dict[str, Any]
    items: list[Item]
    milliseconds: float


class Filter(NamedTuple):
    """What of an index is shown: some entities (none: all), and keys that begin like this."""

    entities: tuple[type[Entity], ...] = ()
    partition: str = ""
    sort: str = ""


class Page(NamedTuple):
    """Some items, where to go on if there are more, and how many were looked at."""

    items: list[Item]
    after: str | None
    looked_at: int


# --- What is asked --------------------------------------------------------------------------

_exchanges: ContextVar[list[Exchange] | None] = ContextVar("exchanges", default=None)
_asked: ContextVar[tuple[dict[str, Any], float] | None] = ContextVar("asked", default=None)


@contextmanager
def watched() -> Iterator[list[Exchange]]:
    """Records what this thread asks of DynamoDB within the block; what is no read is refused."""
    exchanges: list[Exchange] = []
    token = _exchanges.set(exchanges)
    try:
        client()
        yield exchanges
    finally:
        _exchanges.reset(token)


def client() -> DynamoDBClient:
    """The functions' client, with somebody looking over its shoulder."""
    made = store.client()
    events = made.meta.events  # registering again under the same name changes nothing
    events.register("before-parameter-build.dynamodb", _before, unique_id="explorer-before")
    events.register("after-call.dynamodb", _after, unique_id="explorer-after")
    return made


def _before(params: dict[str, Any], model: Any, **_: Any) -> None:
    if _exchanges.get() is None:
        return
    if model.name not in READS:
        raise NotARead(model.name)
    _asked.set((dict(params), perf_counter()))


def _after(parsed: dict[str, Any], model: Any, **_: Any) -> None:
    exchanges, asked = _exchanges.get(), _asked.get()
    if exchanges is None or asked is None:
        return
    request, began = asked
    found = parsed.get("Items") or ([parsed["Item"]] if "Item" in parsed else [])
    exchanges.append(
        Exchange(model.name, request, found, round((perf_counter() - began) * 1000, 1))
    )


def _ask(operation: str, **request: Any) -> dict[str, Any]:
    """What DynamoDB answers to a read of ours. Raises Unreadable."""
    with watched():
        try:
            answer: dict[str, Any] = getattr(client(), operation)(
                TableName=settings.table_name(), **request
            )
        except ClientError as error:
            raise Unreadable(error.response["Error"]["Code"]) from error
        except (NoConnection, HTTPClientError) as error:
            told = nobody_answers(error, client().meta.endpoint_url)
            raise Unreadable(told) from error
        except BotoCoreError as error:
            raise Unreadable(type(error).__name__) from error
    return answer


def nobody_answers(error: Exception, url: str) -> str:
    """What to say of a server that cannot be reached; of the local cloud also how it starts."""
    told = f"{type(error).__name__}: nothing answers at {url}"
    return f"{told} (`make run` starts the local cloud)" if is_loopback(url) else told


# --- Items ----------------------------------------------------------------------------------


def item(partition: str, sort: str) -> Item | None:
    """The item with this primary key, as it is at this moment."""
    names = dict(zip(TABLE.key_attributes, ({"S": partition}, {"S": sort}), strict=True))
    found: Item | None = _ask("get_item", Key=names, ConsistentRead=True).get("Item")
    return found


def collection(index: Index, partition: str, *, backwards: bool = False) -> Page:
    """The beginning of an item collection, or its end backwards, in the order of the sort key."""
    answer = _ask(
        "query",
        **_of(index),
        KeyConditionExpression="#partition = :partition",
        ExpressionAttributeNames={"#partition": index.partition_key},
        ExpressionAttributeValues={":partition": {"S": partition}},
        ScanIndexForward=not backwards,
        Limit=COLLECTION_ITEMS,
    )
    last = answer.get("LastEvaluatedKey")
    found: list[Item] = answer["Items"]
    return Page(found, write_position(last) if last else None, len(found))


def page(index: Index, wanted: Filter, after: str | None = None, limit: int = PAGE_ITEMS) -> Page:
    """Some items of an index, whatever collection they are in; `after` goes on where one ended.

    This is a Scan, which no access pattern needs: only who wants to see the whole table does. It
    reads `limit` items at a time, and with a filter on until it has as many that match, or has
    looked at 2000. Raises Unreadable.
    """
    start = read_position(after) if after else None
    condition = _condition(index, wanted)
    found: list[Item] = []
    looked_at = 0
    while True:
        more = {"ExclusiveStartKey": start} if start else {}
        # With a filter a request reads more than it returns, so it may read more at once.
        size = limit if not condition else min(MOST_SEARCHED, 10 * limit)
        answer = _ask("scan", **_of(index), **condition, **more, Limit=size)
        found += answer["Items"]
        looked_at += answer["ScannedCount"]
        start = answer.get("LastEvaluatedKey")
        if not start or len(found) >= limit or looked_at >= MOST_SEARCHED:
            return Page(found, write_position(start) if start else None, looked_at)


def everything(index: Index, wanted: Filter, most: int) -> tuple[list[Item], bool]:
    """The items of an index up to `most`, and whether these are all. Raises Unreadable."""
    found: list[Item] = []
    after = None
    while True:
        part = page(index, wanted, after, limit=min(most, 1_000))
        found += part.items
        after = part.after
        if after is None or len(found) >= most:
            return found[:most], after is None and len(found) <= most


def item_count() -> int:
    """How many items the table has, as DynamoDB last counted them: on AWS about every six hours."""
    return int(_ask("describe_table")["Table"].get("ItemCount", 0))


def _of(index: Index) -> dict[str, str]:
    return {"IndexName": index.name} if index.name else {}


# --- Filters --------------------------------------------------------------------------------


def _condition(index: Index, wanted: Filter) -> dict[str, Any]:
    """The part of a Scan's request that leaves out what is not wanted; empty for everything."""
    of = Expressions()
    parts = [
        _begins(of, attribute, text)
        for attribute, text in zip(
            index.key_attributes, (wanted.partition, wanted.sort), strict=True
        )
        if text
    ]
    if wanted.entities:
        parts.append(_is_one_of(index, wanted.entities, of))
    return of.request(FilterExpression=" AND ".join(parts))


def _begins(of: Expressions, attribute: str, text: str) -> str:
    return f"begins_with({of.name(attribute)}, {of.value(text)})"


def _is_one_of(index: Index, entities: Sequence[type[Entity]], of: Expressions) -> str:
    if index.projection != "KEYS_ONLY":
        types = ", ".join(of.value(entity.__name__) for entity in entities)
        return f"{of.name('Type')} IN ({types})"
    # An index of keys only does not have the type; the key's own words tell it.
    alternatives = []
    for entity in entities:
        key = entity.primary
        texts = zip(TABLE.key_attributes, (key.partition, key.sort), strict=True)
        prefixes = [(name, keys.prefix(template, {})) for name, template in texts]
        alternatives.append(
            " AND ".join(_begins(of, name, text) for name, text in prefixes if text)
        )
    return f"({' OR '.join(alternatives)})"  # AND binds closer; DynamoDB refuses needless brackets


# --- Where a page ended ---------------------------------------------------------------------


def write_position(last: Item) -> str:
    """The key of the last item that was read, as text for a link."""
    return urlsafe_b64encode(json.encode(last)).decode()


def read_position(text: str) -> Item:
    """The key that a link's text stands for. Raises ValueError for any other text."""
    try:
        values = json.decode(urlsafe_b64decode(text), type=dict[str, dict[str, str]])
    except DecodeError as error:
        raise ValueError("is no place to go on from") from error
    return dict(values)
