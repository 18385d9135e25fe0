"""Holds items to one another, by what the writes promise in their transactions.

The two sides of a promise are met in no order, and neither is kept: at each, the other is looked
up. Between the two reads either may change, so nothing is believed before the item has been read
again and is still the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from doctor import faults
from doctor.faults import Case, Step
from doctor.items import as_read, entity_of, has, is_valid, primary_key, values_of
from doctor.table import Table, label
from lambdas.design.ecommerce import EmailGuard, Order, OrderItem, User
from lambdas.design.entity import Entity
from lambdas.design.keys import Key
from lambdas.design.social import Follow, Person
from lambdas.design.table import TABLE
from lambdas.runtime import expressions, requests
from lambdas.runtime.expressions import Condition, Expressions
from lambdas.runtime.items import Item


class Relation(Protocol):
    """A promise about items that belong together."""

    @property
    def is_by_index(self) -> bool:
        """Whether an index is asked, which may not have the latest changes yet."""
        ...

    def broken(self, of: Sequence[Item], table: Table) -> Iterator[Case]:
        """The cases of those items for whom it does not hold."""
        ...


@dataclass(frozen=True)
class Guarded:
    """A value is unique: each item that has it has a guard, whose key it is, and no other has."""

    entity: type[Entity]
    guard: type[Entity]
    is_by_index: bool = False

    def broken(self, of: Sequence[Item], table: Table) -> Iterator[Case]:
        yield from self._without_guard(of, table)
        yield from self._without_owner(of, table)

    def _without_guard(self, of: Sequence[Item], table: Table) -> Iterator[Case]:
        owners = _with_fields(self.entity, self.guard.__struct_fields__, of)
        guards = table.get(self._guard_key(values) for _, values in owners)
        named = [
            self._owner_key(values)
            for _, values in _with_fields(self.guard, self.entity.primary.fields, guards.values())
        ]
        others = table.get(key for key in named if label(key) not in {label(o) for o, _ in owners})
        known = others | {label(owner): owner for owner, _ in owners}
        for owner, values in owners:
            guard = guards.get(label(self._guard_key(values)))
            if guard is None:
                steps = _together(_check(owner), self._put_guard(values, expressions.is_new()))
                yield Case(owner, ((faults.MISSING_GUARD, self.guard.__name__),), steps)
                continue
            its_owner = self._named_by(guard)
            if its_owner is None or label(its_owner) != label(owner):
                yield self._guard_of_another(owner, values, guard, its_owner, known)

    def _guard_of_another(
        self,
        owner: Item,
        values: dict[str, Any],
        guard: Item,
        its_owner: Item | None,
        known: Mapping[tuple[str, str], Item],
    ) -> Case:
        other = known.get(label(its_owner)) if its_owner else None
        held = self._is_as_read(guard)
        if its_owner is None or held is None or self._has(other, guard):
            return Case(owner, ((faults.TAKEN_TWICE, self.guard.__name__),))
        of_key = {name: values[name] for name in self.guard.primary.fields}
        given = {name: values[name] for name in self.entity.primary.fields}
        taken = "Update", expressions.update(self.guard, of_key, given, held)
        steps = _together(_check(owner), _check(other or its_owner), taken)
        return Case(owner, ((faults.MISSING_GUARD, self.guard.__name__),), steps)

    def _without_owner(self, of: Sequence[Item], table: Table) -> Iterator[Case]:
        found = _with_fields(self.guard, self.entity.primary.fields, of)
        owners = table.get(self._owner_key(values) for _, values in found)
        for guard, values in found:
            key = self._owner_key(values)
            owner = owners.get(label(key))
            if not self._has(owner, guard):
                steps = _together(self._delete(guard), _check(owner or key))
                yield Case(guard, ((faults.ORPHAN_GUARD, self.entity.__name__),), steps)

    def _named_by(self, guard: Item) -> Item | None:
        """The key of the item that a guard names."""
        found = _with_fields(self.guard, self.entity.primary.fields, [guard])
        return self._owner_key(found[0][1]) if found else None

    def _guard_key(self, values: Mapping[str, Any]) -> Item:
        return requests.primary_key(self.guard.primary, values)

    def _owner_key(self, values: Mapping[str, Any]) -> Item:
        return requests.primary_key(self.entity.primary, values)

    def _has(self, owner: Item | None, guard: Item) -> bool:
        """Whether an item has the value that the guard keeps; one that is broken may have it."""
        if owner is None or entity_of(owner) is not self.entity:
            return False
        found = _with_fields(self.entity, self.guard.primary.fields, [owner])
        return not found or label(self._guard_key(found[0][1])) == label(guard)

    def _is_as_read(self, guard: Item) -> Condition | None:
        """A guard names the same item still: a value that was given up and taken anew has a new
        guard, whose version is the first again."""
        held = as_read(guard)
        values = values_of(self.guard, guard)
        if held is None or values is None:
            return None
        names = {name: values[name] for name in self.entity.primary.fields}
        return lambda of: " AND ".join([held(of), *has(names, of)])

    def _delete(self, guard: Item) -> Step | None:
        return _conditional("Delete", guard, self._is_as_read(guard))

    def _put_guard(self, values: Mapping[str, Any], condition: Condition) -> Step:
        guard = self.guard(**{name: values[name] for name in self.guard.__struct_fields__})
        return "Put", expressions.put(guard, condition)


@dataclass(frozen=True)
class Counted:
    """A count that is kept on an item is the number of items in a collection."""

    entity: type[Entity]
    count: str
    collection: Key
    """Its partition key is the item's own id, under the name that the other entity has for it."""

    @property
    def is_by_index(self) -> bool:
        return bool(self.collection.index.name)

    def broken(self, of: Sequence[Item], table: Table) -> Iterator[Case]:
        [own], [field] = self.entity.primary.fields, self.collection.partition.fields
        for item, values in _with_fields(self.entity, [own], of):
            all_of_it = requests.collection(self.collection, {field: values[own]})
            there = sum(map(table.count, all_of_it))
            if values.get(self.count, 0) == there:
                continue
            held, fields = as_read(item), {own: values[own]}
            steps: tuple[Step, ...] = ()
            if held:
                changed = expressions.update(self.entity, fields, {self.count: there}, held)
                steps = (("Update", changed),)
            yield Case(item, ((faults.WRONG_COUNT, self.count),), steps)


