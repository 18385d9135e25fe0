from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.table import INDEXES, TABLE, TTL_ATTRIBUTE
from tests.stacks.synthesis import Resource, Stack, Synthesize, Synthesized

GLOBAL_TABLE = "AWS::DynamoDB::GlobalTable"


def properties(stack: Stack) -> Resource:
    found: Resource = stack.resource(GLOBAL_TABLE)["Properties"]
    return found


def replica(stack: Stack) -> Resource:
    [found] = properties(stack)["Replicas"]
    assert isinstance(found, dict)
    return found


def key_schema(schema: list[dict[str, str]]) -> tuple[str, ...]:
    assert [each["KeyType"] for each in schema] == ["HASH", "RANGE"]
    return tuple(each["AttributeName"] for each in schema)


def test_the_stack_is_the_table_and_nothing_else(templates: Synthesized) -> None:
    assert [each["Type"] for each in templates.table.template["Resources"].values()] == [
        GLOBAL_TABLE
    ]


def test_the_table_s_keys_are_those_declared(templates: Synthesized) -> None:
    schema = properties(templates.table)["KeySchema"]

    assert key_schema(schema) == TABLE.key_attributes == ("PK", "SK")


def test_the_indexes_have_the_declared_keys_and_projections(
    templates: Synthesized,
) -> None:
    indexes = properties(templates.table)["GlobalSecondaryIndexes"]

    found = [
        (each["IndexName"], *key_schema(each["KeySchema"]), each["Projection"]["ProjectionType"])
        for each in indexes
    ]

    assert found == [(each.name, *each.key_attributes, each.projection) for each in INDEXES]
    assert set(found) >= {
        ("GSI1", "GSI1PK", "GSI1SK", "ALL"),
        ("GSI2", "GSI2PK", "GSI2SK", "ALL"),
        ("InvertedIndex", "SK", "PK", "KEYS_ONLY"),
    }


def test_every_key_attribute_is_text_and_no_other_is_declared(templates: Synthesized) -> None:
    definitions = properties(templates.table)["AttributeDefinitions"]

    assert {each["AttributeName"]: each["AttributeType"] for each in definitions} == dict.fromkeys(
        (name for place in (TABLE, *INDEXES) for name in place.key_attributes), "S"
    )


@pytest.mark.parametrize("stage", ["prod", "dev"])
def test_the_table_is_paid_for_on_demand(synthesize: Synthesize, stage: str) -> None:
    found = properties(synthesize(stage=stage).table)

    assert found["BillingMode"] == "PAY_PER_REQUEST"
    assert not [name for name in found if name.startswith("WriteProvisioned")]


@pytest.mark.parametrize(
    ("context", "reads", "writes"),
    [({}, 1000, 1000), ({"max_read_units": "11", "max_write_units": "13"}, 11, 13)],
    ids=str,
)
def test_the_table_and_each_index_have_a_ceiling(
    synthesize: Synthesize, context: dict[str, str], reads: int, writes: int
) -> None:
    stack = synthesize(**context).table
    table, regional = properties(stack), replica(stack)

    for each in (table, *table["GlobalSecondaryIndexes"]):
        assert each["WriteOnDemandThroughputSettings"] == {"MaxWriteRequestUnits": writes}
    for each in (regional, *regional["GlobalSecondaryIndexes"]):
        assert each["ReadOnDemandThroughputSettings"] == {"MaxReadRequestUnits": reads}
    assert len(regional["GlobalSecondaryIndexes"]) == len(INDEXES)


@pytest.mark.parametrize("stage", ["prod", "dev"])
def test_items_expire_by_their_ttl_attribute(synthesize: Synthesize, stage: str) -> None:
    expected = {"AttributeName": TTL_ATTRIBUTE, "Enabled": True}

    assert properties(synthesize(stage=stage).table)["TimeToLiveSpecification"] == expected
    assert TTL_ATTRIBUTE == "ExpiresAt"


def test_nothing_writes_keys_into_plain_text_elsewhere(templates: Synthesized) -> None:
    """Contributor Insights and streams would show e-mail addresses and names."""
    assert "ContributorInsightsSpecification" not in replica(templates.table)
    assert "StreamSpecification" not in properties(templates.table)


def test_in_prod_the_table_is_protected_and_outlives_its_stack(templates: Synthesized) -> None:
    resource = templates.table.resource(GLOBAL_TABLE)

    assert _protection(templates.table) == (True, True)
    assert resource["DeletionPolicy"] == "Retain"
    assert resource["UpdateReplacePolicy"] == "Retain"


def test_in_dev_the_table_goes_with_its_stack(synthesize: Synthesize) -> None:
    stack = synthesize(stage="dev").table
    resource = stack.resource(GLOBAL_TABLE)

    assert _protection(stack) == (False, False)
    assert resource["DeletionPolicy"] == "Delete"
    assert resource["UpdateReplacePolicy"] == "Delete"


def test_the_output_names_the_table(templates: Synthesized) -> None:
    [table_id] = templates.table.resources(GLOBAL_TABLE)

    assert templates.table.template["Outputs"]["TableName"]["Value"] == {"Ref": table_id}


def test_the_stack_s_name_says_its_stage(synthesize: Synthesize) -> None:
    assert synthesize().table.name == "SingleTable"
    assert synthesize(stage="dev").table.name == "SingleTable-dev"


def _protection(stack: Stack) -> tuple[Any, Any]:
    """Whether it cannot be deleted, and whether it can be restored to any point in time."""
    recovery = replica(stack)["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    return replica(stack)["DeletionProtectionEnabled"], recovery
