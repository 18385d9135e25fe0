"""The page for whoever has to decide: its figures are measured, and it leads to what it says."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path

import pytest

from bench import results
from docs import dashboard, single_table
from docs.generate import ROOT
from lambdas.design.table import INDEXES
from tests.docs.links import broken

PAGE = ROOT / "docs/single-table.md"
TEXT = PAGE.read_text("utf-8")
BLOCK = re.compile(r"<!-- ([a-z-]+):begin -->(.*?)<!-- \1:end -->", re.DOTALL)
NO_FIGURES = re.compile(r"`[^`]*`|\]\([^)]*\)|^\d\. |\bS3\b|November 2025", re.MULTILINE)
"""Code, targets of links, numbers of a list, a name, and the date of a feature."""


def typed_figures(text: str) -> list[str]:
    """The words with a digit in what is written by hand."""
    return re.findall(r"\S*\d\S*", NO_FIGURES.sub("", BLOCK.sub("", text)))


def with_changed(units: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The blocks, had an order of ten items taken so many units in several tables."""
    found = deepcopy(results.kept())
    [order] = (
        each
        for each in found["tables"]["changes"]
        if each["title"].startswith("Place an order of 10 items")
    )
    order["several"]["units"] = units
    monkeypatch.setattr(results, "kept", lambda: found)
    return dict(BLOCK.findall(single_table.with_figures(TEXT)))


def test_the_figures_are_those_of_the_measurements() -> None:
    assert single_table.with_figures(TEXT) == TEXT, "`make docs` renews it"


def test_another_measurement_gives_other_figures_where_it_is_told_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = dict(BLOCK.findall(TEXT))
    after = with_changed(40, monkeypatch)

    assert {name for name in after if after[name] != before[name]} == {
        "in-short",
        "efficiency",
        "paid-back",
    }
    # 47 - 40 units more, each as dear as 5 read units, and half a read unit saved each time.
    assert "7 write units more" in after["paid-back"]
    assert "read 70 times" in " ".join(after["paid-back"].split())


def test_what_is_said_in_words_is_what_was_measured() -> None:
    found = results.kept()["tables"]
    joined: dict[int, list[float]] = {1: [], 2: []}
    for each in found["questions"].values():
        _, middle, high = each["5 ms"]["several"]["ratio"]
        if each["several"]["requests"] == 1:
            assert 0.9 < middle <= high < 1, "a little ahead, for one entity alone"
        else:
            joined[each["several"]["rounds"]].append(middle)
    assert 1 < min(joined[1]) <= max(joined[1]) < 1.5, "small where all can be sent at once"
    assert min(joined[2]) > 2, "large where one has to wait"
    for each in found["changes"]:
        assert each["several"]["units"] <= each["single"]["units"], "writes are never cheaper"


def test_no_figure_is_typed_by_hand() -> None:
    assert typed_figures(TEXT) == []


@pytest.mark.parametrize("typed", ["It takes 47 units.", "It is 2.1 times as large.", "9% more"])
def test_a_figure_that_is_typed_by_hand_would_be_noticed(typed: str) -> None:
    assert typed_figures(f"{TEXT}\n{typed}\n")


def test_each_row_of_the_lecture_says_the_same_four_things() -> None:
    rows = re.split(r"(?m)^### (.+)$", TEXT.partition("\n## What would change our minds")[0])[1:]

    assert rows[::2] == [
        "Queries",
        "Efficiency",
        "Complexity",
        "Readability",
        "Changes of the schema",
        "Monitoring",
        "Suits",
    ]
    for row in rows[1::2]:
        assert re.findall(r"(?m)^\*\*(.+?)\.\*\*", row) == [
            "The claim",
            "What we measured",
            "What the tools change",
            "What remains",
        ]


def test_the_alarms_of_one_table_are_those_that_are_deployed() -> None:
    deployed = dashboard.of_type("AWS::CloudWatch::Alarm", dashboard.template())

    assert single_table._alarms(1, len(INDEXES)) == len(deployed)  # noqa: SLF001
    assert single_table._alarms(2, len(INDEXES)) > len(deployed)  # noqa: SLF001


def test_links_lead_to_files_and_headings() -> None:
    assert broken(PAGE) == []


@pytest.mark.parametrize("target", ["nowhere.md", "guide.md#no-such-heading", "#no-such-heading"])
def test_a_link_that_leads_nowhere_would_be_noticed(target: str, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# A guide\n", "utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n[good](guide.md#a-guide) [bad]({target})\n", "utf-8")

    assert broken(page) == [target]
