"""The API: one route and one function for each access pattern."""

from __future__ import annotations

import json
from typing import Any, cast

from aws_cdk import Annotations, CfnOutput, Duration, RemovalPolicy, Stack
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigatewayv2_authorizers import HttpIamAuthorizer, HttpJwtAuthorizer
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import IDEMPOTENCY_KEY, IF_MATCH, AccessPattern
from lambdas.handlers.documents import DOCS_PATH, OPENAPI_PATH
from stacks.byte_code import interpreter
from stacks.code import code
from stacks.dependencies import ROOT, dependencies
from stacks.document_function import DocumentFunction, api_page
from stacks.pattern_function import LOG_RETENTION, EntryPoint, PatternFunction
from stacks.rules import acknowledge
from stacks.settings import Settings

ACCESS_LOG = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "route": "$context.routeKey",
    "status": "$context.status",
    "latencyMs": "$context.responseLatency",
    "error": "$context.error.message",
}
"""What is logged of a call: no address, no path, no query string, since these can name a person."""


SENT = (
    "Authorization",
    "Content-Type",
    IDEMPOTENCY_KEY.name,
    IF_MATCH.name,
    "X-Amz-Content-Sha256",
    "X-Amz-Date",
    "X-Amz-Security-Token",
)
"""The headers that a page of another origin may send: ours, a token, and those of a signature."""

SHOWN = (
    "ETag",
    "Location",
    "Retry-After",
    "X-DynamoDB-Capacity",
    "X-DynamoDB-Requests",
)
"""The headers of an answer that such a page may read."""

RESERVABLE = 900
"""How many concurrent calls an account's functions can reserve: of its default quota of 1000 Lambda
keeps 100 for those that reserve none (Lambda Developer Guide, "Configuring reserved concurrency").
A new account can have a smaller quota."""

PREFLIGHT_MAX_AGE = Duration.hours(1)
"""For how long a browser need not ask again whether it may call."""


