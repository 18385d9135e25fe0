"""Spreading: what the hottest list gains from shards, and what they cost those who read it.

The pending orders are written under one partition key. Here as many orders as are written in a
second are given their shards by the very function by which the runtime does it.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING, Final

from bench.results import Found
from bench.units import read_units
from docs.markdown import code, picture, table
from lambdas.design.ecommerce import Order
from lambdas.runtime import keys

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE: Final = (Order.pending.index.name, str(Order.pending.partition))
"""The list, by its index and its template."""

FILLED: Final = 0.5
"""How far the busiest shard may be filled. The rest is for what the digest spreads unevenly, for
bursts, and for the time until the number is raised."""

PAGES: Final = (10, 50, 200)


def shards_for(units: float, limit: int) -> int:
    """The least number of shards of which none is filled more than half by so many units a second,
    when they are spread evenly."""
    return max(1, ceil(units / (limit * FILLED)))


def measure(written: float, limit: int, rate: int, mean_size: int) -> Found:
    """The list at so many calls a second of the service, of which each writes `written` units to
    it on average; `mean_size` are the bytes of an order."""
    orders = round(written * rate)  # an order's entry is one unit
    shards = shards_for(written * rate, limit)
    filled = Counter(keys.shard(_primary(order), shards) for order in range(orders))
    return {
        "rate": rate,
        "limit": limit,
        "shards": shards,
        "before": orders,
        "after": [filled[shard] for shard in range(shards)],
        "pages": {
            str(page): {"before": units, "after": units * shards}
            for page in PAGES
            for units in [read_units(mean_size * (page + 1))]
        },
    }


def _primary(order: int) -> tuple[str, str]:
    """The primary key of one of the orders of a second, each of another user."""
    values = {"UserId": f"U-{order:06}", "OrderId": f"2025-01-05T12:00:00.000Z-{order:06}"}
    return keys.encode(Order.primary.partition, values), keys.encode(Order.primary.sort, values)


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """What the shards do to the list, and to its readers."""
    rows = [*_of_writers(found), *_of_readers(found)]
    return "\n\n".join(
        [
            f"### {code(PLACE[1])}, spread",
            ABOUT.format(**found),
            picture("spreading", ALT),
            table(("", "One partition key", f"{found['shards']} shards"), rows),
            PRICE.format(**found, empty=_plain(found["shards"] * read_units(0))),
        ]
    )


def _of_writers(found: Found) -> list[tuple[str, ...]]:
    busiest = (found["before"], max(found["after"]))
    reached = (found["rate"] * found["limit"] / each for each in busiest)
    return [
        ("Write units a second, the busiest", *(f"{each:,}" for each in busiest)),
        ("Of what a partition gives", *(f"{each / found['limit']:.0%}" for each in busiest)),
        ("Reaches its limit at (calls/s)", *(f"{int(float(f'{each:.2g}')):,}" for each in reached)),
    ]


def _of_readers(found: Found) -> list[tuple[str, ...]]:
    return [
        ("Requests for a page", "1", str(found["shards"])),
        *(
            (f"Read units for a page of {page}", _plain(each["before"]), _plain(each["after"]))
            for page, each in found["pages"].items()
        ),
    ]


ABOUT: Final = """\
With `shards={shards}` at its key ([how to get there](changing-the-model.md#another-number-of-shards))
each order goes to one of {shards} partition keys. The number follows from the profile by a rule: the
least with which, spread evenly, no shard is filled more than half at {rate:,} calls a second. These
are the orders of one such second, given their shards by the runtime's own function:"""  # noqa: E501

PRICE: Final = """\
Readers pay for it. A page is {shards} requests at the same time, and since all of it may lie in
one shard, each is asked for a whole page: {shards} times the units while many orders wait, and
{empty} when none does. Every reader touches every shard, so to reads a shard is as hot as the one
partition was. It pays where much is written and little is read; the shipped declaration has one
partition key."""

ALT: Final = (
    "Bars of write units a second: one partition key far above the limit of a partition, and "
    "beside it the shards, each at about half of it."
)


def _plain(units: float) -> str:
    return f"{units:g}"


def plots(found: Found) -> dict[str, Figure]:
    """What is written to the list in a second, before and after."""
    from bench import plot  # noqa: PLC0415 - the page is written without matplotlib

    figure = plot.figure(8, 3.5)
    axes = figure.add_subplot()
    suffixes = [f"#{shard}/{found['shards']}" for shard in range(found["shards"])]
    before, after = plot.COLOURS[1], plot.COLOURS[0]
    axes.bar([PLACE[1]], [found["before"]], color=before, label="one partition key")
    axes.bar(suffixes, found["after"], color=after, label=f"{found['shards']} shards")
    axes.axhline(found["limit"], color="#333333", linewidth=1, linestyle="--")
    axes.annotate(
        "what a partition gives",
        (len(suffixes), found["limit"]),
        (0, 4),
        textcoords="offset points",
        ha="right",
    )
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(f"write units a second at {found['rate']:,} calls/s")
    figure.legend(loc="outside upper right", ncols=2)
    return {"spreading": figure}
