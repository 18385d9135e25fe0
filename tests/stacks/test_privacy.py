"""What the deployment logs and traces by itself: no address, no path, no query string, no value."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lambdas
from tests.stacks.synthesis import Synthesize, Synthesized

ALLOWED = {
    "$context.requestId",
    "$context.requestTime",
    "$context.routeKey",  # the route as it is declared: `GET /ecommerce/users/{user_id}`
    "$context.status",
    "$context.responseLatency",
    "$context.error.message",  # one of the gateway's own sentences
    "$context.error.responseType",
    "$context.integrationLatency",
    "$context.integrationStatus",
    "$context.protocol",
    "$context.responseLength",
}
"""The variables of the gateway that cannot name a person or quote a request."""

SOURCES = sorted(Path(lambdas.__file__).parent.rglob("*.py"))


def told(log_format: str) -> list[str]:
    """What a format has that may not be logged: anything but a member with one allowed variable."""
    members: dict[str, Any] = json.loads(log_format)
    return [str(value) for value in members.values() if value not in ALLOWED]


@pytest.mark.parametrize("stage", ["prod", "dev"])
def test_the_access_log_has_nothing_that_can_name_a_person(
    synthesize: Synthesize, stage: str
) -> None:
    stages = synthesize(stage=stage).api.resources("AWS::ApiGatewayV2::Stage")
    formats = [each["Properties"]["AccessLogSettings"]["Format"] for each in stages.values()]
    assert formats
    assert [told(each) for each in formats] == [[] for _ in formats]


@pytest.mark.parametrize(
    "variable",
    [
        "$context.path",
        "$context.httpMethod $context.path",
        "$context.identity.sourceIp",
        "$context.identity.userAgent",
        "$context.authorizer.claims.email",
        "$context.authorizer.principalId",
        "$context.integrationErrorMessage",
        "$context.requestId $context.path",
        "$request.querystring.email",
    ],
)
def test_a_variable_that_can_is_noticed(variable: str) -> None:
    assert told(json.dumps({"requestId": "$context.requestId", "other": variable})) == [variable]


def test_no_function_is_told_to_log_more(templates: Synthesized) -> None:
    """Powertools' switches log events and bodies; Lambda's own level decides about the SDK's."""
    for function in templates.api.resources("AWS::Lambda::Function").values():
        properties = function["Properties"]
        names = properties.get("Environment", {}).get("Variables", {})
        assert [name for name in names if re.match("POWERTOOLS|LOG|AWS_LAMBDA_LOG", name)] == []
        assert properties["LoggingConfig"].get("ApplicationLogLevel", "INFO") == "INFO"


def test_no_code_of_a_function_traces_what_it_sends() -> None:
    """Lambda's own segment has the function and the request's id. The SDK of X-Ray would add one
    for each call, with its URL and its table; so would Powertools' Tracer."""
    imported = [name for path in SOURCES for name in _imports(path)]
    assert "botocore.session.get_session" in imported
    assert [name for name in imported if "xray" in name.lower() or "Tracer" in name] == []


MAY_BE_LOGGED = {
    "pattern",
    "request_id",
    "status",
    "requests",
    "gateway_id",
    "read_units",
    "write_units",
    "items_read",
    "items_returned",
    "conflicts",
    "retries",
    "fault",
    "duration_ms",
    "error",
}

METRICS = "**metrics.embedded(pattern, response['statusCode'])"
"""The only members that do not stand where the line is written; `tests/runtime/test_metrics.py` has
all that they can be."""


def test_the_logger_is_told_these_members_alone_and_never_an_exception() -> None:
    calls = [call for path in SOURCES for call in _log_calls(path)]
    assert len(calls) >= 3
    for call in calls:
        [message] = call.args
        assert isinstance(message, ast.Constant), ast.unparse(call)
        [extra] = call.keywords
        assert extra.arg == "extra", ast.unparse(call)
        assert isinstance(extra.value, ast.Dict)
        names = {ast.literal_eval(key) for key in extra.value.keys if key}
        assert names <= MAY_BE_LOGGED, ast.unparse(call)
        told = zip(extra.value.keys, extra.value.values, strict=True)
        unpacked = [f"**{ast.unparse(value)}" for key, value in told if key is None]
        assert set(unpacked) <= {METRICS}


def test_nothing_else_of_a_function_writes_to_its_log() -> None:
    """Lambda takes what is printed for lines of the log; warnings go there as well."""
    for path in SOURCES:
        names = {node.id for node in ast.walk(_tree(path)) if isinstance(node, ast.Name)}
        assert not names & {"print", "pprint", "warnings", "traceback"}, path
        if path.name != "logs.py":
            assert not [name for name in _imports(path) if name.split(".")[0] == "logging"], path


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _log_calls(path: Path) -> Iterator[ast.Call]:
    """Every line that the logger is given; it is never handed on, and set up where it is made."""
    set_up = {"addHandler", "setLevel"}
    for node in ast.walk(_tree(path)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="logger"), attr=name)):
                if name not in set_up:
                    yield node
