"""The data model: the keys of each entity, and the table and its indexes filled with examples."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from html import escape
from typing import Any, Final

from docs.markdown import code, table
from docs.sample import NOW, items
from lambdas.design import ENTITIES
from lambdas.design.entity import Entity
from lambdas.design.keys import Index, Key
from lambdas.design.table import GSI1, GSI2, INDEXES, TABLE
from lambdas.runtime import times
from lambdas.runtime.items import MARK, Item, to_plain
from seed.datasets import DATASETS

_KEYS: Final = frozenset(name for index in (TABLE, *INDEXES) for name in index.key_attributes)
_NOT_SHOWN: Final = frozenset({"Type", "Version"})

INTRODUCTION: Final = f"""\
# Data model

Generated from `lambdas/design` and the example data by `python -m docs.generate`; do not edit it.

One table and its indexes. Every item has `Type` and `Version` (1, then counted up) besides what \
is named here. The fields in an entity's `PK` and `SK` are not stored a second time as attributes: \
they are read back out of the key. In the key templates `{{Email:lower}}` is the lower-cased \
address, `{{ExpiresAt:time}}` a time as text, and `{{Category:first-level}}` with \
`{{Category:lower-levels}}` a path that is cut into the parts of a composite sort key.

An item that one update has changed may have `{MARK}` besides, the name of the call that did it: \
when the answer was lost and the call is sent again, it meets its own trace. No answer shows it, \
and the university's items do without it. Of a deleted user there is left the key, the `Type` \
`DeletedUser` and the `Version`, so that reads find no user there and the id is not given again.
"""

PICTURES: Final = f"""\
In the pictures a partition key stands once, and beside it its items in the order of the sort key. \
A picture of an index leaves out the keys of the other indexes. The example data is that of \
{times.to_text(NOW)}.
"""


def data_model() -> str:
    """The page."""
    indexes = table(
        ("Index", "Partition key", "Sort key", "Projection", "Purpose"),
        (
            (
                index.name or "(table)",
                code(index.partition_key),
                code(index.sort_key),
                "" if index == TABLE else index.projection,
                index.purpose,
            )
            for index in (TABLE, *INDEXES)
        ),
    )
    datasets = dict.fromkeys(entity.dataset() for entity in ENTITIES)
    sections = (_dataset(dataset) for dataset in datasets)
    return "\n".join([INTRODUCTION, f"{indexes}\n", PICTURES, *sections])


def _dataset(dataset: str) -> str:
    entities = [entity for entity in ENTITIES if entity.dataset() == dataset]
    module = sys.modules[entities[0].__module__].__doc__ or ""
    title = dataset.capitalize() if dataset in DATASETS else "All datasets"
    sections = [f"## {title}\n", f"{_sentence(module)}\n", _chart(entities)]
    stored = items(dataset)
    for index in (TABLE, *INDEXES):
        if picture := _picture(index, stored):
            name = f"{index.name}" if index.name else "the table"
            sections.append(f"\n### {dataset.capitalize()}: {name}\n\n{picture}")
    return "\n".join(sections) + "\n"


def _sentence(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


# --- The entity chart -----------------------------------------------------------------------


def _chart(entities: list[type[Entity]]) -> str:
    used = [index for index in INDEXES if any(_key(each, index) for each in entities)]
    header = [
        "Type",
        "PK",
        "SK",
        *(f"{i.partition_key}<br>{i.sort_key}" for i in used),
        "Attributes",
    ]
    rows = (
        [
            f"{code(entity.__name__)}<br>{_sentence(entity.__doc__ or '')}",
            code(str(entity.primary.partition)),
            code(str(entity.primary.sort)),
            *(_templates(_key(entity, index)) for index in used),
            _attributes(entity),
        ]
        for entity in entities
    )
    return table(header, rows)


def _key(entity: type[Entity], index: Index) -> Key | None:
    return next((key for key in entity.keys if key.index == index), None)


def _templates(key: Key | None) -> str:
    if not key:
        return ""
    both = f"{code(key.partitions)}<br>{code(str(key.sort))}"
    return f"{both}<br>{key.only_while}" if key.only_while else both


def _attributes(entity: type[Entity]) -> str:
    """The attributes besides those of the key; one that may be absent has a question mark."""
    required = len(entity.__struct_fields__) - len(entity.__struct_defaults__)
    absent = {
        name
        for name, default in zip(
            entity.__struct_encode_fields__[required:], entity.__struct_defaults__, strict=True
        )
        if default is None
    }
    names = [n for n in entity.__struct_encode_fields__ if n not in entity.primary.fields]
    return " ".join(code(f"{name}?" if name in absent else name) for name in names)


# --- The filled tables ----------------------------------------------------------------------


def _picture(index: Index, stored: list[Item]) -> str:
    """An HTML table, since a partition key spans the rows of its items."""
    collections: dict[str, list[Item]] = {}
    for item in stored:
        if index.partition_key in item:
            collections.setdefault(item[index.partition_key]["S"], []).append(item)
    if not collections:
        return ""
    keys_only = index.projection == "KEYS_ONLY"
    titles = [index.partition_key, index.sort_key, *([] if keys_only else ["Attributes"])]
    rows = [row for key, found in collections.items() for row in _rows(index, key, found)]
    head = "".join(f"<th>{title}</th>" for title in titles)
    return "\n".join(["<table>", f"<tr>{head}</tr>", *rows, "</table>"])


def _rows(index: Index, partition: str, found: list[Item]) -> Iterable[str]:
    # DynamoDB sorts text by its bytes in UTF-8.
    found = sorted(found, key=lambda item: item[index.sort_key]["S"].encode())
    span = f' rowspan="{len(found)}"' if len(found) > 1 else ""
    first = f'<td{span} valign="top">{_code(partition)}</td>'
    for item in found:
        cells = [f"<td>{_code(item[index.sort_key]['S'])}</td>"]
        if index.projection != "KEYS_ONLY":
            cells.append(f"<td>{_shown(index, item)}</td>")
        yield f"<tr>{first}{''.join(cells)}</tr>"
        first = ""


def _shown(index: Index, item: Item) -> str:
    """The item's attributes; then in the table the keys of its indexes, in an index the table's."""
    names = ["Type", *(name for name in item if name not in _KEYS | _NOT_SHOWN)]
    lines = [" · ".join(f"<b>{escape(name)}</b> {_value(item[name])}" for name in names)]
    for other in (GSI1, GSI2) if index == TABLE else (TABLE,):
        if other.partition_key in item:
            keys = (f"{name} {_code(item[name]['S'])}" for name in other.key_attributes)
            lines.append(" · ".join(keys))
    return "<br>".join(lines)


def _value(attribute: dict[str, Any]) -> str:
    if "N" in attribute:
        return str(attribute["N"])
    plain = to_plain(attribute)
    text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    return escape(text, quote=False)


def _code(text: str) -> str:
    # Where the browser may break the line.
    return f"<code>{escape(text, quote=False).replace('#', '#<wbr>')}</code>"
