"""Cursors: where a page ended, as text that the caller hands back for the next one.

A cursor holds the last item's key without the partition key of the collection that is read: that
one is rebuilt from the request. So a forged cursor moves only within what its caller may read
anyway, and no secret is needed. Where "now" bounds the list, it holds the first page's now as well.
The digest in front binds it to the pattern and to the other parameters, and shows a changed byte.
A sharded collection has cursors with more in them (`lambdas.runtime.shards`), sealed in this way.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import timedelta
from hashlib import blake2b
from typing import Final, NamedTuple

from msgspec import DecodeError, json

from lambdas.design.keys import Index
from lambdas.design.pattern import CURSOR, LIMIT, AccessPattern
from lambdas.design.table import TABLE
from lambdas.runtime import times
from lambdas.runtime.errors import BadInput
from lambdas.runtime.items import Item
from lambdas.runtime.keys import MAX_KEY_BYTES
from lambdas.runtime.requests import Arguments

_DIGEST_BYTES: Final = 9

_KEPT: Final = timedelta(days=1)

_AHEAD: Final = timedelta(minutes=1)
"""How far the clock of the host that gave the first page may be ahead of this one's."""


class Position(NamedTuple):
    """Where a page begins."""

    start: dict[str, dict[str, str]]
    """The key after which it begins, without the partition key of the collection."""
    now: str | None
    """The first page's now, where that bounds the list."""


def write(pattern: AccessPattern, arguments: Arguments, last: Item, now: str) -> str:
    """The cursor of the page that follows the item `last`."""
    return seal(pattern, arguments, [last[name]["S"] for name in carried(pattern.index)], now)


def seal(pattern: AccessPattern, arguments: Arguments, values: list[str], now: str) -> str:
    """A cursor with these values in it."""
    payload = json.encode([*values, now] if pattern.is_bounded_by_now else values)
    return urlsafe_b64encode(_digest(pattern, arguments, payload) + payload).decode().rstrip("=")


def read(pattern: AccessPattern, arguments: Arguments) -> Position | None:
    """The position that the caller's cursor stands for; None without a cursor.

    Raises BadInput when the cursor was not written for this pattern with these parameters.
    """
    opened = unseal(pattern, arguments)
    if opened is None:
        return None
    values, now = opened
    names = carried(pattern.index)
    if len(values) != len(names) or not all(map(fits, values)):
        raise refused()
    start = {name: {"S": value} for name, value in zip(names, values, strict=True)}
    return Position(start, now)


def unseal(pattern: AccessPattern, arguments: Arguments) -> tuple[list[str], str | None] | None:
    """The values in the caller's cursor, and the first page's now; None without a cursor.

    Raises BadInput as `read` does.
    """
    text = arguments[CURSOR.name]
    if text is None:
        return None
    try:
        values = json.decode(_verified(pattern, arguments, text), type=list[str])
    except DecodeError:
        raise refused() from None
    if not pattern.is_bounded_by_now:
        return values, None
    if not values or not _is_recent(values[-1]):
        raise refused()
    return values[:-1], values[-1]


def _is_recent(now: str) -> bool:
    """Whether it was now within the last day; an older list would show what has long expired."""
    present = times.now()
    earliest, latest = times.to_text(present - _KEPT), times.to_text(present + _AHEAD)
    return earliest <= now <= latest and times.is_text(now)


def fits(value: str) -> bool:
    """Whether it can be the text of a key attribute."""
    return 0 < len(value.encode()) <= MAX_KEY_BYTES


def carried(index: Index) -> list[str]:
    """The attributes of a start key besides the partition key: an index's needs the table's too."""
    names = dict.fromkeys((index.sort_key, *TABLE.key_attributes))
    return [name for name in names if name != index.partition_key]


def _verified(pattern: AccessPattern, arguments: Arguments, text: str) -> bytes:
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise refused() from None
    digest, payload = raw[:_DIGEST_BYTES], raw[_DIGEST_BYTES:]
    # Several texts decode to the same bytes; only the one that was handed out is taken.
    is_ours = urlsafe_b64encode(raw).decode().rstrip("=") == text
    if not is_ours or digest != _digest(pattern, arguments, payload):
        raise refused()
    return payload


def _digest(pattern: AccessPattern, arguments: Arguments, payload: bytes) -> bytes:
    others = [value for name, value in arguments.items() if name not in (CURSOR.name, LIMIT.name)]
    bound = json.encode([pattern.variant_of or pattern.id, others]) + payload
    return blake2b(bound, digest_size=_DIGEST_BYTES).digest()


def refused() -> BadInput:
    """That a cursor is not one that this call was given."""
    return BadInput({CURSOR.name: "was not given out for this call with these parameters"})
