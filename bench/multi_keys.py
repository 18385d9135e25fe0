"""Multi-attribute index keys beside the declared index: the same products and orders, the same
questions, the same changes.

`bench.natural_keys` has the other indexes. The emulator carries both and counts the writes; the
bytes of a larger shop are counted by arithmetic alone.
"""

from __future__ import annotations

import sys
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, json
from msgspec.structs import replace

from bench import natural_keys
from bench.meter import Meter, metered
from bench.natural_keys import (
    BY_CATEGORY,
    BY_PRICE,
    BY_STATUS,
    LEVELS,
    MOST_ATTRIBUTES,
    NO_LEVEL,
    WAITING,
    NaturalQuery,
    cheapest,
    in_category,
    natural,
    pending,
    shown,
    waiting,
    waiting_longest,
)
from bench.results import Found, Say
from bench.several_tables.changes import ORDER, PRODUCT
from bench.units import Keyed, entry, index_write_units
from docs import sample
from docs.markdown import code, table
from lambdas.design import ENTITIES
from lambdas.design.ecommerce import LIST_CATEGORY_PRODUCTS, LIST_PENDING_ORDERS, Order, Product
from lambdas.design.entity import Entity
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import GSI1, TABLE
from lambdas.runtime import store
from lambdas.runtime.items import Item, size, to_item
from local.emulator import emulator, endpoint, free_port
from seed import generated
from seed.datasets import DATASETS
from seed.progress import Progress
from seed.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ITEMS: Final = 10_000
"""Of the shop that is asked; with them the example data."""

SHOP: Final = 20_000
"""Items of the shop whose bytes are counted."""

PAGE: Final = 50

DIGEST: Final = 9
"""The bytes in front of a cursor's values, as `lambdas.runtime.cursor` writes them."""


class Design(Struct, frozen=True):
    """An index, and what an entity's item is like that stands in it."""

    index: Keyed
    item: Callable[[Entity], Item]


DECLARED: Final = Design(GSI1, to_item)
DESIGNS: Final[Mapping[str, Mapping[str, Design]]] = {
    "Product": {
        "GSI1": DECLARED,
        BY_CATEGORY.name: Design(BY_CATEGORY, natural),
        BY_PRICE.name: Design(BY_PRICE, natural),
    },
    "Order": {
        "GSI1": DECLARED,
        BY_STATUS.name: Design(BY_STATUS, natural),
        WAITING.name: Design(WAITING, waiting),
    },
}
"""The designs of an entity's index, by its Type and the index."""


class Question(Struct, frozen=True):
    """A question: how it is asked by natural attributes, and how in the single table."""

    title: str
    natural: NaturalQuery
    pattern: AccessPattern | None = None
    """None where the single table has no key for it."""
    example: Mapping[str, str] = {}


TOP: Final = "electronics"
CATEGORY: Final = "electronics/audio/headphones"
YEAR: Final = "2024"

QUESTIONS: Final = (
    Question(
        "Products of a first level",
        in_category(TOP),
        LIST_CATEGORY_PRODUCTS,
        {"category": TOP},
    ),
    Question(
        "Products of a third level",
        in_category(CATEGORY),
        LIST_CATEGORY_PRODUCTS,
        {"category": CATEGORY},
    ),
    Question("Pending orders", pending(), LIST_PENDING_ORDERS),
    Question("The same, sparse", waiting_longest(), LIST_PENDING_ORDERS),
    Question(
        "Pending orders of a year",
        pending(YEAR, YEAR),
        LIST_PENDING_ORDERS,
        {"from": YEAR, "to": YEAR},
    ),
    Question("The cheapest products of a third level", cheapest("EUR", CATEGORY, "100")),
)

Change = tuple[str, Entity | None, Entity]

CHANGES: Final[tuple[Change, ...]] = (
    ("Put a new product (CW-07)", None, PRODUCT),
    ("Change its price (CW-07)", PRODUCT, replace(PRODUCT, Price=PRODUCT.Price + 1)),
    (
        "Move it to another category (CW-07)",
        PRODUCT,
        replace(PRODUCT, Category="electronics/audio/cables"),
    ),
    ("Place an order (CW-05)", None, ORDER),
    *(
        (f"{was} to {now} (CW-06)", replace(ORDER, Status=was), replace(ORDER, Status=now))
        for was, now in (("PENDING", "PAID"), ("PAID", "SHIPPED"), ("SHIPPED", "DELIVERED"))
    ),
)


