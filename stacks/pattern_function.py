"""A function behind a route, with a role and a log group of its own."""

from __future__ import annotations

from collections.abc import Iterable

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from lambdas.design.operations import Permission
from lambdas.design.pattern import AccessPattern
from lambdas.runtime.settings import FUNCTION_TIMEOUT_SECONDS
from stacks.rules import acknowledge
from stacks.settings import EMULATED_PARTIQL, Settings

MEMORY_MB = 512
"""Lambda gives processor time in proportion to memory: 1769 MB is one whole processor."""

LOG_RETENTION = logs.RetentionDays.ONE_MONTH

_OF_WILDCARDS = ("AwsSolutions-IAM5[Resource::*]", "Serverless-LambdaStarPermissions")
_X_RAY_ALONE = "X-Ray's two actions take no resource; our rule NoWildcard refuses any other `*`"
_EMULATED = "policies=emulator is for an emulator alone, which asks for PartiQL on `*`"
_ACKNOWLEDGED_OF_A_FUNCTION = {
    "Serverless-LambdaDLQ": "the gateway alone calls it and waits; no event is queued for later"
}
_ACKNOWLEDGED_OF_AN_UNTRACED_FUNCTION = {
    "Serverless-LambdaTracing": "a trace says what the logs say and costs 25 times as much as the "
    "request; tracing=active turns it on"
}
_ANOTHER_RUNTIME = "the context asks for this runtime; by default it is the latest"
_ACKNOWLEDGED_OF_ANOTHER_RUNTIME = {
    "AwsSolutions-L1": _ANOTHER_RUNTIME,
    "Serverless-LambdaLatestVersion": _ANOTHER_RUNTIME,
}


class EntryPoint(Construct):
    """A function with a role and a log group of its own: it may log, and what it is told.

    Its name is given, not made up: who is on call reads it in metrics and logs, and the monitoring
    names it without tying its stack to this one. A pattern can be taken away at any time.
    """

    physical_name: str
    """What the function is called in its account, such as `SingleTableApi-get_user`."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        handler: str,
        description: str,
        may: dict[str, iam.PolicyDocument],
        environment: dict[str, str],
        code: lambda_.Code,
        layers: list[lambda_.ILayerVersion],
        settings: Settings,
    ) -> None:
        super().__init__(scope, name.title().replace("_", ""))
        self.physical_name = f"{Stack.of(self).stack_name}-{name}"
        log_group = logs.LogGroup(
            self,
            "Logs",
            log_group_name=log_group_of(self.physical_name),
            retention=LOG_RETENTION,
            removal_policy=RemovalPolicy.DESTROY,
        )
        is_traced = settings.tracing == "active"
        role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            inline_policies={
                **may,
                "Logs": _document([_may_log(log_group)]),
                **({"Traces": _document([_may_trace()])} if is_traced else {}),
            },
        )
        self.function = lambda_.Function(
            self,
            "Function",
            function_name=self.physical_name,
            description=description,
            code=code,
            layers=layers,
            handler=handler,
            runtime=lambda_.Runtime(settings.runtime, lambda_.RuntimeFamily.PYTHON),
            architecture=_architecture(settings),
            memory_size=MEMORY_MB,
            timeout=Duration.seconds(FUNCTION_TIMEOUT_SECONDS),
            reserved_concurrent_executions=settings.reserved_concurrency or None,
            environment=environment,
            # All it may do stands above; otherwise constructs would add statements of their own.
            role=role.without_policy_updates(),
            log_group=log_group,
            logging_format=lambda_.LoggingFormat.JSON,
            tracing=lambda_.Tracing.ACTIVE if is_traced else lambda_.Tracing.DISABLED,
        )
        acknowledge(self.function, _ACKNOWLEDGED_OF_A_FUNCTION)
        if is_traced:
            acknowledge(role, dict.fromkeys(_OF_WILDCARDS, _X_RAY_ALONE))
        else:
            acknowledge(self.function, _ACKNOWLEDGED_OF_AN_UNTRACED_FUNCTION)
        if settings.runtime != Settings.runtime:
            acknowledge(self.function, _ACKNOWLEDGED_OF_ANOTHER_RUNTIME)


class PatternFunction(EntryPoint):
    """The function that answers a pattern. It may do what the pattern declares and nothing else."""

    def __init__(
        self,
        scope: Construct,
        pattern: AccessPattern,
        *,
        table: dynamodb.ITableV2,
        code: lambda_.Code,
        dependencies: lambda_.ILayerVersion,
        settings: Settings,
    ) -> None:
        allowed = (
            statement for each in pattern.permissions for statement in _allow(table, each, settings)
        )
        super().__init__(
            scope,
            pattern.name,
            handler=f"lambdas.handlers.{pattern.dataset}.{pattern.name}",
            description=f"{pattern.id}: {pattern.summary}",
            may={"Table": _document(allowed)},
            environment={
                "TABLE_NAME": table.table_name,
                **_people(settings),
                **_metrics(settings),
            },
            code=code,
            layers=[dependencies],
            settings=settings,
        )
        if settings.policies == "emulator":
            acknowledge(self, dict.fromkeys(_OF_WILDCARDS, _EMULATED))


def _people(settings: Settings) -> dict[str, str]:
    """What a function is told when its callers are people, whose rights it has to look at."""
    return {"AUTH": "jwt", "ADMIN_SCOPE": settings.admin_scope} if settings.auth == "jwt" else {}


def _metrics(settings: Settings) -> dict[str, str]:
    """Where the metrics of its calls go, if they are wanted."""
    namespace = settings.metrics_namespace
    return {"METRICS_NAMESPACE": namespace} if namespace else {}


def log_group_of(function_name: str) -> str:
    """The name of a function's log group."""
    return f"/aws/lambda/{function_name}"


