from __future__ import annotations

import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from explorer import captions, changes, rows
from explorer.captions import LANGUAGES, preferred, texts
from explorer.pages import THEMES

PACKAGE = Path(captions.__file__).parent

MADE_UP = {
    *(f"mark_{mark}" for mark in get_args(rows.Mark)),
    *(f"move_{move}" for move in get_args(changes.Move)),
    *(f"theme_{theme}" for theme in THEMES),
    *(f"by_{by}" for by in ("dataset", "technique")),
    *(f"error_{status}" for status in (400, 404, 405, 413)),
}
"""The names that a template puts together from two parts."""


def _used() -> set[str]:
    templates = "".join(file.read_text("utf-8") for file in PACKAGE.glob("templates/*.html"))
    return set(re.findall(r"""\bt\(["'](\w+)["'][,)]""", templates)) | MADE_UP


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_a_caption_for_everything_that_is_said_and_no_other(
    language: str,
) -> None:
    assert set(texts(language)) == _used()
    assert all(texts(language).values())


def test_there_are_german_and_english_captions() -> None:
    assert LANGUAGES == ("de", "en")
    assert texts("de")["run"] != texts("en")["run"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_caption_takes_the_same_values_in_each_language(language: str) -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    for name, text in texts(language).items():
        assert values(text) == values(texts("en")[name]), name


def test_captions_stand_in_the_order_of_the_alphabet_so_that_each_is_found() -> None:
    for language in LANGUAGES:
        assert list(texts(language)) == sorted(texts(language))


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr-FR,fr;q=0.9,en;q=0.5", "en"),
        ("en-GB", "en"),
        ("fr", "en"),
        ("", "en"),
    ],
)
def test_the_browser_s_language_is_taken_if_the_page_speaks_it(
    accepted: str, language: str
) -> None:
    assert preferred(accepted) == language