class ApiStack(Stack):
    """The HTTP API with a function of its own behind every route."""

    def __init__(
        self, scope: Construct, settings: Settings, table: dynamodb.ITableV2, **props: Any
    ) -> None:
        super().__init__(scope, f"SingleTableApi{settings.suffix}", **props)
        self._settings = settings
        self._table = table
        self.functions: dict[str, str] = {}
        """The name of the function of each pattern that has one, by the pattern's id."""
        functions = code(settings, ROOT)
        self._code = lambda_.Code.from_asset(str(functions), asset_hash=functions.name)
        if not interpreter(settings.python_version):
            Annotations.of(self).add_info_v2(
                "no-byte-code",
                f"there is no {settings.runtime} here, so code and layer are uploaded without byte "
                f"code, and every cold start compiles them; with {settings.runtime} on the PATH "
                "they come with it",
            )
        self._dependencies = lambda_.LayerVersion(
            self,
            "Dependencies",
            code=lambda_.Code.from_asset(str(dependencies(settings))),
            description="What the functions need beyond boto3",
        )
        self.api = apigatewayv2.HttpApi(
            self,
            "Api",
            api_name=self.stack_name,
            create_default_stage=False,
            default_authorizer=_authorizer(settings),
            cors_preflight=_cors(settings),
            description="One route for each access pattern of the single table",
        )
        self._add_stage()
        if settings.auth == "none":
            Annotations.of(self).add_warning_v2(
                "open-api", "auth=none: everybody who reaches this API may call it"
            )
            acknowledge(
                self.api,
                {"AwsSolutions-APIG4": "auth=none is for a local run and refused with stage=prod"},
            )
        if settings.policies == "emulator":
            Annotations.of(self).add_warning_v2(
                "emulated-policy",
                "policies=emulator: the function of PartiQL has a substitute policy, without its "
                "conditions on leading keys and scans, which the emulator does not know",
            )
        for pattern in ACCESS_PATTERNS:
            if not pattern.variant_of:
                self._add_pattern(pattern)
        self._add_documents()
        self._warn_of_too_much_reserved()
        CfnOutput(self, "ApiUrl", value=self.api.api_endpoint)
        # Exported whether anybody imports it or not: if it were gone with `monitoring=off`, and the
        # monitoring still deployed, CloudFormation would refuse the change.
        self.export_value(self.api.api_id)

    def _add_pattern(self, pattern: AccessPattern) -> None:
        entry = PatternFunction(
            self,
            pattern,
            table=self._table,
            code=self._code,
            dependencies=self._dependencies,
            settings=self._settings,
        )
        self.functions[pattern.id] = entry.physical_name
        self._add_route(pattern.method, pattern.path, entry)

    def _add_documents(self) -> None:
        """The API's description for programs, and in a local run a page of it for people."""
        self._add_document("get_openapi", OPENAPI_PATH, "The OpenAPI document of this API")
        if self._settings.auth != "none":
            return
        if not (page := api_page()):
            Annotations.of(self).add_warning_v2(
                "no-docs-page",
                f"GET {DOCS_PATH} is left out: Swagger UI is not installed; `npm ci` installs it",
            )
            return
        layer = lambda_.LayerVersion(
            self,
            "DocsPage",
            code=lambda_.Code.from_asset(str(page)),
            description="The page that GET /docs shows",
        )
        self._add_document("get_docs", DOCS_PATH, "A page to read about the API and call it", layer)

    def _add_document(
        self, name: str, path: str, description: str, *layers: lambda_.ILayerVersion
    ) -> None:
        entry = DocumentFunction(
            self,
            name,
            description,
            code=self._code,
            layers=[self._dependencies, *layers],
            settings=self._settings,
        )
        self._add_route("GET", path, entry)

    def _add_route(self, method: str, path: str, entry: EntryPoint) -> None:
        self.api.add_routes(
            path=path,
            methods=[apigatewayv2.HttpMethod[method]],
            integration=HttpLambdaIntegration(f"{entry.node.id}Integration", entry.function),
        )

    def _warn_of_too_much_reserved(self) -> None:
        functions = [each for each in self.node.find_all() if isinstance(each, lambda_.Function)]
        reserved = self._settings.reserved_concurrency * len(functions)
        if reserved > RESERVABLE:
            Annotations.of(self).add_warning_v2(
                "much-reserved",
                f"reserved_concurrency={self._settings.reserved_concurrency} takes {reserved} "
                f"concurrent calls for {len(functions)} functions; beyond {RESERVABLE}, unless the "
                "account's quota has been raised, the deployment fails",
            )

    def _add_stage(self) -> None:
        self.access_logs = f"/aws/apigateway/{self.stack_name}"
        access_logs = logs.LogGroup(
            self,
            "AccessLogs",
            log_group_name=self.access_logs,
            retention=LOG_RETENTION,
            removal_policy=RemovalPolicy.DESTROY,
        )
        stage = apigatewayv2.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            throttle=apigatewayv2.ThrottleSettings(
                rate_limit=self._settings.requests_per_second, burst_limit=self._settings.burst
            ),
        )
        resource = cast(apigatewayv2.CfnStage, stage.node.default_child)
        resource.access_log_settings = apigatewayv2.CfnStage.AccessLogSettingsProperty(
            destination_arn=access_logs.log_group_arn, format=json.dumps(ACCESS_LOG)
        )


def _cors(settings: Settings) -> apigatewayv2.CorsPreflightOptions | None:
    """Which pages of other origins may call, and how; None if none may.

    There are no credentials that a browser adds by itself: callers send a signature or a token.
    """
    if not settings.origins:
        return None
    methods = sorted({pattern.method for pattern in ACCESS_PATTERNS})
    return apigatewayv2.CorsPreflightOptions(
        allow_origins=list(settings.origins),
        allow_methods=[apigatewayv2.CorsHttpMethod[method] for method in methods],
        allow_headers=list(SENT),
        expose_headers=list(SHOWN),
        max_age=PREFLIGHT_MAX_AGE,
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
