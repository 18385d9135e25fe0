"""Tries a change: calls a write pattern of the local cloud's API, and sees what has moved.

The API alone writes. What it has changed is found by comparing the table before and after: all of
it while it is small, in a larger one the item that the change was tried from.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import urlencode

from msgspec import DecodeError, json

from bench import units
from explorer import asking, reading
from explorer.reading import Filter, PrimaryKey
from explorer.rows import VIEWS, Mark, entity_of, name_of, primary_key
from lambdas.design.keys import Index
from lambdas.design.operations import ConditionCheck, Transaction, Write
from lambdas.design.pattern import IF_MATCH, AccessPattern
from lambdas.design.table import TABLE
from lambdas.runtime import body, keys
from lambdas.runtime.items import Item

MOST_COMPARED: Final = 2_000
TIMEOUT_SECONDS: Final = 30

Move = Literal["entered", "left", "moved", "changed", "same", "absent"]

# A proxy, if one is configured, cannot reach this machine's loopback.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class NoAnswer(Exception):
    """The API cannot be reached."""


class Answer(NamedTuple):
    """What the API answered."""

    status: int
    headers: dict[str, str]
    """By their names in lower case."""
    body: str

    @property
    def problem(self) -> dict[str, Any] | None:
        """What is wrong, if anything is: a problem of the service's, or what else was said."""
        if self.status < 300:  # noqa: PLR2004 - HTTP's class of success
            return None
        try:
            said: dict[str, Any] = json.decode(self.body, type=dict[str, Any])
        except DecodeError:
            return {"detail": self.body}
        return {"detail": said.get("message", ""), **said}


class Changed(NamedTuple):
    """An item before and after; None where there was or is none."""

    key: PrimaryKey
    before: Item | None
    after: Item | None

    def place(self, index: Index, item: Item | None) -> PrimaryKey | None:
        """Both key attributes of the item in an index; None while it is not in it."""
        entry = units.entry(index, item)
        return units.key(index, entry) if entry else None

    def move(self, index: Index) -> Move:
        """What became of the item in an index."""
        before, after = self.place(index, self.before), self.place(index, self.after)
        if before is None:
            return "entered" if after else "absent"
        if after is None:
            return "left"
        if before != after:
            return "moved"
        is_seen = units.entry(index, self.before) != units.entry(index, self.after)
        return "changed" if is_seen else "same"


class Tried(NamedTuple):
    """A change that was tried."""

    pattern: AccessPattern
    given: asking.Given
    tried_from: PrimaryKey | None
    url: str
    answer: Answer
    changes: list[Changed]
    checked: list[Item]
    """The items that had to be as they are, and stayed so."""
    is_all: bool
    """Whether all that the write changed is known, not only what became of one item."""

    @property
    def etag(self) -> str | None:
        """The version that the item has now, as `If-Match` takes it."""
        return self.answer.headers.get("etag")

    @property
    def given_next(self) -> asking.Given:
        """What to fill in for a change that follows this one."""
        is_versioned = self.etag and IF_MATCH.name in self.given
        return {**self.given, IF_MATCH.name: self.etag or ""} if is_versioned else self.given

    @property
    def requests(self) -> str:
        """How many requests of DynamoDB the API has counted; none where the gateway answers."""
        return self.answer.headers.get("x-dynamodb-requests", "0")

    @property
    def units_reported(self) -> str:
        """What DynamoDB says it consumed, reads included; of what it refuses it says nothing."""
        return self.answer.headers.get("x-dynamodb-capacity", "0")

    @property
    def write_units(self) -> dict[str, int]:
        """What the write consumed of the table and of each index, by their names: by the sizes of
        the items that it changed or checked. Empty where it changed nothing, or not all is known.
        """
        if not (self.changes and self.is_all):
            return {}
        images = [(each.before, each.after) for each in self.changes]
        charged = {
            name_of(index): sum(units.index_write_units(index, *each) for each in images)
            for index in VIEWS
        }
        images += [(item, item) for item in self.checked]
        of_table = sum(
            _times(self.pattern, before or after) * units.write_units(before, after)
            for before, after in images
        )
        return {**charged, name_of(TABLE): of_table}

    def stillness(self, index: Index) -> int:
        """How little has happened in an index: 0 where an item has moved in, out or within it."""
        moves = {each.move(index) for each in self.changes}
        return 0 if moves & {"entered", "left", "moved"} else 1 if "changed" in moves else 2

    def marks(self, index: Index) -> dict[PrimaryKey, Mark]:
        """How the items that have changed are marked where they are now."""
        marks: dict[PrimaryKey, Mark] = {}
        for each in self.changes:
            match each.move(index):
                case "entered" | "moved" | "changed" as move:
                    marks[each.key] = move
        return marks

    def gone(self, index: Index) -> list[Item]:
        """The items as they stood in a place that they have left."""
        return [
            each.before
            for each in self.changes
            if each.before and each.move(index) in ("left", "moved")
        ]

    def partitions(self, index: Index) -> list[str]:
        """The item collections in which something has changed, the old places first."""
        places = [
            place
            for each in self.changes
            if each.move(index) != "same"
            for place in (each.place(index, each.before), each.place(index, each.after))
        ]
        return list(dict.fromkeys(place[0] for place in places if place))


