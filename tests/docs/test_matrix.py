"""The matrix shows the requests that the code makes."""

from __future__ import annotations

import pytest

from docs.matrix import condition, matrix, operation, returns, route
from lambdas.design import ACCESS_PATTERNS
from tests.docs.schemas import pattern


@pytest.mark.parametrize(
    ("pattern_id", "where", "written"),
    [
        ("AP-01", "GetItem", 'PK="USER#U-001", SK="PROFILE"'),
        ("AP-02", "Query", 'PK = "USER#U-001" AND begins_with(SK, "ORDER#")'),
        ("AP-03", "Query", 'PK = "ORDER#2024-01-15" AND begins_with(SK, "ITEM#")'),
        ("AP-06", "Query GSI1", 'GSI1PK = "EMAIL#alice@x.de"'),
        (
            "AP-07",
            "Query",
            'PK = "USER#U-001" AND SK BETWEEN "ORDER#2024-01-01" AND "ORDER#2024-01-31\\uffff"',
        ),
        ("AP-08", "Query", 'PK = "USER#U-001" AND begins_with(SK, "ORDER#2024")'),
        (
            "AP-09",
            "Query",
            'PK = "USER#U-001" AND begins_with(SK, "ORDER#"), ScanIndexForward = false, Limit = 5',
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
    assert operation(pattern(pattern_id)) == where
    assert condition(pattern(pattern_id)) == written


def test_a_list_that_is_not_cut_names_no_limit() -> None:
    assert "Limit" in condition(pattern("AP-09"))
    assert "Limit" not in condition(pattern("AP-02"))


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
    ],
)
def test_what_is_returned_is_said_with_its_entities(pattern_id: str, what: str) -> None:
    assert returns(pattern(pattern_id)) == what


def test_a_route_has_the_query_string_of_the_example() -> None:
    assert route(pattern("AP-08")) == "GET /ecommerce/users/{user_id}/orders?period=2024"
    assert route(pattern("UN-01")) == "GET /university/student?name=Finn%20Forschgeist"
    assert route(pattern("AP-02")) == "GET /ecommerce/users/{user_id}/orders"


def test_each_pattern_has_one_row_in_the_order_of_the_declaration() -> None:
    rows = [line.split(" | ") for line in matrix().splitlines() if line.startswith("| ")]
    ids = [cells[0].removeprefix("| ") for cells in rows]
    expected = [each.id for each in ACCESS_PATTERNS]
    assert [each for each in ids if each not in ("Pattern", "---")] == expected
    assert {len(cells) for cells in rows} == {5}
