"""The single table beside several tables: the same data, the same questions, the same changes.

`bench.several_tables` has the other design. Both stand in one dynalite, which counts what is read;
how long the questions take is measured on recorded answers that come after a delay.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import chain
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from msgspec import Struct

from bench import pairs, replay
from bench.busiest import Busiest
from bench.engines import dynalite
from bench.meter import metered, quiet
from bench.replay import Exchanges, recorded
from bench.results import Found, Say
from bench.several_tables import load, questions
from bench.several_tables.changes import CHANGES, in_several_tables, in_single_table
from bench.several_tables.questions import Reads
from bench.several_tables.schema import TABLES, rows, rows_of
from bench.units import entry, read_units
from docs import sample
from docs.markdown import picture, table
from lambdas.design.ecommerce import (
    GET_ORDER,
    GET_USER_WITH_ORDERS,
    LIST_PENDING_ORDERS,
    LIST_USER_ORDERS,
)
from lambdas.design.entity import Entity
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INDEXES, INVERTED_INDEX
from lambdas.design.university import (
    GET_PROFESSOR,
    GET_STUDENT,
    LIST_SEMINAR_STUDENTS,
    Enrolment,
    Teaching,
)
from lambdas.runtime import keys, store
from lambdas.runtime.items import size, to_item
from lambdas.runtime.store import Store
from seed import generated
from seed.datasets import DATASETS
from seed.progress import Progress
from seed.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ITEMS: Final = 2_000
"""Of the shop, and as many of the university; with them the example data."""

SHOP: Final = 20_000
"""Items of a shop whose bytes are counted."""

DELAYS_MS: Final = (1, 5)
TURNS: Final = 31

SCAN_PAGE: Final = 1024 * 1024
"""The most bytes that a Scan reads in one request."""


class Question(Struct, frozen=True):
    """A question, and how each design answers it."""

    title: str
    ids: str
    pattern: AccessPattern
    """What is asked for; where `single` is not set, its handler answers."""
    several: Callable[..., Any]
    single: Callable[..., Any] | None = None


def seminar_at_once(title: str) -> dict[str, list[str]]:
    """UN-06 and UN-07 in one, of the single table: the whole partition of the inverted index."""
    asked = {
        "IndexName": INVERTED_INDEX.name,
        "KeyConditionExpression": "#partition = :value",
        "ExpressionAttributeNames": {"#partition": INVERTED_INDEX.partition_key},
        "ExpressionAttributeValues": {
            ":value": {"S": keys.encode(Enrolment.inverted.partition, {"Seminar": title})}
        },
    }
    found, _ = Store().query(asked)
    return {
        "students": list(_decoded(Enrolment, "Student", found)),
        "professors": list(_decoded(Teaching, "Professor", found)),
    }


def _decoded(entity: type[Entity], field: str, found: Iterable[Any]) -> Iterator[str]:
    """The field's values in the keys that are of the entity."""
    for item in found:
        if item["PK"]["S"].startswith(f"{field}#"):
            yield keys.decode(entity.primary, item["PK"]["S"], item["SK"]["S"])[field]


QUESTIONS: Final = (
    Question("An order with its items", "AP-10", GET_ORDER, questions.get_order),
    Question(
        "A user with a page of orders",
        "AP-04",
        GET_USER_WITH_ORDERS,
        questions.get_user_with_orders,
    ),
    Question(
        "A seminar's students and professors",
        "UN-06, UN-07",
        LIST_SEMINAR_STUDENTS,
        questions.get_seminar,
        single=seminar_at_once,
    ),
    Question("A page of a professor's activities", "UN-03", GET_PROFESSOR, questions.get_professor),
    Question("A student's seminars, rooms, address", "UN-01", GET_STUDENT, questions.get_student),
    Question(
        "A seminar's students alone",
        "UN-06",
        LIST_SEMINAR_STUDENTS,
        questions.list_seminar_students,
    ),
    Question("A page of a user's orders", "AP-02", LIST_USER_ORDERS, questions.list_user_orders),
    Question(
        "A page of pending orders", "AP-05", LIST_PENDING_ORDERS, questions.list_pending_orders
    ),
)


def measure(say: Say) -> Found:
    """What both designs cost, and how long a question takes."""
    say(f"loading {2 * ITEMS:,} items, once in each design")
    with TemporaryDirectory() as folder, dynalite(Path(folder)) as url, sample.table(url):
        asked = _loaded()
        say(f"{len(QUESTIONS)} questions")
        with recorded() as exchanges:
            found = {each.title: _costs(each, asked(each.pattern)) for each in QUESTIONS}
        for delay in DELAYS_MS:
            say(f"the same with {delay} ms a request, {TURNS} turns")
            for each in QUESTIONS:
                took = _times(each, asked(each.pattern), exchanges, delay)
                found[each.title][f"{delay} ms"] = took
    say(f"the bytes of a shop of {SHOP:,} items")
    return {"questions": found, "changes": list(_changes()), "shop": _shop(), "schema": _schema()}


