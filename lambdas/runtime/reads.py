"""Carries out a read pattern: one request of DynamoDB, and the answer that is made of its items."""

from __future__ import annotations

from typing import Any, NamedTuple

from lambdas.design.keys import Key
from lambdas.design.pattern import (
    CURSOR,
    LIMIT,
    AccessPattern,
    GetItem,
    OneItem,
    Page,
    ParentAndPage,
)
from lambdas.runtime import cursor, items, requests
from lambdas.runtime.errors import BadInput, NotFound
from lambdas.runtime.items import Item
from lambdas.runtime.requests import Arguments
from lambdas.runtime.store import Rejected, Store


class Answer(NamedTuple):
    """What a successful call gives: the body before it becomes JSON, and headers."""

    body: Any
    headers: dict[str, str]


def answer(pattern: AccessPattern, arguments: Arguments, store: Store) -> Answer:
    """The answer of a read pattern.

    Raises BadInput, NotFound, Throttled or Unavailable.
    """
    match pattern.answer:
        case OneItem():
            return _one_item(pattern, arguments, store)
        case Page():
            found, after = _page(pattern, arguments, store, arguments[LIMIT.name])
            return Answer(_shown_page(found, after, pattern), {})
        case ParentAndPage(parent, children):
            return _parent_and_page(pattern, parent, children, arguments, store)


def _one_item(pattern: AccessPattern, arguments: Arguments, store: Store) -> Answer:
    request = requests.read(pattern, arguments, limit=1)
    if isinstance(pattern.operation, GetItem):
        item = store.get_item(request)
    else:
        item = next(iter(store.query(request)[0]), None)
    key = item and _key_of(item, pattern)
    if not item or not key:
        raise _not_found(pattern, arguments)
    return Answer(items.present(item, key), {"ETag": f'"{item["Version"]["N"]}"'})


def _parent_and_page(
    pattern: AccessPattern, parent: str, children: str, arguments: Arguments, store: Store
) -> Answer:
    if arguments[CURSOR.name] is not None:
        found, after = _page(pattern, arguments, store, arguments[LIMIT.name])
        shown = None
    else:
        found, after = _page(pattern, arguments, store, arguments[LIMIT.name] + 1)
        key = pattern.operation.keys[0]
        if not found or _key_of(found[0], pattern) != key:
            raise _not_found(pattern, arguments)
        shown = items.present(found.pop(0), key)
    return Answer({parent: shown, children: _shown_page(found, after, pattern)}, {})


def _page(
    pattern: AccessPattern, arguments: Arguments, store: Store, limit: int
) -> tuple[list[Item], str | None]:
    """At most `limit` items, and the cursor of the next page if there is one.

    One item more is read than is shown, because DynamoDB does not say whether anything follows the
    last one: with exactly `limit` items it would promise a page that turns out to be empty.
    """
    request = requests.read(pattern, arguments, limit + 1)
    partition = request["ExpressionAttributeValues"][":partition"]["S"]
    if start := cursor.read(pattern, arguments, partition):
        request["ExclusiveStartKey"] = start
    try:
        found, last = store.query(request)
    except Rejected:
        if start:  # a forged start key: all else in the request is ours
            raise BadInput({CURSOR.name: "was not given out for this call"}) from None
        raise
    if len(found) > limit:
        found = found[:limit]
        last = found[-1]
    return found, cursor.write(pattern, arguments, last) if last else None


def _shown_page(found: list[Item], after: str | None, pattern: AccessPattern) -> dict[str, Any]:
    keyed = ((item, _key_of(item, pattern)) for item in found)
    return {"items": [items.present(item, key) for item, key in keyed if key], "next": after}


def _key_of(item: Item, pattern: AccessPattern) -> Key | None:
    """The declared key that the item was found by; None when it is of no declared entity."""
    candidates = pattern.operation.keys
    if "Type" not in item:  # an index of keys only
        return candidates[0]
    return next((key for key in candidates if key.entity.__name__ == item["Type"]["S"]), None)


def _not_found(pattern: AccessPattern, arguments: Arguments) -> NotFound:
    asked = ", ".join(f"{p.name} {arguments[p.name]!r}" for p in pattern.own_parameters)
    return NotFound(f"There is no {pattern.entities[0].__name__} with {asked}.")