def measure(say: Say) -> Found:
    """What each index costs."""
    with ExitStack() as stack:
        folder, port = Path(stack.enter_context(TemporaryDirectory())), free_port()
        say(f"loading {ITEMS:,} items, once in each design")
        stack.enter_context(emulator(port, folder))
        stack.enter_context(sample.table(endpoint(port)))
        _load()
        say(f"{len(QUESTIONS)} questions, {len(CHANGES)} changes")
        questions = {each.title: _asked(each) for each in QUESTIONS}
        changes = [_changed(*change) for change in CHANGES]
    say(f"the bytes of a shop of {SHOP:,} items")
    return {"questions": questions, "changes": changes, "shop": shop()}


def _load() -> None:
    """Fill both tables; the natural one with the example data, too, which the other has."""
    made = list(generated.entities("ecommerce", ITEMS, sample.NOW))
    definition: Any = natural_keys.definition()
    store.client().create_table(**definition)
    _put("the single table", sample.TABLE_NAME, to_item, made)
    example = DATASETS["ecommerce"](sample.NOW)
    _put("natural attributes", natural_keys.TABLE_NAME, waiting, [*example, *made])


def _put(label: str, name: str, item: Callable[[Entity], Item], entities: list[Entity]) -> None:
    with Progress(sys.stderr, f"loading {label}", "wrote", len(entities)) as progress:
        Table(store.client(), name).put(map(item, entities), progress.advance)


# --- Questions ------------------------------------------------------------------------------


def _asked(question: Question) -> Found:
    with metered() as meter:
        answer: Any = store.client().query(**question.natural.request, Limit=PAGE + 1)
    items: list[Item] = answer["Items"][:PAGE]
    is_last = len(answer["Items"]) <= PAGE
    length = None if is_last else cursor_length(question.natural, items[-1])
    found = {"items": len(items), "natural": _counts(meter) | {"cursor": length}}
    if question.pattern is None:
        return found
    asked = replace(question.pattern, example=question.example)
    with metered() as meter:
        response = sample.handler(asked)(sample.event(asked), None)
    page = json.decode(response["body"])
    if _by_id(page["items"]) != _by_id(json.decode(json.encode([shown(item) for item in items]))):
        raise RuntimeError(f"{question.title}: the indexes answer differently")
    length = len(page["next"]) if page["next"] else None
    return found | {"declared": _counts(meter) | {"cursor": length}}


