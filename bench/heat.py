"""Heat: which partition keys of the table and its indexes reach a limit, and when.

`python -m bench heat` takes the units of each call from the ledger (`bench.cost`) and the spread of
the calls from a traffic profile, and asks at which rate of calls the busiest value of each
partition key consumes what one partition gives.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from bench import cost, profile, results, spreading
from bench.charges import Kind, shards_of
from bench.ledger import per_call
from bench.profile import Profile
from bench.results import Found, Say
from docs.markdown import code, picture, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMITS: Final[dict[Kind, int]] = {"read": 3000, "write": 1000}
"""The units that one partition gives in a second: Developer Guide, "Best practices for designing
and using partition keys effectively in DynamoDB"."""

RATES: Final = (1_000, 10_000, 100_000)
"""Calls a second of the whole service."""

SHOWN_UP_TO: Final = 2_000_000
"""What stays cool up to this rate is left out."""

LIST: Final = (*spreading.PLACE, "write")
"""What gets hot first."""

EVERY_CALL: Final = "every call"

REMEDIES: Final = {
    "STATUS#PENDING": (
        "New orders all go to the end, since the sort key begins with the time; so the split by "
        "which DynamoDB itself relieves a hot partition does not help. Several partition keys do, "
        "which is one word in the declaration: see [below](#statuspending-spread)."
    ),
    "SESSION#EXPIRING": (
        "As for pending orders, when all sessions live equally long: `shards=` at its key. "
        "Or leave the list out: the time to live removes what has expired without it."
    ),
    "CATEGORY#{Category:first-level}": (
        "The same pages are asked for again and again: keep them for some seconds in front of the "
        "API. Or take the second level into the partition key; the list of a whole first level is "
        "then a request for each of its second levels."
    ),
    "VIP": (
        "The index has whole items, so every change of a VIP's profile is a write here. One that "
        "has keys only would stay as it is. The sort key is spread, so DynamoDB's own split helps."
    ),
    "PROFILE": (
        "All profiles have one sort key, which is the lecture's, and nothing reads them here. "
        "Other entities repeat their partition key as sort key; then each has a partition of its "
        "own."
    ),
    "PERSON#{PersonId}": (
        "Each follow counts up the item of the one who is followed, and a single item cannot be "
        "split; transactions that meet there are refused even earlier. Write the relation alone, "
        "and count in batches from the table's stream."
    ),
    "FOLLOWS#{FolloweeId}": (
        "The followers of one person. The sort key is the follower, which is spread, so "
        "DynamoDB's own split helps; readers can share a kept first page."
    ),
    "PRODUCT#{ProductId}": (
        "One item cannot be split. Keep the most wanted products for some seconds in front of the "
        "API, in DAX, or in the functions' memory."
    ),
    "ITEM#{ProductId}": (
        "The orders of one product. The sort key begins with the time of the order: several "
        "partition keys, as for pending orders, if one product ever sells that fast."
    ),
}
"""What removes the heat of a partition key, by its template."""

OF_ALL: Final = (
    "All its items lie in one partition. With `shards=` at its key they are spread over several, "
    "which bear as many times the rate, and the list is a request for each of them."
)
OF_ONE_VALUE: Final = (
    "One value that comes too often. Reads can be kept for some seconds in front of the API; "
    "writes need several partition keys for that value."
)
"""What is to be said of a template that nobody has thought about yet."""


class Load(Struct, frozen=True):
    """What the calls consume of one partition key, by the field whose value it takes."""

    index: str
    template: str
    kind: Kind
    by_field: dict[str | None, float]
    """The mean units of a call of the service. None: the key has no field, so all calls that
    touch it touch the same partition."""
    shards: int = 1
    """Over how many partitions each value is spread."""


