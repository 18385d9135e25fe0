"""The arithmetic of units, by the worked examples of DynamoDB's documentation and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.units import entry, index_write_units, read_units, write_units
from lambdas.design.table import GSI1, INVERTED_INDEX
from lambdas.runtime.items import Item, size

KB = 1024


def item(total: int, **attributes: str) -> Item:
    """An item of so many bytes, with its key, and more attributes."""
    made: Item = {
        name: {"S": value} for name, value in {"PK": "p", "SK": "s", **attributes}.items()
    }
    return made | {"x": {"S": "x" * (total - size(made) - 1)}}


# --- Developer Guide, "DynamoDB read and write operations" ----------------------------------


@pytest.mark.parametrize(
    ("total", "units"), [(3_500, 1), (3.5 * KB, 1), (4 * KB, 1), (8 * KB, 2), (10 * KB, 3)]
)
def test_a_strongly_consistent_read_counts_each_4_kb(total: float, units: float) -> None:
    assert read_units(int(total), consistent=True) == units


@pytest.mark.parametrize(("total", "units"), [(4 * KB, 0.5), (4 * KB + 1, 1), (8 * KB, 1)])
def test_an_eventually_consistent_read_counts_half(total: int, units: float) -> None:
    assert read_units(total) == units


def test_to_read_what_is_not_there_counts_as_the_smallest() -> None:
    assert (read_units(0), read_units(0, consistent=True)) == (0.5, 1)


def test_a_batch_rounds_up_each_item_and_a_query_their_sum() -> None:
    sizes = [int(1.5 * KB), int(6.5 * KB)]

    assert sum(read_units(each, consistent=True) for each in sizes) == 12 / 4
    assert read_units(sum(sizes), consistent=True) == 8 / 4


@pytest.mark.parametrize(("total", "steps"), [(40.8 * KB, 44 / 4), (1500 * 64, 96 / 4)])
def test_a_query_rounds_up_the_sum_of_all_it_reads(total: float, steps: float) -> None:
    assert read_units(int(total), consistent=True) == steps


@pytest.mark.parametrize(("total", "units"), [(500, 1), (KB, 1), (KB + 1, 2), (3 * KB + 512, 4)])
def test_a_write_counts_each_kb(total: int, units: int) -> None:
    assert write_units(None, item(total)) == units


def test_the_larger_of_the_item_before_and_after_counts() -> None:
    assert write_units(item(3 * KB), item(KB)) == 3
    assert write_units(item(KB), item(3 * KB)) == 3


def test_a_removal_counts_what_is_removed_and_nothing_counts_as_the_smallest() -> None:
    assert write_units(item(3 * KB), None) == 3
    assert write_units(None, None) == 1


# --- Developer Guide, "Using Global Secondary Indexes in DynamoDB" --------------------------


OUT = item(300)
IN_A = item(300, GSI1PK="a", GSI1SK="1")
IN_B = item(300, GSI1PK="b", GSI1SK="1")
IN_A_LATER = item(300, GSI1PK="a", GSI1SK="2")
IN_A_CHANGED = item(301, GSI1PK="a", GSI1SK="1")


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [
        pytest.param(None, IN_A, 1, id="a new item with an index key is put"),
        pytest.param(OUT, IN_A, 1, id="an item that is given an index key is put"),
        pytest.param(IN_A, IN_B, 2, id="another partition key: deleted and put"),
        pytest.param(IN_A, IN_A_LATER, 2, id="another sort key: deleted and put"),
        pytest.param(IN_A, OUT, 1, id="an item that loses its index key is deleted"),
        pytest.param(IN_A, None, 1, id="an item that is removed is deleted"),
        pytest.param(OUT, item(400), 0, id="an item that is not in the index costs nothing there"),
        pytest.param(None, OUT, 0, id="nor does a new one"),
        pytest.param(IN_A, IN_A_CHANGED, 1, id="a projected attribute changes: one write"),
        pytest.param(IN_A, IN_A, 0, id="nothing changes: nothing"),
    ],
)
def test_an_index_is_charged_for_what_changes_in_it(
    before: Item | None, after: Item | None, units: int
) -> None:
    assert index_write_units(GSI1, before, after) == units


def test_an_index_of_keys_is_charged_when_an_item_comes_or_goes_and_not_in_between() -> None:
    large = item(5 * KB)

    assert index_write_units(INVERTED_INDEX, None, large) == 1
    assert index_write_units(INVERTED_INDEX, large, item(6 * KB)) == 0
    assert index_write_units(INVERTED_INDEX, large, None) == 1


def test_half_a_key_is_no_entry() -> None:
    assert entry(GSI1, item(300, GSI1PK="a")) is None


def test_a_large_entry_that_moves_counts_by_its_own_sizes() -> None:
    before, after = item(3 * KB, GSI1PK="a", GSI1SK="1"), item(KB, GSI1PK="b", GSI1SK="1")

    assert index_write_units(GSI1, before, after) == 3 + 1
    assert write_units(before, after) == 3


SIZES = st.integers(50, 20 * KB)


@given(st.lists(SIZES, min_size=1, max_size=20))
def test_a_query_never_costs_more_than_the_same_items_one_by_one(sizes: list[int]) -> None:
    one_by_one = sum(map(read_units, sizes))

    assert read_units(sum(sizes)) <= one_by_one
    assert sum(sizes) <= read_units(sum(sizes)) * 8 * KB < sum(sizes) + 4 * KB


@given(SIZES, SIZES)
def test_an_entry_of_whole_items_is_never_dearer_than_the_table_unless_it_moves(
    before: int, after: int
) -> None:
    stays = [item(total, GSI1PK="a", GSI1SK="1") for total in (before, after)]
    moves = [stays[0], item(after, GSI1PK="b", GSI1SK="1")]

    assert index_write_units(GSI1, *stays) in {0, write_units(*stays)}
    assert index_write_units(GSI1, *moves) == write_units(None, stays[0]) + write_units(
        None, stays[1]
    )
