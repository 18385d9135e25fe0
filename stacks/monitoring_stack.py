"""The monitoring: a dashboard, alarms and saved queries over the table and the API."""

from __future__ import annotations

from typing import Any

from aws_cdk import Annotations, CfnOutput, CfnResource, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks import dashboard
from stacks.alarms import Alarm, alarms
from stacks.api_stack import ApiStack
from stacks.pattern_function import log_group_of
from stacks.queries import QUERIES, asked_groups
from stacks.settings import Settings
from stacks.watched import System


class MonitoringStack(Stack):
    """It only looks: the system runs as well without it, and nothing refers to it."""

    def __init__(
        self,
        scope: Construct,
        settings: Settings,
        table: dynamodb.ITableV2,
        api: ApiStack,
        **props: Any,
    ) -> None:
        super().__init__(scope, f"SingleTableMonitoring{settings.suffix}", **props)
        self._settings = settings
        self._system = System(
            name=f"SingleTable{settings.suffix}",
            region=self.region,
            table_name=table.table_name,
            api_id=api.api.api_id,
            access_logs=api.access_logs,
            functions=api.functions,
            namespace=settings.metrics_namespace,
        )
        if not settings.alarms_topic:
            Annotations.of(self).add_info_v2(
                "nobody-is-told",
                "the alarms tell nobody: -c alarms_topic=ARN names the SNS topic that they go to",
            )
        arns = [self._add_alarm(each) for each in alarms(self._system, settings)]
        self._add_dashboard(arns)
        self._add_queries()

    def _add_alarm(self, alarm: Alarm) -> str:
        """Add an alarm, and return its ARN."""
        topic = self._settings.alarms_topic
        name = {"AlarmName": f"{self._system.name}-{alarm.name}"}
        actions = {"AlarmActions": [topic], "OKActions": [topic]} if topic else {}
        added = CfnResource(
            self,
            alarm.name.replace("-", ""),
            type="AWS::CloudWatch::Alarm",
            properties={**name, **actions, **alarm.properties()},
        )
        return added.get_att("Arn").to_string()

    def _add_dashboard(self, alarm_arns: list[str]) -> None:
        body = dashboard.body(self._system, self._settings, alarm_arns)
        cloudwatch.CfnDashboard(
            self,
            "Dashboard",
            dashboard_name=self._system.name,
            dashboard_body=self.to_json_string(body),
        )
        place = f"https://{self.region}.console.aws.amazon.com/cloudwatch/home?region={self.region}"
        url = f"{place}#dashboards/dashboard/{self._system.name}"
        CfnOutput(self, "DashboardUrl", value=url)

    def _add_queries(self) -> None:
        gateway = [self._system.access_logs]
        functions = [log_group_of(each) for each in self._system.functions.values()]
        asked = {"functions": functions, "gateway": gateway, "both": gateway + functions}
        for query in QUERIES:
            logs.CfnQueryDefinition(
                self,
                query.name.title().replace(" ", ""),
                name=f"{self._system.name}/{query.name}",
                query_string=query.text,
                log_group_names=asked_groups(asked[query.of]),
            )
