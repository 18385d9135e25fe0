"""The write units of both designs: the single table's are the ledger's."""

from __future__ import annotations

import pytest

from bench.results import Found
from bench.several_tables.changes import (
    CHANGES,
    JOB,
    ORDER,
    Change,
    Written,
    in_several_tables,
    in_single_table,
)

BY_TITLE = {change.title: change for change in CHANGES}


@pytest.mark.parametrize(
    ("title", "pattern"),
    [
        ("Place an order of 1 item (CW-05)", "CW-05"),
        ("Take payment of an order (CW-06)", "CW-06"),
        ("Put a new product (CW-07)", "CW-07"),
        ("Start a session (CW-08)", "CW-08"),
        ("Submit a job (CW-10)", "CW-10"),
        ("Enrol a student (UW-01)", "UW-01"),
        ("Grade a student (UW-02)", "UW-02"),
        ("Publish an article (UW-05)", "UW-05"),
    ],
)
def test_the_single_tables_units_are_those_of_the_ledger(
    title: str, pattern: str, now: Found
) -> None:
    of_example = now[pattern]["cases"]["example"]["writes"]
    written = in_single_table(BY_TITLE[title])

    assert written.units == sum(of_example.values())
    assert written.of_indexes == written.units - of_example["table"]


def test_nothing_is_written_where_nothing_differs() -> None:
    same = Change("nothing", (ORDER, JOB), (ORDER, JOB))

    assert in_single_table(same) == in_several_tables(same) == Written(0, 0, 0)


def test_an_index_is_charged_in_the_table_of_its_entity_alone() -> None:
    queued = Change("a job that has not failed", (), (JOB,))

    assert in_several_tables(queued) == Written(items=1, units=1, of_indexes=0)
    assert in_single_table(queued) == Written(items=1, units=2, of_indexes=1)


def test_a_fact_that_is_stored_once_is_written_once() -> None:
    moved = BY_TITLE["Move a seminar of 50 students (UW-06)"]

    assert in_several_tables(moved).items == 1
    assert in_single_table(moved).items == 50


def test_each_design_carries_out_the_same_changes() -> None:
    for change in CHANGES:
        assert in_single_table(change).items >= in_several_tables(change).items > 0, change.title


def test_no_change_is_cheaper_in_the_single_table() -> None:
    """The page says so."""
    for change in CHANGES:
        single, several = in_single_table(change), in_several_tables(change)
        assert several.units <= single.units, change.title
