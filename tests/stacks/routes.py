"""Reads the routes out of a template: who answers each, and what that function may do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.stacks.synthesis import Resource, Synthesized


@dataclass(frozen=True)
class Statement:
    """A statement of a policy, its resources named as a reader would."""

    effect: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    condition: dict[str, Any] | None = None

    def __str__(self) -> str:
        actions, resources = (", ".join(each) for each in (self.actions, self.resources))
        condition = f" | if {json.dumps(self.condition)}" if self.condition else ""
        effect = "" if self.effect == "Allow" else f"{self.effect} "
        return f"{effect}{actions} | {resources}{condition}"


@dataclass(frozen=True)
class Route:
    """A route with the function behind it."""

    key: str
    """Method and path."""
    authorization: Resource
    """The route's own properties that say who may call it."""
    function_id: str
    function: Resource
    role_id: str
    role: Resource
    statements: tuple[Statement, ...]

    @property
    def handler(self) -> str:
        return str(self.function["Handler"])

    @property
    def log_group(self) -> str:
        return str(self.function["LoggingConfig"]["LogGroup"]["Ref"])

    @property
    def particular(self) -> tuple[Statement, ...]:
        """What it may do besides writing its own log and sending its traces."""
        return tuple(each for each in self.statements if each not in usual(self.log_group))


def usual(log_group: str) -> tuple[Statement, ...]:
    """What every function may do: write its own log."""
    return (Statement("Allow", ("logs:CreateLogStream", "logs:PutLogEvents"), (log_group,)),)


def routes(synthesized: Synthesized) -> list[Route]:
    """All routes, in the template's order."""
    found = synthesized.api.resources("AWS::ApiGatewayV2::Route").values()
    return [_route(each["Properties"], synthesized) for each in found]


def permissions(synthesized: Synthesized) -> str:
    """A line for each statement: route, handler, actions, resources."""
    found = [(route, each) for route in routes(synthesized) for each in route.particular]
    wide = max(len(route.key) for route, _ in found)
    name = max(len(route.handler) for route, _ in found)
    return "".join(
        f"{route.key:{wide}} | {route.handler:{name}} | {statement}\n" for route, statement in found
    )


def _route(properties: Resource, synthesized: Synthesized) -> Route:
    resources = synthesized.api.template["Resources"]
    integration_id = properties["Target"]["Fn::Join"][1][1]["Ref"]
    integration = resources[integration_id]["Properties"]
    function_id = integration["IntegrationUri"]["Fn::GetAtt"][0]
    function = resources[function_id]["Properties"]
    role_id = function["Role"]["Fn::GetAtt"][0]
    role = resources[role_id]["Properties"]
    return Route(
        key=properties["RouteKey"],
        authorization={name: v for name, v in properties.items() if name.startswith("Auth")},
        function_id=function_id,
        function=function,
        role_id=role_id,
        role=role,
        statements=tuple(
            _statement(each, synthesized)
            for policy in role.get("Policies", [])
            for each in policy["PolicyDocument"]["Statement"]
        ),
    )


def _statement(statement: dict[str, Any], synthesized: Synthesized) -> Statement:
    unknown = set(statement) - {"Action", "Effect", "Resource", "Condition"}
    assert not unknown, f"a statement with {unknown} may say the opposite"
    return Statement(
        statement["Effect"],
        tuple(_list(statement["Action"])),
        tuple(_named(each, synthesized) for each in _list(statement["Resource"])),
        statement.get("Condition"),
    )


def _named(value: Any, synthesized: Synthesized) -> str:
    """A resource by its name: `table`, `table/index/GSI1`, or its logical id."""
    match value:
        case str():
            return value
        case {"Fn::Join": ["", [*parts]]}:
            return "".join(_named(part, synthesized) for part in parts)
        case {"Fn::GetAtt": [str(logical_id), "Arn"]}:
            return logical_id
        case {"Fn::ImportValue": str(export)} if export == _export_of_table_arn(synthesized):
            return "table"
    return json.dumps(value)


def _export_of_table_arn(synthesized: Synthesized) -> str:
    [table_id] = synthesized.table.resources("AWS::DynamoDB::GlobalTable")
    [export] = [
        output["Export"]["Name"]
        for output in synthesized.table.template["Outputs"].values()
        if output["Value"] == {"Fn::GetAtt": [table_id, "Arn"]}
    ]
    assert isinstance(export, str)
    return export


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
