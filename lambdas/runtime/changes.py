"""Carries out writes: one update, or a transaction whose steps say what it means if they fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from uuid import uuid4

from msgspec.structs import replace

from lambdas.design.entity import Entity
from lambdas.design.pattern import NewItem, NewParentAndAll, PutOrReplaced
from lambdas.runtime import access, expressions, idempotency, items
from lambdas.runtime.call import NOTHING, Answer, Call
from lambdas.runtime.errors import Conflict, NotFound, Problem, VersionMismatch
from lambdas.runtime.expressions import Condition
from lambdas.runtime.items import FIRST_VERSION, MARK, Item
from lambdas.runtime.store import Cancelled, ConditionFailed

Meaning = Callable[[Item | None], Problem]
"""What it means that a condition does not hold, from what is stored there, if anything is."""


class Step(NamedTuple):
    """A part of a transaction."""

    action: str
    """Put, Update, Delete or ConditionCheck."""
    request: dict[str, Any]
    otherwise: Meaning
    is_dispensable: bool = False
    """Whether the others are carried out without it when its condition alone does not hold."""


def taken(**fields: str) -> Meaning:
    """The item is there already: the caller's fields, by name and value, are taken."""
    errors = {name: f"{value} is taken" for name, value in fields.items()}
    detail = " and ".join(f"{name} {value!r} is taken" for name, value in fields.items())
    return lambda _: Conflict(f"{detail}.", errors)


def absent(entity: type[Entity], **fields: str) -> Meaning:
    """The item that the write depends on does not exist; what is none of the entity is none."""
    asked = ", ".join(f"{name} {value!r}" for name, value in fields.items())
    return lambda _: NotFound(f"There is no {entity.__name__} with {asked}.")


def uncountable() -> Conflict:
    """The item is there, and another program has stored what no change can count on."""
    return Conflict("The item cannot be changed as it is stored: its Version is no whole number.")


def moved_on(call: Call) -> Meaning:
    """The item has been changed since it was read."""
    if call.expected_version is not None:
        return lambda _: VersionMismatch("The item has been changed since that version.")
    return lambda _: Conflict("Another call has changed the same; read it again and try again.")


def transact(call: Call, *steps: Step) -> None:
    """Carry out all the steps or none, or all but those that are dispensable. Raises what the steps
    that fail mean."""
    try:
        call.store.transact([(step.action, step.request) for step in steps], call.token)
    except Cancelled as cancelled:
        failed = {at: item for at, item in cancelled.failed.items() if not steps[at].is_dispensable}
        if failed:
            raise _problem(steps, failed) from None
        rest = [step for at, step in enumerate(steps) if at not in cancelled.failed]
        # The token stands for the steps that were sent with it: DynamoDB takes no others.
        transact(replace(call, token=uuid4().hex), *rest)


def create(call: Call, answer: Answer, *steps: Step) -> Answer:
    """Carry out a transaction that makes something, once for each idempotency key."""
    if call.idempotency_key is None:
        transact(call, *steps)
        return answer
    record = Step("Put", idempotency.remembering(call, answer), taken())
    all_steps = (record, *steps)
    try:
        call.store.transact([(step.action, step.request) for step in all_steps], call.token)
    except Cancelled as cancelled:
        if 0 in cancelled.failed:
            return idempotency.replayed(call, cancelled.failed[0])
        raise _problem(all_steps, cancelled.failed) from None
    return answer


def change(
    call: Call,
    entity: type[Entity],
    values: Mapping[str, Any],
    changes: Mapping[str, Any],
    *conditions: Condition,
    otherwise: Meaning = lambda _: Conflict("What is stored stands in the way."),
) -> Answer:
    """Change an item that exists, and answer with it as it is then.

    Without `If-Match` the change is made to whatever version there is, and to nothing but these
    attributes. Raises NotFound, VersionMismatch, Conflict when its version cannot be counted, and
    what it means if the conditions do not hold.
    """
    held = (expressions.is_a(entity), *conditions)
    item = _update(call, _Change(entity, values, changes, held, otherwise))
    return shown(entity, item)


