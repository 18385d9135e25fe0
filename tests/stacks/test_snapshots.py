"""What a reviewer reads of a change: the templates, and who may do what.

`make snapshots` writes them anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.stacks.routes import permissions
from tests.stacks.synthesis import Stack, Synthesize, Synthesized
from tools.acknowledged import acknowledged, summary


class Text(SingleFileSnapshotExtension):
    """A snapshot that is a text file of its own."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class Json(Text):
    file_extension = "json"


def test_table_template(templates: Synthesized, snapshot: SnapshotAssertion) -> None:
    assert _as_text(templates.table) == snapshot(extension_class=Json)


def test_api_template(templates: Synthesized, snapshot: SnapshotAssertion) -> None:
    assert _as_text(templates.api) == snapshot(extension_class=Json)


def test_monitoring_template(templates: Synthesized, snapshot: SnapshotAssertion) -> None:
    assert _as_text(templates.monitoring) == snapshot(extension_class=Json)


def test_dev_differs_only_in_this(synthesize: Synthesize, snapshot: SnapshotAssertion) -> None:
    prod, dev = synthesize(), synthesize(stage="dev")

    lines = [*_differences(prod.table, dev.table), *_differences(prod.api, dev.api)]

    assert "".join(f"{line}\n" for line in lines) == snapshot(extension_class=Text)


def test_permissions(templates: Synthesized, snapshot: SnapshotAssertion) -> None:
    """Beside these each function may write its own log and send its traces, see test_api_stack."""
    assert permissions(templates) == snapshot(extension_class=Text)


def test_acknowledged(templates: Synthesized, snapshot: SnapshotAssertion) -> None:
    """What the rule packs find and we accept, with the reasons."""
    assert summary(acknowledged(templates.folder)) == snapshot(extension_class=Text)


def _as_text(stack: Stack) -> str:
    return json.dumps(_masked(stack.template), indent=2, ensure_ascii=False) + "\n"


def _masked(value: Any) -> Any:
    """A document in which every asset has one name, so that a snapshot outlives changed code."""
    return json.loads(re.sub(r"\b[0-9a-f]{64}\b", "<asset>", json.dumps(value)))


def _differences(prod: Stack, dev: Stack) -> Iterator[str]:
    """What is not the same, a line each; the stacks' own names, which differ, are left out."""
    before, after = (
        dict(_leaves(json.loads(json.dumps(template).replace("SingleTable-dev:", "SingleTable:"))))
        for template in (prod.template, dev.template)
    )
    for path in dict.fromkeys([*before, *after]):
        was, becomes = before.get(path, "(absent)"), after.get(path, "(absent)")
        if was != becomes:
            yield f"{prod.name}: {path}: {was} -> {becomes}"


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    members = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    if not members:
        yield path, json.dumps(value)
    for name, member in members:
        yield from _leaves(member, f"{path}.{name}" if path else str(name))
