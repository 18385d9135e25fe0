"""The monthly bill of a traffic profile, by pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from bench.ledger import Part, per_call
from bench.profile import Profile
from bench.results import Found
from lambdas.design import ACCESS_PATTERNS
from stacks.prices import PRICES, Gateway

MILLION: Final = 1_000_000


class Line(NamedTuple):
    """What the calls of a pattern cost in a month, in US dollars."""

    pattern: str
    calls: float
    reads: float
    writes: float
    """To the table."""
    indexes: float
    """The indexes' part of the writes."""
    gateway: float
    functions: float
    logs: float

    @property
    def parts(self) -> tuple[float, ...]:
        return (self.reads, self.writes, self.indexes, self.gateway, self.functions, self.logs)

    @property
    def total(self) -> float:
        return sum(self.parts)


def lines(profile: Profile, ledger: Found) -> list[Line]:
    """A line for each pattern that is called, in the order of the declaration."""
    shares = profile.shares
    return [
        _line(name, profile, shares[name], list(per_call(ledger, profile, name)))
        for name in ledger
        if name in shares
    ]


def storage(profile: Profile) -> float:
    """What the stored data costs in a month, its point-in-time recovery included, in US dollars."""
    prices, size = PRICES.dynamodb, profile.storage_gb
    paid = max(0.0, size - prices.free_storage_gb)
    return paid * prices.storage_gb_month + size * prices.recovery_gb_month


def _line(name: str, profile: Profile, share: float, parts: Sequence[Part]) -> Line:
    calls = profile.calls_a_month * share
    reads = sum(part.units for part in parts if part.kind == "read")
    to_table = sum(part.units for part in parts if part.kind == "write" and not part.index)
    to_indexes = sum(part.units for part in parts if part.kind == "write" and part.index)
    seconds = profile.function.duration_ms / 1000 * profile.function.memory_mb / 1024
    function = PRICES.functions.million_requests / MILLION + seconds * PRICES.functions.gb_second
    return Line(
        name,
        calls,
        calls * reads * PRICES.dynamodb.million_read_units / MILLION,
        calls * to_table * PRICES.dynamodb.million_write_units / MILLION,
        calls * to_indexes * PRICES.dynamodb.million_write_units / MILLION,
        gateway(PRICES.gateway, profile.calls_a_month) * share,
        calls * function,
        calls * profile.function.log_bytes / 1e9 * PRICES.cloudwatch.logs_gb,
    )


def gateway(prices: Gateway, requests: float) -> float:
    """What so many requests of the HTTP API cost in a month, in US dollars."""
    first = min(requests, prices.first_million_requests * MILLION)
    further = requests - first
    return (first * prices.million_requests + further * prices.further_million_requests) / MILLION


# --- As a table -----------------------------------------------------------------------------

HEADER: Final = (
    "Pattern",
    "Calls",
    "Reads",
    "Writes",
    "Indexes",
    "API",
    "Lambda",
    "Logs",
    "Total",
    "A million calls",
)

SMALL: Final = 0.1
"""US dollars a month below which a page for readers does not list a pattern by itself."""


def rows(billed: Sequence[Line], stored: float, at_least: float = 0) -> list[list[str]]:
    """The bill's rows: the patterns, the dearest first, then storage, and the sum of each part.

    Patterns that cost less than `at_least` are one row together.
    """
    dearest = sorted(billed, key=lambda line: -line.total)
    listed = [line for line in dearest if line.total >= at_least]
    others = dearest[len(listed) :]
    sums = _row("Total", billed)
    sums[-2:] = [_dollars(sum(line.total for line in billed) + stored), ""]
    return [
        *(_row(f"{line.pattern} {NAMES[line.pattern]}", [line]) for line in listed),
        *([_row(f"{len(others)} others", others)] if others else []),
        ["Storage", *[""] * (len(HEADER) - 3), _dollars(stored), ""],
        sums,
    ]


NAMES: Final = {pattern.id: pattern.name for pattern in ACCESS_PATTERNS}


def _row(name: str, billed: Sequence[Line]) -> list[str]:
    calls = sum(line.calls for line in billed)
    parts = [sum(column) for column in zip(*(line.parts for line in billed), strict=True)]
    amounts = [*parts, sum(parts), sum(parts) / calls * MILLION]
    return [name, f"{calls:,.0f}", *map(_dollars, amounts)]


def _dollars(amount: float) -> str:
    return f"{amount:,.2f}" if amount else ""


def aligned(table: Sequence[Sequence[str]]) -> str:
    """A table for the terminal: names on the left, figures on the right, a line above the last."""
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    written = [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    rule = "-" * (sum(widths) + 2 * len(widths) - 2)
    return "\n".join([written[0], rule, *written[1:-1], rule, written[-1]])
