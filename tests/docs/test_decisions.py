"""The records of decisions, and the list of them."""

from __future__ import annotations

import re

from docs.generate import ROOT

FOLDER = ROOT / "docs" / "decisions"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))


def listed(text: str) -> list[str]:
    """The files that a list of decisions links to, in its order."""
    return re.findall(r"^\| \[(?:\d{4})\]\((.+?)\) \|", text, re.MULTILINE)


def test_every_decision_is_listed_once_and_in_order() -> None:
    assert listed((FOLDER / "README.md").read_text("utf-8")) == [each.name for each in RECORDS]


def test_a_decision_that_is_left_out_is_missed() -> None:
    row = "| [0001](0001-declare-once.md) | once |\n"
    assert listed(row + "0002-two.md\n" + row) == ["0001-declare-once.md"] * 2


def test_each_has_its_number_and_a_way_back() -> None:
    for record in RECORDS:
        text = record.read_text("utf-8")
        assert text.startswith(f"# {record.name[:4]}: "), record.name
        assert "**The way back" in text, record.name
