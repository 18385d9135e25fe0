"""Carries out a read pattern: one request of DynamoDB, and the answer that is made of its items."""

from __future__ import annotations

from typing import Any, NamedTuple

from lambdas.design.keys import Key
from lambdas.design.operations import GetItem, PartiQLSelect, Statement
from lambdas.design.pattern import (
    CURSOR,
    LIMIT,
    AccessPattern,
    OneItem,
    Page,
    ParentAndAll,
    ParentAndPage,
    WholeItems,
)
from lambdas.runtime import cursor, items, partiql, requests, times
from lambdas.runtime.errors import BadInput, NotFound
from lambdas.runtime.items import Item
from lambdas.runtime.requests import Arguments
from lambdas.runtime.store import Rejected, Store


class Answer(NamedTuple):
    """What a successful call gives: the body before it becomes JSON, and headers."""

    body: Any
    headers: dict[str, str]


def answer(pattern: AccessPattern, arguments: Arguments, body: Any, store: Store) -> Answer:
    """The answer of a read pattern.

    Raises BadInput, NotFound, Throttled or Unavailable.
    """
    match pattern.answer:
        case OneItem():
            return _one_item(pattern, arguments, store)
        case Page(must_exist):
            found, after = _page(pattern, arguments, store, arguments[LIMIT.name])
            if must_exist and not found and arguments[CURSOR.name] is None:
                raise _not_found(pattern, arguments)
            return Answer(_shown_page(found, after, pattern), {})
        case ParentAndPage(parent, children):
            return _parent_and_page(pattern, parent, children, arguments, store)
        case ParentAndAll(parent, children):
            return _parent_and_all(pattern, parent, children, arguments, store)
        case WholeItems() if isinstance(pattern.operation, PartiQLSelect):
            return _whole_items(pattern.operation, body, store)
    raise TypeError(f"{pattern.id}: {pattern.answer} does not fit {pattern.operation}")


def _one_item(pattern: AccessPattern, arguments: Arguments, store: Store) -> Answer:
    now = times.now()
    request = requests.read(pattern, arguments, 1, times.to_text(now))
    if isinstance(pattern.operation, GetItem):
        item = store.get_item(request)
    else:
        item = next(iter(store.query(request)[0]), None)
    key = item and _key_of(item, pattern)
    if not item or not key or items.has_expired(item, now):
        raise _not_found(pattern, arguments)
    return Answer(items.present(item, key), {"ETag": items.entity_tag(item)})


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


def _parent_and_all(
    pattern: AccessPattern, parent: str, children: str, arguments: Arguments, store: Store
) -> Answer:
    now = times.to_text(times.now())
    found, _ = store.query(requests.read(pattern, arguments, None, now))
    parent_key, child_key = pattern.operation.keys
    keyed = [(item, _key_of(item, pattern)) for item in found]
    parents = [item for item, key in keyed if key == parent_key]
    if not parents:
        raise _not_found(pattern, arguments)
    body = {
        parent: items.present(parents[0], parent_key),
        children: [items.present(item, child_key) for item, key in keyed if key == child_key],
    }
    return Answer(body, {"ETag": items.entity_tag(parents[0])})


def _whole_items(select: PartiQLSelect, statement: Statement, store: Store) -> Answer:
    try:
        found, token = store.execute_statement(partiql.request(select, statement))
    except Rejected as error:
        raise partiql.rejected(select, error.reason) from None
    return Answer({"Items": [items.whole(item) for item in found], "NextToken": token}, {})


def _page(
    pattern: AccessPattern, arguments: Arguments, store: Store, limit: int
) -> tuple[list[Item], str | None]:
    """At most `limit` items, and the cursor of the next page if there is one.

    One item more is read than is shown, because DynamoDB does not say whether anything follows the
    last one: with exactly `limit` items it would promise a page that turns out to be empty.
    """
    position = cursor.read(pattern, arguments)
    now = (position and position.now) or times.to_text(times.now())
    request = requests.read(pattern, arguments, limit + 1, now)
    if position:
        request["ExclusiveStartKey"] = position.start | requests.partition_of(request, pattern)
    try:
        found, last = store.query(request)
    except Rejected:
        if position:  # all in the request is ours, but for the start key of a forged cursor
            raise BadInput({CURSOR.name: "was not given out for this call"}) from None
        raise
    if len(found) > limit:
        found = found[:limit]
        last = found[-1]
    return found, cursor.write(pattern, arguments, last, now) if last else None


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
