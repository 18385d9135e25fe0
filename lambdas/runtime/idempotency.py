"""Idempotency keys: the first answer to a call is kept, and given again to the same call."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from msgspec import Raw, json

from lambdas.design.idempotency import SECONDS_KEPT, Idempotency
from lambdas.runtime import body, expressions, items, requests
from lambdas.runtime.call import Answer, Call
from lambdas.runtime.errors import Conflict
from lambdas.runtime.items import Item


def remembering(call: Call, answer: Answer) -> dict[str, Any]:
    """The request that keeps an answer, unless there is one that has not expired."""
    record = Idempotency(
        **_key(call),
        Digest=_digest(call),
        Answer=json.encode(answer.body).decode(),
        Headers=answer.headers,
        ExpiresAt=int(call.now.timestamp()) + SECONDS_KEPT,
    )
    return expressions.put(record, expressions.has_expired("ExpiresAt", int(call.now.timestamp())))


def recalled(call: Call) -> Answer | None:
    """The answer that the caller's key has been given before, if there is one."""
    if call.idempotency_key is None:
        return None
    key = requests.primary_key(Idempotency.primary, _key(call))
    item = call.store.get_item({"Key": key, "ConsistentRead": True})
    if item is None or items.has_expired(item, call.now):
        return None
    return replayed(call, item)


def replayed(call: Call, item: Item | None) -> Answer:
    """The answer that was kept. Raises Conflict when it was given to another request, or what is
    stored is no answer."""
    if item is None or item.get("Digest") != {"S": _digest(call)}:
        raise Conflict("The Idempotency-Key has been used for another request.")
    try:
        headers = {name: value["S"] for name, value in item["Headers"]["M"].items()}
        return Answer(Raw(item["Answer"]["S"].encode()), headers)
    except KeyError:
        raise Conflict("The first answer is not stored as it was given; use a new key.") from None


def _key(call: Call) -> dict[str, str]:
    key = call.idempotency_key or ""
    return {"Pattern": call.pattern.id, "Caller": call.caller.name, "Key": key}


def _digest(call: Call) -> str:
    """Of all that the caller asks: the body, and the parameters."""
    asked = json.encode(call.values) + body.write(call.body)
    return blake2b(asked, digest_size=16).hexdigest()
