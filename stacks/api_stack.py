"""The API: one route and one function for each access pattern."""

from __future__ import annotations

import json
from typing import Any, cast

from aws_cdk import Annotations, CfnOutput, IgnoreMode, RemovalPolicy, Stack
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigatewayv2_authorizers import HttpIamAuthorizer, HttpJwtAuthorizer
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from stacks.dependencies import ROOT, dependencies
from stacks.pattern_function import LOG_RETENTION, PatternFunction
from stacks.settings import Settings

REQUESTS_PER_SECOND = 100
BURST = 200
"""The gateway's limits for all callers together; beyond them it answers 429 by itself."""

ACCESS_LOG = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "route": "$context.routeKey",
    "status": "$context.status",
    "latencyMs": "$context.responseLatency",
    "error": "$context.error.message",
}
"""What is logged of a call: no address, no path, no query string, since these can name a person."""


class ApiStack(Stack):
    """The HTTP API with a function of its own behind every route."""

    def __init__(
        self, scope: Construct, settings: Settings, table: dynamodb.ITableV2, **props: Any
    ) -> None:
        super().__init__(scope, f"SingleTableApi{settings.suffix}", **props)
        self._settings = settings
        self._table = table
        self._code = lambda_.Code.from_asset(
            str(ROOT),
            exclude=["/*", "!/lambdas", "__pycache__", "*.pyc"],
            ignore_mode=IgnoreMode.GIT,
        )
        self._dependencies = lambda_.LayerVersion(
            self,
            "Dependencies",
            code=lambda_.Code.from_asset(str(dependencies(settings))),
            description="What the functions need beyond boto3",
        )
        self._api = apigatewayv2.HttpApi(
            self,
            "Api",
            create_default_stage=False,
            default_authorizer=_authorizer(settings),
            description="One route for each access pattern of the single table",
        )
        self._add_stage()
        if settings.auth == "none":
            Annotations.of(self).add_warning_v2(
                "open-api", "auth=none: everybody who reaches this API may call it"
            )
        for pattern in ACCESS_PATTERNS:
            if not pattern.variant_of:
                self._add_route(pattern)
        CfnOutput(self, "ApiUrl", value=self._api.api_endpoint)

    def _add_route(self, pattern: AccessPattern) -> None:
        entry = PatternFunction(
            self,
            pattern,
            table=self._table,
            code=self._code,
            dependencies=self._dependencies,
            settings=self._settings,
        )
        self._api.add_routes(
            path=pattern.path,
            methods=[apigatewayv2.HttpMethod[pattern.method]],
            integration=HttpLambdaIntegration(f"{entry.node.id}Integration", entry.function),
        )

    def _add_stage(self) -> None:
        access_logs = logs.LogGroup(
            self, "AccessLogs", retention=LOG_RETENTION, removal_policy=RemovalPolicy.DESTROY
        )
        stage = apigatewayv2.HttpStage(
            self,
            "Stage",
            http_api=self._api,
            stage_name="$default",
            auto_deploy=True,
            throttle=apigatewayv2.ThrottleSettings(
                rate_limit=REQUESTS_PER_SECOND, burst_limit=BURST
            ),
        )
        resource = cast(apigatewayv2.CfnStage, stage.node.default_child)
        resource.access_log_settings = apigatewayv2.CfnStage.AccessLogSettingsProperty(
            destination_arn=access_logs.log_group_arn, format=json.dumps(ACCESS_LOG)
        )


def _authorizer(settings: Settings) -> apigatewayv2.IHttpRouteAuthorizer | None:
    match settings.auth:
        case "iam":
            return HttpIamAuthorizer()
        case "jwt":
            return HttpJwtAuthorizer(
                "Authorizer", settings.jwt_issuer, jwt_audience=[settings.jwt_audience]
            )
        case "none":
            return None
