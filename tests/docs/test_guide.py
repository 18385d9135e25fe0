"""The guide's calls print what it shows, and its generated parts are all there."""

from __future__ import annotations

import re

import pytest

from docs.guide import MARKED, STEPS, parts, shortened, with_parts
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import FROM, TO, Job
from lambdas.design.keys import DeclarationError
from lambdas.design.operations import Query, Within, Write
from lambdas.design.pattern import Technique
from tests.docs.guide_reader import (
    CAPACITY,
    GUIDE,
    Block,
    Call,
    api_on_moto,
    calls,
    fits,
    guide,
    prints,
    run,
    whole,
)
from tests.docs.links import broken

CALLS = calls(guide()[0])
NOT_ON_MOTO = "SeminarStudentsIndex"
"""moto knows no PartiQL on an index; the local cloud does, see tests/e2e/test_guide.py."""


ON_MOTO = [call for call in CALLS if NOT_ON_MOTO not in call.command]


@pytest.fixture(scope="module")
def printed() -> dict[Call, str]:
    """What each call prints, one after the other as a reader makes them: some change the table."""
    with api_on_moto() as url:
        return {call: run(call, url) for call in ON_MOTO}


@pytest.mark.parametrize("call", ON_MOTO, ids=str)
def test_each_call_prints_what_the_guide_shows(call: Call, printed: dict[Call, str]) -> None:
    text = CAPACITY.sub(r"\1: 0.5", printed[call])

    assert prints(call, text), text


def test_there_is_a_call_for_each_step() -> None:
    assert len(CALLS) >= len(STEPS)


def test_every_generated_part_is_in_the_guide_once_and_there_is_no_other() -> None:
    text = GUIDE.read_text("utf-8")

    assert sorted(MARKED.findall(text)) == sorted(parts())
    assert text.count(":begin -->") == text.count(":end -->") == len(parts())


def test_a_part_is_put_between_its_markers_and_nothing_else_changes() -> None:
    text = "Before.\n\n<!-- vips:begin -->\nold\n<!-- vips:end -->\n\nAfter.\n"

    renewed = with_parts(text)

    assert (
        renewed
        == f"Before.\n\n<!-- vips:begin -->\n{parts()['vips']}\n<!-- vips:end -->\n\nAfter.\n"
    )
    assert with_parts(renewed) == renewed


def test_a_marker_of_no_part_is_an_error() -> None:
    with pytest.raises(KeyError, match="nothing"):
        with_parts("<!-- nothing:begin --><!-- nothing:end -->")


def test_every_technique_is_shown_by_a_step() -> None:
    shown = {technique for step in STEPS.values() for technique in step.pattern.shows}

    assert shown == set(Technique)


def test_no_call_depends_on_a_write_before_it_but_in_the_chapter_on_writes() -> None:
    writes = [isinstance(step.pattern.operation, Write) for step in STEPS.values()]

    assert writes == sorted(writes)


@pytest.mark.parametrize(
    ("shown", "is_so"),
    [
        ('HTTP/1.1 200 OK\nETag: "2"\n\n{"A": 1, ...}', True),
        ('HTTP/1.1 200 OK\n\n{"A": 1, ...}', True),
        ('HTTP/1.1 201 Created\nETag: "2"\n\n{"A": 1, ...}', False),
        ('HTTP/1.1 200 OK\nETag: "1"\n\n{"A": 1, ...}', False),
        ('HTTP/1.1 200 OK\nETag: "2"\n\n{"A": 2, ...}', False),
        ('HTTP/1.1 200 OK\nETag: "2"', False),
    ],
)
def test_an_answer_with_its_status_that_is_not_the_one_shown_would_be_noticed(
    shown: str, is_so: bool
) -> None:
    printed = 'HTTP/1.0 200 OK\nServer: x\netag: "2"\n\n{"A": 1, "B": 2}'

    assert prints(Call("curl -i", Block("http", shown)), printed) == is_so


def test_the_same_call_twice_is_two_calls() -> None:
    text = "```bash\ncurl x\n```\n```text\nQuery\n```\n```json\n{}\n```\n"

    assert calls(text + text) == [Call("curl x", Block("json", "{}"))] * 2


def test_the_patterns_that_the_guide_names_exist() -> None:
    text, _ = guide()
    known = {pattern.id for pattern in ACCESS_PATTERNS}

    assert set(re.findall(r"\b(?:AP|UN|SO|CW|UW|SW)-\d\d\b", text)) <= known


def test_a_declaration_that_does_not_fit_together_says_what_the_guide_says() -> None:
    with pytest.raises(DeclarationError) as refused:
        Query(Job.failed, sort=Within("Failed", FROM, TO))

    assert f"`{refused.value}`" in guide()[1]


def test_links_lead_to_files_and_headings() -> None:
    assert broken(GUIDE) == []


def test_no_line_of_code_is_so_long_that_it_has_to_be_scrolled_far() -> None:
    fenced = re.findall(r"(?ms)^```\w+\n(.*?)\n```$", guide()[0])

    assert [line for text in fenced for line in text.split("\n") if len(line) > 130] == []


@pytest.mark.parametrize(
    ("body", "fields", "text"),
    [
        ({"A": 1, "B": "x"}, (), '{"A": 1, "B": "x"}'),
        ({"A": 1, "B": "x"}, ("A",), '{"A": 1, ...}'),
        ({"A": {"x": 1, "y": 2}}, ("A",), '{"A": {"x": 1, ...}}'),
        ({"items": [], "next": None}, ("A",), '{"items": [], "next": null}'),
        (
            {"items": [{"A": 1}, {"A": 2}, {"A": 3}], "next": "c"},
            ("A",),
            '{"items": [\n  {"A": 1},\n  {"A": 2},\n  ... 1 more\n], "next": "c"}',
        ),
    ],
)
def test_an_answer_is_shortened_so_that_it_still_fits(
    body: object, fields: tuple[str, ...], text: str
) -> None:
    assert shortened(body, fields, 2) == text
    assert fits(whole(text), body)


@pytest.mark.parametrize(
    ("shown", "actual"),
    [
        ('{"A": 1}', {"A": 1, "B": 2}),
        ('{"A": 1, ...}', {"A": 1}),
        ('{"A": 1, ...}', {"A": 2, "B": 2}),
        ('{"A": 1, ...}', {"B": 2}),
        ('[\n  {"A": 1},\n  ... 1 more\n]', [{"A": 1}]),
        ('[\n  {"A": 1},\n  ... 1 more\n]', [{"A": 2}, {"A": 1}]),
        ('{"items": []}', {"items": [1]}),
        ('{"next": null}', {"next": "c"}),
    ],
)
def test_an_answer_that_is_not_the_one_shown_would_be_noticed(shown: str, actual: object) -> None:
    assert not fits(whole(shown), actual)


def test_headers_that_are_not_those_shown_would_be_noticed() -> None:
    call = Call("curl", Block("text", "X-A: 1\nX-B: 0.5"))

    assert prints(call, "x-a: 1\nx-b: 0.5\n")
    assert not prints(call, "x-a: 1\n")
    assert not prints(call, "x-a: 2\nx-b: 0.5\n")
