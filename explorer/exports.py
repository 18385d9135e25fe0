"""The views as one HTML file that works offline, and as pictures for slides."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.units import entry
from explorer import reading, rows
from explorer.captions import Captions
from explorer.pages import View, render
from explorer.reading import Filter
from lambdas.design.keys import Index
from lambdas.design.table import TABLE
from lambdas.runtime.items import Item

MOST_ITEMS: Final = 2_000
"""How many items an export has at most; what is longer is no picture any more."""

STYLE: Final = Path(__file__).with_name("static") / "style.css"

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

PICTURE_WIDTH: Final = 1600
"""In CSS pixels; two device pixels each, so that a projector shows clean edges."""


class NoBrowser(Exception):
    """There is no browser that could draw the page; the message says what to install."""


def page_of_table(table: str, wanted: Filter, captions: Captions) -> str:
    """The page of what the table has now. Raises Unreadable."""
    found, is_all = reading.everything(TABLE, wanted, MOST_ITEMS)
    return page(table, found, captions, is_all=is_all)


def page(table: str, found: Iterable[Item], captions: Captions, *, is_all: bool = True) -> str:
    """One HTML file with all four views of the items. It loads nothing and runs no script."""
    found = sorted(found, key=rows.primary_key)
    views = [
        View(index, rows.collections(index, _of(index, found)), looked_at=len(found))
        for index in rows.VIEWS
    ]
    style = STYLE.read_text("utf-8")
    return render("static.html", captions, table=table, views=views, style=style, is_all=is_all)


def _of(index: Index, found: Iterable[Item]) -> Iterator[Item]:
    """What an index has of the items, in its order."""
    own = [own for item in found if (own := entry(index, item))]
    return iter(sorted(own, key=lambda item: item[index.partition_key]["S"].encode()))


def pictures(
    html: str, indexes: Sequence[Index], theme: str = "light"
) -> list[tuple[Index, bytes]]:
    """Each view of a page as a PNG. Raises NoBrowser."""
    try:
        from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 - for this alone
    except ImportError:
        raise NoBrowser("playwright is not installed (requirements-dev.txt has it)") from None
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(html, "utf-8")
        try:
            browser = playwright.chromium.launch(executable_path=executable(), args=flags())
        except Error:
            raise NoBrowser(
                "no browser was found: install Chromium (Debian and Ubuntu: apt install chromium)"
            ) from None
        try:
            tab = browser.new_page(
                viewport={"width": PICTURE_WIDTH, "height": 900},
                device_scale_factor=2,
                color_scheme="dark" if theme == "dark" else "light",
            )
            tab.goto(file.as_uri())
            drawn = []
            for index in indexes:
                name = rows.name_of(index)
                tab.locator(f"label[for='show-{name}']").click()
                drawn.append((index, tab.locator(f"#view-{name}").screenshot()))
            return drawn
        finally:
            browser.close()


def flags() -> list[str]:
    """Chromium has no sandbox for root, as whom containers run."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


def executable() -> str | None:
    """The browser that is installed on this machine; None leaves it to playwright's own."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)
