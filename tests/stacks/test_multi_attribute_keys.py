"""Index keys of several attributes: what the CDK makes of them, and what the guard says of it.

The project's own table has none; whoever adds one finds here that the tools are ready for it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack
from aws_cdk import aws_dynamodb as dynamodb
from msgspec.structs import replace

from bench.natural_keys import BY_CATEGORY, BY_PRICE, BY_STATUS, INDEXES, NUMBERS, NaturalIndex
from bench.natural_keys import schema as key_schema
from tests.stacks.synthesis import Template
from tools.guard import dangers

GLOBAL_TABLE = "AWS::DynamoDB::GlobalTable"

Synthesize = Callable[..., Template]


@pytest.fixture
def template(tmp_path: Path) -> Synthesize:
    """Synthesizes a table with these indexes."""

    def synthesized(*indexes: NaturalIndex) -> Template:
        app = App(outdir=str(tmp_path), builtin_cloud_formation_validation=False)
        dynamodb.TableV2(
            Stack(app, "Natural"),
            "Table",
            partition_key=attribute("PK"),
            sort_key=attribute("SK"),
            global_secondary_indexes=[secondary(each) for each in indexes],
        )
        found: Template = app.synth().get_stack_by_name("Natural").template
        return found

    return synthesized


def secondary(index: NaturalIndex) -> dynamodb.GlobalSecondaryIndexPropsV2:
    return dynamodb.GlobalSecondaryIndexPropsV2(
        index_name=index.name,
        partition_keys=[attribute(name) for name in index.partition],
        sort_keys=[attribute(name) for name in index.sort],
    )


def attribute(name: str) -> dynamodb.Attribute:
    kind = dynamodb.AttributeType.NUMBER if name in NUMBERS else dynamodb.AttributeType.STRING
    return dynamodb.Attribute(name=name, type=kind)


def properties(template: Template) -> dict[str, Any]:
    [found] = [each for each in template["Resources"].values() if each["Type"] == GLOBAL_TABLE]
    assert isinstance(found["Properties"], dict)
    return found["Properties"]


def test_the_key_schema_has_the_partition_key_s_attributes_then_the_sort_key_s_in_order(
    template: Synthesize,
) -> None:
    made = properties(template(*INDEXES))
    found = {each["IndexName"]: each["KeySchema"] for each in made["GlobalSecondaryIndexes"]}

    assert found == {each.name: key_schema(each.partition, each.sort) for each in INDEXES}
    assert [each["KeyType"] for each in found["ByPrice"]] == [*["HASH"] * 4, *["RANGE"] * 2]


def test_each_key_attribute_is_defined_once_with_its_type(template: Synthesize) -> None:
    definitions = properties(template(*INDEXES))["AttributeDefinitions"]

    types = {each["AttributeName"]: each["AttributeType"] for each in definitions}
    assert len(types) == len(definitions)
    assert {"PK", "SK", *(n for each in INDEXES for n in each.key_attributes)} == set(types)
    assert [name for name, kind in types.items() if kind == "N"] == ["Price"]


def test_the_guard_lets_one_more_such_index_pass_and_not_two(template: Synthesize) -> None:
    one, two, three = (template(*INDEXES[:count]) for count in (1, 2, 3))

    assert dangers(one, two) == dangers(two, three) == dangers(three, three) == []
    [danger] = dangers(one, three)
    assert "several changes of indexes at once (added: ByStatus, Waiting;" in danger.what


PARTITION, SORT = BY_PRICE.partition, BY_PRICE.sort


@pytest.mark.parametrize(
    ("changed", "to"),
    [
        (
            replace(BY_PRICE, partition=PARTITION[:3], sort=(PARTITION[3], *SORT)),
            "(Currency S + Category1 S + Category2 S, Category3 S + Price N + PK S; ALL)",
        ),
        (
            replace(BY_PRICE, sort=SORT[::-1]),
            "(Currency S + Category1 S + Category2 S + Category3 S, PK S + Price N; ALL)",
        ),
        (
            replace(BY_PRICE, sort=SORT[:1]),
            "(Currency S + Category1 S + Category2 S + Category3 S, Price N; ALL)",
        ),
    ],
    ids=["from the partition key to the sort key", "another order", "one less"],
)
def test_the_guard_sees_an_attribute_that_moves(
    template: Synthesize, changed: NaturalIndex, to: str
) -> None:
    [danger] = dangers(template(BY_PRICE), template(changed))

    was = "(Currency S + Category1 S + Category2 S + Category3 S, Price N + PK S; ALL)"
    assert f"changes its index ByPrice from {was} to {to}" in danger.what


def test_the_guard_takes_the_same_indexes_in_another_order_for_the_same(
    template: Synthesize,
) -> None:
    first, second = template(BY_CATEGORY, BY_STATUS), template(BY_STATUS, BY_CATEGORY)

    assert first != second
    assert dangers(first, second) == []
