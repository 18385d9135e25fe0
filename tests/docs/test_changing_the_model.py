"""What the page tells its reader to change is there to be changed; `make fuzz` follows it."""

from __future__ import annotations

import ast
import re

import pytest

from docs.generate import ROOT
from tests.docs.links import broken
from tests.docs.steps import edited, steps

PAGE = ROOT / "docs/changing-the-model.md"
CHAPTERS = ("A new entity", "A new index")


def chapter(heading: str) -> str:
    """A chapter of the page, up to the next one."""
    found = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert found
    return found


@pytest.mark.parametrize("heading", CHAPTERS)
def test_each_step_finds_its_line_and_leaves_code_that_can_be_read(heading: str) -> None:
    files: dict[str, str] = {}
    for step in steps(chapter(heading)):
        if step["command"] is None:
            name = step["new"] or step["file"]
            before = files.get(name) or ("" if step["new"] else (ROOT / name).read_text("utf-8"))
            files[name] = edited(step, before)

    assert files
    for text in files.values():
        ast.parse(text)


def test_a_line_that_is_gone_or_there_twice_would_be_noticed() -> None:
    [step] = steps("In `a.py`, after `x = ...`, add `y = 2`.")

    assert edited(step, "x = 1\n") == "x = 1\ny = 2\n"
    for text in ("z = 1\n", "x = 1\nx = 2\n"):
        with pytest.raises(AssertionError, match=r"a\.py has . lines"):
            edited(step, text)


def test_a_step_that_is_written_otherwise_would_be_noticed() -> None:
    with pytest.raises(AssertionError):
        steps("In `a.py`, after `x`, add `y`.\n\nIn `a.py`, behind `x`, add `y`.")


def test_the_chapters_of_the_table_are_there_in_its_order() -> None:
    text = PAGE.read_text("utf-8")
    linked = re.findall(r"(?m)^\| \[[^]]+\]\(#([\w-]+)\)", text)
    headings = [title.lower().replace(" ", "-") for title in re.findall(r"(?m)^## (.+)$", text)]

    assert linked == headings[: len(linked)]


def test_links_lead_to_files_and_headings() -> None:
    assert broken(PAGE) == []
