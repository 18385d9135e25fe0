"""Models of NoSQL Workbench. The format has no published schema: what the checks hold to are facts
of AWS's published sample models."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from docs import sample
from explorer import workbench
from explorer.rows import primary_key
from explorer.workbench import faults
from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.table import INDEXES
from lambdas.runtime.items import Item, to_item, tombstone
from seed.datasets import DATASETS
from tests.handlers.ecommerce.samples import user


def _items() -> list[Item]:
    return [item for dataset in DATASETS for item in sample.items(dataset)]


def _written(items: list[Item]) -> dict[str, Any]:
    return dict(json.loads(workbench.written(workbench.model("shop", items, sample.NOW))))


def _smallest() -> dict[str, Any]:
    """A model as small as they come: one table with a sort key, an index and an item."""
    return {
        "ModelName": "Music",
        "ModelMetadata": {
            "Author": "",
            "DateCreated": "Jan 12, 2023, 10:14 AM",
            "DateLastModified": "Jan 12, 2023, 10:17 AM",
            "Description": "",
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [
            {
                "TableName": "Songs",
                "KeyAttributes": {
                    "PartitionKey": {"AttributeName": "Id", "AttributeType": "S"},
                    "SortKey": {"AttributeName": "Metadata", "AttributeType": "S"},
                },
                "NonKeyAttributes": [
                    {"AttributeName": "Month", "AttributeType": "S"},
                    {"AttributeName": "Downloads", "AttributeType": "N"},
                ],
                "TableFacets": [
                    {
                        "FacetName": "Song",
                        "KeyAttributeAlias": {
                            "PartitionKeyAlias": "Id",
                            "SortKeyAlias": "Metadata",
                        },
                        "TableData": [{"Id": {"S": "1"}, "Metadata": {"S": "Details"}}],
                        "NonKeyAttributes": ["Downloads"],
                        "DataAccess": {"MySql": {}},
                    }
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "ByMonth",
                        "KeyAttributes": {
                            "PartitionKey": {"AttributeName": "Month", "AttributeType": "S"},
                            "SortKey": {"AttributeName": "Downloads", "AttributeType": "N"},
                        },
                        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Id"]},
                    }
                ],
                "DataAccess": {"MySql": {}},
                "BillingMode": "PAY_PER_REQUEST",
            }
        ],
    }


def test_the_example_data_is_a_model_that_fits() -> None:
    assert faults(_written(_items())) == []


def test_the_model_has_each_entity_as_a_facet_with_its_templates_and_items() -> None:
    model = _written(_items())
    [table] = model["DataModel"]

    assert [facet["FacetName"] for facet in table["TableFacets"]] == [
        entity.__name__ for entity in ENTITIES
    ]
    [order] = [facet for facet in table["TableFacets"] if facet["FacetName"] == "Order"]
    assert order["KeyAttributeAlias"] == {
        "PartitionKeyAlias": "USER#{UserId}",
        "SortKeyAlias": "ORDER#{OrderId}",
    }
    assert {row["Type"]["S"] for row in order["TableData"]} == {"Order"}
    rows = [row for facet in table["TableFacets"] for row in facet["TableData"]]
    assert sorted(map(primary_key, rows)) == sorted(map(primary_key, _items()))


def test_the_model_has_the_table_s_keys_and_indexes() -> None:
    [table] = _written(_items())["DataModel"]

    def names(keys: dict[str, dict[str, str]]) -> list[str]:
        return [keys[part]["AttributeName"] for part in ("PartitionKey", "SortKey")]

    assert names(table["KeyAttributes"]) == ["PK", "SK"]
    found = {
        index["IndexName"]: (*names(index["KeyAttributes"]), index["Projection"]["ProjectionType"])
        for index in table["GlobalSecondaryIndexes"]
    }
    assert found == {each.name: (*each.key_attributes, each.projection) for each in INDEXES}
    assert found["GSI1"] == ("GSI1PK", "GSI1SK", "ALL")
    assert found["InvertedIndex"] == ("SK", "PK", "KEYS_ONLY")


def test_the_access_patterns_are_sentences_of_the_description() -> None:
    metadata = _written([])["ModelMetadata"]

    for pattern in ACCESS_PATTERNS:
        assert f"* {pattern.id}: {pattern.summary}" in metadata["Description"]
    assert (metadata["AWSService"], metadata["Version"]) == ("Amazon DynamoDB", "3.0")
    assert metadata["DateCreated"] == "Jan 05, 2025, 12:00 PM"


def test_what_belongs_to_no_entity_stands_beside_the_facets() -> None:
    [table] = _written([tombstone(to_item(user("1")))])["DataModel"]

    assert [row["Type"] for row in table["TableData"]] == [{"S": "DeletedUser"}]
    assert not any(facet["TableData"] for facet in table["TableFacets"])


def test_binary_values_are_text_in_base64() -> None:
    item: Item = {"PK": {"S": "a"}, "SK": {"S": "b"}, "Picture": {"B": b"\x00\xff"}}
    model = _written([item])

    assert model["DataModel"][0]["TableData"][0]["Picture"] == {"B": "AP8="}
    assert faults(model) == []


def test_a_small_model_of_somebody_else_fits() -> None:
    assert faults(_smallest()) == []


def test_a_model_of_the_first_version_fits_which_names_no_service() -> None:
    model = _smallest()
    del model["ModelMetadata"]["AWSService"]
    model["ModelMetadata"]["Version"] = "1.0"
    table = model["DataModel"][0]
    del table["BillingMode"], table["DataAccess"], table["TableFacets"][0]["DataAccess"]

    assert faults(model) == []


def test_a_table_may_have_no_sort_key_and_no_facets() -> None:
    model = _smallest()
    table = model["DataModel"][0]
    del table["KeyAttributes"]["SortKey"], table["TableFacets"]
    table["TableData"] = [{"Id": {"S": "1"}, "Month": {"S": "May"}}]

    assert faults(model) == []


WRONG: list[tuple[list[Any], Any, str]] = [
    (["ModelName"], 1, "Expected `str`, got `int` - at `$.ModelName`"),
    (
        ["ModelMetadata", "Version"],
        "4.0",
        "Invalid enum value '4.0' - at `$.ModelMetadata.Version`",
    ),
    (["ModelMetadata", "AWSService"], "Amazon Keyspaces", "Invalid enum value"),
    (["DataModel"], [], "the model has no table"),
    (["DataModel", 0, "BillingMode"], "FREE", "Invalid enum value 'FREE'"),
    (
        ["DataModel", 0, "KeyAttributes", "PartitionKey", "AttributeType"],
        "M",
        "the table: a key attribute is S, N or B, and 'Id' is M",
    ),
    (
        ["DataModel", 0, "NonKeyAttributes", 0, "AttributeName"],
        "Id",
        "two attributes have the name 'Id'",
    ),
    (
        ["DataModel", 0, "NonKeyAttributes", 0, "AttributeType"],
        "N",
        "index ByMonth: 'Month' is S here, and N as the table's attribute",
    ),
    (
        ["DataModel", 0, "NonKeyAttributes", 0, "AttributeName"],
        "Year",
        "index ByMonth: its key 'Month' is not one of the table's attributes",
    ),
    (
        ["DataModel", 0, "GlobalSecondaryIndexes", 0, "Projection", "ProjectionType"],
        "ALL",
        "index ByMonth: NonKeyAttributes belong to the projection INCLUDE alone",
    ),
    (
        ["DataModel", 0, "GlobalSecondaryIndexes", 0, "Projection", "NonKeyAttributes"],
        ["Artist"],
        "index ByMonth: it projects 'Artist', which the table does not have",
    ),
    (
        ["DataModel", 0, "TableFacets", 0, "NonKeyAttributes"],
        ["Artist"],
        "facet Song: its attribute 'Artist' is not one of the table's",
    ),
    (
        ["DataModel", 0, "TableFacets", 0, "TableData", 0],
        {"Id": {"S": "1"}},
        "item 1 has no 'Metadata'",
    ),
    (
        ["DataModel", 0, "TableFacets", 0, "TableData", 0, "Downloads"],
        {"S": "7"},
        "item 1: 'Downloads' is S here and N elsewhere; it has one type",
    ),
    (
        ["DataModel", 0, "TableFacets", 0, "TableData", 0, "Artist"],
        {"S": "7"},
        "item 1: its attribute 'Artist' is not one of the table's",
    ),
    (
        ["DataModel", 0, "TableFacets", 0, "TableData", 0, "Downloads"],
        {},
        "item 1: 'Downloads' must have one type with its value",
    ),
    (
        ["DataModel", 0, "TableData"],
        [{"Id": {"S": "1"}, "Metadata": {"S": "Details"}}],
        """item 2 has the key of another: [{"S":"1"},{"S":"Details"}]""",
    ),
]


@pytest.mark.parametrize(("place", "value", "fault"), WRONG)
def test_what_workbench_could_not_import_is_named(place: list[Any], value: Any, fault: str) -> None:
    model = _smallest()
    part: Any = model
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value

    assert fault in faults(model)[0]


def test_two_things_of_one_name_are_told_apart_by_nobody() -> None:
    model = _smallest()
    model["DataModel"] *= 2
    table = model["DataModel"][0]
    table["GlobalSecondaryIndexes"] *= 2
    table["TableFacets"].append({**copy.deepcopy(table["TableFacets"][0]), "TableData": []})

    found = "; ".join(faults(model))

    for fault in ("two tables", "two indexes", "two facets"):
        assert f"{fault} have the name" in found


@pytest.mark.parametrize("text", ["{", "", "\xff"])
def test_a_file_that_is_no_json_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "model.json"
    file.write_bytes(text.encode("latin-1"))

    with pytest.raises(workbench.Unfit, match="is no JSON"):
        workbench.read(file)
