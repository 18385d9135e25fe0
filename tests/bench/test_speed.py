"""The measurements of speed: that all callers do the same work, and that ratios are of one turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from bench import callers, canned, pairs
from lambdas.runtime import store

# The caller that is written by hand keeps its connection until its process ends.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with canned.running() as url:
        yield url


@pytest.fixture(autouse=True)
def _as_a_caller(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in pairs.environment(url).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    store.client.cache_clear()
    yield
    store.client.cache_clear()


def answer(caller: str, question: str) -> Any:
    return json.loads(callers.CALLERS[caller](question)())


@pytest.mark.parametrize("caller", ["handler", "deserializer", "boto3_resource", "by_hand"])
def test_every_caller_answers_with_the_same_item(caller: str) -> None:
    item = answer(caller, "item")
    assert (item["Name"], item["Version"], item["Delivery"]["Parcels"]) == ("Alice", 1, 2)


@pytest.mark.parametrize("caller", ["handler", "deserializer", "boto3_resource", "by_hand"])
def test_every_caller_answers_with_the_same_hundred_items(caller: str) -> None:
    found = answer(caller, "page")
    items = found["items"] if caller == "handler" else found
    assert [item["PlacedAt"][-4:] for item in items] == [f"{number:03}Z" for number in range(100)]
    assert {item["Total"] for item in items} == {129.9}


def test_an_item_has_the_bytes_that_the_page_speaks_of() -> None:
    sizes = {len(json.dumps(item)) for item in (canned.user(), canned.order(7))}
    assert all(abs(size - canned.ITEM_BYTES) < 20 for size in sizes)


def test_what_is_too_much_is_given_back_and_what_was_taken_is_counted() -> None:
    server = canned.Server(0, items_a_second=1000)
    server._left = 3  # noqa: SLF001 - what has come together so far
    writes = [{"PutRequest": {"Item": {"PK": {"S": f"{n}"}, "SK": {"S": "s"}}}} for n in range(100)]
    request = json.dumps({"RequestItems": {"T": writes}}).encode()
    head, _, body = server._answer(b"BatchWriteItem", request).partition(b"\r\n\r\n")  # noqa: SLF001
    left = len(json.loads(body)["UnprocessedItems"]["T"])
    assert head.startswith(b"HTTP/1.1 200")
    assert 0 < left <= 97
    assert len(server._stored) == 100 - left  # noqa: SLF001


def test_a_ratio_is_of_what_was_measured_in_the_same_turn() -> None:
    """The machine is three times slower in the second turn; the ratio does not move."""
    slow = iter([2.0, 6.0, 2.0])
    fast = iter([1.0, 3.0, 1.0])
    took = pairs.taken_in_turn({"slow": slow.__next__, "fast": fast.__next__}, 3)
    assert took == {"slow": [2.0, 6.0, 2.0], "fast": [1.0, 3.0, 1.0]}
    assert pairs.compared(took, to="fast")["slow"]["ratio"] == [2.0, 2.0, 2.0]
    assert pairs.shown([0.24, 0.25, 0.27]) == "0.25 (0.24 to 0.27)"
