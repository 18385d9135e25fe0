"""The cost ledger: what each pattern consumes, and the least that it could.

`python -m bench cost` measures it. `python -m bench.cost --profile FILE` prints the monthly bill of
a traffic profile; `bench/profiles/shop.toml` is one to begin with.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench import bill, ledger, profile, results
from bench.charges import Why
from bench.ledger import AGAIN, AGAIN_WITH_KEY, EXAMPLE, PAGES, WITH_KEY
from bench.results import Found, Say
from bench.units import read_units
from docs.markdown import picture, table
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import Write
from lambdas.design.table import INDEXES
from seed.terminal import silence
from stacks.prices import PRICES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOP: Final = Path(__file__).parent / "profiles" / "shop.toml"

SHORT: Final = {
    Why.READ_FIRST: "read first",
    Why.CONSISTENT: "consistent read",
    Why.NEXT_PAGE: "next page",
    Why.CHECK: "check",
    Why.TRANSACTION: "transaction",
    Why.MADE_ONCE: "token",
    Why.GUARD: "unique address",
    Why.REMEMBERED: "idempotency",
    Why.UNREAD_INDEX: "unread index",
    Why.REFUSED: "refused",
}


def measure(say: Say) -> Found:
    """The units of every pattern's example on the example data."""
    return {"ledger": ledger.measured(say)}


def dearer(kept: Found, now: Found) -> list[str]:
    """What costs more now than it did, a sentence for each call of a pattern."""
    return [text for text, by in _differences(kept, now) if by > 0]


def cheaper(kept: Found, now: Found) -> list[str]:
    """What costs less now than it did, a sentence for each call of a pattern."""
    return [text for text, by in _differences(kept, now) if by < 0]


def _differences(kept: Found, now: Found) -> Iterator[tuple[str, float]]:
    for pattern in (name for name in now if name in kept):
        for case, found in now[pattern]["cases"].items():
            was = _counted(kept[pattern]["cases"].get(case, found))
            for what, count in _counted(found).items():
                before = was.get(what, 0)
                yield f"{pattern} ({case}): {what} {before:g} -> {count:g}", count - before
            for what in was.keys() - _counted(found).keys():
                yield f"{pattern} ({case}): {what} {was[what]:g} -> 0", -was[what]


def _counted(case: Found) -> dict[str, float]:
    writes = {f"write units of {index}": units for index, units in case["writes"].items()}
    mean = {"bytes of a mean item": case["mean_size"]} if "mean_size" in case else {}
    return {"requests": len(case["requests"]), "read units": case["reads"], **writes, **mean}


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """The ledger, the cost of pages, and the bill of the profile that comes with it."""
    return "\n\n".join(
        [
            "## What each pattern consumes",
            INTRODUCTION,
            "### Reads",
            READS.format(table=_reads(found["ledger"])),
            "### Writes",
            WRITES,
            picture("cost", ALT),
            _writes(found["ledger"]),
            _reasons(),
            "### The bill of a month",
            _bill(found["ledger"]),
        ]
    )


INTRODUCTION: Final = """\
The requests are those that each pattern's example makes on the example data. Their units follow
from the bytes of the items before and after them by DynamoDB's published arithmetic
([`bench/units.py`](../bench/units.py)): a read counts in steps of 4 KB (half a unit each, one
if it is strongly consistent), a write in steps of 1 KB, the larger of the item before and after it;
each index has its own part in a write, and none if its entry stays as it is; in a transaction the
table's part counts twice. The tests hold the arithmetic to the worked examples of the
documentation and to two engines' own accounting: dynalite's for reads, ministack's for writes.
They fail when a pattern gets dearer."""

READS: Final = """\
Each read is one request, and the smallest: half a unit. The columns on the right are for lists
that are longer than on the example data, with items of the same mean size. One item more than the
page shows is read, to know whether another page follows.

{table}"""

WRITES: Final = """\
"Least" is what the change alone takes: each item written once, outside a transaction, with the
index entries that some pattern reads. What is above it buys a promise, and the last column says
which. *Again* is the same call a second time: mostly it is refused, and what is refused is
charged all the same (of a cancelled transaction DynamoDB does not say how much; all of it is
counted here)."""

BILL: Final = """\
In US dollars at list prices ([{where}](../stacks/prices.toml)), for
[a shop's traffic](../bench/profiles/shop.toml). Of the free tiers only that of storage is taken
off. Not in it: what is transferred, and the monitoring, which has
[prices of its own](monitoring.md#what-it-costs). For your own traffic, with every line:
`python -m bench.cost --profile FILE`."""

ALT: Final = (
    "Bars, one a write: the write units of the change alone, and on top of them those of the "
    "transaction, of checks, of the guard of the e-mail address and of index entries nobody reads."
)


