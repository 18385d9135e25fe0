"""The first table of the page: what most readers want to know, and where the rest of it is."""

from __future__ import annotations

from collections.abc import Iterator

from bench import bill, cost, heat, profile
from bench.ledger import EXAMPLE
from bench.results import Found
from docs.markdown import table
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import Write

Row = tuple[str, str, str]


def of(found: dict[str, Found]) -> str:
    """The table, from what every measurement has found."""
    return table(("In short", "", "More"), _rows(found))


def _rows(found: dict[str, Found]) -> Iterator[Row]:
    ledger = found["cost"]["ledger"]
    yield _reads(ledger)
    order = ledger["CW-05"]["cases"][EXAMPLE]
    units, least = sum(order["writes"].values()), order["least"]["write"]
    yield (
        "An order of one item",
        f"{units:g} write units, of which {least:g} are the change alone",
        "[writes](#writes)",
    )
    shop = profile.read(cost.SHOP)
    billed = bill.lines(shop, ledger)
    total = sum(line.total for line in billed) + bill.storage(shop)
    yield (
        f"{shop.calls_a_month / bill.MILLION:g} million calls in a month",
        f"{total:.2f} USD, without monitoring",
        "[the bill](#the-bill-of-a-month)",
    )
    hottest, rate = heat.first(found["heat"])
    yield (
        "What gets hot first",
        f"`{hottest}`, at {rate:,} calls a second",
        "[partitions](#which-partitions-get-hot)",
    )
    starts, warm = found["cold"]["starts"], found["warm"]
    yield (
        "A cold start, until the first answer",
        f"{starts['handler']['ratio'][1]:.2f} of the CPU time that boto3's client alone takes",
        "[cold starts](#a-cold-start)",
    )
    yield (
        "A warm GetItem",
        f"{1 / warm['item']['bare']['ratio'][1]:.2f} of what boto3's client alone takes",
        "[warm requests](#a-warm-request)",
    )
    resource, limit = (1 / warm["page"][name]["ratio"][1] for name in ("boto3_resource", "by_hand"))
    yield (
        "A page of 100 items",
        f"{resource:.2f} of what boto3's resource takes, {limit:.1f} times a client by hand",
        "[warm requests](#a-warm-request)",
    )
    free, throttled = (
        found["loading"][name]["writers"]["batch_writer"]["ratio"][1]
        for name in ("free", "throttled")
    )
    yield (
        "Loading",
        f"{free:.1f} times as fast as boto3's `batch_writer`; {throttled:.2f} times if throttled",
        "[loading](#loading)",
    )


def _reads(ledger: Found) -> Row:
    reads = [
        ledger[pattern.id]["cases"][EXAMPLE]
        for pattern in ACCESS_PATTERNS
        if not isinstance(pattern.operation, Write) and pattern.id in ledger
    ]
    requests = max(len(case["requests"]) for case in reads)
    units = max(case["reads"] for case in reads)
    return (
        f"Each of {len(reads)} reads, on the example data",
        f"{requests} request and {units:g} of a read unit at most",
        "[reads](#reads)",
    )
