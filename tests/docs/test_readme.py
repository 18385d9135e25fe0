"""What the README says by hand is so."""

from __future__ import annotations

import re

from docs.generate import ROOT
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import Page, ParentAndPage
from tests.docs.links import broken

PAGE = ROOT / "README.md"
TEXT = PAGE.read_text("utf-8")


def test_its_links_lead_to_files_and_headings() -> None:
    assert broken(PAGE) == []


def test_the_links_under_the_title_lead_to_what_it_has_to_say() -> None:
    links = TEXT.partition("\n\nA DynamoDB")[0]
    for section in ("run-it-on-your-machine", "deploy-it-to-aws", "where-things-are"):
        assert f"](#{section})" in links
    assert "](#what-it-answers)" in links
    assert "](docs/guide.md)" in links


def test_the_long_tables_stand_after_what_a_newcomer_looks_for() -> None:
    titles = re.findall(r"(?m)^## (.+)$", TEXT)
    assert titles[-1] == "What it answers"
    assert "Where things are" in titles


def test_it_names_the_lists_that_are_not_found_where_the_others_are_empty() -> None:
    not_found = [
        each.id
        for each in ACCESS_PATTERNS
        if isinstance(each.answer, ParentAndPage)
        or (isinstance(each.answer, Page) and each.answer.must_exist)
    ]
    [sentence] = re.findall(r"is 404: ([^:]+?)\. Any other list", TEXT)
    assert re.findall(r"[A-Z]{2}-\d\d", sentence) == not_found
