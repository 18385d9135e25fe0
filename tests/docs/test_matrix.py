"""The matrix shows the requests that the code makes."""

from __future__ import annotations

import re

import pytest

from docs import sample
from docs.markdown import table
from docs.matrix import asked, condition, matrix, returns, route, touched
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import Write
from lambdas.runtime.openapi.operations import steps
from tests.docs.schemas import pattern
from tests.pending import pending


@pytest.mark.parametrize(
    ("pattern_id", "where", "written"),
    [
        ("AP-01", "GetItem", 'PK="USER#U-001", SK="PROFILE"'),
        ("AP-02", "Query", 'PK = "USER#U-001" AND begins_with(SK, "ORDER#")'),
        ("AP-03", "Query", 'PK = "ORDER#2024-01-15" AND begins_with(SK, "ITEM#")'),
        (
            "AP-06",
            "Query GSI1",
            'GSI1PK = "EMAIL#alice@x.de" AND begins_with(GSI1SK, "USER#")',
        ),
        (
            "AP-07",
            "Query",
            'PK = "USER#U-001" AND SK BETWEEN "ORDER#2024-01-01" AND "ORDER#2024-01-31\\uffff"',
        ),
        ("AP-08", "Query", 'PK = "USER#U-001" AND begins_with(SK, "ORDER#2024")'),
        (
            "AP-09",
            "Query",
            'PK = "USER#U-001" AND begins_with(SK, "ORDER#"), ScanIndexForward = false, Limit = 6',
        ),
        (
            "AP-13",
            "Query GSI1",
            'GSI1PK = "CATEGORY#electronics" AND begins_with(GSI1SK, "audio#")',
        ),
        (
            "UN-06",
            "Query InvertedIndex",
            'SK = "Seminar#Die Kunst des Machine Learning" AND begins_with(PK, "Student#")',
        ),
        (
            "UN-08",
            "ExecuteStatement",
            """SELECT * FROM "University-Table" WHERE PK = 'Student#Finn Forschgeist'""",
        ),
    ],
)
def test_a_condition_is_written_as_the_documents_write_it(
    pattern_id: str, where: str, written: str
) -> None:
    assert steps(pattern(pattern_id)) == [where]
    assert condition(pattern(pattern_id)) == written


@pytest.mark.parametrize(
    ("pattern_id", "done", "items"),
    [
        (
            "CW-03",
            ["GetItem User", "TransactWriteItems: Update User, Delete EmailGuard, Put EmailGuard"],
            [
                'PK="USER#U-002", SK="PROFILE"',
                'PK="EMAIL#bob@x.de", SK="EMAIL#bob@x.de"',
                'PK="EMAIL#bob.new@x.de", SK="EMAIL#bob.new@x.de"',
            ],
        ),
        (
            "CW-10",
            ["TransactWriteItems: Put Job, Put Idempotency (with a key)"],
            ['PK="JOB#J-900", SK="JOB#J-900"'],
        ),
        (
            "UW-06",
            [
                "Query InvertedIndex Enrolment and Teaching",
                "UpdateItem Enrolment",
                "UpdateItem Teaching",
            ],
            [
                'SK = "Seminar#Die Kunst des Machine Learning"',
                'PK="Student#Finn Forschgeist", SK="Seminar#Die Kunst des Machine Learning"',
                'PK="Student#Nora Neugierig", SK="Seminar#Die Kunst des Machine Learning"',
            ],
        ),
    ],
)
def test_a_write_has_its_steps_and_the_items_that_its_example_touches(
    pattern_id: str, done: list[str], items: list[str]
) -> None:
    assert steps(pattern(pattern_id)) == done
    assert touched(pattern(pattern_id)) == items
    assert asked(pattern(pattern_id)) == items


def test_an_order_touches_its_products_its_user_and_what_is_new_of_it() -> None:
    product, user, order, line = touched(pattern("CW-05"))
    assert product == 'PK="PRODUCT#P-100", SK="PRODUCT#P-100"'
    assert user == 'PK="USER#U-001", SK="PROFILE"'
    assert order.startswith('PK="USER#U-001", SK="ORDER#2025-01-05T12:00:00.000Z-')
    assert line.endswith(', SK="ITEM#P-100"')


