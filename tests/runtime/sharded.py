"""A sharded list, and an index that answers as DynamoDB does, only more awkwardly."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import md5
from threading import Lock
from typing import Annotated, Any, ClassVar, Final

from botocore.exceptions import ClientError
from msgspec import Meta

from lambdas.design.entity import Entity
from lambdas.design.keys import Key
from lambdas.design.operations import BeginsWith, Parameter, Query, SortCondition, Within
from lambdas.design.pattern import AccessPattern, Page, Technique
from lambdas.design.table import GSI1, TABLE
from lambdas.design.values import Flag, Id, Period, Text
from lambdas.runtime.endpoint import endpoint
from lambdas.runtime.items import Item, to_item
from tests.handlers.caller import event

NAMES: Final = ("GSI1PK", "GSI1SK", "PK", "SK")
FROM = Parameter("from", Period, "From.")
TO = Parameter("to", Period, "To.")
NEWEST = Parameter("newest", Flag, "Backwards.", default=False)
DayText = Annotated[str, Meta(max_length=16)]
DAY = Parameter("day", Text, "The day.", fills="Day")
IN_ORDER: Final[SortCondition] = Within("Day", FROM, TO)


class Ticket(Entity):
    """What the others are made of: many have one day, which is their whole sort key."""

    primary = TABLE.key("TICKET#{TicketId}", "TICKET#{TicketId}")

    TicketId: Id
    Day: DayText


def tickets(shards: int = 1, reads: tuple[int, ...] = ()) -> type[Entity]:
    """The entity `Ticket` with its list spread over so many partition keys."""

    class Spread(Entity):
        primary = Ticket.primary
        by_day: ClassVar[Key] = GSI1.key("TICKETS", "DAY#{Day}", shards=shards, reads=reads)
        TicketId: Id
        Day: DayText

    Spread.__name__ = Ticket.__name__
    return Spread


def ticket(entity: type[Entity], name: str, day: str) -> Item:
    """A ticket as it is stored."""
    return to_item(entity(TicketId=name, Day=day))


def list_of(entity: type[Entity], sort: SortCondition = IN_ORDER) -> AccessPattern:
    """The pattern that lists the tickets."""
    [_, by_day] = entity.keys
    return AccessPattern(
        id="T-01",
        name="list_tickets",
        route="GET /ecommerce/tickets",
        summary="The tickets by day.",
        operation=Query(by_day, sort=sort, descending=NEWEST),
        answer=Page(),
        own_parameters=(DAY,) if sort in (IN_ORDER, BeginsWith()) else (),
        shows=(Technique.SPARSE_INDEX,),
        example={},
    )


@dataclass(repr=False)
class Index:
    """GSI1 as DynamoDB has it. Items with one sort key stand in an order of its own, an answer may
    end early, and what DynamoDB refuses is refused."""

    items: dict[tuple[str, str], Item] = field(default_factory=dict)
    most: int = 1_000
    """How many items one answer has at most, as if they were large."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None
    """What happens before each request is answered."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """The error code that a partition key is answered with."""
    _lock: Lock = field(default_factory=Lock)

    def put(self, items: Iterable[Item]) -> None:
        self.items |= {(each["PK"]["S"], each["SK"]["S"]): each for each in items}

    def query(self, **request: Any) -> dict[str, Any]:
        with self._lock:
            self.before()
            self.asked.append(request)
            return self._answer(request)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        texts = {name: each["S"] for name, each in request["ExpressionAttributeValues"].items()}
        if code := self.broken.get(texts[":partition"]):
            raise ClientError({"Error": {"Code": code, "Message": "Not now."}}, "Query")
        matches = _condition(request["KeyConditionExpression"], texts)
        is_backwards = request.get("ScanIndexForward") is False
        there = [each for each in self.items.values() if _is_in(each, texts[":partition"])]
        found = sorted(filter(matches, there), key=_place, reverse=is_backwards)
        if start := request.get("ExclusiveStartKey"):
            if set(start) != set(NAMES) or not _is_in(start, texts[":partition"]):
                raise _invalid("The provided starting key is invalid")
            if not matches(start):
                raise _invalid("The provided starting key is outside query boundaries")
            after = _place(start)
            found = [e for e in found if (_place(e) < after if is_backwards else _place(e) > after)]
        most = min(self.most, request.get("Limit", self.most))
        answer = {"Items": found[:most], "ConsumedCapacity": {"CapacityUnits": 0.5}}
        if len(found) >= most:  # it does not look whether anything follows
            answer["LastEvaluatedKey"] = {name: found[most - 1][name] for name in NAMES}
        return answer


def _invalid(message: str) -> ClientError:
    return ClientError({"Error": {"Code": "ValidationException", "Message": message}}, "Query")


def _is_in(item: Item, partition: str) -> bool:
    return item.get("GSI1PK") == {"S": partition}


def _place(item: Item) -> tuple[bytes, bytes]:
    """Where an item stands among those of its partition key."""
    primary = item["PK"]["S"] + item["SK"]["S"]
    return item["GSI1SK"]["S"].encode(), md5(primary.encode(), usedforsecurity=False).digest()


def _condition(text: str, values: Mapping[str, str]) -> Callable[[Item], bool]:
    [first, *rest] = text.split(" AND ", 1)
    assert first == "GSI1PK = :partition"
    used = {name for name in values if re.search(rf"{name}\b", text)}
    if used != set(values) or not all(values.values()):
        raise _invalid("a placeholder is unused, or a value empty")
    match rest:
        case []:
            return lambda _: True
        case ["GSI1SK = :sort"]:
            return lambda item: item["GSI1SK"]["S"] == values[":sort"]
        case ["begins_with(GSI1SK, :prefix)"]:
            return lambda item: item["GSI1SK"]["S"].startswith(values[":prefix"])
        case ["GSI1SK >= :from"]:
            return lambda item: item["GSI1SK"]["S"] >= values[":from"]
        case ["GSI1SK <= :to"]:
            return lambda item: item["GSI1SK"]["S"] <= values[":to"]
        case ["GSI1SK BETWEEN :from AND :to"]:
            if values[":from"] > values[":to"] or len(values[":to"].encode()) > 1024:
                raise _invalid("the range is the wrong way round, or a key too long")
            return lambda item: values[":from"] <= item["GSI1SK"]["S"] <= values[":to"]
    raise AssertionError(text)


def ask(pattern: AccessPattern, **parameters: str) -> dict[str, Any]:
    """What the handler of the pattern answers."""
    return endpoint(pattern)(event(pattern, parameters), None)


def page(pattern: AccessPattern, **parameters: str) -> dict[str, Any]:
    """A page that the handler answers with."""
    answer = ask(pattern, **parameters)
    assert answer["statusCode"] == 200, answer
    body: dict[str, Any] = json.loads(answer["body"])
    return body


def payload(cursor: str) -> list[str]:
    """What is in a cursor behind its digest."""
    values: list[str] = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))[9:])
    return values
