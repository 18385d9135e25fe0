"""Reads an item collection that is spread over several partition keys, as if it were one.

Each shard is asked for a whole page, since all of it may be there; what they answer is put in the
order of the sort key. Items with one sort key stand in the order of their shards.

A cursor holds one place in that order, not one for each shard: the sort key at which the page
ended, and of each shard that has shown items with it the last one. These shards go on behind that
item, all others from the sort key on. So what is written before the place meanwhile is not shown,
as in a collection that is not sharded, and a cursor has one item in it like any other. Only where
several items have that very sort key it has more: the primary key of one for each shard at most.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from lambdas.design.keys import Key
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import TABLE
from lambdas.runtime import cursor, requests
from lambdas.runtime.call import Call
from lambdas.runtime.items import Item
from lambdas.runtime.requests import Request
from lambdas.runtime.store import Rejected, Store

Primary = tuple[str, ...]
"""The values of an item's primary key."""

_PART: Final = 1 + len(TABLE.key_attributes)
"""The values in a cursor for each shard: its suffix and a primary key."""


class Place(NamedTuple):
    """Where a page ends: among the items that have one sort key."""

    sort: str
    last: dict[str, Primary]
    """By the suffixes of the shards that have shown such items, the last one of each."""


class Shard(NamedTuple):
    """What one of the partition keys has answered."""

    suffix: str
    items: list[Item]
    has_more: bool


def query(call: Call, request: Request) -> list[Item]:
    """The items that all shards answer with, in order."""
    key = _key(call.pattern)
    found = _in_order(key, _ask(call.store, key, request, None), request)
    return list({_primary(item): item for _, item in found}.values())


def page(call: Call, limit: int) -> tuple[list[Item], str | None]:
    """At most `limit` items, and the cursor of the next page if there is one.

    Raises BadInput for a cursor that was not given out for this call.
    """
    pattern, key = call.pattern, _key(call.pattern)
    opened = cursor.unseal(pattern, call.asked)
    place = _read(key, opened[0]) if opened else None
    now = (opened and opened[1]) or call.time
    request = requests.read(pattern, call.arguments, limit + 1, now, call.values)
    try:
        shards = _ask(call.store, key, request, place)
    except (Rejected, ValueError):
        if place:  # all in the request is ours, but for the place of a forged cursor
            raise cursor.refused() from None
        raise
    found = _in_order(key, shards, request)
    shown, end, is_cut = _first(limit, found, key, place)
    if not is_cut and not any(shard.has_more for shard in shards):
        return shown, None
    return shown, cursor.seal(pattern, call.asked, _written(end), now) if end else None


def _key(pattern: AccessPattern) -> Key:
    if pattern.collection is None:
        raise TypeError(f"{pattern.id} reads no collection: {pattern.operation}")
    return pattern.collection


# --- What is asked and answered ---------------------------------------------------------------


def _ask(store: Store, key: Key, request: Request, place: Place | None) -> list[Shard]:
    """What the shards answer, from a place on. Raises ValueError when it is not in the query."""
    shards: list[Shard] = []
    for suffixes in key.rounds:
        asked = [
            _from(place, suffix, requests.of_shard(request, suffix), key) for suffix in suffixes
        ]
        answers = zip(suffixes, store.query_each(asked), strict=True)
        shards += [Shard(suffix, items, last is not None) for suffix, (items, last) in answers]
    return shards


def _from(place: Place | None, suffix: str, request: Request, key: Key) -> Request:
    """The request of one shard, from a place on."""
    if place is None:
        return request
    from_sort_key = requests.from_sort_key(request, key, place.sort)
    if suffix not in place.last:
        return from_sort_key
    start = dict(zip(TABLE.key_attributes, place.last[suffix], strict=True))
    start[key.index.sort_key] = place.sort
    typed = {name: {"S": text} for name, text in start.items()}
    partition = request["ExpressionAttributeValues"][":partition"]
    return {**request, "ExclusiveStartKey": {**typed, key.index.partition_key: partition}}


def _in_order(key: Key, shards: Iterable[Shard], request: Request) -> list[tuple[str, Item]]:
    """The items with their shards' suffixes, up to the first item that ends what a shard has
    answered of more: what follows it there is not known, and may come next."""
    found = [(shard.suffix, item) for shard in shards for item in shard.items]
    is_descending = request.get("ScanIndexForward") is False
    found.sort(key=lambda each: _sort(each[1], key), reverse=is_descending)
    ends = {id(shard.items[-1]) for shard in shards if shard.has_more and shard.items}
    end = next((at for at, (_, item) in enumerate(found) if id(item) in ends), len(found))
    return found[: end + 1]


def _first(
    limit: int, found: Iterable[tuple[str, Item]], key: Key, place: Place | None
) -> tuple[list[Item], Place | None, bool]:
    """The items of a page, the place where it ends, and whether it leaves out any.

    While the number of shards changes, an item can be found where it was and where it is.
    """
    shown: list[Item] = []
    seen = set(place.last.values()) if place else set()
    for suffix, item in found:
        primary, sort = _primary(item), _sort(item, key)
        if primary not in seen:
            if len(shown) == limit:
                return shown, place, True
            shown.append(item)
            seen.add(primary)
        before = place.last if place and place.sort == sort else {}
        place = Place(sort, {**before, suffix: primary})
    return shown, place, False


def _sort(item: Item, key: Key) -> str:
    return str(item[key.index.sort_key]["S"])


def _primary(item: Item) -> Primary:
    return tuple(str(item[name]["S"]) for name in TABLE.key_attributes)


# --- The place in a cursor --------------------------------------------------------------------


def _written(place: Place) -> list[str]:
    parts = ((suffix, *primary) for suffix, primary in place.last.items())
    return [place.sort, *(text for part in parts for text in part)]


def _read(key: Key, values: list[str]) -> Place:
    """The place that the values of a cursor stand for. Raises BadInput for others than ours."""
    sort, *others = values or [""]
    parts = [others[at : at + _PART] for at in range(0, len(others), _PART)]
    last = {suffix: tuple(primary) for suffix, *primary in parts}
    is_whole = others and len(others) % _PART == 0 and len(last) == len(parts)
    texts = (sort, *(text for primary in last.values() for text in primary))
    if not is_whole or not last.keys() <= set(key.suffixes) or not all(map(cursor.fits, texts)):
        raise cursor.refused()
    return Place(sort, last)
