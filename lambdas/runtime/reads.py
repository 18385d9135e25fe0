"""Carries out a read pattern: one request of DynamoDB, and the answer that is made of its items."""

from __future__ import annotations

from typing import Any

from lambdas.design.keys import Key
from lambdas.design.operations import GetItem, PartiQLSelect
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
from lambdas.runtime import cursor, items, partiql, requests
from lambdas.runtime.call import Answer, Call
from lambdas.runtime.errors import BadInput, NotFound
from lambdas.runtime.items import Item
from lambdas.runtime.store import Rejected


def answer(call: Call) -> Answer:
    """The answer of a read pattern.

    Raises BadInput, NotFound, Throttled or Unavailable.
    """
    pattern = call.pattern
    match pattern.answer:
        case OneItem():
            return _one_item(call)
        case Page(must_exist):
            return _whole_page(call, must_exist)
        case ParentAndPage(parent, children):
            return _parent_and_page(call, parent, children)
        case ParentAndAll(parent, children):
            return _parent_and_all(call, parent, children)
        case WholeItems() if isinstance(pattern.operation, PartiQLSelect):
            return _whole_items(pattern.operation, call)
    raise TypeError(f"{pattern.id}: {pattern.answer} does not fit {pattern.operation}")


def page(call: Call, limit: int) -> tuple[list[Item], str | None]:
    """At most `limit` items, and the cursor of the next page if there is one.

    One item more is read than is shown, because DynamoDB does not say whether anything follows the
    last one: with exactly `limit` items it would promise a page that turns out to be empty.
    """
    pattern = call.pattern
    position = cursor.read(pattern, call.asked)
    now = (position and position.now) or call.time
    request = requests.read(pattern, call.arguments, limit + 1, now, call.values)
    if position:
        request["ExclusiveStartKey"] = position.start | requests.partition_of(request, pattern)
    try:
        found, last = call.store.query(request)
    except Rejected:
        if position:  # all in the request is ours, but for the start key of a forged cursor
            raise BadInput({CURSOR.name: "was not given out for this call"}) from None
        raise
    if len(found) > limit:
        found = found[:limit]
        last = found[-1]
    return found, cursor.write(pattern, call.asked, last, now) if last else None


def not_found(call: Call) -> NotFound:
    """That what the parameters name does not exist."""
    asked = ", ".join(f"{p.name} {call.arguments[p.name]!r}" for p in call.pattern.own_parameters)
    return NotFound(f"There is no {call.pattern.entities[0].__name__} with {asked}.")


def _one_item(call: Call) -> Answer:
    request = requests.read(call.pattern, call.arguments, 1, call.time)
    if isinstance(call.pattern.operation, GetItem):
        item = call.store.get_item(request)
    else:
        item = next(iter(call.store.query(request)[0]), None)
    key = item and _key_of(item, call.pattern)
    if not item or not key or items.has_expired(item, call.now):
        raise not_found(call)
    return Answer(items.present(item, key), {"ETag": items.entity_tag(item)})


def _whole_page(call: Call, must_exist: bool) -> Answer:
    found, after = page(call, call.arguments[LIMIT.name])
    if must_exist and not found and call.arguments[CURSOR.name] is None:
        raise not_found(call)
    return Answer(_shown_page(found, after, call.pattern), {})


def _parent_and_page(call: Call, parent: str, children: str) -> Answer:
    limit = call.arguments[LIMIT.name]
    if call.arguments[CURSOR.name] is not None:
        found, after = page(call, limit)
        shown = None
    else:
        found, after = page(call, limit + 1)
        key = call.pattern.operation.keys[0]
        if not found or _key_of(found[0], call.pattern) != key:
            raise not_found(call)
        shown = items.present(found.pop(0), key)
    return Answer({parent: shown, children: _shown_page(found, after, call.pattern)}, {})


def _parent_and_all(call: Call, parent: str, children: str) -> Answer:
    found, _ = call.store.query(requests.read(call.pattern, call.arguments, None, call.time))
    parent_key, child_key = call.pattern.operation.keys
    keyed = [(item, _key_of(item, call.pattern)) for item in found]
    parents = [item for item, key in keyed if key == parent_key]
    if not parents:
        raise not_found(call)
    body = {
        parent: items.present(parents[0], parent_key),
        children: [items.present(item, child_key) for item, key in keyed if key == child_key],
    }
    return Answer(body, {"ETag": items.entity_tag(parents[0])})


def _whole_items(select: PartiQLSelect, call: Call) -> Answer:
    try:
        found, token = call.store.execute_statement(partiql.request(select, call.body))
    except Rejected as error:
        raise partiql.rejected(select, error.reason) from None
    return Answer({"Items": [items.whole(item) for item in found], "NextToken": token}, {})


def _shown_page(found: list[Item], after: str | None, pattern: AccessPattern) -> dict[str, Any]:
    keyed = ((item, _key_of(item, pattern)) for item in found)
    return {"items": [items.present(item, key) for item, key in keyed if key], "next": after}


def _key_of(item: Item, pattern: AccessPattern) -> Key | None:
    """The declared key that the item was found by; None when it is of no declared entity."""
    candidates = pattern.operation.keys
    if "Type" not in item:  # an index of keys only
        return candidates[0]
    return next((key for key in candidates if key.entity.__name__ == item["Type"]["S"]), None)
