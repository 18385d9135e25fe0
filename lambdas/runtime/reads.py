"""Carries out a read pattern: one request of DynamoDB (one of each shard, where the key that it
reads is sharded), and the answer that is made of its items."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from lambdas.design.keys import Key
from lambdas.design.operations import GetItem, PartiQLSelect
from lambdas.design.pattern import (
    CURSOR,
    LIMIT,
    OneItem,
    Page,
    ParentAndAll,
    ParentAndPage,
    WholeItems,
)
from lambdas.design.table import TTL_ATTRIBUTE
from lambdas.runtime import access, cursor, items, partiql, requests
from lambdas.runtime.call import Answer, Call
from lambdas.runtime.errors import BadInput, NotFound
from lambdas.runtime.items import Item
from lambdas.runtime.logs import logger
from lambdas.runtime.requests import Request
from lambdas.runtime.store import Rejected


def answer(call: Call) -> Answer:
    """The answer of a read pattern.

    Raises BadInput, Forbidden, NotFound, Throttled or Unavailable.
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
    if pattern.is_sharded:
        from lambdas.runtime import shards  # noqa: PLC0415 - no other pattern loads it

        return shards.page(call, limit)
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
        item = next(iter(_query(call, request)), None)
    found = _shown([item] if item else [], call)
    if not item or not found:
        raise not_found(call)
    return Answer(found[0].plain, items.entity_tag(item))


def _whole_page(call: Call, must_exist: bool) -> Answer:
    found, after = page(call, call.arguments[LIMIT.name])
    shown = [each.plain for each in _shown(found, call)]
    if must_exist and not shown and call.arguments[CURSOR.name] is None:
        raise not_found(call)
    return Answer({"items": shown, "next": after}, {})


def _parent_and_page(call: Call, parent: str, children: str) -> Answer:
    is_first = call.arguments[CURSOR.name] is None
    found, after = page(call, call.arguments[LIMIT.name] + is_first)
    parents, others = _parted(found, call)
    if is_first and not parents:
        raise not_found(call)
    shown = {"items": [each.plain for each in others], "next": after}
    return Answer({parent: parents[0].plain if is_first else None, children: shown}, {})


def _parent_and_all(call: Call, parent: str, children: str) -> Answer:
    found = _query(call, requests.read(call.pattern, call.arguments, None, call.time))
    parents, others = _parted(found, call)
    if not parents:
        raise not_found(call)
    body = {parent: parents[0].plain, children: [each.plain for each in others]}
    return Answer(body, items.entity_tag(parents[0].item))


def _whole_items(select: PartiQLSelect, call: Call) -> Answer:
    try:
        found, token = call.store.execute_statement(partiql.request(select, call.body))
    except Rejected as error:
        raise partiql.rejected(select, error.reason) from None
    call.store.items_returned += len(found)
    return Answer({"Items": [items.whole(item) for item in found], "NextToken": token}, {})


def _query(call: Call, request: Request) -> list[Item]:
    """The items that a query finds, without a page."""
    if call.pattern.is_sharded:
        from lambdas.runtime import shards  # noqa: PLC0415 - no other pattern loads it

        return shards.query(call, request)
    return call.store.query(request)[0]


class _Shown(Struct, frozen=True):
    item: Item
    key: Key
    """The declared key that it was found by."""
    plain: dict[str, Any]


def _parted(found: list[Item], call: Call) -> tuple[list[_Shown], list[_Shown]]:
    """The parents and the children among the items of a collection."""
    parent, child = call.pattern.operation.keys
    shown = _shown(found, call)
    return [x for x in shown if x.key is parent], [x for x in shown if x.key is child]


def _shown(found: list[Item], call: Call) -> list[_Shown]:
    """The items that the pattern's entities declare, as callers see them.

    What has expired is left out, and so is what was not written by us: an item of another type, or
    one whose key is not its entity's. One such item must not spoil the whole list. Raises Forbidden
    for what belongs to somebody else.
    """
    keys = call.pattern.operation.keys
    only = keys[0] if call.pattern.index.projection == "KEYS_ONLY" else None
    by_type = {key.entity.__name__: key for key in keys}
    expiring = [name for name, key in by_type.items() if _may_have_expired(key, call)]
    shown = []
    for item in found:
        name = items.type_of(item)
        key = only or by_type.get(name or "")
        if key is None or (name in expiring and items.has_expired(item, call.now)):
            continue
        try:
            shown.append(_Shown(item, key, items.present(item, key)))
        except ValueError:
            logger.warning("item left out", extra={"pattern": call.pattern.id})
    access.check_shown(call, (each.plain for each in shown))
    call.store.items_returned += len(shown)
    return shown


def _may_have_expired(key: Key, call: Call) -> bool:
    """A list that now bounds has none; its later pages keep to the first page's now."""
    can_expire = TTL_ATTRIBUTE in key.entity.__struct_encode_fields__
    return can_expire and not call.pattern.is_bounded_by_now
