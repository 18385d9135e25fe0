from __future__ import annotations

from typing import Any

import pytest

from explorer.partiql import statement
from lambdas.design.keys import Index
from lambdas.design.table import GSI2, INVERTED_INDEX, TABLE


def _query(condition: str, index: str = "", **more: Any) -> dict[str, Any]:
    values = {":partition": "USER#O'Neill", ":prefix": "ORDER#", ":from": "a", ":to": "b"}
    return {
        "TableName": "shop",
        **({"IndexName": index} if index else {}),
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": {name: {"S": value} for name, value in values.items()},
        **more,
    }


@pytest.mark.parametrize(
    ("index", "request_", "expected"),
    [
        (
            TABLE,
            _query("PK = :partition AND begins_with(SK, :prefix)"),
            """SELECT * FROM "shop" WHERE "PK" = 'USER#O''Neill' AND begins_with("SK", 'ORDER#')""",
        ),
        (
            GSI2,
            _query("GSI2PK = :partition AND GSI2SK BETWEEN :from AND :to", "GSI2"),
            (
                """SELECT * FROM "shop"."GSI2" WHERE "GSI2PK" = 'USER#O''Neill' """
                """AND "GSI2SK" BETWEEN 'a' AND 'b'"""
            ),
        ),
        (
            INVERTED_INDEX,
            _query("SK = :partition AND begins_with(PK, :prefix)", "InvertedIndex"),
            (
                """SELECT * FROM "shop"."InvertedIndex" WHERE "SK" = 'USER#O''Neill' """
                """AND begins_with("PK", 'ORDER#')"""
            ),
        ),
        (
            TABLE,
            _query("PK = :partition", ScanIndexForward=False, Limit=51),
            """SELECT * FROM "shop" WHERE "PK" = 'USER#O''Neill' ORDER BY "SK" DESC""",
        ),
    ],
)
def test_a_query_says_the_same_as_partiql(
    index: Index, request_: dict[str, Any], expected: str
) -> None:
    assert statement("Query", request_, index) == expected


def test_a_look_up_of_one_item_gives_both_parts_of_its_key() -> None:
    request = {"TableName": "shop", "Key": {"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}}}

    assert (
        statement("GetItem", request, TABLE)
        == """SELECT * FROM "shop" WHERE "PK" = 'USER#1' AND "SK" = 'PROFILE'"""
    )


def test_a_later_page_cannot_be_said() -> None:
    request = _query("PK = :partition", ExclusiveStartKey={"PK": {"S": "a"}, "SK": {"S": "b"}})

    assert statement("Query", request, TABLE) is None
