from __future__ import annotations

import json

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.runtime.openapi import document
from tests.stacks.routes import Route, routes
from tests.stacks.synthesis import Synthesize, Synthesized

DOCUMENT = "GET /openapi.json"
ROUTED = [pattern for pattern in ACCESS_PATTERNS if not pattern.variant_of]
GATEWAY_TIMEOUT_SECONDS = 30
RESOURCES_OF_A_STACK = 500

CONTEXT_OF_RATES = {
    "requests_per_second": "7",
    "burst": "9",
    "max_read_units": "11",
    "max_write_units": "13",
    "reserved_concurrency": "3",
    "cors_origins": "https://shop.example,http://localhost:5173",
}
JWT = {"auth": "jwt", "jwt_issuer": "https://issuer.example", "jwt_audience": "shop"}


def test_there_is_a_route_for_each_pattern_and_one_for_their_description(
    templates: Synthesized,
) -> None:
    expected = [pattern.route for pattern in ROUTED] + [DOCUMENT]

    assert [route.key for route in routes(templates)] == expected


def test_a_route_leads_to_the_function_named_after_its_pattern(templates: Synthesized) -> None:
    assert {route.key: route.handler for route in routes(templates)} == {
        DOCUMENT: "lambdas.handlers.documents.get_openapi",
        **{p.route: f"lambdas.handlers.{p.dataset}.{p.name}" for p in ROUTED},
    }


def test_no_two_routes_share_a_function_and_no_function_is_without_one(
    templates: Synthesized,
) -> None:
    functions = [route.function_id for route in routes(templates)]

    assert sorted(functions) == sorted(templates.api.resources("AWS::Lambda::Function"))


def test_a_function_is_called_by_its_own_route_alone(templates: Synthesized) -> None:
    [api_id] = templates.api.resources("AWS::ApiGatewayV2::Api")
    found = templates.api.resources("AWS::Lambda::Permission").values()
    callers = {each["Properties"]["FunctionName"]["Fn::GetAtt"][0]: each for each in found}

    assert len(found) == len(callers) == len(ROUTED) + 1
    for route in routes(templates):
        permission = callers[route.function_id]["Properties"]
        parts = permission["SourceArn"]["Fn::Join"][1]
        assert permission["Action"] == "lambda:InvokeFunction"
        assert permission["Principal"] == "apigateway.amazonaws.com"
        assert {"Ref": api_id} in parts
        assert parts[-1] == f"/*/*{route.key.split(' ')[1]}"


def test_events_have_payload_format_2(templates: Synthesized) -> None:
    for integration in templates.api.resources("AWS::ApiGatewayV2::Integration").values():
        assert integration["Properties"]["PayloadFormatVersion"] == "2.0"


def test_by_default_every_route_wants_a_signature(templates: Synthesized) -> None:
    for route in routes(templates):
        assert route.authorization == {"AuthorizationType": "AWS_IAM"}


def test_with_jwt_every_route_wants_a_token_of_the_issuer_for_the_audience(
    synthesize: Synthesize,
) -> None:
    synthesized = synthesize(**JWT)
    [(authorizer_id, authorizer)] = synthesized.api.resources(
        "AWS::ApiGatewayV2::Authorizer"
    ).items()

    for route in routes(synthesized):
        assert route.authorization == {
            "AuthorizationType": "JWT",
            "AuthorizerId": {"Ref": authorizer_id},
        }
    assert authorizer["Properties"]["AuthorizerType"] == "JWT"
    assert authorizer["Properties"]["IdentitySource"] == ["$request.header.Authorization"]
    assert authorizer["Properties"]["JwtConfiguration"] == {
        "Issuer": "https://issuer.example",
        "Audience": ["shop"],
    }


def test_without_authorization_synthesis_warns(synthesize: Synthesize) -> None:
    synthesized = synthesize(stage="dev", auth="none")

    assert [warning for warning in synthesized.warnings if "auth=none" in warning]
    assert {route.authorization["AuthorizationType"] for route in routes(synthesized)} == {"NONE"}


def test_for_an_emulator_partiql_alone_has_another_policy_and_synthesis_says_so(
    synthesize: Synthesize,
) -> None:
    emulated, real = synthesize(stage="dev", policies="emulator"), synthesize(stage="dev")
    changed = {
        route.key: route.particular
        for route, other in zip(routes(emulated), routes(real), strict=True)
        if [str(each) for each in route.particular] != [str(each) for each in other.particular]
    }

    [(route, statements)] = changed.items()
    assert route == "POST /university/partiql"
    assert {each.actions for each in statements} == {("dynamodb:ExecuteStatement",)}
    assert [warning for warning in emulated.warnings if "substitute policy" in warning]


@pytest.mark.parametrize("context", [{}, {"stage": "dev"}, JWT], ids=str)
def test_otherwise_synthesis_warns_of_nothing(
    synthesize: Synthesize, context: dict[str, str]
) -> None:
    """A warning that is always there hides the one that matters."""
    assert synthesize(**context).warnings == ()


