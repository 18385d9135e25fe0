"""What the page's templates are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from msgspec import Struct, json

from explorer import asking, rows
from explorer.captions import LANGUAGES, Captions
from explorer.rows import Collection
from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.entity import Entity
from lambdas.design.keys import SEPARATOR, Index
from lambdas.design.pattern import AccessPattern, Technique
from lambdas.runtime import keys
from lambdas.runtime.openapi.operations import steps

FOLDER: Final = Path(__file__).resolve().parent

THEMES: Final = ("auto", "light", "dark")

BY_DATASET: Final = "dataset"
BY_TECHNIQUE: Final = "technique"


class View(Struct, frozen=True):
    """One of the four ways to look at the table, as far as it is loaded."""

    index: Index
    shown: Sequence[Collection] = ()
    first: Sequence[Collection] = ()
    """What a pattern has read or a write has changed: shown above everything else."""
    more: str | None = None
    """The fragment that goes on where this ends."""
    more_page: str | None = None
    """The same as a page of its own."""
    is_lazy: bool = False
    """Whether the rest is loaded by itself as soon as the page stands."""
    looked_at: int = 0
    is_dimmed: bool = False

    @property
    def name(self) -> str:
        return rows.name_of(self.index)

    @property
    def is_empty(self) -> bool:
        return not (self.shown or self.first or self.more)


class Group(NamedTuple):
    """Some access patterns under one heading."""

    title: str
    patterns: list[AccessPattern]


def groups(by: str) -> list[Group]:
    """All access patterns, by dataset or by technique; a pattern may show several techniques."""
    if by == BY_TECHNIQUE:
        return [
            Group(technique.value, [each for each in ACCESS_PATTERNS if technique in each.shows])
            for technique in Technique
            if any(technique in each.shows for each in ACCESS_PATTERNS)
        ]
    datasets = dict.fromkeys(pattern.dataset for pattern in ACCESS_PATTERNS)
    return [
        Group(each.capitalize(), [p for p in ACCESS_PATTERNS if p.dataset == each])
        for each in datasets
    ]


def legend() -> list[tuple[str, list[type[Entity]]]]:
    """The entities of each dataset."""
    by_dataset = groupby(ENTITIES, key=lambda entity: entity.dataset())
    return [(dataset, list(entities)) for dataset, entities in by_dataset]


def beginnings() -> tuple[str, str]:
    """What the keys of an entity begin with, as an example: of the first one of which a collection
    can have several items."""
    primary = (each.primary for each in ENTITIES)
    key = next((k for k in primary if set(k.sort.fields) - set(k.partition.fields)), None)
    return (keys.prefix(key.partition, {}), keys.prefix(key.sort, {})) if key else ("", "")


def href(path: str, **parameters: object) -> str:
    """A link; parameters without a value are left out, those with several are repeated."""
    given = {name.rstrip("_"): value for name, value in parameters.items() if value}
    query = urlencode(given, doseq=True)
    return f"{path}?{query}" if query else path


def href_of(pattern: AccessPattern, given: Mapping[str, str], **parameters: object) -> str:
    """The link that opens a pattern with some of its parameters filled in."""
    return href(f"/patterns/{pattern.id}", **parameters, **filled(given))


def filled(given: Mapping[str, str]) -> dict[str, str]:
    """A pattern's parameters as those of the page, which has some of its own."""
    return {f"p.{name}": value for name, value in given.items()}


def breakable(text: str) -> Markup:
    """A key as text, with a place after each separator where the browser may break the line."""
    return Markup(f"{SEPARATOR}<wbr>").join(map(escape, text.split(SEPARATOR)))  # noqa: S704


def unquoted(text: str) -> str:
    """A sentence of the declaration without its backquotes, which mark code in Markdown."""
    return text.replace("`", "")


def as_json(value: Any) -> str:
    """A request to the letter, as JSON."""
    return json.format(json.encode(value), indent=2).decode()


def environment() -> Environment:
    """The templates. Every value is text, whatever is in it."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        {
            "as_json": as_json,
            "breakable": breakable,
            "filled": filled,
            "pretty": asking.pretty,
            "unquoted": unquoted,
        }
    )
    made.globals.update(
        {
            "VIEWS": [rows.name_of(index) for index in rows.VIEWS],
            "LANGUAGES": LANGUAGES,
            "THEMES": THEMES,
            "beginnings": beginnings(),
            "colour_of": rows.colour_of,
            "href": href,
            "href_of": href_of,
            "is_read": asking.is_read,
            "legend": legend,
            "name_of": rows.name_of,
            "steps": steps,
        }
    )
    return made


_templates: Final = environment()


def render(template: str, captions: Captions, **values: Any) -> str:
    """The HTML of a template."""
    return _templates.get_template(template).render(t=captions, **values)