def _loaded() -> Callable[[AccessPattern], AccessPattern]:
    """Fill both designs; and what asks for the largest collections in them."""
    busiest = Busiest()
    made = [
        *busiest.watching(generated.entities("ecommerce", ITEMS, sample.NOW)),
        *busiest.watching(generated.entities("university", ITEMS, sample.NOW)),
    ]
    with Progress(sys.stderr, "loading the single table", "wrote", len(made)) as progress:
        Table(store.client(), sample.TABLE_NAME).put(map(to_item, made), progress.advance)
    examples = (DATASETS[name](sample.NOW) for name in ("ecommerce", "university"))
    filled = rows(chain(*examples, made))
    count = sum(map(len, filled.values()))
    load.create()
    with Progress(sys.stderr, "loading the several tables", "wrote", count) as progress:
        for written in load.put(filled):
            progress.advance(written)
    return busiest.asked


def _ways(question: Question, asked: AccessPattern) -> dict[str, Callable[[], Any]]:
    """The ways to ask: the single table, and the several ones at once and in turn, which give the
    rounds that they took."""
    names = [each.name for each in asked.own_parameters if each.required]
    values = [asked.example[name] for name in names]
    handler, event = sample.handler(asked), sample.event(asked)

    def single() -> Any:
        return question.single(*values) if question.single else handler(event, None)

    def several(*, in_turn: bool) -> int:
        reads = Reads(in_turn=in_turn)
        question.several(reads, *values)
        return reads.rounds

    return {
        "single": single,
        "several": partial(several, in_turn=False),
        "in turn": partial(several, in_turn=True),
    }


def _costs(question: Question, asked: AccessPattern) -> Found:
    ways = _ways(question, asked)
    with metered() as single:
        ways["single"]()
    with metered() as several:
        rounds = ways["several"]()
    return {"single": single.counts(), "several": {**several.counts(), "rounds": rounds}}


def _times(question: Question, asked: AccessPattern, exchanges: Exchanges, delay: float) -> Found:
    with ExitStack() as stack:
        url = stack.enter_context(replay.running(exchanges, delay_ms=delay))
        environment = {"AWS_ENDPOINT_URL": url}
        stack.enter_context(mock.patch.dict(os.environ, environment))
        stack.enter_context(quiet())
        store.client.cache_clear()
        stack.callback(store.client.cache_clear)
        ways = _ways(question, asked)
        for way in ways.values():
            way()  # the first one opens the connections
        took = pairs.taken_in_turn({name: _timed(way) for name, way in ways.items()}, TURNS)
    return pairs.compared(took, to="single")


def _timed(ask: Callable[[], Any]) -> pairs.Turn:
    def turn() -> float:
        begin = perf_counter()
        ask()
        return (perf_counter() - begin) * 1000

    return turn


def _changes() -> Iterator[Found]:
    for change in CHANGES:
        designs = {"single": in_single_table(change), "several": in_several_tables(change)}
        yield {
            "title": change.title,
            **{
                name: {
                    "items": written.items,
                    "units": written.units,
                    "indexes": written.of_indexes,
                }
                for name, written in designs.items()
            },
        }


def _shop() -> Found:
    """The bytes of a shop's items by what they are, in both designs."""
    items: Counter[str] = Counter()
    single: Counter[str] = Counter()
    several: Counter[str] = Counter()
    indexes: Counter[str] = Counter()
    for entity in generated.entities("ecommerce", SHOP, sample.NOW):
        name, item = type(entity).__name__, to_item(entity)
        items[name] += 1
        single[name] += size(item)
        indexes["single"] += sum(size(entry(each, item) or {}) for each in INDEXES)
        for each, row in rows_of(entity):
            several[name] += size(row)
            keys_of = each.key_attributes
            entries = (entry(index, row, table_keys=keys_of) for index in each.indexes)
            indexes["several"] += sum(size(one or {}) for one in entries)
    return {
        "items": dict(items),
        "single": dict(single),
        "several": dict(several),
        "indexes": dict(indexes),
    }


