"""Traffic profiles: what is called how often, from a TOML file like `profiles/shop.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, ValidationError, convert, field

from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.operations import Query
from lambdas.design.values import MAX_LIMIT
from lambdas.runtime.settings import FUNCTION_TIMEOUT_SECONDS

Amount = Annotated[float, Meta(ge=0, le=1e12)]
Positive = Annotated[float, Meta(gt=0, le=1e12)]
Memory = Annotated[int, Meta(ge=128, le=10_240)]
"""What a function can have: Lambda Developer Guide, "Lambda quotas"."""
Duration = Annotated[float, Meta(gt=0, le=FUNCTION_TIMEOUT_SECONDS * 1000)]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1, le=10**12)]
Read = Annotated[int, Meta(ge=1, le=MAX_LIMIT + 1)]
"""How many items a list reads: no page is longer, and one item more than it shows is read."""

MEMORY_MB: Final = 512
"""What `stacks.pattern_function` gives the functions."""


class ProfileError(Exception):
    """A profile that cannot be used; the message says where and why."""


LOG_BYTES: Final = 1200
"""What a call adds to the logs: the line of `lambdas.runtime.endpoint` with its metrics, some 500
bytes, the gateway's access log (170), and `platform.start` and `platform.report` as Lambda writes
them in JSON (140 and 240). CloudWatch adds 26 to each line (PutLogEvents, API Reference)."""


class Function(Struct, forbid_unknown_fields=True):
    """What a call takes of a function."""

    memory_mb: Memory = MEMORY_MB
    duration_ms: Duration = 20
    log_bytes: Amount = LOG_BYTES


class Values(Struct, forbid_unknown_fields=True):
    """How the calls spread over the values of a field, by Zipf's law."""

    count: Count
    exponent: Amount = 0


class Profile(Struct, forbid_unknown_fields=True):
    """A month's traffic."""

    calls_a_month: Positive
    calls: dict[str, Amount]
    """By pattern, in relation to one another."""
    storage_gb: Amount = 0
    function: Function = field(default_factory=Function)
    with_key: dict[str, Share] = {}
    items: dict[str, Read] = {}
    values: dict[str, Values] = {}

    @property
    def shares(self) -> dict[str, float]:
        """The part of all calls that each pattern has; together they are 1."""
        total = sum(self.calls.values())
        return {name: part / total for name, part in self.calls.items() if part}


def read(path: Path) -> Profile:
    """The profile in a file. Raises ProfileError."""
    try:
        said = tomllib.loads(path.read_text("utf-8"))
        _check_each(said)
        profile = convert(said, Profile)
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProfileError(f"{path}: is no TOML: {error}") from None
    except ValidationError as error:
        raise ProfileError(f"{path}: {error}") from None
    if fault := _fault(profile):
        raise ProfileError(f"{path}: {fault}")
    return profile


def _check_each(said: dict[str, Any]) -> None:
    """Raise ValidationError, with its name, for a value that cannot be in one of the tables."""
    kinds = {"calls": Amount, "with_key": Share, "items": Read, "values": Values}
    for table, kind in kinds.items():
        values = said.get(table)
        for name, value in values.items() if isinstance(values, dict) else ():
            try:
                convert(value, kind)
            except ValidationError as error:
                raise ValidationError(f"{table}: {name}: {error}") from None


def _fault(profile: Profile) -> str | None:
    patterns = {each.id for each in ACCESS_PATTERNS}
    lists = {each.id for each in ACCESS_PATTERNS if isinstance(each.operation, Query)}
    keyed = {each.id for each in ACCESS_PATTERNS if each.is_idempotent}
    fields = {name for entity in ENTITIES for key in entity.keys for name in key.fields}
    return (
        _unknown("calls", profile.calls, patterns, "no access pattern")
        or _unknown("with_key", profile.with_key, keyed, "no pattern that takes a key")
        or _unknown("items", profile.items, lists, "no pattern that is a Query")
        or _unknown("values", profile.values, fields, "no field of a key")
        or (None if any(profile.calls.values()) else "calls: nothing is called")
    )


def _unknown(table: str, names: Iterable[str], known: set[str], what: str) -> str | None:
    unknown = sorted(set(names) - known)
    if not unknown:
        return None
    return f"{table}: {unknown[0]!r} is {what}; there are {', '.join(sorted(known))}"
