"""The figures in docs/single-table.md: what the measurements say of each row of the comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil
from typing import Final

from bench import bill, cost, profile, results, tables
from bench.results import Found
from bench.several_tables.schema import ORDERS
from bench.units import read_units
from docs.dashboard import of_type, template
from docs.markdown import between_markers, code, picture, table
from docs.monitoring import PATTERNS
from lambdas.design import ecommerce, university
from lambdas.design.table import INDEXES
from lambdas.runtime import metrics
from stacks.prices import PRICES

DESIGNS: Final = ("One table", "Several tables")

Row = tuple[str, str, str]
"""What was looked at, and what was found in each design."""


def with_figures(text: str) -> str:
    """The page with the figures of each row between their markers."""
    found = results.kept()
    compared, grown = found["tables"], found["growth"]
    blocks = {
        "in-short": _in_short(compared),
        "queries": _table(_queries(compared, grown)),
        "efficiency": _efficiency(compared, found["cost"]),
        "complexity": _table(_complexity(compared)),
        "readability": _table(_readability(compared)),
        "changes": _table(_changes(compared)),
        "monitoring": _table(_monitoring()),
        "paid-back": _paid_back(compared),
    }
    return between_markers(text, blocks)


def _table(rows: Iterable[Row]) -> str:
    return table(("", *DESIGNS), rows)


def _in_short(compared: Found) -> str:
    asked, shop = compared["questions"], tables.Shop(compared["shop"])
    joined = [each["several"]["requests"] for each in asked.values() if _joins(each)]
    order = tables.change(compared, "Place an order of 10 items")
    stored, scanned = shop.stored, shop.looked_through
    return _table(
        [
            ("Requests for what belongs together", "1", f"{min(joined)} to {max(joined)}"),
            ("Their time, all sent at once", "1", tables.slowed(asked, rounds=1)),
            ("Their time, one waiting for another", "1", tables.slowed(asked, rounds=2)),
            ("Time of a question about one entity", "1", _alone(asked)),
            (
                "Write units of an order of 10 items",
                str(order["single"]["units"]),
                str(order["several"]["units"]),
            ),
            (
                "Bytes stored, with the indexes",
                f"{stored['single'] / stored['several']:.1f} times as many",
                "1",
            ),
            (
                "Bytes read to look through all orders",
                f"{scanned['single'] / scanned['several']:.0f} times as many",
                "1",
            ),
        ]
    )


def _joins(question: Found) -> bool:
    """Whether the question is about several entities, which lie in several tables."""
    return bool(question["several"]["requests"] > 1)


def _alone(asked: Found) -> str:
    """The time of the questions about one entity, in several tables."""
    return tables.spread(
        [each["5 ms"]["several"]["ratio"][1] for each in asked.values() if not _joins(each)]
    )


def _queries(compared: Found, grown: Found) -> Iterable[Row]:
    for title, each in compared["questions"].items():
        yield title, _asked(each["single"]), _asked(each["several"])
    size, largest = max(grown["sizes"].items(), key=lambda each: int(each[0]))
    reads = largest["reads"].values()
    dearest = {name: max(each[name] for each in reads) for name in ("requests", "units")}
    yield (
        f"The dearest of {len(reads)} read patterns among {int(size):,} items",
        _asked(dearest),
        "not measured",
    )
    yield "What no key answers among these: a Scan", _asked(largest["scan"]), "not measured"


def _asked(counted: Found) -> str:
    count = counted["requests"]
    rounds = f" in {counted['rounds']} rounds" if counted.get("rounds", 1) > 1 else ""
    units = f"{counted['units']:,g} unit{'s' * (counted['units'] != 1)}"
    return f"{count} request{'s' * (count > 1)}{rounds}, {units}"


def _efficiency(compared: Found, costs: Found) -> str:
    asked, shop = compared["questions"], tables.Shop(compared["shop"])
    rows = [
        (aspect.removeprefix("Efficiency: ").capitalize(), *both)
        for aspect, both in tables.comparison(compared).items()
        if aspect.startswith("Efficiency: ")
    ]
    rows.insert(1, ("Time of a question about one entity", "1", _alone(asked)))
    changes = compared["changes"]
    cheaper = sum(each["several"]["units"] < each["single"]["units"] for each in changes)
    dearer = sum(each["several"]["units"] > each["single"]["units"] for each in changes)
    rows.append(
        (
            f"Changes that are cheaper, of {len(changes)}",
            str(dearer or "none"),
            f"{cheaper}, the same in the others",
        )
    )
    rows.append(
        (
            f"Bytes of a shop of {shop.items:,} items",
            f"{shop.stored['single']:,}",
            f"{shop.stored['several']:,}",
        )
    )
    return "\n\n".join([picture("tables", tables.ALT), _table(rows), _bill(costs)])


def _bill(costs: Found) -> str:
    shop = profile.read(cost.SHOP)
    lines, storage = bill.lines(shop, costs["ledger"]), bill.storage(shop)
    return BILL.format(
        calls=shop.calls_a_month / bill.MILLION,
        total=sum(line.total for line in lines) + storage,
        reads=sum(line.reads for line in lines),
        writes=sum(line.writes + line.indexes for line in lines),
        indexes=sum(line.indexes for line in lines),
        storage=storage,
    )


BILL: Final = """\
[The bill of a month](performance.md#the-bill-of-a-month) with {calls:g} million calls is
{total:.2f} USD with one table. Reads are {reads:.2f} of it, writes {writes:.2f} ({indexes:.2f} of
that for the indexes), storage {storage:.2f}.
The rest is the gateway, the functions and their logs; monitoring is not in it."""


def _complexity(compared: Found) -> Iterable[Row]:
    schema = compared["schema"]
    single, several = schema["single"], schema["several"]
    yield (
        "Key schemas to model: tables and indexes",
        f"{single['tables']} and {single['indexes']}",
        f"{several['tables']} and {several['indexes']}",
    )
    modelled = (*ecommerce.ENTITIES, *university.ENTITIES)
    sharing = Counter(key.index.name for each in modelled for key in each.keys)
    yield (
        "Entities whose keys share one schema, and must not meet",
        f"up to {max(sharing.values())}",
        "1",
    )
    yield (
        "Alarms, if each table and index has those of this project",
        str(_alarms(**single)),
        str(_alarms(**several)),
    )


def _alarms(tables: int, indexes: int) -> int:
    """How many alarms the monitoring here would have, with its own for each table and index."""
    alarms = of_type("AWS::CloudWatch::Alarm", template()).values()
    names = [each["AlarmName"] for each in alarms]
    of_a_place = sum(name.endswith("-Table") for name in names)
    of_a_table = sum(name.endswith("-Conflicts") for name in names)
    of_all = len(names) - of_a_place * (1 + len(INDEXES)) - of_a_table
    found: int = of_all + of_a_table * tables + of_a_place * (tables + indexes)
    return found


def _readability(compared: Found) -> Iterable[Row]:
    yield "An order, on average", *tables.comparison(compared)["Readability"]
    single = (name for key in ecommerce.Order.keys for name in key.index.key_attributes)
    of_indexes = (name for index in ORDERS.indexes for name in index.key_attributes)
    several = (*ORDERS.key_attributes, *of_indexes)
    yield "The names of an order's keys", _named(single), _named(several)
    page = {
        design: f"{read_units(int(size * 201)):g}"
        for design, size in tables.Shop(compared["shop"]).order_bytes.items()
    }
    yield "Read units of a page of 200 orders", page["single"], page["several"]


def _named(attributes: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(map(code, attributes)))


def _changes(compared: Found) -> Iterable[Row]:
    aspect = "Change of the schema: a new index on orders"
    yield "A new index on orders", *tables.comparison(compared)[aspect]
    orders = tables.Shop(compared["shop"]).orders
    yield (
        "Its backfill, if the attribute is there already",
        f"{orders:,} items get keys",
        "none: the attribute is the key",
    )
    moved = tables.change(compared, "Move a seminar of 50 students")
    yield (
        "Items to write when a seminar of 50 students moves to another room",
        str(moved["single"]["items"]),
        str(moved["several"]["items"]),
    )


def _monitoring() -> Iterable[Row]:
    added = sum(len(metrics.of(each)) for each in PATTERNS)
    prices = PRICES.cloudwatch
    monthly = (added - prices.free_metrics) * prices.metric_month
    yield (
        "DynamoDB's own metrics tell apart",
        f"1 table, {len(INDEXES)} indexes",
        "each entity, and each of its indexes",
    )
    yield (
        "Metrics that this project adds, by pattern",
        f"{added}; {monthly:.2f} USD a month if every pattern is called in every hour",
        "none, to tell entities apart; as many, to tell patterns apart",
    )


def _paid_back(compared: Found) -> str:
    order = tables.change(compared, "Place an order of 10 items")
    dearer = order["single"]["units"] - order["several"]["units"]
    asked = compared["questions"]["An order with its items"]
    saved = asked["several"]["units"] - asked["single"]["units"]
    prices = PRICES.dynamodb
    ratio = prices.million_write_units / prices.million_read_units
    return PAID_BACK.format(
        dearer=dearer, ratio=ratio, saved=saved, times=ceil(dearer * ratio / saved)
    )


PAID_BACK: Final = """\
Placing an order of 10 items takes {dearer} write units more in one table, each as dear as
{ratio:g} read units. Reading an order with its items saves {saved:g} of a read unit. So an order
has to be read {times} times before reading has paid for writing."""