@pytest.mark.parametrize(
    "context", [{}, {"stage": "dev"}, JWT, {"stage": "dev", "auth": "none"}], ids=str
)
def test_a_role_allows_what_its_pattern_declares_and_its_log_and_no_more(
    synthesize: Synthesize, context: dict[str, str]
) -> None:
    found = {route.key: route for route in routes(synthesize(**context))}

    for pattern in ROUTED:
        declared = {
            (each.action, f"table/index/{each.index.name}" if each.index.name else "table")
            for each in pattern.permissions
        }
        route = found[pattern.route]
        assert _allowed(route) == {
            *declared,
            ("logs:CreateLogStream", route.log_group),
            ("logs:PutLogEvents", route.log_group),
        }


def test_functions_are_traced_when_the_context_says_so_and_may_do_no_more_than_that(
    synthesize: Synthesize, templates: Synthesized
) -> None:
    traced, untraced = routes(synthesize(tracing="active")), routes(templates)

    for with_traces, without in zip(traced, untraced, strict=True):
        assert with_traces.function["TracingConfig"] == {"Mode": "Active"}
        assert "TracingConfig" not in without.function
        assert _allowed(with_traces) - _allowed(without) == {
            ("xray:PutTelemetryRecords", "*"),
            ("xray:PutTraceSegments", "*"),
        }


def test_each_function_has_a_role_of_its_own_without_shared_policies(
    templates: Synthesized,
) -> None:
    found = routes(templates)

    assert sorted({route.role_id for route in found}) == sorted(
        templates.api.resources("AWS::IAM::Role")
    )
    assert len({route.role_id for route in found}) == len(found)
    assert not [
        each["Type"]
        for each in templates.api.template["Resources"].values()
        if each["Type"] in {"AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"}
    ]
    for route in found:
        assert "ManagedPolicyArns" not in route.role
        [trust] = route.role["AssumeRolePolicyDocument"]["Statement"]
        assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}


def test_each_function_has_a_log_group_of_its_own_that_forgets(templates: Synthesized) -> None:
    found = [route.log_group for route in routes(templates)]
    groups = templates.api.resources("AWS::Logs::LogGroup")

    assert len(set(found)) == len(found)
    assert set(found) < set(groups)  # the gateway has one, too
    for group in groups.values():
        assert 1 <= group["Properties"]["RetentionInDays"] <= 90
        assert group["DeletionPolicy"] == "Delete"


def test_a_function_runs_as_the_settings_say_and_ends_before_the_gateway_gives_up(
    templates: Synthesized,
) -> None:
    for route in routes(templates):
        function = route.function
        assert function["Architectures"] == ["arm64"]
        assert function["Runtime"] == "python3.14"
        assert function["LoggingConfig"]["LogFormat"] == "JSON"
        assert function["Timeout"] < GATEWAY_TIMEOUT_SECONDS
        assert 256 <= function["MemorySize"] <= 1769  # beyond that a second processor idles
        assert len(function["Layers"]) == 1


def test_other_settings_reach_every_function(synthesize: Synthesize) -> None:
    synthesized = synthesize(stage="dev", architecture="x86_64", runtime="python3.12")

    for route in routes(synthesized):
        assert route.function["Architectures"] == ["x86_64"]
        assert route.function["Runtime"] == "python3.12"


def test_a_function_is_told_the_table_where_its_metrics_go_and_nothing_else(
    templates: Synthesized,
) -> None:
    [table_id] = templates.table.resources("AWS::DynamoDB::GlobalTable")
    exports = {
        output["Export"]["Name"]: output["Value"]
        for output in templates.table.template["Outputs"].values()
        if "Export" in output
    }

    for route in routes(templates):
        told = dict(route.function["Environment"]["Variables"])
        if route.key == DOCUMENT:
            assert told == {"AUTH": "iam"}
        else:
            table_name = told.pop("TABLE_NAME")["Fn::ImportValue"]
            assert exports[table_name] == {"Ref": table_id}
            assert told == {"METRICS_NAMESPACE": "SingleTable"}


def test_a_function_and_its_logs_have_names_that_somebody_on_call_can_read(
    templates: Synthesized,
) -> None:
    groups = templates.api.resources("AWS::Logs::LogGroup")
    found = {route.key: route for route in routes(templates)}

    for pattern in ROUTED:
        route = found[pattern.route]
        name = route.function["FunctionName"]
        assert name == f"SingleTableApi-{pattern.name}"
        assert groups[route.log_group]["Properties"]["LogGroupName"] == f"/aws/lambda/{name}"


def test_the_description_may_read_nothing_from_the_table(templates: Synthesized) -> None:
    particular = {route.key: route.particular for route in routes(templates)}

    assert particular[DOCUMENT] == ()
    assert all(particular[pattern.route] for pattern in ROUTED)