def upsert(
    call: Call, entity: type[Entity], values: Mapping[str, Any], changes: Mapping[str, Any]
) -> Answer:
    """Change an item, or make it. Raises VersionMismatch when `If-Match` does not match, and
    Conflict when the version of what is there cannot be counted."""
    item = _update(call, _Change(entity, values, changes, (), moved_on(call), is_upsert=True))
    is_new = item["Version"]["N"] == str(FIRST_VERSION)
    return new(call, entity, item) if is_new else shown(entity, item)


def remove(call: Call, entity: type[Entity]) -> Answer:
    """Delete an item, whether or not there is one; what is none of the entity is none, and stays.

    Raises Forbidden when it is somebody else's.
    """
    held = expressions.is_absent_or_has(
        {expressions.TYPE: entity.__name__, **access.owned_by(call)}
    )
    try:
        call.store.delete_item(expressions.delete(entity.primary, call.values, *held))
    except ConditionFailed as failed:
        if failed.item is not None and items.is_a(failed.item, entity):
            raise access.somebody_elses() from None
    return NOTHING


def shown(entity: type[Entity], item: Item) -> Answer:
    """An item as it now is."""
    return Answer(items.present(item, entity.primary), items.entity_tag(item))


def new(call: Call, entity: type[Entity], item: Item) -> Answer:
    """A new item, and where it can be read."""
    body, headers = items.present(item, entity.primary), items.entity_tag(item)
    return Answer(body, {**headers, **located(call, body)}, status=201)


def located(call: Call, fields: Mapping[str, Any]) -> dict[str, str]:
    """The `Location` of what is new, where a route reads it."""
    answer = call.pattern.answer
    if isinstance(answer, NewItem | NewParentAndAll | PutOrReplaced) and answer.location:
        return {"Location": answer.location.format_map(fields)}
    return {}


class _Change(NamedTuple):
    entity: type[Entity]
    values: Mapping[str, Any]
    changes: Mapping[str, Any]
    conditions: tuple[Condition, ...]
    otherwise: Meaning
    is_upsert: bool = False


def _update(call: Call, wanted: _Change) -> Item:
    mark = call.token if wanted.entity.is_marked else None
    conditions = list(wanted.conditions)
    if mark:
        conditions.append(expressions.is_not_marked(mark))
    if call.expected_version is not None:
        conditions.append(expressions.has_version(call.expected_version))
    request = expressions.update(
        wanted.entity,
        wanted.values,
        wanted.changes,
        *conditions,
        mark=mark,
        is_upsert=wanted.is_upsert,
    )
    try:
        return call.store.update_item(request)
    except ConditionFailed as failed:
        if failed.item is not None and _is_our_own(call, wanted, failed.item):
            return failed.item
        raise _why(call, wanted, failed.item) from None


def _is_our_own(call: Call, wanted: _Change, stored: Item) -> bool:
    """Whether this very call has changed the item, and the answer to that was lost."""
    if wanted.entity.is_marked:
        return stored.get(MARK) == {"S": call.token}
    expected = call.expected_version
    if expected is None or items.version_of(stored) != expected + 1:
        return False
    changed = {name: value for name, value in wanted.changes.items() if value is not None}
    return all(stored.get(name) == items.to_attribute(value) for name, value in changed.items())


def _why(call: Call, wanted: _Change, stored: Item | None) -> Problem:
    is_there = stored is not None and items.is_a(stored, wanted.entity)
    if not is_there and not wanted.is_upsert:
        return absent(wanted.entity, **dict(wanted.values))(stored)
    version = items.version_of(stored) if stored else None
    if call.expected_version not in (None, version):
        return VersionMismatch("The item has been changed since that version.")
    return uncountable() if stored and version is None else wanted.otherwise(stored)


def _problem(steps: tuple[Step, ...], failed: Mapping[int, Item | None]) -> Problem:
    """What the failed steps mean together: the first, and of several conflicts all fields."""
    problems = [steps[position].otherwise(item) for position, item in sorted(failed.items())]
    conflicts = [problem for problem in problems if isinstance(problem, Conflict)]
    if len(conflicts) < len(problems):
        return next(problem for problem in problems if not isinstance(problem, Conflict))
    detail = " ".join(conflict.detail for conflict in conflicts)
    return Conflict(detail, {k: v for conflict in conflicts for k, v in conflict.errors.items()})
