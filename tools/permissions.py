"""`make permissions`: what the role of each function may do, measured, beside what is declared.

The service is deployed to an emulator that enforces IAM. There each role is assumed, and with its
credentials every action of DynamoDB is asked for, on the table and on each index, in signed
requests that go the way of any other. A request names its action and its resource and lacks the
rest: what is refused is refused for the permission, what is allowed is found incomplete and
changes nothing. Whatever is not as the declaration says is named, and the exit status is 1 then.

Who deploys on AWS cannot assume these roles, since they trust Lambda alone; the emulator lets the
account itself do it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import botocore.session

from lambdas.design import ACCESS_PATTERNS
from lambdas.design import table as design
from lambdas.design.operations import PartiQLSelect
from lambdas.design.pattern import AccessPattern
from local.cloud import Cloud, local_cloud
from local.deployment import CLOSED
from local.emulator import free_port
from local.process import RunError
from tools.roles import (
    IN_TRANSACTIONS,
    OWN_LOGS,
    PREFIX,
    TABLE,
    Asked,
    Measured,
    MeasureError,
    Role,
    Roles,
)

DOCUMENT = "get_openapi"
"""The one function without a pattern: it describes the API and reads nothing."""

EMULATED = "ExecuteStatement"
"""What the emulator asks for in place of PartiQLSelect, on any resource."""

RESOURCES = (TABLE, *(index.name for index in design.INDEXES))

OF_ITEMS = frozenset(
    f"{PREFIX}{name}"
    for name in (
        *("BatchGetItem", "BatchWriteItem", "ConditionCheckItem", "DeleteItem", "GetItem"),
        *("PartiQLDelete", "PartiQLInsert", "PartiQLSelect", "PartiQLUpdate", "PutItem"),
        *("Query", "Scan", "UpdateItem", EMULATED),
    )
)
"""The actions that read and write items."""

BESIDES = frozenset(
    {
        ("logs:CreateLogStream", OWN_LOGS),
        ("logs:PutLogEvents", OWN_LOGS),
    }
)
"""What every function may do outside DynamoDB."""

AT_ONCE = 4


# --- What there is to ask for, and what should be answered -----------------------------------


@cache
def actions() -> tuple[str, ...]:
    """Every action of DynamoDB.

    They are those of AWS's service authorization reference, as cfn-lint brings it along, and the
    operations of DynamoDB and of its streams in botocore, some of which are no action of IAM's.
    """
    session = botocore.session.get_session()
    operations = {
        name
        for service in ("dynamodb", "dynamodbstreams")
        for name in session.get_service_model(service).operation_names
    }
    reference = json.loads(
        (files("cfnlint.data.AdditionalSpecs") / "Policies.json").read_text("utf-8")
    )
    # The reference has all in small letters, which is the same to IAM.
    spelled = {name.lower(): name for name in (*operations, *declared_names())}
    names = {name.lower() for name in operations} | set(reference["dynamodb"]["Actions"])
    return tuple(sorted(PREFIX + spelled.get(name, name) for name in names))


def declared_names() -> set[str]:
    """The names of the actions that are declared, and of those beside them."""
    declared = {each.action for pattern in routed().values() for each in pattern.permissions}
    return {action.removeprefix(PREFIX) for action in declared | OF_ITEMS}


@cache
def routed() -> dict[str, AccessPattern]:
    """The patterns with a function of their own, by its name."""
    return {pattern.name: pattern for pattern in ACCESS_PATTERNS if not pattern.variant_of}


def functions() -> tuple[str, ...]:
    """The names of all functions."""
    return (*routed(), DOCUMENT)


def asked(among: Iterable[str]) -> list[Asked]:
    """All that a role is asked for with these actions."""
    chosen = list(among)
    alone = [Asked(action, resource) for action in chosen for resource in RESOURCES]
    inner = [Asked(action, TABLE, in_transaction=True) for action in chosen]
    return alone + [each for each in inner if each.action.removeprefix(PREFIX) in IN_TRANSACTIONS]


def declared(function: str) -> frozenset[Asked]:
    """What a function may do as its pattern declares it, in the words of the emulator."""
    if function == DOCUMENT:
        return frozenset()
    pattern = routed()[function]
    if isinstance(pattern.operation, PartiQLSelect):
        return frozenset(Asked(PREFIX + EMULATED, resource) for resource in RESOURCES)
    alone = {Asked(each.action, each.index.name or TABLE) for each in pattern.permissions}
    inner = {
        Asked(each.action, TABLE, in_transaction=True)
        for each in pattern.permissions
        if each.index == design.TABLE and each.action.removeprefix(PREFIX) in IN_TRANSACTIONS
    }
    return frozenset(alone | inner)


class Figures(NamedTuple):
    """How much is asked for, and what should be the answer."""

    functions: int
    actions: int
    resources: int
    tried: int
    allowed: int

    @property
    def refused(self) -> int:
        return self.tried - self.allowed


def figures(among: Collection[str] | None = None) -> Figures:
    """The figures of a measurement with these actions, with every action if none are given."""
    chosen = actions() if among is None else among
    everything = set(asked(chosen))
    allowed = sum(len(declared(function) & everything) for function in functions())
    tried = len(functions()) * len(everything)
    return Figures(len(functions()), len(chosen), len(RESOURCES), tried, allowed)


# --- What came out ---------------------------------------------------------------------------


def measure_all(
    cloud: Cloud, among: Iterable[str], say: Callable[[str], None] = lambda _line: None
) -> dict[str, Measured]:
    """Measure every function. Raises MeasureError."""
    roles, wanted = Roles(cloud), asked(among)
    every = sorted(roles.all(), key=_place)
    found: dict[str, Measured] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        measuring = pool.map(lambda role: roles.measure(role, wanted), every)
        for role, measured in zip(every, measuring, strict=True):
            found[role.function] = measured
            say(f"{len(found)} of {len(every)} functions measured")
    return found


def _place(role: Role) -> int:
    """Where a function stands in the list; those that it does not know come last."""
    known = functions()
    return known.index(role.function) if role.function in known else len(known)


def differences(found: Mapping[str, Measured], among: Iterable[str]) -> Iterator[str]:
    """What is not as it is declared, a line for each."""
    everything = set(asked(among))
    yield from (f"{each}: there is no such function" for each in functions() if each not in found)
    yield from (f"{each}: nothing declares it" for each in found if each not in functions())
    for function in (each for each in functions() if each in found):
        expected, measured = declared(function) & everything, found[function]
        for each in sorted(measured.allowed - expected):
            yield f"{function}: {each} is allowed and not declared"
        for each in sorted(expected - measured.allowed):
            yield f"{function}: {each} is declared and not allowed"
        for action, resource in sorted(measured.besides - BESIDES):
            yield f"{function}: {action} on {resource} is allowed and not foreseen"
        for action, resource in sorted(BESIDES - measured.besides):
            yield f"{function}: {action} on {resource} is foreseen and not allowed"


def matrix(found: Mapping[str, Measured]) -> str:
    """Function by resource, with the actions that were allowed."""
    rows = [("", *RESOURCES)]
    for function, measured in found.items():
        pattern = routed().get(function)
        cells = (
            " ".join(
                sorted(
                    each.action.removeprefix(PREFIX)
                    for each in measured.allowed
                    if each.resource == resource and not each.in_transaction
                )
            )
            for resource in RESOURCES
        )
        rows.append((f"{pattern.id if pattern else '-':5} {function}", *cells))
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def summary(counted: Figures) -> str:
    """What was asked for and what holds beside it."""
    outside = "".join(f"\n  {action} on {resource}" for action, resource in sorted(BESIDES))
    return (
        f"{counted.tried} asked: {counted.functions} functions, {counted.actions} actions of "
        f"DynamoDB on {counted.resources} resources, {len(IN_TRANSACTIONS)} steps of transactions\n"
        f"{counted.allowed} allowed, {counted.refused} refused\n\n"
        f"Outside DynamoDB each function may:{outside}\n\n"
        f"run_partiql: the emulator takes PartiQL for {EMULATED} and does not look at its table.\n"
        "On AWS the role has PartiQLSelect for the university's leading keys alone, and never for\n"
        "a full scan; that is asserted in the template (tests/stacks)."
    )


def say(line: str) -> None:
    """Tell how far it is: on a terminal in one line that is written over."""
    print(line, end="\r" if sys.stdout.isatty() else "\n", flush=True)


def main() -> int:
    """Measure on an emulator, print what came out, and return the exit status."""
    try:
        with (
            tempfile.TemporaryDirectory(prefix="permissions-") as folder,
            local_cloud(free_port(), Path(folder) / "cloud", CLOSED) as cloud,
        ):
            found = measure_all(cloud, actions(), say)
    except (RunError, MeasureError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"\n{matrix(found)}\n\n{summary(figures())}")
    wrong = list(differences(found, actions()))
    for line in wrong:
        print(f"not as declared: {line}", file=sys.stderr)
    if not wrong:
        print("All of it is as declared.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