def _schema() -> Found:
    return {
        "single": {"tables": 1, "indexes": len(INDEXES)},
        "several": {"tables": len(TABLES), "indexes": sum(len(each.indexes) for each in TABLES)},
    }


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """Both designs beside one another, and the lecture's comparison with figures."""
    return "\n\n".join(
        [
            "## The single table beside several tables",
            INTRODUCTION,
            "### The same questions",
            QUESTIONS_ASKED.format(agreed=_agreed(found["questions"])),
            _questions(found["questions"]),
            TIMES,
            picture("tables", ALT),
            _all_times(found["questions"]),
            "### The same changes",
            CHANGED,
            _all_changes(found["changes"]),
            "### What is stored, and what is read to look through all orders",
            _sizes(found["shop"]),
            "### Where several tables are better",
            _better(found),
            "### The lecture's comparison, with figures",
            _lecture(found),
        ]
    )


INTRODUCTION: Final = f"""\
The other design ([`bench/several_tables/`](../bench/several_tables)) is not made to lose: a table
for each entity, its own names as keys, the indexes that the questions need and no others, facts
stored once (a seminar's room with the seminar, a student's address with the student), requests that
need no other sent at once. The tests ask both designs on the same data and compare the answers.
Both hold {ITEMS:,} generated items of the shop and as many of the university, and each question is
asked for the one who has most."""

QUESTIONS_ASKED: Final = """\
Rounds are requests that had to wait for one another. Units follow from the bytes that are read;
dynalite, which carried both designs, counted {agreed}. BatchGetItem, by
which the rooms are joined, rounds each item up to 4 KB by itself, a Query their sum: many small
items are dear to join. The last three questions are of one entity, and there is nothing to gain:
several tables answer them with one request as well, and with fewer units, since their items repeat
less."""

TIMES: Final = f"""\
How long that takes, as multiples of the single table's time in the same turn: the median of {TURNS}
turns, and in brackets the quartiles. The answers are recorded ones that a process on loopback gives
after a delay, so an engine's own speed has no part in them; connections are open. The single
table's side is this project's handler, with checks of parameters that the other side does without.
"In turn" is the same code without threads: every request waits for the one before it."""

ALT: Final = (
    "Two charts with a group of bars for each of eight questions. Left: the time with a delay of 5 "
    "ms, as a multiple of the single table's, for several tables asked at once and in turn; those "
    "with joins take twice as long. Right: the read units, where neither design always has fewer."
)

CHANGED: Final = """\
Write units, and in brackets the indexes' part, from the items before and after by the same
arithmetic as in the ledger. The tests compare the single table's with the ledger's."""

WAYS: Final = {"several": "at once", "in turn": "in turn"}


def _questions(found: Found) -> str:
    header = ["Question", "Pattern", "Single: requests", "units", "bytes"]
    header += ["Several: requests", "rounds", "units", "bytes"]
    rows_of_table = []
    for question in QUESTIONS:
        single, several = found[question.title]["single"], found[question.title]["several"]
        cells = [str(single["requests"]), f"{single['units']:g}", f"{single['bytes']:,}"]
        cells += [str(several["requests"]), str(several["rounds"])]
        cells += [f"{several['units']:g}", f"{several['bytes']:,}"]
        rows_of_table.append([question.title, question.ids, *cells])
    return table(header, rows_of_table)


def _agreed(found: Found) -> str:
    """How often the engine's own count is that of the arithmetic."""
    counted = [each[design] for each in found.values() for design in ("single", "several")]
    same = sum(each["units"] == each["counted"] for each in counted)
    return f"the same in {same} of {len(counted)} cases"


def _all_times(found: Found) -> str:
    header = ["Question"]
    for delay in DELAYS_MS:
        header += [f"{delay} ms: single (ms)", *(f"several, {name}" for name in WAYS.values())]
    rows_of_table = []
    for question in QUESTIONS:
        cells = []
        for delay in DELAYS_MS:
            took = found[question.title][f"{delay} ms"]
            cells.append(f"{took['single']['median']:.1f}")
            cells += [pairs.shown(took[way]["ratio"]) for way in WAYS]
        rows_of_table.append([question.title, *cells])
    return table(header, rows_of_table)


def _all_changes(found: list[Found]) -> str:
    return table(
        ("Change", "Single: items", "write units", "Several: items", "write units"),
        (
            [
                each["title"],
                *(
                    cell
                    for design in ("single", "several")
                    for cell in (
                        str(each[design]["items"]),
                        f"{each[design]['units']} ({each[design]['indexes']})",
                    )
                ),
            ]
            for each in found
        ),
    )


