from __future__ import annotations

from pathlib import Path

import pytest

from docs import sample
from explorer import exports
from explorer.captions import Captions, texts
from explorer.exports import NoBrowser
from explorer.rows import VIEWS, name_of
from seed.datasets import DATASETS
from tests.explorer.site import Page, Site


def _page(language: str = "en", *, is_all: bool = True) -> str:
    items = [item for dataset in DATASETS for item in sample.items(dataset)]
    return exports.page("single-table", items, Captions(language), is_all=is_all)


def test_one_file_has_every_item_in_every_index_that_it_is_in() -> None:
    items = [item for dataset in DATASETS for item in sample.items(dataset)]
    page = Page()
    page.feed(_page())

    expected = sum(
        all(name in item for name in index.key_attributes) for index in VIEWS for item in items
    )
    assert len(page.rows) == expected
    assert expected > 2 * len(items)


def test_the_file_needs_nothing_and_nobody() -> None:
    text = _page()
    page = Page()
    page.feed(text)

    assert page.links == []
    assert "script" not in page.tags
    assert "url(" not in text
    assert "@import" not in text


def test_a_view_is_chosen_without_a_script() -> None:
    text = _page()

    for index in VIEWS:
        name = name_of(index)
        assert f'id="show-{name}"' in text
        assert f"body:has(#show-{name}:checked) #view-{name} {{ display: block; }}" in text


def test_the_inverted_index_has_keys_only() -> None:
    text = _page()
    inverted = text.partition('id="view-InvertedIndex"')[2].partition('id="view-')[0]

    assert 'class="row' in inverted
    assert 'class="attributes"' not in inverted
    assert 'class="keys"' not in inverted


def test_a_file_that_does_not_have_everything_says_so() -> None:
    note = texts("en")["export_is_cut"]

    assert note in _page(is_all=False)
    assert note not in _page()


def test_the_file_speaks_german_too() -> None:
    assert texts("de")["views"] in _page("de")


def test_a_picture_without_a_browser_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))

    with pytest.raises(NoBrowser, match=r"install Chromium|playwright is not installed"):
        exports.pictures(_page(), VIEWS)


def test_the_page_hands_out_the_table_as_it_is(site: Site) -> None:
    html = site.get("/export/explorer.html?entity=Follow")
    model = site.get("/export/workbench.json")

    assert html.headers["content-disposition"] == 'attachment; filename="explorer.html"'
    assert {sort.partition("#")[0] for (_, sort), _ in html.page.rows} == {"FOLLOWS"}
    assert model.headers["content-type"] == "application/json"
