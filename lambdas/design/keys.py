"""The words in which keys are declared: indexes, templates, and the keys made from both.

A template is text in parts joined by `#`. A part is either a literal (`ORDER`) or one field of
the entity (`{OrderId}`), which may name the form it is written in (`{Email:lower}`). Because a
value can never contain a bare `#`, a key splits back into exactly the parts it was made of.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from lambdas.design.entity import Entity

SEPARATOR: Final = "#"

Form = Literal["text", "lower", "time", "time-or-never", "first-level", "lower-levels"]
"""How a field's value is written into a key; `lambdas.runtime.keys` writes and reads each.

| form            | value                       | in the key                                      |
|-----------------|-----------------------------|-------------------------------------------------|
| `text`          | text (when no form is given)| the text itself, identifiers keep their case    |
| `lower`         | text                        | lower-cased, for e-mail addresses               |
| `time`          | epoch seconds               | `2024-03-02T09:15:00.000Z`                      |
| `time-or-never` | epoch seconds, or absent    | the same, absent: the last time there is        |
| `first-level`   | `electronics/audio/cables`  | `electronics`                                   |
| `lower-levels`  | the same                    | `audio#cables`: one part a level                |
| a width: `08d`  | a whole number from 0       | with leading zeros, so that 9 sorts before 10   |
"""

MAX_SHARDS: Final = 32
"""Over how many partition keys a collection may be spread. A reader asks all of them at once, each
on a connection of its own, and they bear 32,000 write units a second. Where the sort key does not
tell the items apart it can be fewer: a cursor then has a primary key of each shard."""

FORMS: Final[frozenset[str]] = frozenset(Form.__args__)  # type: ignore[attr-defined]


class DeclarationError(Exception):
    """The declaration contradicts itself; the message names what is wrong and where."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not known: the one that is like it, if any is."""
    from difflib import get_close_matches  # noqa: PLC0415 - no function needs it when it starts

    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


class Slot(Struct, frozen=True):
    """A part of a template that takes the value of one field."""

    field: str
    form: str = "text"

    def __str__(self) -> str:
        return f"{{{self.field}}}" if self.form == "text" else f"{{{self.field}:{self.form}}}"

    @property
    def width(self) -> int | None:
        """The digits of a number's form (`08d`), None for the other forms."""
        digits = self.form[1:-1]
        is_width = self.form[:1] == "0" and self.form[-1:] == "d" and digits.isdecimal()
        return int(digits) or None if is_width else None


