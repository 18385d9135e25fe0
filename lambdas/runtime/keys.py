"""Writes keys from values, and reads the values back out of keys.

Different values never give the same key: a value is normalised to Unicode NFC, and its `%` and
`#` are percent-encoded, so that the separators of a key are exactly those of its template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final
from unicodedata import normalize

from lambdas.design.keys import SEPARATOR, Key, Slot, Template, suffixes_of
from lambdas.design.values import LAST_SECOND
from lambdas.runtime import times

MAX_KEY_BYTES: Final = 1024
"""DynamoDB's limit for a sort key. `PK` is one too: the inverted index sorts by it."""

NEVER: Final = "9999-12-31T23:59:59.999Z"
"""Sorts after every time that a key can hold: those are whole seconds."""

LAST: Final = "\uffff"
"""Sorts after all that a time can go on with: `2024-01` followed by it is the end of January."""


class InvalidKeyValue(ValueError):
    """A value cannot stand in a key: `field` says which, `reason` completes "it ..."."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field} {reason}")
        self.field = field
        self.reason = reason


def encode(template: Template, values: Mapping[str, Any]) -> str:
    """The key attribute that the values give.

    Raises InvalidKeyValue when a value is missing, empty or of the wrong kind, and when the whole
    has more than 1024 bytes in UTF-8.
    """
    return _joined(template.parts, values)


def attributes(key: Key, values: Mapping[str, Any]) -> dict[str, str]:
    """Both key attributes that the values give, by their names. Raises InvalidKeyValue.

    For a sharded key the values must have the fields of the primary key too.
    """
    partition, sort = encode(key.partition, values), encode(key.sort, values)
    if key.shards > 1:
        primary = attributes(key.entity.primary, values)
        partition += suffixes_of(key.shards)[shard(tuple(primary.values()), key.shards)]
    return {key.index.partition_key: partition, key.index.sort_key: sort}


def shard(primary: tuple[str, ...], shards: int) -> int:
    """Which of so many shards the item with this primary key is in, whoever asks, for ever.

    It is a digest, so that ids that follow one another are spread evenly: BLAKE2b with 8 bytes,
    over both attributes with a NUL between them, as a big-endian number, modulo the shards.
    """
    digest = blake2b("\0".join(primary).encode(), digest_size=8).digest()
    return int.from_bytes(digest) % shards


def prefix(template: Template, values: Mapping[str, Any]) -> str:
    """What the keys begin with whose leading fields have these values, the next separator included.

    Without values that is the entity's own prefix (`ORDER#`); it is empty when the template begins
    with a field. Raises InvalidKeyValue as `encode` does.
    """
    known = 0
    while known < len(template.parts) and _is_known(template.parts[known], values):
        known += 1
    more = SEPARATOR if known < len(template.parts) else ""
    return _joined(template.parts[:known], values, more)


def last_with(prefix: str) -> str:
    """The last sort key that begins so: nothing of at most 1024 bytes sorts after it that does."""
    return prefix + "\U0010ffff" * ((MAX_KEY_BYTES - len(prefix.encode())) // 4)


def decode(key: Key, partition: str, sort: str) -> dict[str, Any]:
    """The values of a key's fields, from the text of its two attributes.

    Raises ValueError when the text was not written by these templates.
    """
    if key.shards > 1:
        partition = _without_suffix(key, partition)
    if not key.is_of_texts:
        return _by_form(key, partition, sort)
    values: dict[str, str] = {}  # the short way for most keys; a list decodes one for each item
    for template, written in ((key.partition, partition), (key.sort, sort)):
        parts = written.split(SEPARATOR)
        if len(parts) != len(template.parts) or "" in parts:
            raise ValueError(f"{written!r} was not written by {template}")
        for at, literal in template.literals:
            if parts[at] != literal:
                raise ValueError(f"{written!r} was not written by {template}")
        for at, field in template.places:
            if values.setdefault(field, parts[at]) != parts[at]:
                raise ValueError(f"{written!r} gives {field} a second value")
    if "%" in partition or "%" in sort:
        return {field: _unescape(text) for field, text in values.items()}
    return values


def _by_form(key: Key, partition: str, sort: str) -> dict[str, Any]:
    written: dict[str, dict[str, list[str]]] = {}
    for template, text in ((key.partition, partition), (key.sort, sort)):
        for slot, parts in _split(template, text):
            if written.setdefault(slot.field, {}).setdefault(slot.form, parts) != parts:
                raise ValueError(f"{text!r} gives {slot.field} a second value")
    return {field: _read(forms) for field, forms in written.items()}


def _without_suffix(key: Key, partition: str) -> str:
    shared, separator, number = partition.rpartition(SEPARATOR)
    if separator + number not in suffixes_of(key.shards):
        raise ValueError(f"{partition!r} is none of {key.partitions}")
    return shared


def _is_known(part: str | Slot, values: Mapping[str, Any]) -> bool:
    return isinstance(part, str) or part.field in values


def _joined(parts: tuple[str | Slot, ...], values: Mapping[str, Any], end: str = "") -> str:
    written: list[str] = []
    for part in parts:
        written += [part] if isinstance(part, str) else _write(part, values.get(part.field))
    text = SEPARATOR.join(written) + end if written else ""
    if len(text.encode()) > MAX_KEY_BYTES:
        last = [part.field for part in parts if isinstance(part, Slot)][-1]
        raise InvalidKeyValue(
            last,
            f"is too long: the key it stands in would have {len(text.encode())} bytes, "
            f"and DynamoDB takes {MAX_KEY_BYTES}",
        )
    return text


def _write(slot: Slot, value: Any) -> list[str]:
    match slot.form:
        case "text":
            return [_escape(slot, _text(slot, value))]
        case "lower":
            return [_escape(slot, _text(slot, value).lower())]
        case "time":
            return [_time(slot, value)]
        case "time-or-never":
            return [NEVER if value is None else _time(slot, value)]
        case "first-level":
            return [_escape(slot, _text(slot, value).split("/")[0])]
        case "lower-levels":
            return [_escape(slot, level) for level in _text(slot, value).split("/")[1:]]
        case _:
            return [_number(slot, value)]


def _text(slot: Slot, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidKeyValue(slot.field, "must be text")
    return value


def _escape(slot: Slot, text: str) -> str:
    if not text:
        raise InvalidKeyValue(slot.field, "must not be empty")
    if not text.isascii():
        text = normalize("NFC", text)
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InvalidKeyValue(
                slot.field, "must be valid Unicode, without half a surrogate pair"
            )
    return text.replace("%", "%25").replace(SEPARATOR, "%23")


def _time(slot: Slot, value: Any) -> str:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LAST_SECOND:
        raise InvalidKeyValue(
            slot.field, "must be a time in whole seconds, of the years 1970 to 9999"
        )
    return times.from_epoch(value)


def _number(slot: Slot, value: Any) -> str:
    width = slot.width or 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**width:
        raise InvalidKeyValue(
            slot.field, f"must be a whole number from 0 with {width} digits at most"
        )
    return f"{value:0{width}d}"


def _split(template: Template, text: str) -> Iterator[tuple[Slot, list[str]]]:
    """Each slot of the template with the parts of the text that it wrote."""
    parts = text.split(SEPARATOR)
    spare = len(parts) - sum(_is_one_part(part) for part in template.parts)
    for part in template.parts:
        count = 1 if _is_one_part(part) else spare
        taken, parts = parts[:count], parts[count:]
        if len(taken) != count or "" in taken or (isinstance(part, str) and taken != [part]):
            raise ValueError(f"{text!r} was not written by {template}")
        if isinstance(part, Slot):
            yield part, taken
    if parts:
        raise ValueError(f"{text!r} was not written by {template}")


def _is_one_part(part: str | Slot) -> bool:
    return isinstance(part, str) or part.form != "lower-levels"


def _read(forms: dict[str, list[str]]) -> Any:
    form = next(iter(forms))
    texts = [_unescape(part) for parts in forms.values() for part in parts]
    match form:
        case "text" | "lower":
            return texts[0]
        case "time":
            return times.to_epoch(texts[0])
        case "time-or-never":
            return None if texts[0] == NEVER else times.to_epoch(texts[0])
        case "first-level" | "lower-levels":
            return "/".join(texts)
        case _:
            return int(texts[0])


def _unescape(part: str) -> str:
    return part.replace("%23", SEPARATOR).replace("%25", "%")
