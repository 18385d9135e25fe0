"""Tries a change: calls a write pattern of the local cloud's API, and sees what has moved.

The API alone writes. What it has changed is found by comparing the table before and after: all of
it while it is small, in a larger one the item that the change was tried from.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Final, Literal, NamedTuple
from urllib.parse import urlencode

from bench import units
from explorer import asking, reading
from explorer.reading import Filter, PrimaryKey
from explorer.rows import Mark, primary_key
from lambdas.design.keys import Index
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import TABLE
from lambdas.runtime import body
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
    body: str


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

    method: str
    url: str
    answer: Answer
    changes: list[Changed]
    is_all: bool
    """Whether all that the write changed is known, not only what became of one item."""

    @property
    def has_succeeded(self) -> bool:
        return self.answer.status < 300  # noqa: PLR2004 - HTTP's class of success

    @property
    def etag(self) -> str | None:
        """The version that the item has now, as `If-Match` takes it."""
        headers = {name.lower(): value for name, value in self.answer.headers.items()}
        return headers.get("etag")

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
    answer = call(api_url, pattern, given)
    after, is_all = _stored(tried_from)
    changed = [
        Changed(key, before.get(key), after.get(key))
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    ]
    url = _url(api_url, pattern, given)
    return Tried(pattern.method, url, answer, changed, was_all and is_all)


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
            return Answer(response.status, dict(response.headers), response.read().decode())
    except urllib.error.HTTPError as error:
        return Answer(error.code, dict(error.headers), error.read().decode())
    except OSError as error:
        raise NoAnswer(type(error).__name__) from error


def _url(api_url: str, pattern: AccessPattern, given: asking.Given) -> str:
    sent = {name: value for name, value in given.items() if value and name != body.BODY}
    query = urlencode(asking.event(pattern, sent)["queryStringParameters"] or {})
    return api_url + asking.path(pattern, sent) + (f"?{query}" if query else "")
