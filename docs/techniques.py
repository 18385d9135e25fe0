"""The techniques that the documents show, each with the patterns that show it and its code."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

from docs.markdown import code
from docs.matrix import asked
from lambdas.design import (
    ACCESS_PATTERNS,
    ecommerce,
    idempotency,
    keys,
    operations,
    social,
    university,
)
from lambdas.design import entity as entity_module
from lambdas.design.pattern import AccessPattern, Technique
from lambdas.runtime import expressions, items, requests
from lambdas.writes import university as university_writes

ROOT: Final = Path(__file__).resolve().parent.parent


class Explained(NamedTuple):
    """What a technique is, and the code that carries it out."""

    text: str
    code: Callable[..., Any] | type


TECHNIQUES: Final[dict[Technique, Explained]] = {
    Technique.SINGLE_ITEM: Explained(
        "Whoever knows both parts of the primary key gets the item with one GetItem, the cheapest "
        "read that there is.",
        requests.primary_key,
    ),
    Technique.ONE_TO_MANY: Explained(
        "A parent and its children have the same partition key, so one Query reads them together. "
        "The prefix of the sort key picks the children alone.",
        operations.BeginsWith,
    ),
    Technique.TIME_RANGE: Explained(
        "The sort key begins with a time whose text sorts as time passes, so a range of time is a "
        "range of keys. Both ends are whole periods here: until 31 January means all of that day.",
        operations.Within,
    ),
    Technique.NEWEST_FIRST: Explained(
        "The same collection read backwards, up to a limit, gives the latest entries without "
        "reading the older ones.",
        operations.Query,
    ),
    Technique.INDEX_OVERLOADING: Explained(
        "An index has key attributes with names that mean nothing, and each entity writes its own "
        "meaning into them. One index answers several questions that have nothing in common.",
        keys.Index,
    ),
    Technique.SPARSE_INDEX: Explained(
        "An item without the key attributes of an index is not in that index. Entities write them "
        "only while a condition holds, so the index is a short list of exactly those items.",
        keys.While,
    ),
    Technique.COMPOSITE_SORT_KEY: Explained(
        "Several values joined in one sort key, from the general to the particular, make a "
        "hierarchy: each prefix that ends at a separator is one level of it.",
        keys.Template,
    ),
    Technique.INVERTED_INDEX: Explained(
        "An index whose partition key is the table's sort key, and the other way round, turns each "
        "relation about. It holds keys only, which is all that a relation consists of.",
        entity_module.Entity,
    ),
    Technique.MANY_TO_MANY: Explained(
        "Each relation is an item of its own with one side as partition key and the other as sort "
        "key. The table answers from the first side, the inverted index from the second.",
        social.Follow,
    ),
    Technique.EMBEDDED_JSON: Explained(
        "What is only ever read as a whole, such as an address, is a map within the item, and no "
        "relation at all. It must fit into the item with everything else: 400 KB.",
        university.Enrolment,
    ),
    Technique.ELEMENT_LIST: Explained(
        "Entities of different schemas lie under one partition key, and the sort key begins with "
        "the name of the schema. One Query reads all, or by the prefix those of one schema.",
        university.ResearchArticle,
    ),
    Technique.TIME_TO_LIVE: Explained(
        "DynamoDB removes an item after the time that it names, though some days may pass, so "
        "every read leaves out what has expired by itself.",
        items.has_expired,
    ),
    Technique.UNIQUENESS: Explained(
        "DynamoDB keeps nothing unique but the primary key. What else nobody may have twice, such "
        "as an e-mail address, is the key of an item of its own, a guard, which is written in the "
        "same transaction on condition that there is none.",
        ecommerce.EmailGuard,
    ),
    Technique.IDEMPOTENCY: Explained(
        "A caller that got no answer cannot know whether its write was made. With a key it sends "
        "the call again: the first answer is an item, written in the same transaction as what the "
        "call makes, and whoever meets it gives that answer again.",
        idempotency.Idempotency,
    ),
    Technique.OPTIMISTIC_LOCKING: Explained(
        "Nobody locks an item while thinking about it. Each item counts its changes, the caller "
        "names the version that it has seen, and the write holds only if it still is that one.",
        expressions.has_version,
    ),
    Technique.DUPLICATED_ATTRIBUTE: Explained(
        "What is kept with each relation, such as the room of a seminar, is there without a second "
        "read. The price is paid when it changes: one write for each entry, and for a moment some "
        "have the new value and some the old one.",
        university_writes.move_seminar,
    ),
}

INTRODUCTION: Final = """\
# Techniques

Generated from `lambdas/design` by `python -m docs.generate`; do not edit it.

What the access patterns show of single-table design, and where to read it in the code: each link \
leads to the file, and the name behind it is what to look for there. The keys of all entities are \
in [data-model.md](data-model.md).
"""


def techniques() -> str:
    """The page. Raises KeyError for a technique that is not explained here."""
    return "\n".join([INTRODUCTION, *(_section(technique) for technique in Technique)])


def _section(technique: Technique) -> str:
    text, source = TECHNIQUES[technique]
    showing = [pattern for pattern in ACCESS_PATTERNS if technique in pattern.shows]
    lines = [f"## {technique}\n", f"{text}\n", f"In the code: {_link(source)}.\n"]
    return "\n".join([*lines, *(_pattern(pattern) for pattern in showing), ""])


def _pattern(pattern: AccessPattern) -> str:
    module = import_module(f"lambdas.design.{pattern.dataset}")
    declared = f"[{pattern.id}]({_url(module)}) {code(_name(module, pattern.id))}"
    return " ".join([f"- {declared}: {pattern.summary}", *map(code, asked(pattern))])


def _link(source: Callable[..., Any] | type) -> str:
    module = import_module(source.__module__)
    return f"[{code(f'{source.__module__}.{source.__qualname__}')}]({_url(module)})"


def _url(module: ModuleType) -> str:
    """The file of a module: without a line, which anything new above it would change."""
    file = Path(inspect.getfile(module)).resolve()
    return f"../{file.relative_to(ROOT).as_posix()}"


def _name(module: ModuleType, pattern_id: str) -> str:
    """The name that a pattern has where it is declared."""
    named = vars(module).items()
    patterns = {name: each for name, each in named if isinstance(each, AccessPattern)}
    [name] = [name for name, each in patterns.items() if each.id == pattern_id]
    return name