def measure(say: Say) -> Found:
    """The partition keys that reach a limit, under the profile that comes with the bench."""
    say("units of the ledger, spread by profiles/shop.toml")
    ledger = results.kept()["cost"]["ledger"]
    shop = profile.read(cost.SHOP)
    found = loads(ledger, shop)
    [hottest] = (each for each in found if (each.index, each.template, each.kind) == LIST)
    size = ledger["AP-05"]["cases"]["example"]["mean_size"]
    return {
        "partitions": [_found(load, shop) for load in found],
        "spread": spreading.measure(
            units(hottest, shop, 1) * hottest.shards, LIMITS[hottest.kind], RATES[-1], size
        ),
    }


def loads(ledger: Found, traffic: Profile) -> list[Load]:
    """What a mean call consumes, by partition key."""
    summed: dict[tuple[str, str, Kind], dict[str | None, float]] = {}
    for pattern, share in traffic.shares.items():
        for part in per_call(ledger, traffic, pattern):
            by_field = summed.setdefault((part.index, part.template, part.kind), {})
            by_field[part.field] = by_field.get(part.field, 0) + part.units * share
    return [
        Load(*place, by_field, shards_of(*place[:2])) for place, by_field in sorted(summed.items())
    ]


def units(load: Load, traffic: Profile, rank: int) -> float:
    """The mean units that a call of the service consumes of the rank-th busiest partition; of one
    of its shards, if it has any."""
    spread = (part * _frequency(field, traffic, rank) for field, part in load.by_field.items())
    return sum(spread) / load.shards


def limit_reached_at(load: Load, traffic: Profile) -> float | None:
    """The calls a second at which the busiest partition consumes all that it gives; None if its
    key is another one in every call."""
    busiest = units(load, traffic, 1)
    return LIMITS[load.kind] / busiest if busiest else None


def hot(load: Load, traffic: Profile, rate: float) -> int:
    """How many partition keys would consume more than a partition gives, at so many calls a second.

    Frequencies fall with the rank, so the keys that are hot are the first ones.
    """
    limit = LIMITS[load.kind] / rate
    ranks = range(1, _values(load, traffic) + 1)
    return bisect_left(ranks, True, key=lambda rank: units(load, traffic, rank) <= limit)


def _values(load: Load, traffic: Profile) -> int:
    """How many partitions the calls spread over at most, as far as the profile says."""
    counts = (traffic.values[field].count for field in load.by_field if field in traffic.values)
    return max(counts, default=1)


def _frequency(field: str | None, traffic: Profile, rank: int) -> float:
    """The part of the calls that have the rank-th most frequent value of a field."""
    if field is None:
        return float(rank == 1)
    values = traffic.values.get(field)
    if values is None or rank > values.count:
        return 0.0
    return float(rank**-values.exponent) / _all_frequencies(values.count, values.exponent)


@lru_cache
def _all_frequencies(count: int, exponent: float) -> float:
    return sum(float(rank**-exponent) for rank in range(1, count + 1))


def _found(load: Load, traffic: Profile) -> Found:
    return {
        "index": load.index,
        "template": load.template,
        "kind": load.kind,
        "fields": sorted(field or EVERY_CALL for field in load.by_field),
        "units_a_call": round(units(load, traffic, 1), 9),
        "limit_at": limit_reached_at(load, traffic),
        "hot": {str(rate): hot(load, traffic, rate) for rate in RATES},
    }


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """The partition keys by the rate at which they reach a limit, and what removes each."""
    shown = _shown(found)
    return "\n\n".join(
        [
            "## Which partitions get hot",
            INTRODUCTION,
            picture("heat", ALT),
            table(
                (
                    "Index",
                    "Partition key",
                    "Units",
                    "The busiest takes of 1000 calls",
                    "Reaches its limit at (calls/s)",
                    *(f"At {rate:,} calls/s" for rate in RATES),
                ),
                map(_row, shown),
            ),
            "What removes it:",
            "\n".join(_remedies(shown)),
            spreading.section(found["spread"]),
        ]
    )