class Shop:
    """Sums over the shop that was counted."""

    def __init__(self, found: Found) -> None:
        self.items = sum(found["items"].values())
        self.orders = found["items"]["Order"]
        self.order_bytes = {
            design: found[design]["Order"] / self.orders for design in ("single", "several")
        }
        self.stored = {
            design: sum(found[design].values()) + found["indexes"][design]
            for design in ("single", "several")
        }
        self.looked_through = {
            "single": sum(found["single"].values()),
            "several": found["several"]["Order"],
        }


def _sizes(found: Found) -> str:
    shop = Shop(found)
    single, several = "single", "several"

    def row(what: str, figure: Callable[[str], str]) -> list[str]:
        return [what, figure(single), figure(several)]

    return (
        SIZES.format(items=shop.items, orders=shop.orders)
        + "\n\n"
        + table(
            (f"A shop of {shop.items:,} items", "Single", "Several"),
            [
                row("Bytes of a mean order", lambda each: f"{shop.order_bytes[each]:.0f}"),
                row(
                    "Read units of a page of 200 orders",
                    lambda each: f"{read_units(int(shop.order_bytes[each] * 201)):g}",
                ),
                row("Bytes of tables and indexes", lambda each: f"{shop.stored[each]:,}"),
                row(
                    "Scan for the sum of all orders: requests",
                    lambda each: str(ceil(shop.looked_through[each] / SCAN_PAGE)),
                ),
                row(
                    "Scan for the sum of all orders: read units",
                    lambda each: f"{read_units(shop.looked_through[each]):,g}",
                ),
            ],
        )
    )


SIZES: Final = """\
An item of the single table repeats in its keys what its attributes say (`USER#...`, `ORDER#...`,
once more for each index), and says its `Type`. The bytes of the generated shop of {items:,} items,
{orders:,} of them orders, without the 100 bytes that DynamoDB bills for each item and each entry
besides:"""


def _better(found: Found) -> str:
    shop = Shop(found["shop"])
    dearer = [e for e in found["changes"] if e["single"]["units"] > e["several"]["units"]]
    moved = change(found, "Move a seminar of 50 students")
    order = change(found, "Place an order of 10 items")
    return BETTER.format(
        scan=shop.looked_through["single"] / shop.looked_through["several"],
        stored=shop.stored["single"] / shop.stored["several"],
        dearer=len(dearer),
        changes=len(found["changes"]),
        moved=moved["single"]["units"],
        moved_several=moved["several"]["units"],
        order=order["single"]["units"],
        order_several=order["several"]["units"],
        share=shop.orders / shop.items,
        items=shop.items,
        orders=shop.orders,
    )


BETTER: Final = """\
- **Writing.** {dearer} of the {changes} changes above are cheaper in several tables, and none is
  dearer. An index serves one entity there, so a job that has not failed pays for none; in the
  single table every item has an entry in the inverted index. And an item that is read in one
  request with its parent is there a second time, in `GSI2`: an order of ten items takes {order}
  units against {order_several}.
- **A fact that is stored once.** Moving a seminar of 50 students writes {moved} items in the single
  table, one after another and not at once, and {moved_several} in several tables.
- **Storage.** The single table has {stored:.1f} times the bytes, with the indexes.
- **Looking through one entity.** The sum of all orders, a report, an export to another system: a
  Scan reads {scan:.0f} times the bytes in the single table, since a filter discards only what has
  been read and charged. An export to S3 or a restored backup has everything in it, too.
- **A new index on orders.** DynamoDB reads all {items:,} items to fill it; in several tables the
  {orders:,} orders ({share:.0%}).
- **Streams.** A consumer of orders gets every change of everything, and filters; a table of its own
  has a stream of its own.
- **What can be set and watched for a table alone.** Capacity mode, limits and table class,
  point-in-time recovery and its window, the attribute for the time to live, deletion protection,
  metrics and alarms, and the permission to read it. In the single table an order and a session
  share all of them; permissions for one entity have to name its keys in the table and in each index
  (`dynamodb:LeadingKeys`).
- **Questions that nobody has foreseen.** A new table or index with its own names can be added
  without knowing the templates of all other keys."""


def _lecture(found: Found) -> str:
    rows_of_table = ([aspect, *both] for aspect, both in comparison(found).items())
    return table(("Aspect", "Single table", "Several tables"), rows_of_table)