def test_the_access_log_tells_neither_path_nor_query_nor_address(templates: Synthesized) -> None:
    settings = templates.api.resource("AWS::ApiGatewayV2::Stage")["Properties"]["AccessLogSettings"]
    written = json.loads(settings["Format"])

    assert {"$context.requestId", "$context.routeKey", "$context.status"} <= set(written.values())
    for value in written.values():
        telling = ("path", "identity", "authorizer", "query", "sourceIp", "user")
        assert not [word for word in telling if word.lower() in value.lower()]
    assert settings["DestinationArn"]["Fn::GetAtt"][0] in templates.api.resources(
        "AWS::Logs::LogGroup"
    )


def test_the_gateway_throttles(templates: Synthesized) -> None:
    stage = templates.api.resource("AWS::ApiGatewayV2::Stage")["Properties"]

    assert stage["StageName"] == "$default"
    assert stage["AutoDeploy"] is True
    assert stage["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": 100,
        "ThrottlingBurstLimit": 200,
    }


def test_the_context_sets_how_often_and_how_many_at_once(
    synthesize: Synthesize, templates: Synthesized
) -> None:
    synthesized = synthesize(**CONTEXT_OF_RATES)
    stage = synthesized.api.resource("AWS::ApiGatewayV2::Stage")["Properties"]

    assert stage["DefaultRouteSettings"] == {"ThrottlingRateLimit": 7, "ThrottlingBurstLimit": 9}
    for route in routes(synthesized):
        assert route.function["ReservedConcurrentExecutions"] == 3
    for route in routes(templates):
        assert "ReservedConcurrentExecutions" not in route.function


def test_synthesis_warns_of_more_reserved_calls_than_an_account_can_reserve(
    synthesize: Synthesize,
) -> None:
    functions = len(ROUTED) + 1
    most = 900 // functions
    at_the_end, beyond = (
        [each for each in synthesize(reserved_concurrency=str(reserved)).warnings if "900" in each]
        for reserved in (most, most + 1)
    )

    assert at_the_end == []
    [warning] = beyond
    assert f"reserved_concurrency={most + 1} takes {(most + 1) * functions}" in warning


def test_the_api_has_a_name_that_tells_stages_apart(
    synthesize: Synthesize, templates: Synthesized
) -> None:
    named = [
        each.api.resource("AWS::ApiGatewayV2::Api")["Properties"]["Name"]
        for each in (templates, synthesize(stage="dev"))
    ]

    assert named == ["SingleTableApi", "SingleTableApi-dev"]


def test_pages_of_other_origins_may_call_only_if_the_context_names_them(
    synthesize: Synthesize, templates: Synthesized
) -> None:
    opened = synthesize(**CONTEXT_OF_RATES).api.resource("AWS::ApiGatewayV2::Api")["Properties"]
    closed = templates.api.resource("AWS::ApiGatewayV2::Api")["Properties"]

    assert "CorsConfiguration" not in closed
    cors = opened["CorsConfiguration"]
    assert cors["AllowOrigins"] == ["https://shop.example", "http://localhost:5173"]
    assert set(cors["AllowMethods"]) == {pattern.method for pattern in ROUTED}
    assert "AllowCredentials" not in cors


def test_a_page_may_send_every_header_that_the_api_takes_and_read_every_one_it_answers_with(
    synthesize: Synthesize,
) -> None:
    api = synthesize(**CONTEXT_OF_RATES).api.resource("AWS::ApiGatewayV2::Api")["Properties"]
    cors = api["CorsConfiguration"]
    operations = [operation for path in document()["paths"].values() for operation in path.values()]
    taken = {
        parameter["name"]
        for operation in operations
        for parameter in operation["parameters"]
        if parameter["in"] == "header"
    }
    answered = {
        header
        for operation in operations
        for response in operation["responses"].values()
        for header in response.get("headers", {})
    } | set(document()["components"]["headers"])

    assert taken
    assert taken | {"Authorization", "Content-Type"} <= set(cors["AllowHeaders"])
    assert "*" not in cors["AllowHeaders"]  # it would leave out Authorization
    assert answered == set(cors["ExposeHeaders"])


def test_the_output_is_the_api_s_url(templates: Synthesized) -> None:
    [api_id] = templates.api.resources("AWS::ApiGatewayV2::Api")

    assert templates.api.template["Outputs"]["ApiUrl"]["Value"] == {
        "Fn::GetAtt": [api_id, "ApiEndpoint"]
    }


def test_the_stack_s_name_says_its_stage(synthesize: Synthesize) -> None:
    assert synthesize().api.name == "SingleTableApi"
    assert synthesize(stage="dev").api.name == "SingleTableApi-dev"


def test_a_stage_refers_to_its_own_table(synthesize: Synthesize) -> None:
    assert "SingleTable-dev:" in json.dumps(synthesize(stage="dev").api.template)
    assert "SingleTable:" not in json.dumps(synthesize(stage="dev").api.template)


def test_the_stack_has_room_left(templates: Synthesized) -> None:
    assert len(templates.api.template["Resources"]) <= RESOURCES_OF_A_STACK


def _allowed(route: Route) -> set[tuple[str, str]]:
    """Each action with each resource that the role allows it on."""
    return {
        (action, resource)
        for statement in route.statements
        if statement.effect == "Allow"
        for action in statement.actions
        for resource in statement.resources
    }
