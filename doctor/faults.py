"""Everything that can be wrong with a table, and what is done about each kind of fault.

What follows from the declaration and from the item itself is mended. What would be a guess (which
of two values is right, what a lost attribute was) is listed and left to people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lambdas.runtime.items import Item
from lambdas.runtime.requests import Request


@dataclass(frozen=True)
class Kind:
    """A kind of fault."""

    name: str
    meaning: str
    cure: str | None = None
    """What mends it; None: it is listed and left."""
    is_fault: bool = True


# --- Keys in the indexes

MISSING_INDEX_KEY: Final = Kind(
    "missing index key",
    "The item belongs to an index and has no key there: the index's patterns do not find it.",
    "both key attributes are set",
)
STALE_INDEX_KEY: Final = Kind(
    "stale index key",
    "A key in an index is not the one that the attributes give.",
    "both key attributes are set",
)
HALF_INDEX_KEY: Final = Kind(
    "half an index key",
    "One of an index's two key attributes is there without the other.",
    "both are set, or the one removed",
)
UNWANTED_INDEX_KEY: Final = Kind(
    "unwanted index key",
    "The item has a key in an index that it does not belong to, or no longer.",
    "both key attributes are removed",
)

# --- The item itself

UNDECODABLE_KEY: Final = Kind(
    "undecodable key",
    "The primary key was not written by the templates of the item's entity.",
)
DISAGREEING_KEY: Final = Kind(
    "disagreeing key",
    "The primary key is not written as its values are, or an attribute says something else.",
)
FORMER_NAME: Final = Kind(
    "former name",
    "An attribute stands under a name that it had before, or under both.",
    "it stands under its new name; the old one goes, or has gone, once the entity does not "
    "declare it",
)
UNKNOWN_ATTRIBUTE: Final = Kind("unknown attribute", "The entity does not have the attribute.")
MISSING_ATTRIBUTE: Final = Kind("missing attribute", "The entity needs the attribute.")
INVALID_ATTRIBUTE: Final = Kind(
    "invalid attribute", "The value is not one that the entity's attribute may have."
)
MISSING_TYPE: Final = Kind(
    "missing type",
    "The item does not say which entity it is; every read takes it for absent.",
    "it is set where key and attributes are those of one entity alone",
)
UNKNOWN_TYPE: Final = Kind(
    "unknown type", "No entity has this name; every read takes the item for absent."
)
MISSING_VERSION: Final = Kind(
    "missing version",
    "The item does not count its changes, so that no update of it succeeds.",
    "it is set to 1",
)
BAD_VERSION: Final = Kind("bad version", "The version is not a whole number from 1.")
GHOST: Final = Kind(
    "ghost",
    "Nothing but keys and a version: an update has met an item that had been deleted.",
    "it is deleted",
)
REFUSED: Final = Kind(
    "refused",
    "DynamoDB does not take the item as it would be mended; most often it would be too large.",
)
EXPIRED: Final = Kind(
    "expired",
    "Its time to live is over. That is no fault: DynamoDB takes days to remove it, and every read "
    "leaves it out.",
    is_fault=False,
)

# --- Items that depend on one another

MISSING_GUARD: Final = Kind(
    "missing guard",
    "Nothing keeps the value unique: another item can take it.",
    "the guard is put, or taken over from an item that has another value now",
)
ORPHAN_GUARD: Final = Kind(
    "orphan guard",
    "The guard keeps a value that nobody has: nobody can take it.",
    "it is deleted",
)
TAKEN_TWICE: Final = Kind("taken twice", "Two items have a value that only one may have.")
WRONG_COUNT: Final = Kind(
    "wrong count", "A count on an item differs from what is there.", "it is set to what is there"
)
NO_PARTS: Final = Kind("no parts", "What consists of parts has none.")
NO_WHOLE: Final = Kind("no whole", "A part belongs to something that is not there.")

KINDS: Final = tuple(kind for kind in list(globals().values()) if isinstance(kind, Kind))
"""All kinds, in the order of the report."""

Step = tuple[str, Request]
"""A part of a write: Put, Update, Delete or ConditionCheck, and its request."""


@dataclass(frozen=True)
class Case:
    """What is wrong with an item, of one kind and with the same cure, or with none."""

    item: Item
    findings: tuple[tuple[Kind, str], ...]
    """Each kind with its detail: names of attributes and indexes, never values."""
    steps: tuple[Step, ...] = field(default=())
    """The one write that mends all of it; it fails if anything that it rests on has changed."""