def comparison(found: Found) -> dict[str, tuple[str, str]]:
    """The lecture's comparison: what was found of each aspect in the single table, and in several.

    `found` is what `measure` gives.
    """
    asked, shop, schema = found["questions"], Shop(found["shop"]), found["schema"]
    several = [each["several"] for each in asked.values()]
    fewer = [e for e in asked.values() if e["several"]["units"] < e["single"]["units"]]
    more = [e for e in asked.values() if e["several"]["units"] > e["single"]["units"]]
    order = change(found, "Place an order of 10 items")
    return {
        "Queries": (
            f"1 request for each of the {len(asked)} questions",
            MANY_REQUESTS.format(
                requests=max(each["requests"] for each in several),
                rounds=max(each["rounds"] for each in several),
            ),
        ),
        "Efficiency: time at 5 ms a request": (
            "1",
            MORE_TIME.format(at_once=slowed(asked, rounds=1), waiting=slowed(asked, rounds=2)),
        ),
        "Efficiency: read units": (
            f"fewer in {len(more)} of {len(asked)} questions",
            f"fewer in {len(fewer)}, where the smaller items count; the same in the others",
        ),
        "Efficiency: write units of an order of 10 items": (
            str(order["single"]["units"]),
            str(order["several"]["units"]),
        ),
        "Complexity of operation": (_to_run(schema["single"]), _to_run(schema["several"])),
        "Readability": (
            GENERIC.format(
                bytes=shop.order_bytes["single"],
                share=1 - shop.order_bytes["several"] / shop.order_bytes["single"],
            ),
            f"{shop.order_bytes['several']:.0f} bytes, with names that speak",
        ),
        "Change of the schema: a new index on orders": (
            f"reads {shop.items:,} items",
            f"reads {shop.orders:,} items",
        ),
        "Monitoring": (
            "AWS's metrics are of the table and of each index, not of an entity",
            "metrics for each entity",
        ),
        "Suits": (
            "questions that are known and asked often, above all a parent with its children",
            "reports, changing questions, many writes of items that stand alone",
        ),
    }


def change(found: Found, title: str) -> Found:
    """The change whose title begins so. Raises ValueError unless there is exactly one."""
    [only] = (each for each in found["changes"] if each["title"].startswith(title))
    return dict(only)


def slowed(asked: Found, *, rounds: int) -> str:
    """The least and the most by which several tables take longer at 5 ms a request, of the
    questions that take them more than one request and so many rounds."""
    ratios = [
        each["5 ms"]["several"]["ratio"][1]
        for each in asked.values()
        if each["several"]["rounds"] == rounds and each["several"]["requests"] > 1
    ]
    return spread(ratios)


MANY_REQUESTS: Final = "1 to {requests} requests in 1 or {rounds} rounds, and joins in the function"
MORE_TIME: Final = "{at_once} where two requests go out at once, {waiting} where a join has to wait"
GENERIC: Final = "{bytes:.0f} bytes an order, {share:.0%} of them for generic keys and the type"


def _to_run(schema: Found) -> str:
    tables, indexes = schema["tables"], schema["indexes"]
    return f"{tables} table{'s' * (tables > 1)} and {indexes} indexes to alarm, limit and restore"


def spread(ratios: list[float]) -> str:
    """The least and the most of them; one figure where they are the same."""
    low, high = f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    return low if low == high else f"{low} to {high}"


def plots(found: Found) -> dict[str, Figure]:
    """Time and units of the questions in both designs."""
    from bench import plot  # noqa: PLC0415 - the page is written without matplotlib

    drawn = plot.figure(10, 5)
    time, units = drawn.subplots(1, 2, sharey=True)
    asked = [found["questions"][each.title] for each in QUESTIONS]
    for at, (way, name) in enumerate(WAYS.items()):
        ratios = [each["5 ms"][way]["ratio"] for each in asked]
        middles = [middle for _, middle, _ in ratios]
        spread = [[m - low for low, m, _ in ratios], [high - m for _, m, high in ratios]]
        places = [place + 0.4 * at - 0.2 for place in range(len(asked))]
        label = f"several tables, {name}"
        colour = plot.COLOURS[1 + at]
        time.barh(places, middles, 0.36, xerr=spread, color=colour, label=label)
    time.axvline(1, color=plot.COLOURS[0], linewidth=2, label="single table")
    time.set_xlabel("time at 5 ms a request, single table = 1")
    time.set_yticks(range(len(asked)), labels=[each.title for each in QUESTIONS])
    for at, design in enumerate(("single", "several")):
        places = [place + 0.4 * at - 0.2 for place in range(len(asked))]
        counted = [each[design]["units"] for each in asked]
        units.barh(places, counted, 0.36, color=plot.COLOURS[at])
    units.set_xlabel("read units")
    time.invert_yaxis()
    for axes in (time, units):
        axes.grid(visible=False, axis="y")
    handles, labels = time.get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside upper center", ncols=3)
    return {"tables": drawn}
