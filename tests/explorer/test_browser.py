"""The page in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from docs import sample
from explorer import asking, exports
from explorer.captions import Captions
from explorer.reading import PrimaryKey
from explorer.rows import VIEWS, name_of
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import store
from tests.explorer.site import Site

pytestmark = pytest.mark.browser

READS = [pattern for pattern in ACCESS_PATTERNS if asking.is_read(pattern)]
WRITES = [pattern for pattern in ACCESS_PATTERNS if not asking.is_read(pattern)]

WIDTHS = (390, 1024, 1920)
THEMES = ("light", "dark")
MAIN_PAGES = (
    "/",
    "/?view=GSI1",
    "/patterns/AP-05?run=1",
    "/patterns/CW-06",
    "/item?pk=USER%23U-001&sk=ORDER%232024-01-05",
)

ENOUGH_CONTRAST = 4.5
"""WCAG 2.2, success criterion 1.4.3, for text of usual size."""

CONTRASTS = """
selectors => selectors.flatMap(selector => [...document.querySelectorAll(selector)].slice(0, 3)
  .map(element => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const over = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => value / 255);
  };
  const backgrounds = [];
  for (let each = element; each; each = each.parentElement) {
    backgrounds.unshift(getComputedStyle(each).backgroundColor);
  }
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const text = luminance(over([...backgrounds, getComputedStyle(element).color]));
  const ground = luminance(over(backgrounds));
  return [selector, (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)];
}))
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=exports.executable(), args=exports.flags()
        )
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, site: Site, **options: Any) -> Iterator[Page]:
    """A tab that asks nobody but the site, has no errors, and runs no script of a value."""
    context = browser.new_context(base_url=site.url, reduced_motion="reduce", **options)
    page = context.new_page()
    faults: list[str] = []
    asked: list[str] = []
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.set_default_timeout(20_000)
    yield page
    context.close()
    assert faults == []
    assert [url for url in asked if not url.startswith((site.url, "data:"))] == []


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    with opened(browser, site, viewport={"width": 1920, "height": 1080}) as page:
        yield page


def _keys(rows: Locator) -> list[PrimaryKey]:
    found: list[list[str]] = rows.evaluate_all(
        "rows => rows.map(r => [r.dataset.pk, r.dataset.sk])"
    )
    return [(partition, sort) for partition, sort in found]


def _loaded(page: Page) -> None:
    page.locator(".more.loading").first.wait_for(state="detached")


def _follow(page: Page, link: Locator) -> None:
    """Clicks and waits for the whole page: a click alone ends before rows and style are there."""
    with page.expect_navigation():
        link.click()


# --- Access patterns ------------------------------------------------------------------------


def test_every_read_pattern_lights_up_exactly_its_answer_s_items(page: Page) -> None:
    page.goto("/?view=GSI2")
    for pattern in READS:
        expected = asking.ask(pattern, asking.example(pattern))
        _follow(page, page.locator(f"nav.patterns a[href='/patterns/{pattern.id}']"))
        _follow(page, page.get_by_role("button", name="Run"))
        page.locator("#outcome .status.good").wait_for()

        view = page.locator(f"#view-{name_of(pattern.index)}")
        assert sorted(_keys(view.locator(".row.read"))) == sorted(expected.answered), pattern.id
        assert page.locator(".row.read").count() == len(expected.answered) > 0
        assert view.locator(".row.read").first.is_visible()


def test_what_was_not_read_is_dimmed(page: Page) -> None:
    page.goto("/patterns/AP-05?run=1")
    _loaded(page)

    def opacity(selector: str) -> float:
        return float(page.locator(selector).first.evaluate("e => getComputedStyle(e).opacity"))

    assert opacity(".row.read") == 1
    assert opacity(".row:not(.read)") < 0.6


def test_the_next_page_lights_up_the_items_that_follow(page: Page) -> None:
    page.goto("/patterns/AP-02")
    page.locator("input[name='p.limit']").fill("4")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    first = _keys(page.locator(".row.read"))
    _follow(page, page.get_by_role("link", name="Next page"))
    second = _keys(page.locator(".row.read"))

    pattern = next(each for each in READS if each.id == "AP-02")
    whole = asking.ask(pattern, asking.example(pattern)).answered
    assert first + second == whole[:8]


# --- Views ----------------------------------------------------------------------------------


def test_the_four_views_stand_side_by_side_and_go_on_when_asked(page: Page) -> None:
    page.goto("/")
    for index in VIEWS:
        page.locator(f"#view-{name_of(index)} .row").first.wait_for()
    before = page.locator("#view-table .row").count()

    page.locator("#view-table .more a").click()
    page.locator("#view-table .row").nth(before).wait_for()

    keys = _keys(page.locator("#view-table .row"))
    assert len(keys) == len(set(keys)) > before


def test_an_entity_of_the_legend_is_shown_alone(page: Page) -> None:
    page.goto("/?view=table")
    _follow(page, page.locator(".legend a.type", has_text="Teaching"))

    types = page.locator(".row .type").all_inner_texts()
    assert set(types) == {"Teaching"}


