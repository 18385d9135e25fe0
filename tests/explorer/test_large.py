"""A table of 100,000 items on the local cloud's DynamoDB: what is shown does not grow with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from docs import sample
from lambdas.design.ecommerce import Order
from lambdas.runtime import store
from lambdas.runtime.items import Item, to_item
from local.deployment import ACCESS_KEY, REGION, SECRET_KEY
from local.emulator import emulator, endpoint, free_port
from seed.table import Table

pytestmark = pytest.mark.thorough

ITEMS = 100_000
PAGES = 100
MOST_GROWTH_KB = 20_000
"""A page of 50 items is some 100 KB; a table that were kept would be 30 MB and more."""


def _items() -> Iterator[Item]:
    for number in range(ITEMS):
        yield to_item(
            Order(
                UserId=f"U-{number // 10:06d}",
                OrderId=f"2024-01-01-{number:06d}",
                Status="PENDING" if number % 100 == 0 else "PAID",
                Total=Decimal("10.50"),
                Currency="EUR",
                PlacedAt="2024-01-01T00:00:00.000Z",
            )
        )


@pytest.fixture
def large_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The endpoint of a DynamoDB that has a table of so many items."""
    port = free_port()
    for name, value in {
        "AWS_ENDPOINT_URL": endpoint(port),
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    }.items():
        monkeypatch.setenv(name, value)
    with emulator(port, tmp_path):
        store.client.cache_clear()
        sample._create_table()  # noqa: SLF001 - the table of the documents, elsewhere
        Table(store.client(), sample.TABLE_NAME).put(list(_items()), lambda _: None)
        yield endpoint(port)
    store.client.cache_clear()


def test_the_first_view_and_the_memory_do_not_grow_with_the_table(
    large_table: str, record_property: Callable[[str, object], None]
) -> None:
    port = free_port()
    words = ["--table", sample.TABLE_NAME, "--endpoint-url", large_table, "--port", str(port)]
    command = [sys.executable, "-m", "explorer", *words]
    with subprocess.Popen(command, env=os.environ, stdout=subprocess.PIPE, text=True) as page:  # noqa: S603
        try:
            assert page.stdout
            assert f"{ITEMS} items" in page.stdout.readline()
            assert page.stdout.readline().startswith("ready: ")

            began = time.perf_counter()
            first = _get(port, "/")
            took = time.perf_counter() - began
            before = _resident_kb(page.pid)
            text = first
            for _ in range(PAGES):
                more = re.search(r'hx-get="(/rows/table\?after=[^"]+)"', text)
                assert more
                text = _get(port, more[1].replace("&amp;", "&"))
            grown = _resident_kb(page.pid) - before
        finally:
            page.terminate()

    assert first.count('<li class="row') == 50
    assert grown < MOST_GROWTH_KB
    figure = f"{ITEMS} items: first view {took:.2f} s, {PAGES} pages later {grown} KB more"
    record_property("figure", f"explorer: {figure}")


def _get(port: int, path: str) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        return str(answer.read().decode())


def _resident_kb(pid: int) -> int:
    [found] = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"))
    return int(found)
