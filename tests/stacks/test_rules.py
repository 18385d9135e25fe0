"""The rules, held against the templates; and templates that break one, so that each is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pytest
from aws_cdk import App, CfnResource, Stack, Validations
from aws_cdk.aws_logs import CfnLogGroup
from aws_cdk.aws_s3 import CfnBucket
from aws_cdk.aws_sqs import CfnQueue
from cdk_nag import AwsSolutionsChecks, ServerlessChecks
from cfnlint.api import lint  # type: ignore[import-untyped]
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]

from stacks.rules import Finding, findings
from stacks.settings import Settings
from tests.stacks.synthesis import Synthesize, Synthesized, cdk_context, constructed
from tools.acknowledged import acknowledged

JWT = {"auth": "jwt", "jwt_issuer": "https://issuer.example", "jwt_audience": "shop"}
CONTEXTS: list[dict[str, str]] = [{}, JWT, {"stage": "dev"}, {"stage": "dev", "auth": "none"}]

CDK_SAYS_TWICE = "W3005"
"""A function depends on its role by DependsOn, which its reference to the role says as well."""

Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize("context", CONTEXTS, ids=str)
def test_no_template_breaks_a_rule(synthesize: Synthesize, context: dict[str, str]) -> None:
    synthesized = synthesize(**context)
    settings = Settings(**context)  # type: ignore[arg-type]

    for stack in (synthesized.table, synthesized.api, synthesized.monitoring):
        assert findings(stack.template, settings) == []


def replica(table: dict[str, Any]) -> dict[str, Any]:
    [found] = table["Properties"]["Replicas"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.update(DeletionPolicy="Delete"), "is not retained (DeletionPolicy)"),
        (lambda t: t.pop("UpdateReplacePolicy"), "is not retained (UpdateReplacePolicy)"),
        (lambda t: replica(t).pop("DeletionProtectionEnabled"), "has no deletion protection"),
        (
            lambda t: replica(t).update(
                PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
            ),
            "cannot be restored to a point in time",
        ),
        (
            lambda t: replica(t)["PointInTimeRecoverySpecification"].update(RecoveryPeriodInDays=7),
            "can be restored to the last 7 days alone, not 35",
        ),
        (
            lambda t: t["Properties"].pop("TimeToLiveSpecification"),
            "has no time to live in ExpiresAt",
        ),
        (
            lambda t: t["Properties"]["TimeToLiveSpecification"].update(AttributeName="Expires"),
            "has no time to live in ExpiresAt",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_table_that_can_be_lost_is_found(
    templates: Synthesized, change: Change, reason: str
) -> None:
    template = deepcopy(templates.table.template)
    [(table_id, table)] = template["Resources"].items()
    change(table)

    assert findings(template, Settings()) == [Finding("ProtectedTable", table_id, reason)]


def test_every_replica_is_looked_at(templates: Synthesized) -> None:
    template = deepcopy(templates.table.template)
    [table] = template["Resources"].values()
    table["Properties"]["Replicas"].append({"Region": "eu-west-1"})

    assert {each.reason for each in findings(template, Settings())} == {
        "has no deletion protection",
        "cannot be restored to a point in time",
    }


def test_in_dev_a_table_may_go_and_in_prod_the_same_is_found(synthesize: Synthesize) -> None:
    template = synthesize(stage="dev").table.template

    assert findings(template, Settings(stage="dev")) == []
    assert len(findings(template, Settings(stage="prod"))) == 4


def test_a_table_of_the_older_kind_is_found() -> None:
    template = {"Resources": {"Old": {"Type": "AWS::DynamoDB::Table", "Properties": {}}}}

    [finding] = findings(template, Settings())
    assert (finding.rule, finding.resource) == ("ProtectedTable", "Old")


def role(*statements: dict[str, Any]) -> dict[str, Any]:
    policy = {"PolicyName": "P", "PolicyDocument": {"Statement": list(statements)}}
    return {"Resources": {"R": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [policy]}}}}


TABLE_ARN = "arn:aws:dynamodb:eu-central-1:111122223333:table/t"


@pytest.mark.parametrize(
    "statement",
    [
        {"Action": "dynamodb:*", "Resource": TABLE_ARN},
        {"Action": ["dynamodb:GetItem", "dynamodb:Put*"], "Resource": TABLE_ARN},
        {"Action": "dynamodb:Query", "Resource": "*"},
        {"Action": "dynamodb:Query", "Resource": [TABLE_ARN, f"{TABLE_ARN}/index/*"]},
        {"Action": "dynamodb:Query", "Resource": {"Fn::Join": ["", [{"Ref": "T"}, "/index/*"]]}},
        {"Action": ["xray:PutTraceSegments", "dynamodb:Query"], "Resource": "*"},
        {"Action": "xray:GetTraceSummaries", "Resource": "*"},
        {"Action": "dynamodb:?can", "Resource": TABLE_ARN},
        {"Action": "dynamodb:Query", "Resource": f"{TABLE_ARN}/index/????"},
        {"NotAction": "dynamodb:Scan", "Resource": TABLE_ARN},
        {"Action": "dynamodb:Query", "NotResource": TABLE_ARN},
        {"Action": "sts:AssumeRole", "Principal": {"AWS": "*"}},
    ],
    ids=str,
)
def test_a_wildcard_is_found(statement: dict[str, Any]) -> None:
    found = findings(role({"Effect": "Allow", **statement}), Settings())

    assert [(each.rule, each.resource) for each in found] == [("NoWildcard", "R")]


def test_x_ray_has_its_wildcard_where_functions_are_traced_and_nowhere_else() -> None:
    traces = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
    template = role({"Effect": "Allow", "Action": traces, "Resource": "*"})
    with_another = role({"Effect": "Allow", "Action": [*traces, "xray:Get"], "Resource": "*"})

    assert findings(template, Settings(tracing="active")) == []
    assert [each.rule for each in findings(template, Settings())] == ["NoWildcard"]
    assert [each.rule for each in findings(with_another, Settings(tracing="active"))] == [
        "NoWildcard"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        {"Action": "dynamodb:Query", "Resource": f"{TABLE_ARN}/index/GSI1"},
        {
            "Action": "dynamodb:PartiQLSelect",
            "Resource": TABLE_ARN,
            "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["Student#*"]}},
        },
        {"Effect": "Deny", "Action": "dynamodb:*", "Resource": "*"},
    ],
    ids=str,
)
def test_what_only_looks_like_a_wildcard_is_not(statement: dict[str, Any]) -> None:
    assert findings(role({"Effect": "Allow", **statement}), Settings()) == []


def test_partiql_on_any_table_is_for_an_emulator_alone() -> None:
    statement = {"Effect": "Allow", "Action": "dynamodb:ExecuteStatement", "Resource": "*"}

    assert findings(role(statement), Settings(stage="dev", policies="emulator")) == []
    assert [each.rule for each in findings(role(statement), Settings(stage="dev"))] == [
        "NoWildcard"
    ]


@pytest.mark.parametrize("kind", ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"])
def test_a_policy_beside_a_role_is_looked_at_too(kind: str) -> None:
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    properties = {"PolicyDocument": {"Statement": statement}}
    template = {"Resources": {"P": {"Type": kind, "Properties": properties}}}

    assert {each.rule for each in findings(template, Settings())} == {"NoWildcard"}


def of_type(template: dict[str, Any], kind: str) -> list[tuple[str, dict[str, Any]]]:
    resources = template["Resources"].items()
    return [(name, each["Properties"]) for name, each in resources if each["Type"] == kind]


@pytest.mark.parametrize("number", [0, -1])
def test_a_log_group_without_retention_is_found(templates: Synthesized, number: int) -> None:
    template = deepcopy(templates.api.template)
    name, log_group = of_type(template, "AWS::Logs::LogGroup")[number]
    del log_group["RetentionInDays"]

    assert findings(template, Settings()) == [
        Finding("LogGroupForgets", name, "keeps its logs for ever")
    ]


@pytest.mark.parametrize(("name", "what"), [("Role", "role"), ("LoggingConfig", "log group")])
def test_two_functions_that_share_are_found(templates: Synthesized, name: str, what: str) -> None:
    template = deepcopy(templates.api.template)
    (_, first), *_, (last_id, last) = of_type(template, "AWS::Lambda::Function")
    last[name] = first[name]

    assert findings(template, Settings()) == [
        Finding("FunctionOnItsOwn", last_id, f"shares its {what} with another function")
    ]


def test_a_function_that_logs_where_lambda_likes_is_found(templates: Synthesized) -> None:
    template = deepcopy(templates.api.template)
    name, function = of_type(template, "AWS::Lambda::Function")[0]
    del function["LoggingConfig"]["LogGroup"]

    assert findings(template, Settings()) == [Finding("FunctionOnItsOwn", name, "has no log group")]


@pytest.mark.parametrize("context", [{}, JWT], ids=str)
def test_a_route_that_asks_nobody_is_found(synthesize: Synthesize, context: dict[str, str]) -> None:
    template = deepcopy(synthesize(**context).api.template)
    name, route = of_type(template, "AWS::ApiGatewayV2::Route")[-1]
    route["AuthorizationType"] = "NONE"

    [finding] = findings(template, Settings(**context))  # type: ignore[arg-type]
    assert (finding.rule, finding.resource) == ("RouteAsksWho", name)
    assert route["RouteKey"] in finding.reason


def test_a_route_that_names_no_authorizer_is_found(synthesize: Synthesize) -> None:
    template = deepcopy(synthesize(**JWT).api.template)
    name, route = of_type(template, "AWS::ApiGatewayV2::Route")[0]
    del route["AuthorizerId"]

    [finding] = findings(template, Settings(**JWT))  # type: ignore[arg-type]
    assert (finding.rule, finding.resource) == ("RouteAsksWho", name)


def one(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Resources": {"One": {"Type": kind, "Properties": properties}}}


GATEWAY_MAY = {
    "Action": "lambda:InvokeFunction",
    "FunctionName": "f",
    "Principal": "apigateway.amazonaws.com",
    "SourceArn": "arn:aws:execute-api:eu-central-1:111122223333:a/*/*/openapi.json",
}


@pytest.mark.parametrize(
    "template",
    [
        one("AWS::Lambda::Url", AuthType="NONE", TargetFunctionArn="f"),
        one("AWS::Lambda::Url", AuthType="AWS_IAM", TargetFunctionArn="f"),
        one("AWS::Lambda::Permission", **{**GATEWAY_MAY, "Principal": "*"}),
        one("AWS::Lambda::Permission", **{**GATEWAY_MAY, "Principal": "444455556666"}),
        one("AWS::Lambda::Permission", **{**GATEWAY_MAY, "SourceArn": None}),
        one("AWS::ApiGatewayV2::Api", ProtocolType="HTTP", Target="f"),
        one("AWS::ApiGatewayV2::Api", Body={"openapi": "3.0.1"}),
    ],
    ids=str,
)
def test_a_way_to_a_function_around_the_routes_is_found(template: dict[str, Any]) -> None:
    for settings in (Settings(), Settings(**JWT)):  # type: ignore[arg-type]
        [finding] = findings(template, settings)
        assert (finding.rule, finding.resource) == ("NoWayAroundTheRoutes", "One")


def test_the_gateway_may_call_a_function_for_an_api_of_its_own() -> None:
    assert findings(one("AWS::Lambda::Permission", **GATEWAY_MAY), Settings()) == []


@pytest.mark.parametrize(
    ("resource", "rule"),
    [
        (CfnBucket, "AwsSolutions-S10"),
        (CfnQueue, "Serverless-SQSRedrivePolicy"),
        (CfnLogGroup, "LogGroupForgets"),
    ],
)
def test_a_broken_rule_ends_the_synthesis(
    tmp_path: Path, resource: Callable[[Stack, str], object], rule: str
) -> None:
    app = constructed({}, tmp_path)
    resource(cast(Stack, app.node.find_child("SingleTable")), "More")

    with pytest.raises(RuntimeError, match=rule):
        app.synth()


def test_what_cloudformation_does_not_know_ends_the_synthesis(tmp_path: Path) -> None:
    app = App(context=cdk_context(), outdir=str(tmp_path))
    properties = {"ImageId": "ami-12345678", "Colour": "red"}
    CfnResource(Stack(app, "S"), "Odd", type="AWS::EC2::Instance", properties=properties)

    with pytest.raises(RuntimeError, match="Colour"):
        app.synth()


@pytest.mark.parametrize("context", [{}, JWT], ids=str)
def test_each_acknowledgement_is_for_one_finding_that_there_is(
    synthesize: Synthesize, context: dict[str, str], tmp_path: Path
) -> None:
    """Without them, the packs find exactly these: none is left over from what once was."""
    accepted = acknowledged(synthesize(**context).folder)
    with mock.patch.object(Validations, "acknowledge"):
        app = constructed(context, tmp_path)

    found = {
        (str(resource.construct_path).removesuffix("/Resource"), violation.rule_name)
        for pack in (AwsSolutionsChecks(app), ServerlessChecks(app))
        for violation in pack.validate_scope(app).violations
        for resource in violation.violating_resources
    }

    assert sorted(found) == sorted((each.construct, each.rule) for each in accepted)


@pytest.mark.parametrize("stack", ["table", "api", "monitoring"])
def test_cfn_lint_finds_nothing_else_than_a_dependency_said_twice(
    templates: Synthesized, stack: str
) -> None:
    found = linted(getattr(templates, stack).template)

    assert {rule for rule, _ in found} <= {CDK_SAYS_TWICE}


def test_cfn_lint_finds_what_is_wrong(templates: Synthesized) -> None:
    template = deepcopy(templates.table.template)
    [table] = template["Resources"].values()
    table["Properties"]["BillingMode"] = "PAY_LATER"

    [(rule, message)] = linted(template)
    assert rule == "E3030"
    assert "PAY_LATER" in message


def linted(template: dict[str, Any]) -> list[tuple[str, str]]:
    matches = lint(json.dumps(template), config=ManualArgs(regions=["eu-central-1"]))
    return [(match.rule.id, match.message) for match in matches]