def test_of_an_id_made_by_chance_the_beginning_is_shown() -> None:
    made, guard = touched(pattern("CW-01"))
    assert len(made) == len('PK="USER#", SK="PROFILE"') + 32
    assert asked(pattern("CW-01")) == ['PK="USER#f728b4fa…", SK="PROFILE"', guard]


def test_a_limit_is_the_one_that_is_sent_and_a_list_that_is_not_cut_names_none() -> None:
    [(_, sent)] = sample.requests(pattern("AP-09"))
    assert condition(pattern("AP-09")).endswith(f", Limit = {sent['Limit']}")
    assert "Limit" not in condition(pattern("AP-02"))


LONGEST_WORD = 33
"""Characters without a space that a cell has room for beside the routes, at GitHub's width."""


def test_the_tables_fit_a_page_no_word_but_a_route_is_long() -> None:
    rows = [line.split(" | ") for line in matrix().splitlines() if line.startswith("| ")]
    # A browser breaks a line after a hyphen as well.
    words = [word for row in rows for cell in row[2:] for word in re.split("<br>|[ -]", cell)]
    assert max(map(len, words)) <= LONGEST_WORD + len("``")


def test_columns_of_figures_stand_on_the_right() -> None:
    rows = [["a", "1,024", "0.5", "3 of 4", ""], ["b", "", "99%", "5", ""]]
    assert table("vwxyz", rows).splitlines()[1] == "| --- | --: | --: | --- | --- |"
    assert table("ab", []).splitlines()[1] == "| --- | --- |"


@pytest.mark.parametrize(
    ("pattern_id", "what"),
    [
        ("AP-01", "`User`"),
        ("AP-02", "`Order` items"),
        ("AP-04", "`User` and `Order` items"),
        ("AP-10", "`Order` and all its `OrderItem` items"),
        ("AP-12", "`OrderItem` keys"),
        ("UN-03", "`Teaching` and `ResearchArticle` items"),
        ("UN-08", "whole items"),
        ("CW-01", "new `User`"),
        ("CW-02", "`User`"),
        ("CW-05", "new `Order` and all its `OrderItem` items"),
        ("CW-08", "new `Session`"),
        ("CW-09", "nothing"),
        ("UW-04", "`Teaching`, new or as it is now"),
        ("UW-06", "how many were changed"),
    ],
)
def test_what_is_returned_is_said_with_its_entities(pattern_id: str, what: str) -> None:
    assert returns(pattern(pattern_id)) == what


def test_a_route_has_the_query_string_of_the_example() -> None:
    assert route(pattern("AP-08")) == "GET /ecommerce/users/{user_id}/orders?period=2024"
    assert route(pattern("UN-01")) == "GET /university/student?name=Finn%20Forschgeist"
    assert route(pattern("AP-02")) == "GET /ecommerce/users/{user_id}/orders"


def test_each_pattern_has_one_row_reads_and_writes_in_tables_of_their_own() -> None:
    tables = [part.splitlines() for part in matrix().split("\n\n") if part.startswith("| ")]
    ids = [[line.split(" | ")[0].removeprefix("| ") for line in lines[2:]] for lines in tables]
    assert ids == [
        [
            each.id
            for each in ACCESS_PATTERNS
            if each.dataset == dataset and isinstance(each.operation, Write) == is_write
        ]
        for dataset in ("ecommerce", "university", "social")
        for is_write in (False, True)
    ]
    assert [lines[0].split(" | ")[1][:8] for lines in tables] == ["Question", "What it "] * 3
    assert {len(line.split(" | ")) for lines in tables for line in lines} == {4}


def test_of_a_sharded_key_is_said_how_many_requests_a_read_makes() -> None:
    with pending(8) as spread:
        assert steps(spread) == ["Query GSI1, a request for each of 8 partition keys"]
        assert condition(spread) == (
            'GSI1PK = "STATUS#PENDING#0/8" to GSI1PK = "STATUS#PENDING#7/8"'
        )
    with pending(2, (1, 2)) as changing:
        assert steps(changing) == ["Query GSI1, a request for each of 3 partition keys"]
    assert steps(pattern("AP-05")) == ["Query GSI1"]
