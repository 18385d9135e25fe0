"""The techniques' page explains each technique and leads to its code."""

from __future__ import annotations

import re

import pytest

from docs.generate import ROOT
from docs.techniques import TECHNIQUES, techniques
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import Technique

LINK = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)(?: `(\w+)`)?")


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """The text under each heading."""
    parts = re.split(r"^## (.+)$", techniques(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_each_technique_is_explained_in_its_order(sections: dict[str, str]) -> None:
    assert list(sections) == [str(technique) for technique in Technique]
    for technique in Technique:
        assert TECHNIQUES[technique].text in sections[technique]


@pytest.mark.parametrize("technique", Technique)
def test_the_patterns_that_show_it_are_listed_and_no_others(
    technique: Technique, sections: dict[str, str]
) -> None:
    listed = re.findall(r"^- \[([A-Z]+-\d+)\]", sections[technique], flags=re.MULTILINE)
    assert listed == [each.id for each in ACCESS_PATTERNS if technique in each.shows]
    assert listed


def test_each_link_leads_to_the_file_that_has_what_it_names() -> None:
    links = LINK.findall(techniques())
    assert links
    for name, file, constant in links:
        text = (ROOT / file).read_text("utf-8")
        if constant:
            assert re.search(rf'(?m)^{constant} = \S+\(\n    id="{name}",$', text), name
        else:
            last = name.strip("`").rpartition(".")[2]
            assert re.search(rf"(?m)^(class|def) {last}\b", text), name


def test_a_line_more_in_the_declaration_changes_no_line_of_the_page() -> None:
    assert "#L" not in techniques()
