"""The rules that every synthesis is held to; one that is broken ends it, and nothing is deployed.

AWS's own packs (cdk-nag) come first, then what they do not see: they know `AWS::DynamoDB::Table`
and not the global table that TableV2 makes, and once X-Ray's `*` is acknowledged for a role, they
are blind to any other in it. The CDK's check of the templates against CloudFormation's schemas is
made strict in `cdk.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jsii
from aws_cdk import (
    Acknowledgment,
    App,
    IPolicyValidationContext,
    IPolicyValidationPlugin,
    PolicyValidationPluginReport,
    PolicyViolatingResource,
    PolicyViolation,
    Validations,
)
from cdk_nag import AwsSolutionsChecks, ServerlessChecks
from constructs import IConstruct

from lambdas.design.table import TTL_ATTRIBUTE
from stacks.settings import EMULATED_PARTIQL, Settings

Template = Mapping[str, Any]
"""A CloudFormation template."""

GLOBAL_TABLE: Final = "AWS::DynamoDB::GlobalTable"
DAYS_KEPT: Final = 35
"""How far back point-in-time recovery goes when nothing is said of it; DynamoDB knows no more."""

GATEWAY: Final = "apigateway.amazonaws.com"
WITHOUT_RESOURCES: Final = {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}
"""The only actions that may be allowed on `*`, where functions are traced: they take no resource.
(On an emulator's account PartiQL is the other, see `EMULATED_PARTIQL`.)"""

AUTHORIZATION: Final = {"iam": "AWS_IAM", "jwt": "JWT", "none": "NONE"}
"""What a route's authorization is called in a template, for each value of `auth`."""


@dataclass(frozen=True)
class Finding:
    """A resource that breaks a rule."""

    rule: str
    resource: str
    """The resource's logical id."""
    reason: str


def hold_to_rules(app: App, settings: Settings) -> None:
    """Let the synthesis of an app fail if one of its templates breaks a rule."""
    Validations.of(app).add_plugins(
        AwsSolutionsChecks(app, verbose=True),
        ServerlessChecks(app, verbose=True),
        ProjectRules(settings),
    )


def acknowledge(construct: IConstruct, reasons: Mapping[str, str]) -> None:
    """Accept what rules find in a construct and within it, each rule for a reason."""
    Validations.of(construct).acknowledge(
        *(Acknowledgment(id=rule, reason=reason) for rule, reason in reasons.items())
    )


@jsii.implements(IPolicyValidationPlugin)
class ProjectRules:
    """Our own rules, as the CDK calls them at the end of a synthesis."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def name(self) -> str:
        return "SingleTable"

    @property
    def version(self) -> str | None:
        return None

    @property
    def rule_ids(self) -> list[str]:
        return list(_RULES)

    def validate(self, context: IPolicyValidationContext) -> PolicyValidationPluginReport:
        violations = [
            PolicyViolation(
                rule_name=finding.rule,
                description=f"{finding.resource} {finding.reason}",
                severity="error",
                violating_resources=[
                    PolicyViolatingResource(
                        resource_logical_id=finding.resource, template_path=path, locations=[]
                    )
                ],
            )
            for path in context.template_paths
            for finding in findings(json.loads(Path(path).read_bytes()), self._settings)
        ]
        return PolicyValidationPluginReport(success=not violations, violations=violations)


def findings(template: Template, settings: Settings) -> list[Finding]:
    """What in a template breaks one of our own rules."""
    return [
        Finding(name, resource, reason)
        for name, rule in _RULES.items()
        for resource, reason in rule(template, settings)
    ]


_Found = Iterator[tuple[str, str]]
"""The logical id of what breaks a rule, and the reason."""


def _protected_table(template: Template, settings: Settings) -> _Found:
    """A table forgets what has expired, and in prod it cannot be lost by mistake."""
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::DynamoDB::Table":
            yield name, f"is not a {GLOBAL_TABLE}, which these rules are about"
        if resource["Type"] == GLOBAL_TABLE:
            ttl = resource["Properties"].get("TimeToLiveSpecification", {})
            if not ttl.get("Enabled") or ttl.get("AttributeName") != TTL_ATTRIBUTE:
                yield name, f"has no time to live in {TTL_ATTRIBUTE}"
            if settings.stage == "prod":
                yield from ((name, reason) for reason in _dangers(resource))


def _dangers(table: Mapping[str, Any]) -> Iterator[str]:
    for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
        if table.get(policy) != "Retain":
            yield f"is not retained ({policy})"
    for replica in table["Properties"]["Replicas"]:
        if not replica.get("DeletionProtectionEnabled"):
            yield "has no deletion protection"
        recovery = replica.get("PointInTimeRecoverySpecification", {})
        if not recovery.get("PointInTimeRecoveryEnabled"):
            yield "cannot be restored to a point in time"
        elif (days := recovery.get("RecoveryPeriodInDays", DAYS_KEPT)) != DAYS_KEPT:
            yield f"can be restored to the last {days} days alone, not {DAYS_KEPT}"


def _no_wildcard(template: Template, settings: Settings) -> _Found:
    """A policy names each action, each resource and each principal."""
    without_resources = set(WITHOUT_RESOURCES) if settings.tracing == "active" else set()
    if settings.policies == "emulator":
        without_resources.add(EMULATED_PARTIQL)
    for name, statement in _allowed(template):
        if open_ended := {"NotAction", "NotResource", "NotPrincipal"} & set(statement):
            yield name, f"allows all but some: {', '.join(sorted(open_ended))}"
            continue
        if "*" in json.dumps(statement.get("Principal", {})):
            yield name, "is open to every principal"
        actions = _list(statement["Action"])
        if wide := [action for action in actions if _is_wide(action)]:
            yield name, f"allows {', '.join(wide)}"
        if not set(actions) <= without_resources:
            for resource in _list(statement.get("Resource", [])):
                if _is_wide(json.dumps(resource)):
                    yield name, f"allows {', '.join(actions)} on {json.dumps(resource)}"


def _is_wide(text: str) -> bool:
    """Whether it stands for more than one: IAM's `?` is any character."""
    return "*" in text or "?" in text


def _allowed(template: Template) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every statement that allows something, wherever it stands in a resource."""
    for name, resource in template["Resources"].items():
        for statement in _statements(resource.get("Properties", {})):
            if statement.get("Effect") == "Allow":
                yield name, statement


def _statements(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        if "Statement" in value:
            yield from _list(value["Statement"])
        for member in value.values():
            yield from _statements(member)
    elif isinstance(value, list):
        for member in value:
            yield from _statements(member)


def _log_group_forgets(template: Template, _: Settings) -> _Found:
    """A log group keeps what it has for a time, not for ever."""
    for name, properties in _of_type(template, "AWS::Logs::LogGroup"):
        if "RetentionInDays" not in properties:
            yield name, "keeps its logs for ever"


def _function_on_its_own(template: Template, _: Settings) -> _Found:
    """A function has a role and a log group that no other has."""
    used: set[str] = set()
    for name, properties in _of_type(template, "AWS::Lambda::Function"):
        log_group = properties.get("LoggingConfig", {}).get("LogGroup")
        for what, value in (("role", properties.get("Role")), ("log group", log_group)):
            if value is None:
                yield name, f"has no {what}"
            elif (key := f"{what} {json.dumps(value)}") in used:
                yield name, f"shares its {what} with another function"
            else:
                used.add(key)


def _route_asks_who(template: Template, settings: Settings) -> _Found:
    """A route authorizes as the setting `auth` says."""
    wanted = AUTHORIZATION[settings.auth]
    for name, properties in _of_type(template, "AWS::ApiGatewayV2::Route"):
        found = properties.get("AuthorizationType", "NONE")
        if found != wanted:
            yield name, f"{properties['RouteKey']} has authorization {found} in place of {wanted}"
        elif found == "JWT" and "AuthorizerId" not in properties:
            yield name, f"{properties['RouteKey']} names no authorizer"


def _no_way_around_the_routes(template: Template, _: Settings) -> _Found:
    """Calls come by the routes that ask who calls. A function takes an event for what the gateway
    has let in, so whoever else may call it is everybody to it."""
    for name, properties in _of_type(template, "AWS::ApiGatewayV2::Api"):
        for shortcut in ("Target", "Body", "BodyS3Location"):
            if shortcut in properties:
                yield name, f"makes routes by {shortcut}, which no rule sees"
    for name, _url in _of_type(template, "AWS::Lambda::Url"):
        yield name, "is a URL of a function, beside the gateway"
    for name, properties in _of_type(template, "AWS::Lambda::Permission"):
        if properties.get("Principal") != GATEWAY or not properties.get("SourceArn"):
            yield name, "lets others than this API call a function"


def _of_type(template: Template, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, resource in template["Resources"].items():
        if resource["Type"] == kind:
            yield name, resource.get("Properties", {})


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_RULES: Final[Mapping[str, Callable[[Template, Settings], _Found]]] = {
    "ProtectedTable": _protected_table,
    "NoWildcard": _no_wildcard,
    "LogGroupForgets": _log_group_forgets,
    "FunctionOnItsOwn": _function_on_its_own,
    "RouteAsksWho": _route_asks_who,
    "NoWayAroundTheRoutes": _no_way_around_the_routes,
}