def _by_id(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In one order: that of a day's orders is another one by their ids and by their times."""
    return sorted(found, key=lambda each: (each.get("OrderId", ""), each.get("ProductId", "")))


def _counts(meter: Meter) -> Found:
    return {"requests": meter.requests, "units": meter.units, "bytes": meter.bytes}


def cursor_length(query: NaturalQuery, last: Item) -> int:
    """The characters of a cursor as this project writes them, if it carried the last item's key
    without the attributes whose values the question itself says."""
    names = dict.fromkeys((*query.index.key_attributes, *TABLE.key_attributes))
    return text_length([text(last[name]) for name in names if name not in query.equal])


def text(value: Mapping[str, str]) -> str:
    """The value of an attribute of a key."""
    [found] = value.values()
    return found


def text_length(values: list[str]) -> int:
    """The characters of a cursor that carries these values."""
    return len(urlsafe_b64encode(bytes(DIGEST) + json.encode(values)).rstrip(b"="))


# --- Changes --------------------------------------------------------------------------------


def _changed(title: str, before: Entity | None, after: Entity) -> Found:
    """What a change takes of each index, by arithmetic and as the emulator counts it."""
    counted = {
        **_counted(sample.TABLE_NAME, to_item, before, after),
        **_counted(natural_keys.TABLE_NAME, waiting, before, after),
    }
    return {
        "title": title,
        "type": type(after).__name__,
        "indexes": {
            name: {"units": units(design, before, after), "counted": counted.get(name, 0)}
            for name, design in DESIGNS[type(after).__name__].items()
        },
    }


def _counted(
    name: str, item: Callable[[Entity], Item], before: Entity | None, after: Entity
) -> dict[str, float]:
    """The units of each index by the emulator's count. The item is gone after it."""
    client: Any = store.client()
    if before:
        client.put_item(TableName=name, Item=item(before))
    answer = client.put_item(TableName=name, Item=item(after), ReturnConsumedCapacity="INDEXES")
    key = {each: item(after)[each] for each in TABLE.key_attributes}
    client.delete_item(TableName=name, Key=key)
    indexes = answer["ConsumedCapacity"].get("GlobalSecondaryIndexes", {})
    return {each: part["CapacityUnits"] for each, part in indexes.items()}


def units(design: Design, before: Entity | None, after: Entity) -> int:
    """What a change takes of a design's index."""
    was, now = (design.item(each) if each else None for each in (before, after))
    return index_write_units(design.index, was, now)


# --- Bytes ----------------------------------------------------------------------------------


def shop() -> Found:
    """The bytes of a shop's products and orders in the table and in each index."""
    sums: dict[str, dict[str, Counter[str]]] = {
        kind: {name: Counter() for name in designs} for kind, designs in DESIGNS.items()
    }
    for entity in generated.entities("ecommerce", SHOP, sample.NOW):
        kind = type(entity).__name__
        for name, design in DESIGNS.get(kind, {}).items():
            item = design.item(entity)
            standing = entry(design.index, item)
            sums[kind][name].update(
                items=1,
                bytes=size(item),
                entries=standing is not None,
                of_entries=size(standing or {}),
            )
    return {kind: {name: dict(each) for name, each in of.items()} for kind, of in sums.items()}


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """Both kinds of keys beside one another."""
    return "\n\n".join(
        [
            "## Multi-attribute index keys",
            INTRODUCTION,
            _indexes(),
            "### The same questions by several attributes",
            ASKED.format(page=PAGE),
            _questions(found["questions"]),
            "### The same changes in such an index",
            CHANGED.format(agreed=_agreed(found["changes"])),
            _changes(found["changes"]),
            "### What such an index holds",
            HELD.format(items=SHOP),
            _sizes(found["shop"]),
            "### What becomes easier, and what impossible",
            _verdict(found),
            "### What only DynamoDB shows of such keys",
            NOT_SHOWN,
        ]
    )


INTRODUCTION: Final = f"""\
Since November 2025 a global secondary index may have up to {MOST_ATTRIBUTES} attributes in its
partition key and as many in its sort key (Developer Guide, "Multi-attribute keys pattern"; API
Reference, CreateTable; in the CDK `partition_keys` and `sort_keys`), so that nobody has to compose
one text of them. [`bench/natural_keys.py`](../bench/natural_keys.py) has the category hierarchy
and the pending orders that way, beside GSI1, on the same items: {ITEMS:,} generated ones of the
shop, and the example data. ministack carries both designs here, and moto where the tests compare
the answers; dynalite refuses such keys. `python -m bench multi_keys` takes some seconds."""

ASKED: Final = """\
Every question that the declared index answers, the others answer with the same items (the
measurement stops if not), and each is one request. The order is the same, too, but for orders of
the lecture such as `2024-01-15`, whose ids have no time of day: they sort by the time at which they
were placed. The items are smaller, since less is in them twice; the orders have what both of their
indexes need. The page's end is what DynamoDB gives as `LastEvaluatedKey`: every attribute of the
index's key and of the table's. A cursor, whose characters are told where a page of {page} is full,
leaves out what the question says; of a composed key that is the partition key alone, of several
attributes each that is given."""

CHANGED: Final = """\
The write units of the index alone; the table and the other indexes take the same in each design.
The emulator counted the same in {agreed} cases. A key that changes is an entry removed and an entry
put. `ByStatus` pays that at every step of an order, since every order has a status and so stands in
it for good; GSI1 and `Waiting` lose the entry when it is paid, and have nothing to do from then
on."""

HELD: Final = """\
By arithmetic, for a generated shop of {items:,} items. The entries have whole items. DynamoDB bills
100 bytes more for each item and each entry."""

NOT_SHOWN: Final = """\
The engines are laxer: both take more attributes than four (API Reference, CreateTable), and those
of the two keys mixed, which DynamoDB refuses as others found (github.com/alchemy-run/alchemy, pull
request 1216). Neither holds a key of several attributes to the limits of 2048 and 1024 bytes, and
we found no word in the documentation on whether these are for one attribute or for all together;
nor on what `dynamodb:LeadingKeys` compares where a partition key has several. Whoever needs either
has to try it there, and also how long the filling of a new index takes."""


def _indexes() -> str:
    rows = [
        ["GSI1", code(str(key.partition)), code(str(key.sort)), pattern]
        for key, pattern in ((Product.by_category, "AP-13"), (Order.pending, "AP-05"))
    ]
    rows += [
        [each.name, _attributes(each.partition), _attributes(each.sort), each.purpose]
        for each in natural_keys.INDEXES
    ]
    return table(("Index", "Partition key", "Sort key", "For"), rows)


def _attributes(names: tuple[str, ...]) -> str:
    return ", ".join(map(code, names))


def _questions(found: Found) -> str:
    header = ["Question", "GSI1: units", "bytes", "page's end", "cursor"]
    header += ["By attributes", "units", "bytes", "page's end", "cursor"]
    rows = []
    for question in QUESTIONS:
        costs, index = found[question.title], question.natural.index
        rows.append(
            [
                question.title,
                *_cells(GSI1, costs.get("declared")),
                index.name,
                *_cells(index, costs["natural"]),
            ]
        )
    return table(header, rows)


def _cells(index: Keyed, costs: Found | None) -> list[str]:
    if costs is None:
        return ["no key for it", "", "", ""]
    end = {*index.key_attributes, *TABLE.key_attributes}
    cells = [f"{costs['units']:g}", f"{costs['bytes']:,}"]
    return [*cells, str(len(end)), str(costs["cursor"] or "")]


def _agreed(found: list[Found]) -> str:
    """How often the engine's own count is that of the arithmetic."""
    counted = [index for change in found for index in change["indexes"].values()]
    same = sum(each["units"] == each["counted"] for each in counted)
    return f"{same} of {len(counted)}"


def _changes(found: list[Found]) -> str:
    names = list(dict.fromkeys(name for designs in DESIGNS.values() for name in designs))
    rows = [
        [each["title"], *(_units(each["indexes"].get(name)) for name in names)] for each in found
    ]
    return table(["Change", *names], rows)


def _units(counted: Found | None) -> str:
    return str(counted["units"]) if counted else ""


def _sizes(found: Found) -> str:
    header = ["Items", "Index", "Bytes of a mean item", "Entries", "Bytes of the index"]
    rows = [
        [
            f"{each['items']:,} of {kind}",
            name,
            f"{each['bytes'] / each['items']:.0f}",
            f"{each['entries']:,}",
            f"{each['of_entries']:,}",
        ]
        for kind, designs in found.items()
        for name, each in designs.items()
    ]
    return table(header, rows)


def _verdict(found: Found) -> str:
    products, orders = found["shop"]["Product"], found["shop"]["Order"]
    of_order = [each["indexes"] for each in found["changes"] if each["type"] == "Order"]
    overloaded = [each for each in ENTITIES if any(key.index is GSI1 for key in each.keys)]
    return VERDICT.format(
        smaller=1 - products["ByCategory"]["bytes"] / products["GSI1"]["bytes"],
        products=products["GSI1"]["items"],
        orders=orders["GSI1"]["items"],
        pending=orders["GSI1"]["entries"],
        larger=orders["ByStatus"]["of_entries"] / orders["GSI1"]["of_entries"],
        life=sum(each["GSI1"]["units"] for each in of_order),
        natural_life=sum(each["ByStatus"]["units"] for each in of_order),
        overloaded=len(overloaded),
        levels=len(LEVELS),
        no_level=NO_LEVEL,
    )


VERDICT: Final = """\
Easier:

- **Nothing is composed.** No templates, no separator, no percent-encoding. A level is compared as a
  whole, so `audio` cannot meet `audiobooks`. A product has {smaller:.0%} fewer bytes, in the table
  and in the index.
- **Nothing goes stale.** The key is the attribute, so a write that changes one cannot forget the
  other, and there is nothing to mend.
- **An index that comes later has its items at once.** `ByPrice` takes no write of ours; a composed
  key is one for each of the {products:,} products. That holds for attributes that are there: a path
  in one attribute, as `Category` is, has to be split into its levels first.
- **Numbers sort as numbers.** A price in a composed key needs a fixed width.

Impossible, or another thing:

- **Overloading.** An index names its attributes, and each entity has its own. GSI1 serves
  {overloaded} entities, which would be {overloaded} indexes, added one a deployment, of the 20
  that a table has by default (Developer Guide, "Quotas in Amazon DynamoDB"). A collection of
  several entities, such as an order with its items in GSI2, needs the same attributes in all of
  them.
- **Sparse by a value.** An item stands in the index if it has all of the attributes, whatever they
  say. `ByStatus` has all {orders:,} orders for the sake of {pending:,}, so it is {larger:.0f} times
  the size, and an order's way from placed to delivered takes {natural_life} units of it where GSI1
  takes {life}. In return it answers for every status. `Waiting` is as sparse as GSI1, by an
  attribute that only pending orders have; that one is written for the index again, and can go
  stale.
- **Any depth.** All attributes have to be there, so a category that is not so deep says
  `{no_level}` for the levels that it has not, and one of more than {levels} has no place. In a
  composed key the depth is free.
- **Conditions** name every attribute of the partition key, and those of the sort key from left to
  right; only the last may be a range. `begins_with` across levels becomes an equality for each.
- **What a key makes of a value**: lower case for e-mail addresses, one form of Unicode, the first
  level of a path, a time from seconds. An attribute that is a key has to be stored like that.
- **Freedom of the other entities.** `Status` as a key attribute must be text, and not empty, in
  every item of the table that has it, also in those that are not in the index; any other write is
  refused (Developer Guide, "Using Global Secondary Indexes in DynamoDB").

[Decision 0028](decisions/0028-multi-attribute-keys-for-an-index-of-one-entity.md) says why the
table has none of them, and when we would choose them."""


def plots(found: Found) -> dict[str, Figure]:  # noqa: ARG001 - as every measurement has it
    """None: the tables are small."""
    return {}