def attempt(
    api_url: str, pattern: AccessPattern, given: asking.Given, tried_from: PrimaryKey | None
) -> Tried:
    """Call a write pattern, and compare. Raises NoAnswer, and Unreadable for the table."""
    before, was_all = _stored(tried_from)
    checked = [before[key] for key in _checked(pattern, given) if key in before]
    answer = call(api_url, pattern, given)
    after, is_all = _stored(tried_from)
    changed = [
        Changed(key, before.get(key), after.get(key))
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    ]
    url = _url(api_url, pattern, given)
    is_known = was_all and is_all
    return Tried(pattern, given, tried_from, url, answer, changed, checked, is_known)


def _checked(pattern: AccessPattern, given: asking.Given) -> Iterator[PrimaryKey]:
    """The keys of the items to which the pattern's transaction is held without changing them."""
    values = {p.fills: given.get(p.name, "") for p in pattern.own_parameters if p.fills}
    for step in pattern.operation.singles if isinstance(pattern.operation, Write) else ():
        if isinstance(step, ConditionCheck) and all(values.get(name) for name in step.key.fields):
            key = keys.attributes(step.key, values)
            yield key[TABLE.partition_key], key[TABLE.sort_key]


def _times(pattern: AccessPattern, item: Item | None) -> int:
    """How often the table's part of the item's write counts: in a transaction twice."""
    steps = pattern.operation.steps if isinstance(pattern.operation, Write) else ()
    together = [one for each in steps if isinstance(each, Transaction) for one in each.steps]
    is_in_one = item and entity_of(item) in {each.key.entity for each in together}
    return units.IN_TRANSACTION if is_in_one else 1


def _stored(tried_from: PrimaryKey | None) -> tuple[dict[PrimaryKey, Item], bool]:
    found, is_all = reading.everything(TABLE, Filter(), MOST_COMPARED)
    if is_all:
        return {primary_key(item): item for item in found}, True
    item = reading.item(*tried_from) if tried_from else None
    return ({primary_key(item): item} if item else {}), False


def call(api_url: str, pattern: AccessPattern, given: asking.Given) -> Answer:
    """What the API answers to a call; what is empty counts as not given. Raises NoAnswer."""
    event = asking.event(pattern, {name: value for name, value in given.items() if value})
    text = event["body"]
    request = urllib.request.Request(  # noqa: S310 - the local cloud's own URL
        _url(api_url, pattern, given),
        data=text.encode() if text else None,
        headers={**event["headers"], **({"Content-Type": "application/json"} if text else {})},
        method=pattern.method,
    )
    try:
        with _direct.open(request, timeout=TIMEOUT_SECONDS) as response:
            return _answer(response.status, response.headers, response.read())
    except urllib.error.HTTPError as error:
        return _answer(error.code, error.headers, error.read())
    except OSError as error:
        raise NoAnswer(reading.nobody_answers(error, api_url)) from error


def _answer(status: int, headers: Message, content: bytes) -> Answer:
    lowered = {name.lower(): value for name, value in headers.items()}
    return Answer(status, lowered, content.decode())


def _url(api_url: str, pattern: AccessPattern, given: asking.Given) -> str:
    sent = {name: value for name, value in given.items() if value and name != body.BODY}
    query = urlencode(asking.event(pattern, sent)["queryStringParameters"] or {})
    return api_url + asking.path(pattern, sent) + (f"?{query}" if query else "")