def _architecture(settings: Settings) -> lambda_.Architecture:
    return (
        lambda_.Architecture.ARM_64
        if settings.architecture == "arm64"
        else lambda_.Architecture.X86_64
    )


def _document(statements: Iterable[iam.PolicyStatement]) -> iam.PolicyDocument:
    return iam.PolicyDocument(statements=list(statements))


def _allow(
    table: dynamodb.ITableV2, permission: Permission, settings: Settings
) -> list[iam.PolicyStatement]:
    """One action, on the table or on one of its indexes alone."""
    index = permission.index.name
    resource = f"{table.table_arn}/index/{index}" if index else table.table_arn
    actions, keys = [permission.action], list(permission.leading_keys)
    if not keys:
        return [iam.PolicyStatement(actions=actions, resources=[resource])]
    if settings.policies == "emulator":
        return [iam.PolicyStatement(actions=[EMULATED_PARTIQL], resources=["*"])]
    begins_with = {"dynamodb:LeadingKeys": [f"{key}*" for key in keys]}
    refused = (
        {"Bool": {"dynamodb:FullTableScan": "true"}},
        {"Null": {"dynamodb:LeadingKeys": "true"}},
    )
    return [
        iam.PolicyStatement(
            actions=actions,
            resources=[resource],
            conditions={"ForAllValues:StringLike": begins_with},
        ),
        # "All of no values" holds as well, so a request without leading keys is denied by itself.
        *(
            iam.PolicyStatement(
                effect=iam.Effect.DENY, actions=actions, resources=[resource], conditions=condition
            )
            for condition in refused
        ),
    ]


def _may_log(log_group: logs.ILogGroup) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[log_group.log_group_arn]
    )


def _may_trace() -> iam.PolicyStatement:
    # X-Ray knows no resources: these two actions take `*` alone.
    return iam.PolicyStatement(
        actions=["xray:PutTelemetryRecords", "xray:PutTraceSegments"], resources=["*"]
    )
