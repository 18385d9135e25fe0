"""The state: one table, everything in it."""

from __future__ import annotations

from typing import Any

from aws_cdk import CfnOutput, RemovalPolicy, Stack
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from lambdas.design.keys import Index
from lambdas.design.table import INDEXES, TABLE, TTL_ATTRIBUTE
from stacks.settings import Settings


class TableStack(Stack):
    """The single table with its indexes, as `lambdas.design.table` declares them."""

    def __init__(self, scope: Construct, settings: Settings, **props: Any) -> None:
        super().__init__(scope, f"SingleTable{settings.suffix}", **props)
        is_kept = settings.stage == "prod"
        self.table = dynamodb.TableV2(
            self,
            "Table",
            partition_key=_attribute(TABLE.partition_key),
            sort_key=_attribute(TABLE.sort_key),
            global_secondary_indexes=[_secondary(index, settings) for index in INDEXES],
            time_to_live_attribute=TTL_ATTRIBUTE,
            billing=dynamodb.Billing.on_demand(
                max_read_request_units=settings.max_read_units,
                max_write_request_units=settings.max_write_units,
            ),
            deletion_protection=is_kept,
            contributor_insights_specification=_insights(settings),
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=is_kept
            ),
            removal_policy=RemovalPolicy.RETAIN if is_kept else RemovalPolicy.DESTROY,
        )
        CfnOutput(self, "TableName", value=self.table.table_name)


def _insights(
    settings: Settings,
) -> dynamodb.ContributorInsightsSpecification | None:
    """Whether CloudWatch shows which keys are throttled, of the table and of each index.

    It shows them in plain text ("UpdateContributorInsights", Amazon DynamoDB API Reference), and
    ours have e-mail addresses and ids of people. So it is off unless somebody says otherwise.
    """
    if settings.contributor_insights == "off":
        return None
    return dynamodb.ContributorInsightsSpecification(
        enabled=True, mode=dynamodb.ContributorInsightsMode.THROTTLED_KEYS
    )


def _attribute(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)


def _secondary(index: Index, settings: Settings) -> dynamodb.GlobalSecondaryIndexPropsV2:
    return dynamodb.GlobalSecondaryIndexPropsV2(
        index_name=index.name,
        partition_key=_attribute(index.partition_key),
        sort_key=_attribute(index.sort_key),
        projection_type=dynamodb.ProjectionType[index.projection],
        max_read_request_units=settings.max_read_units,
        max_write_request_units=settings.max_write_units,
    )