@dataclass(frozen=True)
class Whole:
    """What consists of parts has one at least, and each part has what it belongs to."""

    entity: type[Entity]
    part: type[Entity]
    is_by_index: bool = False

    def broken(self, of: Sequence[Item], table: Table) -> Iterator[Case]:
        shared = self.part.primary.partition.fields
        for item, values in _with_fields(self.entity, shared, of):
            parts = requests.collection(self.part.primary, {name: values[name] for name in shared})
            if not any(map(table.has_any, parts)):
                yield Case(item, ((faults.NO_PARTS, self.part.__name__),))
        found = _with_fields(self.part, self.entity.primary.fields, of)
        keys = [requests.primary_key(self.entity.primary, values) for _, values in found]
        wholes = table.get(keys)
        for (part, _), key in zip(found, keys, strict=True):
            there = wholes.get(label(key))
            if there is None or entity_of(there) is not self.entity:
                yield Case(part, ((faults.NO_WHOLE, self.entity.__name__),))


RELATIONS: Final[tuple[Relation, ...]] = (
    Guarded(User, EmailGuard),
    Whole(Order, OrderItem),
    Counted(Person, "Following", Follow.primary),
    Counted(Person, "Followers", Follow.inverted),
)


def examine(of: Sequence[Item], table: Table) -> Iterator[Case]:
    """What is wrong with items by their relations, as far as they are whole by themselves."""
    for relation in RELATIONS:
        suspected = {label(case.item): case.item for case in relation.broken(of, table)}
        if not suspected:
            continue
        if relation.is_by_index:
            table.let_indexes_catch_up()
        found = list(relation.broken(list(suspected.values()), table))
        still = table.get(primary_key(item) for item in suspected.values())
        yield from (case for case in found if still.get(label(case.item)) == case.item)


def _with_fields(
    entity: type[Entity], needed: Iterable[str], of: Iterable[Item]
) -> list[tuple[Item, dict[str, Any]]]:
    """The items of an entity with their values, without those that lack what is needed: that is a
    fault of its own."""
    found = []
    for item in of:
        if entity_of(item) is not entity or (values := values_of(entity, item)) is None:
            continue
        if all(is_valid(entity, name, values.get(name)) for name in needed):
            found.append((item, values))
    return found


def _check(of: Item) -> Step | None:
    """Holds a write to an item as it was read, or to there being none with this key."""
    if of.keys() == set(TABLE.key_attributes):
        there_is_none = Expressions()
        condition = expressions.is_new()(there_is_none)
        request = there_is_none.request(ConditionExpression=condition)
        return "ConditionCheck", {"Key": of, **request}
    return _conditional("ConditionCheck", of, as_read(of))


def _conditional(action: str, item: Item, held: Condition | None) -> Step | None:
    """An action on an item as it was read; None when there is nothing to tell that by."""
    of = Expressions()
    if held is None:
        return None
    condition = held(of)
    return action, {"Key": primary_key(item), **of.request(ConditionExpression=condition)}


def _together(*steps: Step | None) -> tuple[Step, ...]:
    """All the steps, or none of them when one cannot be made safe."""
    known = tuple(step for step in steps if step)
    return known if len(known) == len(steps) else ()
