"""What the university's writes do, beyond what is declared of them."""

from contextlib import suppress
from typing import Any

from lambdas.design.entity import Entity
from lambdas.design.table import TABLE
from lambdas.design.university import Enrolment, ResearchArticle, Teaching
from lambdas.runtime import cursor, items, keys, reads
from lambdas.runtime.call import Answer, Call
from lambdas.runtime.changes import change, remove, upsert
from lambdas.runtime.expressions import differs, is_a, update
from lambdas.runtime.items import Item
from lambdas.runtime.logs import logger
from lambdas.runtime.store import ConditionFailed

ENTRIES_A_CALL = 100
"""How many entries of a seminar one call moves at most."""


def enrol(call: Call) -> Answer:
    """UW-01: the enrolment; a grade and an address that are not sent stay."""
    return upsert(call, Enrolment, call.values, _attributes(call))


def set_grade(call: Call) -> Answer:
    """UW-02: the grade of a student who is enrolled."""
    return change(call, Enrolment, call.values, _attributes(call))


def withdraw(call: Call) -> Answer:
    """UW-03: there is no such enrolment any more."""
    return remove(call, Enrolment)


def assign_seminar(call: Call) -> Answer:
    """UW-04: the professor's seminar as it is to be."""
    return upsert(call, Teaching, call.values, _attributes(call))


def publish_article(call: Call) -> Answer:
    """UW-05: the professor's article as it is to be."""
    return upsert(call, ResearchArticle, call.values, _attributes(call))


def _attributes(call: Call) -> dict[str, Any]:
    """What the body says besides the fields of the key."""
    return {name: value for name, value in call.sent.items() if name not in call.values}


def move_seminar(call: Call) -> Answer:
    """UW-06: a page of the seminar's entries, then an update each.

    To repeat it is safe: an entry that is in the room already is not changed again. When the time
    of the call runs out, the page ends at the last entry that was looked at.
    """
    entries, after = reads.page(call, ENTRIES_A_CALL)
    changed = 0
    for entry in entries:
        changed += _move(entry, call)
        if entry is not entries[-1] and not call.store.has_time:
            after = cursor.write(call.pattern, call.asked, entry, call.time)
            break
    return Answer({"changed": changed, "next": after}, {})


def _move(entry: Item, call: Call) -> bool:
    """Whether the entry was not in that room yet. What was not written by us stays as it is."""
    entity, values = _named_by(entry)
    if entity is None:
        return False
    room = call.body.RaumNr
    moved = update(entity, values, {"RaumNr": room}, is_a(entity), differs("RaumNr", room))
    try:
        call.store.update_item(moved)
    except ConditionFailed as failed:
        # It is there already, or has just been removed; otherwise it must not stop all the others.
        stored = failed.item or {}
        if items.is_a(stored, entity) and items.version_of(stored) is None:
            logger.warning("item left out", extra={"pattern": call.pattern.id})
        return False
    return True


def _named_by(entry: Item) -> tuple[type[Entity] | None, dict[str, Any]]:
    """What the key of an entry says that it is, and the values in it."""
    partition, sort = (entry[name]["S"] for name in TABLE.key_attributes)
    for entity in (Enrolment, Teaching):
        with suppress(ValueError):
            return entity, keys.decode(entity.primary, partition, sort)
    return None, {}