INTRODUCTION: Final = f"""\
One partition gives {LIMITS["read"]} read units and {LIMITS["write"]} write units a second
(Developer Guide, "Best practices for designing and using partition keys effectively in DynamoDB"),
and all items with one partition key begin in one partition. The table takes the units of each call
from the ledger above and the mixture of calls from
[the same profile](../bench/profiles/shop.toml), where some values of a field come more often than
others, and asks at how many calls a second of the whole service the busiest value of each partition
key reaches a limit. A template without a field is one partition for all. An index that is throttled
throttles the writes to the table too ("Using Global Secondary Indexes in DynamoDB"), so a sparse
list can be what stops the shop. Short bursts are borne by unused capacity of the last five minutes
("DynamoDB burst and adaptive capacity"); they are not counted on here. A deployment has
[ceilings of its own](deployment.md), at the gateway, the table and each index: as they come, these
refuse calls long before a partition does."""

ALT: Final = (
    "Bars, one a partition key, that end at the calls a second at which its busiest value reaches "
    "the limit of a partition, beside lines at a thousand, ten thousand and a hundred thousand."
)


def _shown(found: Found) -> list[Found]:
    """The partition keys that reach a limit, the first first."""
    reached = [
        each for each in found["partitions"] if (each["limit_at"] or SHOWN_UP_TO) < SHOWN_UP_TO
    ]
    return sorted(reached, key=lambda each: float(each["limit_at"]))


def first(found: Found) -> tuple[str, int]:
    """The partition key that reaches a limit first, and at how many calls a second."""
    each = _shown(found)[0]
    return each["template"], _rounded(each["limit_at"])


def _row(each: Found) -> list[str]:
    return [
        each["index"] or "(table)",
        code(each["template"]),
        each["kind"],
        f"{each['units_a_call'] * 1000:.2g}",
        f"{_rounded(each['limit_at']):,}",
        *(_state(each, rate) for rate in RATES),
    ]


def _state(each: Found, rate: int) -> str:
    """How near the busiest partition is to its limit, or how many keys are beyond it."""
    if count := each["hot"][str(rate)]:
        return f"**hot: {count} key{'s' if count > 1 else ''}**"
    if (hundredths := round(100 * rate / each["limit_at"])) < 1:
        return "under 1%"
    return f"{hundredths}%"


def _rounded(rate: float) -> int:
    """A rate to two digits; the profile's figures are not more exact."""
    return int(float(f"{rate:.2g}"))


def _remedies(shown: list[Found]) -> Iterator[str]:
    for template in dict.fromkeys(each["template"] for each in shown):
        general = OF_ONE_VALUE if "{" in template else OF_ALL
        yield f"- {code(template)}: {REMEDIES.get(template, general)}"


def plots(found: Found) -> dict[str, Figure]:
    """The rates at which partition keys reach a limit."""
    from bench import plot  # noqa: PLC0415 - the page is written without matplotlib

    shown = _shown(found)
    figure = plot.figure(8, 5)
    axes = figure.add_subplot()
    for kind, colour in zip(LIMITS, plot.COLOURS, strict=False):
        places = [place for place, each in enumerate(shown) if each["kind"] == kind]
        rates = [shown[place]["limit_at"] for place in places]
        axes.barh(places, rates, color=colour, label=f"{kind} units", height=0.6)
    axes.set_xscale("log")
    axes.set_xlim(500, SHOWN_UP_TO)
    axes.set_yticks(range(len(shown)), labels=[_label(each) for each in shown])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    for rate in RATES:
        axes.axvline(rate, color="#333333", linewidth=1, linestyle="--")
    axes.set_xlabel("calls a second at which the busiest partition reaches its limit")
    figure.legend(loc="outside upper right", ncols=len(LIMITS))
    return {"heat": figure, **spreading.plots(found["spread"])}


def _label(each: Found) -> str:
    return f"{each['index'] or 'table'}: {each['template']} ({each['kind']})"
