"""What is kept of the doctor's rounds holds the promise: memory for pages, whatever the size."""

from __future__ import annotations

import pytest

from bench import results, rounds
from bench.results import Found
from seed import generated


@pytest.fixture(scope="module")
def sizes() -> dict[int, Found]:
    kept = results.kept()["rounds"]["sizes"]
    return {int(size): found for size, found in kept.items()}


PAGES_MB = 50
"""Of four segments, each of up to 1 MB of JSON, with what Python makes of it."""


def test_a_hundred_times_the_items_take_the_memory_of_some_pages_more(
    sizes: dict[int, Found],
) -> None:
    assert list(sizes) == [*rounds.SIZES, 1_000_000]
    smallest, *_, largest = sizes.values()

    assert largest["items"]["megabytes"] < smallest["items"]["megabytes"] + PAGES_MB


def test_every_item_was_looked_at_and_nothing_was_wrong(sizes: dict[int, Found]) -> None:
    for size, kinds in sizes.items():
        for each in kinds.values():
            assert each["items"] > size  # the example data besides
            assert each["is_clean"]


def test_what_takes_hours_is_left_out(sizes: dict[int, Found]) -> None:
    assert [size for size, kinds in sizes.items() if "relations" in kinds] == [*rounds.SIZES]


@pytest.mark.emulator  # dynalite needs Node.js
def test_the_rounds_are_those_of_the_command() -> None:
    found = rounds.made(generated.SMALLEST, lambda _: None)

    assert list(found) == ["items", "relations"]
    assert {each["is_clean"] for each in found.values()} == {True}
    assert found["items"]["items"] == found["relations"]["items"] > generated.SMALLEST