@pytest.mark.parametrize("theme", THEMES)
def test_nothing_is_cut_off_at_any_width_and_every_text_can_be_read(
    browser: Browser, site: Site, theme: Any
) -> None:
    texts = [
        "h1",
        "h2",
        ".note",
        ".purpose",
        ".badge",
        ".role",
        ".key",
        ".type",
        ".hint",
        "dt",
        "dd",
    ]
    texts += [
        ".mark",
        ".status",
        "pre",
        ".group b",
        ".group a",
        ".segments a",
        ".primary",
        ".no-scan",
    ]
    with opened(browser, site, color_scheme=theme) as page:
        for width, path in product(WIDTHS, MAIN_PAGES):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, path)
            undimmed = [f"{each}:not(.dim .row *)" for each in texts]
            contrasts = page.evaluate(CONTRASTS, undimmed)
            too_weak = [(each, ratio) for each, ratio in contrasts if ratio < ENOUGH_CONTRAST]
            assert too_weak == [], (width, path)
            assert len(contrasts) > 20


def test_a_theme_and_a_language_are_chosen_on_the_page(page: Page) -> None:
    page.goto("/patterns/AP-05?run=1")
    _follow(page, page.get_by_role("link", name="Dark"))
    _follow(page, page.get_by_role("link", name="DE", exact=True))

    assert page.url.endswith("/patterns/AP-05?run=1")
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    assert page.get_by_role("button", name="Ausführen").is_visible()


def test_the_keyboard_leads_to_the_table_and_runs_a_pattern(page: Page) -> None:
    page.goto("/patterns/AP-11")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "p.product_id"
    page.keyboard.press("Enter")

    page.locator(".row.read").wait_for()


# --- Changes --------------------------------------------------------------------------------


def test_an_item_that_is_changed_from_its_page_is_seen_to_move(page: Page) -> None:
    key = ("USER#U-001", "ORDER#2024-01-15")
    page.goto("/?view=GSI1&partition=STATUS%23PENDING")
    _follow(page, page.locator(".row a.sort", has_text="2024-01-15"))
    _follow(page, page.locator(".questions a", has_text="CW-06"))
    _follow(page, page.get_by_role("button", name="Call the API"))

    assert _keys(page.locator("#view-GSI1 .row.gone")) == [key]
    assert _keys(page.locator("#view-table .row.changed")) == [key]
    assert "PAID" in page.locator("#view-table .row.changed").inner_text()
    assert page.locator(".view").first.get_attribute("id") == "view-GSI1"
    page.goto("/?view=GSI1&partition=STATUS%23PENDING")
    assert key not in _keys(page.locator(".row"))


def test_every_write_pattern_is_called_from_the_page_and_what_it_moves_is_marked(
    page: Page,
) -> None:
    for pattern in WRITES:
        page.goto(f"/patterns/{pattern.id}")
        _leave_open(page, pattern)
        _follow(page, page.get_by_role("button", name="Call the API"))
        status = page.locator("#outcome .status")

        said = page.locator("#outcome").inner_text()
        assert "good" in str(status.get_attribute("class")), (pattern.id, said)
        marked = page.locator(".row:is(.entered, .moved, .changed, .gone)")
        assert marked.count() > 0 or "Nothing in the table has changed" in said, pattern.id


def _leave_open(page: Page, pattern: AccessPattern) -> None:
    """The test before has paid the order that the example pays; it is sent now."""
    if pattern.id == "CW-06":
        page.locator("textarea").fill('{"Status": "SHIPPED"}')


# --- Values ---------------------------------------------------------------------------------


def test_values_are_text_whatever_is_in_them(page: Page) -> None:
    """Were one of them a script, an element or a direction, the tab would show it, or not fit."""
    script = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    backwards, emoji = "\u202e" + "שלום abc", "👩‍👩‍👧‍👦🏳️‍🌈"
    key = {"PK": {"S": f"USER#{script}"}, "SK": {"S": f"ORDER#{backwards}"}}
    values = {"Type": {"S": script}, emoji: {"S": script}, "Long": {"S": "w" * 300_000}}
    store.client().put_item(TableName=os.environ["TABLE_NAME"], Item={**key, **values})
    try:
        page.goto(f"/?view=table&prefix={quote('USER#<script>')}")
        row = page.locator(".row")
        assert script in row.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") == 1920
        _follow(page, row.locator("a.sort"))
        assert emoji in page.locator("table.plain").inner_text()
        assert page.locator("main img, main script").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") == 1920
        assert page.locator("h1 bdi").count() == 2
    finally:
        store.client().delete_item(TableName=os.environ["TABLE_NAME"], Key=key)


# --- Exports --------------------------------------------------------------------------------


def test_the_file_works_offline_and_shows_one_view_or_all(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "explorer.html"
    file.write_text(exports.page("single-table", sample.items("social"), Captions("en")), "utf-8")
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())

    for index in VIEWS:
        page.locator(f"label[for='show-{name_of(index)}']").click()
        shown = [each for each in VIEWS if page.locator(f"#view-{name_of(each)}").is_visible()]
        assert shown == [index]
    page.locator("label[for='show-all']").click()
    assert all(page.locator(f"#view-{name_of(each)}").is_visible() for each in VIEWS)
    context.close()


def test_each_view_is_drawn_as_a_picture(site: Site) -> None:
    answer = site.get("/export/InvertedIndex.png?entity=Follow")

    assert answer.status == 200
    assert answer.headers["content-type"] == "image/png"
    assert int(answer.headers["content-length"]) > 10_000