class Template(Struct, frozen=True, dict=True):
    """The parts of a key attribute, in order: literals as text, fields as slots."""

    parts: tuple[str | Slot, ...]

    def __str__(self) -> str:
        return SEPARATOR.join(str(part) for part in self.parts)

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(part for part in self.parts if isinstance(part, Slot))

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that the template takes, each once."""
        return tuple(dict.fromkeys(slot.field for slot in self.slots))

    @cached_property
    def literals(self) -> tuple[tuple[int, str], ...]:
        """Which parts are literals, counted from 0, and what they say."""
        return tuple((at, part) for at, part in enumerate(self.parts) if isinstance(part, str))

    @cached_property
    def places(self) -> tuple[tuple[int, str], ...]:
        """Which parts are slots, counted from 0, and the field of each."""
        parts = enumerate(self.parts)
        return tuple((at, part.field) for at, part in parts if isinstance(part, Slot))


def template(text: str) -> Template:
    """Read `ORDER#{OrderId}` into its parts.

    Raises DeclarationError for an empty part, a brace in the wrong place, an unknown form, or two
    fields of `lower-levels`: where the one ends and the other begins could not be read.
    """
    read = Template(tuple(_part(part, text) for part in text.split(SEPARATOR)))
    if [slot.form for slot in read.slots].count("lower-levels") > 1:
        raise DeclarationError(f"key template {text!r}: the form lower-levels stands in it twice")
    return read


def _part(part: str, text: str) -> str | Slot:
    if not part:
        raise DeclarationError(f"key template {text!r}: a part is empty")
    if "{" not in part and "}" not in part:
        return part
    field, _, form = part[1:-1].partition(":")
    if part[0] != "{" or part[-1] != "}" or not field or "{" in field or "}" in field:
        raise DeclarationError(
            f"key template {text!r}: {part!r} must be a literal or one {{Field}}, not a mixture"
        )
    slot = Slot(field, form or "text")
    if slot.form not in FORMS and slot.width is None:
        raise DeclarationError(f"key template {text!r}: unknown form {form!r} of {field!r}")
    return slot


class While(Struct, frozen=True):
    """What keeps an item in a sparse index: an attribute that is present, or has one value."""

    attribute: str
    equals: str | bool | None = None

    def __str__(self) -> str:
        if self.equals is None:
            return f"only while `{self.attribute}` is set"
        value = str(self.equals).lower() if isinstance(self.equals, bool) else self.equals
        return f"only while `{self.attribute}` is {value}"


class Index(Struct, frozen=True):
    """A way into the table: its own keys, or those of a global secondary index."""

    name: str
    """The name of the global secondary index; empty for the table itself."""
    partition_key: str
    sort_key: str
    projection: Literal["ALL", "KEYS_ONLY"]
    purpose: str

    def key(
        self,
        partition: str,
        sort: str,
        *,
        only_while: While | None = None,
        shards: int = 1,
        reads: tuple[int, ...] = (),
    ) -> Key:
        """The key that an entity has in this index, from the templates of its two attributes.

        With `shards=8` the items of one collection are spread over eight partition keys,
        `STATUS#PENDING#0/8` to `#7/8`, by a digest of each item's primary key. A write touches one,
        a read asks all of them. `reads` is for the time in which the number changes; see `Key`.
        """
        return Key(self, template(partition), template(sort), only_while, shards, reads)

    @property
    def key_attributes(self) -> tuple[str, str]:
        return (self.partition_key, self.sort_key)


class Key(Struct, frozen=True, dict=True):
    """Where the items of an entity stand in an index: the templates of both key attributes."""

    index: Index
    partition: Template
    sort: Template
    only_while: While | None = None
    """Set for a sparse index: items that do not meet it have neither key attribute."""
    shards: int = 1
    """Over how many partition keys the items of one collection are spread."""
    reads: tuple[int, ...] = ()
    """While the number of shards changes: the numbers that readers read, the old one first. An item
    that moves between the two readings is then found twice, which is noticed, and never missed."""
    owner: type[Entity] | None = None
    """The entity, filled in when its class is made."""

    @property
    def entity(self) -> type[Entity]:
        if self.owner is None:
            raise DeclarationError(f"key {self.partition} / {self.sort} belongs to no entity")
        return self.owner

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that both templates take, each once."""
        return tuple(dict.fromkeys(self.partition.fields + self.sort.fields))

    @property
    def is_sharded(self) -> bool:
        """Whether readers have several partition keys to ask."""
        return self.rounds != (("",),)

    @cached_property
    def rounds(self) -> tuple[tuple[str, ...], ...]:
        """What follows the partition key, for each of the partition keys that are asked at once;
        while the number of shards changes there are two rounds."""
        return tuple(map(suffixes_of, self.reads or (self.shards,)))

    @cached_property
    def suffixes(self) -> tuple[str, ...]:
        """What follows each partition key that is read; nothing follows one alone."""
        return tuple(suffix for asked in self.rounds for suffix in asked)

    @property
    def requests(self) -> int:
        """How many requests a query makes of it."""
        return len(self.suffixes)

    @property
    def partitions(self) -> str:
        """The template of the partition key, and of a sharded one which there are."""
        if self.shards == 1:
            return str(self.partition)
        first, *_, last = suffixes_of(self.shards)
        return f"{self.partition}{first} to {self.partition}{last}"

    @cached_property
    def is_of_texts(self) -> bool:
        """Whether every slot is one part that is read as it stands."""
        slots = self.partition.slots + self.sort.slots
        return all(slot.form in ("text", "lower") for slot in slots)


def suffixes_of(shards: int) -> tuple[str, ...]:
    """What each of so many shards adds to the partition key: `#0/8` to `#7/8`; one alone nothing.

    The number of shards is in it, so that those of two numbers have no partition key in common.
    """
    return tuple(f"{SEPARATOR}{n}/{shards}" for n in range(shards)) if shards > 1 else ("",)
