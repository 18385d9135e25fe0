"""How long a cursor of a sharded list can be, so that what can be declared can be read to its end.

A cursor has the sort key at which a page ended, and the primary key of the last item with it in
each shard that has shown one (`lambdas.runtime.shards`). What the fields can be bounds both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from msgspec import Meta

from lambdas.design.keys import Key, Slot, Template
from lambdas.design.values import END, MAX_CURSOR

_MAX_KEY_BYTES: Final = 1024
"""DynamoDB's limit for a sort key, to which both parts of the primary key are held."""

_IN_JSON: Final = 6
"""The most that JSON makes of a byte: a control character is written as `\\u0001`."""

_OF_ANY: Final = 12
"""The most that a character takes: U+1D160 becomes three of four bytes each in Unicode NFC."""

_PLAIN: Final = re.compile(r"\^([\w(){}|*+?,:-]|\\\.|\[[\w.~:-]+\])*", re.ASCII)
"""The patterns that list what they take, all of it of one byte in a key as in JSON."""

_FRAME: Final = 9 + len("[]") + len(',"2025-01-05T12:00:00.000Z"')
"""What is in a cursor besides: the digest, the list, and the first page's now."""

_QUOTED: Final = len('"",')


def error(key: Key, primary: Key, types: Mapping[str, Any]) -> str | None:
    """What is wrong with a key whose list can have a cursor that is too long to be sent back."""
    most = longest(key, primary, types)
    if most <= MAX_CURSOR:
        return None
    return (
        f"has {key.requests} shards, and a cursor of the list can have {most} characters, of which "
        f"{MAX_CURSOR} are taken; have fewer shards, shorter fields in the primary key, or all of "
        f"its fields in the sort key, so that no two items have one"
    )


def longest(key: Key, primary: Key, types: Mapping[str, Any]) -> int:
    """The characters of the longest cursor that a list of this key can have.

    `types` has the types of the entity's fields by their names.
    """
    of_shard = (
        max(map(len, key.suffixes)),
        *(bytes_in_json(each, types) for each in _both(primary)),
    )
    place = sum(size + _QUOTED for size in of_shard)
    payload = _FRAME + bytes_in_json(key.sort, types) + _QUOTED - 1 + place * _places(key, primary)
    return -(-payload * 4 // 3)  # Base64 without padding


def _places(key: Key, primary: Key) -> int:
    """How many items with one sort key a cursor can have in it: one for each shard, unless the
    sort key tells them apart. An item that moves to another number of shards is met twice."""
    slots = {slot for template in _both(key) for slot in template.slots}
    is_told_apart = all(slot in slots for template in _both(primary) for slot in template.slots)
    return len(key.rounds) if is_told_apart else key.requests


def _both(key: Key) -> tuple[Template, Template]:
    return key.partition, key.sort


def bytes_in_json(template: Template, types: Mapping[str, Any]) -> int:
    """The most bytes that a key attribute has in JSON, without the quotes."""
    sizes = [_of_part(part, types) for part in template.parts]
    separators = len(sizes) - 1
    is_plain = all(plain for _, plain in sizes)
    limit = _MAX_KEY_BYTES if is_plain else _MAX_KEY_BYTES * _IN_JSON
    return min(sum(size for size, _ in sizes) + separators, limit)


def _of_part(part: str | Slot, types: Mapping[str, Any]) -> tuple[int, bool]:
    """The most bytes of a part, and whether they are as many in JSON as in the key."""
    if isinstance(part, str):
        return _of_values((part,))
    if part.width or part.form in ("time", "time-or-never"):
        return part.width or len("9999-12-31T23:59:59.999Z"), True
    return _of_type(types[part.field])


def _of_values(values: tuple[str, ...]) -> tuple[int, bool]:
    is_plain = all(re.fullmatch(r"[\w.~:-]+", value, re.ASCII) for value in values)
    return max(map(len, values)) * (1 if is_plain else _OF_ANY), is_plain


def _of_type(kind: Any) -> tuple[int, bool]:
    if get_origin(kind) in (Union, UnionType):
        found = [_of_type(each) for each in get_args(kind) if each is not NoneType]
        return max(size for size, _ in found), all(plain for _, plain in found)
    if get_origin(kind) is Literal:
        return _of_values(get_args(kind))
    metas = [each for each in get_args(kind) if isinstance(each, Meta)]
    lengths = [each.max_length for each in metas if each.max_length is not None]
    patterns = [each.pattern.removesuffix(END) for each in metas if each.pattern]
    is_plain = any(map(_PLAIN.fullmatch, patterns))
    return min(lengths, default=_MAX_KEY_BYTES) * (1 if is_plain else _OF_ANY), is_plain
