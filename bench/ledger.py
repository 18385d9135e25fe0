"""The units of every pattern's example, as JSON keeps them, and what a call consumes by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct, json

from bench.charges import EVERY_INDEX, Charge, Kind, Why, charges, template_of, total
from bench.profile import Profile
from bench.recording import Recorder, Request, recorder
from bench.results import Found, Say
from bench.units import read_units
from docs import sample
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.keys import Template
from lambdas.design.operations import Write
from lambdas.design.pattern import IDEMPOTENCY_KEY, AccessPattern
from lambdas.runtime import body
from lambdas.runtime.items import Item, size

EXAMPLE: Final = "example"
AGAIN: Final = "again"
WITH_KEY: Final = "with a key"
AGAIN_WITH_KEY: Final = "again with the key"
"""The calls of a pattern that are looked at: its example, the same once more, which is often
refused, and both with an idempotency key where the pattern takes one."""

PAGES: Final = (10, 50, 200)
"""Lengths of pages: 50 is what a caller gets who asks for none, 200 is the most."""


def measured(say: Say) -> Found:
    """The ledger: each pattern's example on the example data, within this process.

    Raises BadExample when a read finds nothing: there is no mean item then.
    """
    ledger: Found = {}
    with sample.table(), recorder() as recording:
        for pattern in ACCESS_PATTERNS:
            say(f"{pattern.id} {pattern.name}")
            if isinstance(pattern.operation, Write):
                ledger[pattern.id] = {"cases": _of_write(pattern, recording)}
            else:
                requests = recording.call(pattern)
                found = _found(requests)
                if not found:
                    raise sample.BadExample(
                        f"{pattern.id}'s example {pattern.example} finds nothing in the example "
                        f"data; add items to seed/{pattern.dataset}.py, or change the example"
                    )
                mean_size = round(sum(map(size, found)) / len(found))
                case = {**_case(pattern, requests), "mean_size": mean_size}
                ledger[pattern.id] = {"cases": {EXAMPLE: case}}
    return ledger


def _of_write(pattern: AccessPattern, recording: Recorder) -> Found:
    cases: Found = {}
    key = {IDEMPOTENCY_KEY.name: "a-key"}
    for headers, names in ({}, (EXAMPLE, AGAIN)), (key, (WITH_KEY, AGAIN_WITH_KEY)):
        if headers and not pattern.is_idempotent:
            continue
        with recording.restored():
            for name in names:
                cases[name] = _case(pattern, recording.call(pattern, headers))
    return cases


def _case(pattern: AccessPattern, requests: list[Request]) -> Found:
    charged = [each for request in requests for each in charges(pattern, request)]
    above = {why.name: _all(charged, why) for why in Why if why != Why.NEEDED}
    return {
        "requests": [each.operation + (" refused" * each.failed) for each in requests],
        "reads": total(charged, "read"),
        "writes": {
            index or "table": units
            for index in EVERY_INDEX
            if (units := total(charged, "write", index))
        },
        "least": {kind: total(charged, kind, why=Why.NEEDED) for kind in ("read", "write")},
        "above": {name: units for name, units in above.items() if units},
        "partitions": _partitions(pattern, charged),
    }


def _all(charged: Iterable[Charge], why: Why) -> float:
    return sum(each.units for each in charged if each.why == why)


def _found(requests: list[Request]) -> list[Item]:
    """The items that a read found."""
    answers = [request.answer for request in requests]
    found = [item for each in answers for item in each.get("Items", [each.get("Item")])]
    return [item for item in found if item]


# --- What a call consumes -------------------------------------------------------------------


class Part(Struct, frozen=True):
    """Units that a call consumes of one partition, on average."""

    kind: Kind
    index: str
    template: str
    field: str | None
    units: float


def per_call(ledger: Found, profile: Profile, pattern: str) -> Iterator[Part]:
    """What a call of a pattern consumes under a profile."""
    cases = ledger[pattern]["cases"]
    with_key = profile.with_key.get(pattern, 0)
    for name, share in ((EXAMPLE, 1 - with_key), (WITH_KEY, with_key)):
        if not share:
            continue
        for part in cases[name]["partitions"]:
            units = part["units"]
            if pattern in profile.items:
                units = read_units(cases[name]["mean_size"] * profile.items[pattern])
            yield Part(**{**part, "units": units * share})


# --- Partitions -----------------------------------------------------------------------------


def _partitions(pattern: AccessPattern, charged: Iterable[Charge]) -> list[Found]:
    """The units by partition: how its key is written, and the field whose value it takes."""
    summed: dict[tuple[str, str, str], float] = {}
    for each in charged:
        place = (each.kind, each.index, each.partition)
        summed[place] = summed.get(place, 0) + each.units
    return [
        {
            "kind": kind,
            "index": index,
            "template": str(template_of(index, partition)),
            "field": _field(pattern, template_of(index, partition), partition),
            "units": units,
        }
        for (kind, index, partition), units in summed.items()
    ]


def _field(pattern: AccessPattern, template: Template | None, partition: str) -> str | None:
    """The field of the call whose value is in the partition key; None where no value is.

    Of a follow, `PERSON#dave` is written for the one who is followed: it has the value of
    `FolloweeId`, though the template calls it `PersonId`.
    """
    if template is None or not template.slots:
        return None
    value, own = partition.rpartition("#")[2], template.fields[-1]
    given = _given(pattern)
    return own if given.get(own) == value else _named(given, value) or own


def _named(given: dict[str, str], value: str) -> str | None:
    return next((name for name, each in given.items() if each == value), None)


def _given(pattern: AccessPattern) -> dict[str, str]:
    """The values of the example, by field."""
    sent: dict[str, Any] = (
        json.decode(body.write(pattern.example_body)) if pattern.example_body else {}
    )
    filled = {
        parameter.fills: pattern.example[parameter.name]
        for parameter in pattern.own_parameters
        if parameter.fills and parameter.name in pattern.example
    }
    return {**{name: str(value) for name, value in sent.items()}, **filled}
