"""Cursors that were never handed out, or not for the call that they come with."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator

from lambdas.design.pattern import AccessPattern
from tests.handlers.caller import Parameters, call

DOCUMENTS = (
    "",
    "null",
    "[]",
    "{}",
    '"ORDER#1"',
    "[1, 2]",
    '["ORDER#1"]',
    '["ORDER#1", "USER#1", "ORDER#1"]',
    '{"PK": {"S": "USER#2"}, "SK": {"S": "ORDER#1"}}',
    "no JSON",
)
"""What a caller may think is in a cursor."""


def assert_refused(pattern: AccessPattern, parameters: Parameters, cursor: str) -> None:
    """The call is 400 because of the cursor; `call` checks that DynamoDB was not asked."""
    refused = call(pattern, {**parameters, "cursor": cursor}).refused
    assert set(refused) == {"cursor"}, (cursor, refused)


def assert_tamper_proof(pattern: AccessPattern, parameters: Parameters, cursor: str) -> None:
    """Of a cursor and all that is nearly one, the cursor alone is taken."""
    for other in _spoiled(cursor):
        assert_refused(pattern, parameters, other)
    assert call(pattern, {**parameters, "cursor": cursor}).status == 200


def carried(cursor: str) -> str:
    """What can be read in a cursor without any knowledge of how it is made."""
    return urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("latin-1")


def _spoiled(cursor: str) -> Iterator[str]:
    for place, character in enumerate(cursor):
        other = "A" if character != "A" else "B"
        yield cursor[:place] + other + cursor[place + 1 :]  # changed
        yield cursor[:place]  # cut off
    yield cursor + "A"
    yield cursor + "="
    yield cursor + "\n"
    yield f" {cursor}"
    yield f"{cursor[:8]}!{cursor[8:]}"
    yield cursor.swapcase()
    yield cursor * 2
    yield "x"
    yield "ü"
    yield "%00"
    yield "A" * 6001
    for document in DOCUMENTS:
        yield urlsafe_b64encode(document.encode()).decode().rstrip("=")
