"""What is kept of the growth holds the promise: every read is one request, and stays as it is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bench import growth, results
from bench.results import Found

PAGE_BYTES = 51 * 400
"""More than a page of 50 items and one more has anywhere."""


@pytest.fixture(scope="module")
def sizes() -> dict[int, Found]:
    kept = results.kept()["growth"]["sizes"]
    return {int(size): found for size, found in kept.items()}


def test_each_power_of_ten_up_to_a_million_is_kept(sizes: dict[int, Found]) -> None:
    assert list(sizes) == [*growth.SIZES, 1_000_000]


def test_every_read_is_one_request_at_every_size(sizes: dict[int, Found]) -> None:
    for found in sizes.values():
        assert found["reads"].keys() <= {pattern.id for pattern in growth.READS}
        assert {each["requests"] for each in found["reads"].values()} == {1}


def test_no_read_grows_beyond_a_page(sizes: dict[int, Found]) -> None:
    for found in sizes.values():
        for pattern, each in found["reads"].items():
            assert each["bytes"] < PAGE_BYTES, pattern
            assert each["units"] <= 3, pattern


def test_a_write_takes_the_same_at_every_size(sizes: dict[int, Found]) -> None:
    units = [
        {pattern: (each["requests"], each["units"]) for pattern, each in found["writes"].items()}
        for found in sizes.values()
    ]

    first, *_ = units
    assert first.keys() <= {pattern.id for pattern in growth.WRITES}
    for size, found in zip(sizes, units, strict=True):
        carried = growth.WRITES if size <= growth.MOST_IN_MEMORY else growth.ON_DYNALITE
        assert found == {each.id: first[each.id] for each in carried if each.id in first}


def test_the_emulator_counts_every_write_the_same(sizes: dict[int, Found]) -> None:
    for each in sizes[growth.MOST_IN_MEMORY]["writes"].values():
        assert each["counted"] == each["units"]


def test_a_scan_reads_everything_and_so_it_grows(sizes: dict[int, Found]) -> None:
    for size, found in sizes.items():
        assert found["scan"]["items"] > size  # the example data besides
        assert found["scan"]["units"] > size * 0.02


@pytest.mark.thorough  # two engines are started and loaded
def test_a_size_is_measured_as_it_was(sizes: dict[int, Found]) -> None:
    assert growth.grown(1_000, lambda _: None) == sizes[1_000]


def test_a_pattern_that_is_newer_than_the_measurement_is_left_out_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    newer = replace(growth.READS[0], id="AP-99")
    monkeypatch.setattr(growth, "READS", (*growth.READS, newer))

    page = growth.section(results.kept()["growth"])

    assert growth.READS[0].id in page
    assert newer.id not in page