def _reads(found: Found) -> str:
    header = ["Pattern", "Request", "Units", "Bytes of an item", *(f"Page of {n}" for n in PAGES)]
    rows = []
    for pattern in ACCESS_PATTERNS:
        if isinstance(pattern.operation, Write) or pattern.id not in found:
            continue
        case = found[pattern.id]["cases"][EXAMPLE]
        mean, is_list = case["mean_size"], pattern.is_paged
        pages = [f"{read_units(mean * (n + 1)):g}" if is_list else "" for n in PAGES]
        request = f"{case['requests'][0]} {pattern.index.name}".strip()
        rows.append(
            [f"{pattern.id} {pattern.name}", request, f"{case['reads']:g}", str(mean), *pages]
        )
    return table(header, rows)


def _writes(found: Found) -> str:
    places = ("Table", *(_breakable(index.name) for index in INDEXES))
    header = ["Pattern", "Requests", "Read units", "Write units", *places]
    rows = []
    for pattern in ACCESS_PATTERNS:
        if not isinstance(pattern.operation, Write) or pattern.id not in found:
            continue
        for name in (EXAMPLE, AGAIN, WITH_KEY, AGAIN_WITH_KEY):
            if case := found[pattern.id]["cases"].get(name):
                title = f"{pattern.id} {pattern.name}" if name == EXAMPLE else f"*{name}*"
                rows.append([title, *_figures(case)])
    return table([*header, "Least", "What more it buys"], rows)


def _breakable(name: str) -> str:
    """An index's name, which may break before each word but the first."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "<wbr>", name)


def _figures(case: Found) -> list[str]:
    places = ("table", *(index.name for index in INDEXES))
    parts = [case["writes"].get(place, 0) for place in places]
    more = [f"{SHORT[Why[name]]} {units:g}" for name, units in case["above"].items()]
    least = case["least"]["read"] + case["least"]["write"]
    return [
        str(len(case["requests"])),
        _or_nothing(case["reads"]),
        _or_nothing(sum(parts)),
        *map(_or_nothing, parts),
        f"{least:g}",
        ", ".join(more),
    ]


def _or_nothing(units: float) -> str:
    return f"{units:g}" if units else ""


def _reasons() -> str:
    return "\n".join(f"- *{SHORT[why]}*: {why.value}." for why in SHORT if why != Why.NEXT_PAGE)


def _bill(found: Found) -> str:
    shop = profile.read(SHOP)
    header, *rows = (
        bill.HEADER,
        *bill.rows(bill.lines(shop, found), bill.storage(shop), bill.SMALL),
    )
    introduction = BILL.format(where=f"{PRICES.region}, {PRICES.date}")
    return f"{introduction}\n\n{table(header, rows)}"


def plots(found: Found) -> dict[str, Figure]:
    """The write units of each write, by what they buy."""
    from bench import plot  # noqa: PLC0415 - the page is written without matplotlib

    known = [each for each in ACCESS_PATTERNS if each.id in found["ledger"]]
    writes = [each for each in known if isinstance(each.operation, Write)]
    cases = [found["ledger"][each.id]["cases"][EXAMPLE] for each in writes]
    reasons = [why for why in Why if why in BOUGHT_IN_WRITES]
    figure = plot.figure(8, 6)
    axes = figure.add_subplot()
    labels = [f"{each.id} {each.name}" for each in writes]
    ends = [0.0] * len(writes)
    for why, colour in zip([Why.NEEDED, *reasons], plot.COLOURS, strict=False):
        units = [_written(case, why) for case in cases]
        label = "the change alone" if why == Why.NEEDED else SHORT[why]
        axes.barh(labels, units, left=ends, color=colour, label=label, height=0.7)
        ends = [end + more for end, more in zip(ends, units, strict=True)]
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("write units of the example")
    axes.legend(loc="lower right")
    return {"cost": figure}


BOUGHT_IN_WRITES: Final = (Why.TRANSACTION, Why.MADE_ONCE, Why.GUARD, Why.CHECK, Why.UNREAD_INDEX)


def _written(case: Found, why: Why) -> float:
    units: float = case["least"]["write"] if why == Why.NEEDED else case["above"].get(why.name, 0)
    return units


# --- The bill on the command line -----------------------------------------------------------


def main(words: Sequence[str] | None = None) -> int:
    """Print the bill of a profile, and return the exit status."""
    parser = ArgumentParser(prog="python -m bench.cost", description=__doc__)
    parser.add_argument("--profile", type=Path, required=True, help="a TOML file; see profiles/")
    path = parser.parse_args(words).profile
    found = results.kept()["cost"]["ledger"]
    try:
        traffic = profile.read(path)
    except profile.ProfileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if unmeasured := sorted(traffic.shares.keys() - found.keys()):
        print(f"error: {unmeasured[0]} is not measured: `make bench ARGS=cost`", file=sys.stderr)
        return 1
    billed = bill.rows(bill.lines(traffic, found), bill.storage(traffic))
    try:
        print(f"US dollars a month, list prices of {PRICES.region}, {PRICES.date}\n")
        print(bill.aligned([bill.HEADER, *billed]), flush=True)
    except BrokenPipeError:  # nobody reads on
        silence()
    return 0


if __name__ == "__main__":
    sys.exit(main())
