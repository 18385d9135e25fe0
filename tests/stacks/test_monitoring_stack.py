"""The dashboard, the alarms and the saved queries refer to what there is, and to all of it."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from docs.dashboard import body
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.table import INDEXES
from lambdas.runtime import endpoint, metrics
from stacks.api_stack import ACCESS_LOG
from stacks.prices import PRICES
from stacks.queries import MOST_LOG_GROUPS, QUERIES, asked_groups
from stacks.settings import Settings
from stacks.watched import PLACES
from tests.stacks.synthesis import Resource, Stack, Synthesize, Synthesized, constructed

ROUTED: Final = {each.id: each for each in ACCESS_PATTERNS if not each.variant_of}
TOPIC: Final = "arn:aws:sns:eu-central-1:123456789012:on-call"
ALARM: Final = "AWS::CloudWatch::Alarm"
QUERY: Final = "AWS::Logs::QueryDefinition"
OTHER: Final = {
    "stage": "dev",
    "metrics": "none",
    "alarms_topic": TOPIC,
    "alarm_p99_ms": "777",
    "alarm_usd_per_day": "24",
    "contributor_insights": "throttled",
}
"""A context with everything otherwise, so that it is synthesized once."""

THROTTLES: Final = {
    f"{kind}{reason}ThrottleEvents"
    for kind in ("Read", "Write")
    for reason in ("", "KeyRangeThroughput", "MaxOnDemandThroughput", "AccountLimit")
}
OF_PLACES: Final = {"ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", *THROTTLES}
KNOWN: Final[dict[tuple[str, ...], set[str]]] = {
    ("AWS/ApiGateway", "ApiId", "Stage"): {"Count", "4xx", "5xx", "Latency"},
    ("AWS/DynamoDB", "TableName"): {
        *OF_PLACES,
        "TransactionConflict",
        "ConditionalCheckFailedRequests",
    },
    ("AWS/DynamoDB", "TableName", "GlobalSecondaryIndexName"): OF_PLACES,
    ("AWS/Lambda", "FunctionName"): {"Duration", "Errors", "Invocations", "Throttles"},
}
"""What AWS itself has, by namespace and dimensions; `stacks/watched.py` names the pages."""

Found = tuple[str, str, dict[str, str]]
"""A metric: its namespace, its name, its dimensions."""


def widgets(stack: Stack) -> dict[str, dict[str, Any]]:
    """The widgets with a title, by their titles."""
    found = body(stack.template)["widgets"]
    titled = {each["properties"].get("title", ""): each for each in found}
    assert len(titled) == len(found)  # no title twice; one text has none
    return titled


def drawn(stack: Stack) -> Iterator[Found]:
    """The metrics of the dashboard; what CloudWatch itself looks up by a query is among them."""
    for widget in widgets(stack).values():
        for namespace, *rest in widget["properties"].get("metrics", []):
            if isinstance(namespace, str):
                name, *dimensions, _ = rest
                names = [str(each) for each in dimensions]
                yield namespace, name, dict(zip(names[::2], names[1::2], strict=True))


def expressions(stack: Stack) -> Iterator[tuple[str, set[str]]]:
    """The expressions of each widget, and the ids that there are beside them."""
    for widget in widgets(stack).values():
        found = widget["properties"].get("metrics", [])
        ids = {each[-1].get("id", "") for each in found}
        for each in found:
            if "expression" in each[0]:
                yield each[0]["expression"], ids


def looked_at(alarm: Resource) -> Iterator[Found]:
    """The metrics of an alarm."""
    of_expression = [
        each["MetricStat"] for each in alarm.get("Metrics", []) if "MetricStat" in each
    ]
    for metric in [each["Metric"] for each in of_expression] or [alarm]:
        names = {each["Name"]: each["Value"] for each in metric["Dimensions"]}
        yield metric["Namespace"], metric["MetricName"], names


def alarms(stack: Stack) -> dict[str, Resource]:
    """The alarms' properties by their names."""
    found = [each["Properties"] for each in stack.resources(ALARM).values()]
    return {each["AlarmName"]: each for each in found}


def unknown(found: Found) -> str | None:
    """Why there is no such metric; None where there is."""
    namespace, name, dimensions = found
    if namespace == "SingleTable":
        pattern = ROUTED.get(dimensions.get(metrics.PATTERN, ""))
        if pattern is None or set(dimensions) != {metrics.PATTERN}:
            return f"no pattern gives {name} with {dimensions}"
        return None if name in metrics.of(pattern) else f"{pattern.id} does not give {name}"
    known = KNOWN.get((namespace, *dimensions), set())
    return None if name in known else f"{namespace} has no {name} with {list(dimensions)}"


# --- What is referred to is there -----------------------------------------------------------


def test_every_metric_of_the_dashboard_and_the_alarms_is_really_given(
    templates: Synthesized,
) -> None:
    of_alarms = [
        each for alarm in alarms(templates.monitoring).values() for each in looked_at(alarm)
    ]
    found = [*drawn(templates.monitoring), *of_alarms]

    assert len(found) > 300
    assert [each for each in map(unknown, found) if each] == []


@pytest.mark.parametrize(
    "found",
    [
        ("SingleTable", "write_units", {"pattern": "AP-01"}),
        ("SingleTable", "read_units", {"pattern": "AP-07"}),
        ("SingleTable", "read_units", {"pattern": "AP-01", "error_status": "404"}),
        ("AWS/ApiGateway", "5XXError", {"ApiId": "a", "Stage": "$default"}),
        (
            "AWS/DynamoDB",
            "TransactionConflict",
            {"TableName": "t", "GlobalSecondaryIndexName": "i"},
        ),
        ("AWS/Lambda", "Duration", {"Function": "f"}),
    ],
    ids=str,
)
def test_one_that_is_nearly_so_is_noticed(found: Found) -> None:
    assert unknown(found)


def test_functions_are_called_as_the_api_calls_them(templates: Synthesized) -> None:
    functions = templates.api.resources("AWS::Lambda::Function").values()
    names = {each["Properties"]["FunctionName"] for each in functions}
    found = {each[2].get("FunctionName") for each in drawn(templates.monitoring)} - {None}

    assert found == names - {"SingleTableApi-get_openapi"}


def test_an_expression_uses_ids_that_its_widget_has(templates: Synthesized) -> None:
    found = list(expressions(templates.monitoring))

    assert len(found) > 40
    for text, ids in found:
        bare = re.sub(r'"[^"]*"', "", text)
        used = set(re.findall(r"\b[a-z]+\d*\b", bare)) if "SELECT" not in text else set()
        prefixes = re.findall(r'METRICS\("(\w+)"\)', text)
        if "SEARCH" not in text:
            assert used <= ids, text
        for prefix in prefixes:
            assert [each for each in ids if each.startswith(prefix)], text


def test_what_is_looked_up_has_the_names_that_errors_have(templates: Synthesized) -> None:
    found = widgets(templates.monitoring)
    [by_status] = found["Errors by status"]["properties"]["metrics"]
    [failing] = found["Failing patterns: 429, 500, 503"]["properties"]["metrics"]

    assert by_status[0]["expression"] == (
        'SELECT SUM(errors) FROM SCHEMA("SingleTable", pattern, error_status) '
        "GROUP BY error_status ORDER BY SUM() DESC"
    )
    assert '{"SingleTable",pattern,error_status} MetricName="errors"' in failing[0]["expression"]
    assert (metrics.ERRORS, metrics.PATTERN, metrics.ERROR_STATUS) == (
        "errors",
        "pattern",
        "error_status",
    )


# --- All that there is, is looked at --------------------------------------------------------


def test_every_pattern_is_ranked_by_its_calls_its_time_and_its_units(
    templates: Synthesized,
) -> None:
    found = widgets(templates.monitoring)

    for title, patterns in (
        ("Most called patterns", list(ROUTED.values())),
        ("Slowest patterns: p99 of the function, ms", list(ROUTED.values())),
        *(
            (
                f"Most expensive patterns: {kind} units",
                [each for each in ROUTED.values() if f"{kind}_units" in metrics.of(each)],
            )
            for kind in ("read", "write")
        ),
    ):
        labels = [each[-1].get("label") for each in found[title]["properties"]["metrics"][1:]]
        assert labels == [f"{each.id} {each.name}" for each in patterns]


def test_the_table_and_every_index_have_their_units_and_throttles_looked_at(
    templates: Synthesized,
) -> None:
    assert list(PLACES) == ["Table", *(index.name for index in INDEXES)]
    names = {each.removeprefix("SingleTable-") for each in alarms(templates.monitoring)}

    for kind in ("Reads", "Writes"):
        for place in PLACES:
            assert {f"Throttled{kind}-{place}", f"Costly{kind}-{place}"} <= names
    rest = {each for each in names if not each.startswith(("Throttled", "Costly"))}
    assert rest == {"ErrorRate", "SlowAnswers", "Conflicts"}


def test_calls_are_told_apart_by_the_type_that_the_declaration_says(templates: Synthesized) -> None:
    found = widgets(templates.monitoring)
    ids = {each: f"m{at}" for at, each in enumerate(ROUTED, start=1)}

    def sums(title: str) -> dict[str, set[str]]:
        shown = [each[0] for each in found[title]["properties"]["metrics"] if len(each) == 1]
        return {each["label"]: set(re.findall(r"m\d+", each["expression"])) for each in shown}

    reads, writes = sums("Calls that read, by Type"), sums("Calls that write, by Type")
    assert ids["AP-04"] in reads["User"] & reads["Order"]  # a user with the orders
    assert ids["AP-02"] in reads["Order"] - reads["User"]
    assert ids["CW-01"] in writes["User"] & writes["EmailGuard"]
    assert ids["CW-08"] in writes["Session"] - writes["User"]  # the user is only looked at


# --- Alarms ---------------------------------------------------------------------------------


def test_where_nothing_is_measured_nothing_is_wrong(templates: Synthesized) -> None:
    for alarm in alarms(templates.monitoring).values():
        assert alarm["TreatMissingData"] == "notBreaching"
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
        assert len(alarm["AlarmDescription"]) > 40


def test_without_a_topic_the_alarms_tell_nobody_and_synthesis_says_so(
    templates: Synthesized,
) -> None:
    for alarm in alarms(templates.monitoring).values():
        assert not {"AlarmActions", "OKActions"} & set(alarm)
    assert [remark for remark in templates.remarks if "alarms_topic=ARN" in remark]
    assert templates.warnings == ()


def test_with_a_topic_every_alarm_goes_there_and_comes_back(synthesize: Synthesize) -> None:
    synthesized = synthesize(**OTHER)

    for alarm in alarms(synthesized.monitoring).values():
        assert alarm["AlarmActions"] == alarm["OKActions"] == [TOPIC]
    assert not [remark for remark in synthesized.remarks if "alarms_topic" in remark]


def test_the_context_says_what_is_too_much(templates: Synthesized, synthesize: Synthesize) -> None:
    found, other = alarms(templates.monitoring), alarms(synthesize(**OTHER).monitoring)

    assert found["SingleTable-SlowAnswers"]["Threshold"] == 3000
    assert other["SingleTable-dev-SlowAnswers"]["Threshold"] == 777
    # 24 dollars a day are one in an hour: so many units as one dollar buys.
    for kind, million in (
        ("Reads", PRICES.dynamodb.million_read_units),
        ("Writes", PRICES.dynamodb.million_write_units),
    ):
        costly = other[f"SingleTable-dev-Costly{kind}-GSI1"]
        assert costly["Threshold"] == pytest.approx(1e6 / million)
        assert costly["Period"] == 3600


def test_the_error_rate_is_a_share_of_the_requests(templates: Synthesized) -> None:
    alarm = alarms(templates.monitoring)["SingleTable-ErrorRate"]

    assert alarm["Metrics"][0]["Expression"] == "100 * FILL(part, 0) / whole"
    assert [each["ReturnData"] for each in alarm["Metrics"]] == [True, False, False]
    assert [each[1] for each in looked_at(alarm)] == ["5xx", "Count"]


# --- Dashboard ------------------------------------------------------------------------------


def test_widgets_fill_the_grid_without_a_gap_or_an_overlap(templates: Synthesized) -> None:
    found = body(templates.monitoring.template)["widgets"]
    cells = [
        (x, y)
        for each in found
        for x in range(each["x"], each["x"] + each["width"])
        for y in range(each["y"], each["y"] + each["height"])
    ]

    assert len(cells) == len(set(cells))
    assert len(cells) == 24 * (max(y for _, y in cells) + 1)
    assert len(found) <= 500
    for each in found:  # "each graph is limited to 500 metrics", metric math in CloudWatch's guide
        assert len(each["properties"].get("metrics", [])) <= 500


def test_the_first_row_says_whether_it_is_healthy(templates: Synthesized) -> None:
    first = body(templates.monitoring.template)["widgets"][0]

    assert (first["type"], first["y"]) == ("alarm", 0)
    assert len(first["properties"]["alarms"]) == len(alarms(templates.monitoring))


def test_without_metrics_of_our_own_the_dashboard_has_aws_s_alone(synthesize: Synthesize) -> None:
    synthesized = synthesize(**OTHER)

    assert {each[0] for each in drawn(synthesized.monitoring)} == {
        "AWS/ApiGateway",
        "AWS/DynamoDB",
        "AWS/Lambda",
    }
    assert not [text for text, _ in expressions(synthesized.monitoring) if "pattern" in text]
    for function in synthesized.api.resources("AWS::Lambda::Function").values():
        assert "METRICS_NAMESPACE" not in function["Properties"]["Environment"]["Variables"]


# --- Queries --------------------------------------------------------------------------------

FOR_INSIGHTS: Final = {"message", "pattern", "request_id", "error", "fault", "conflicts"}
"""Members of a line that are not in every one, or that its logger adds."""

OF_LAMBDA: Final = {"requestId", "type", "record"}
"""Members of Lambda's own lines ("Lambda Telemetry API schema reference", Lambda's guide)."""

WORDS: Final = {
    *("fields", "filter", "stats", "sort", "limit", "by", "as", "desc", "and", "or"),
    *("sum", "count", "avg", "min", "max", "pct", "ispresent"),
}


def members_of_a_line() -> set[str]:
    """The members that the endpoint tells the logger, out of its source."""
    tree = ast.parse(inspect.getsource(endpoint))
    dicts = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    return {key.value for each in dicts for key in each.keys if isinstance(key, ast.Constant)}  # type: ignore[misc]


@pytest.mark.parametrize("query", QUERIES, ids=lambda each: each.name)
def test_a_query_asks_for_members_that_lines_have(query: Any) -> None:
    has = {
        "gateway": set(ACCESS_LOG),
        "functions": members_of_a_line() | OF_LAMBDA | FOR_INSIGHTS,
        "both": set(ACCESS_LOG) | members_of_a_line() | OF_LAMBDA | FOR_INSIGHTS,
    }[query.of]
    text = re.sub(r"'[^']*'", "", query.text)
    made = set(re.findall(r"\bas (\w+)", text))
    asked = set(re.findall(r"(?<![@.\w])[A-Za-z_]\w*", text)) - WORDS - made

    assert asked
    assert asked <= has


def test_a_query_asks_every_function_the_gateway_or_both(templates: Synthesized) -> None:
    found = {
        each["Properties"]["Name"]: each["Properties"]
        for each in templates.monitoring.resources(QUERY).values()
    }
    groups = templates.api.resources("AWS::Logs::LogGroup").values()
    names = {each["Properties"]["LogGroupName"] for each in groups}

    assert list(found) == [f"SingleTable/{each.name}" for each in QUERIES]
    for query in QUERIES:
        asked = found[f"SingleTable/{query.name}"].get("LogGroupNames", [])
        wanted = {"gateway": 1, "functions": len(ROUTED), "both": 1 + len(ROUTED)}[query.of]
        assert len(asked) == (wanted if wanted <= MOST_LOG_GROUPS else 0)
        assert set(asked) <= names


def test_a_query_names_no_log_groups_if_there_are_more_than_it_can_ask() -> None:
    fifty = [str(number) for number in range(50)]
    assert asked_groups(fifty) == fifty
    assert asked_groups([*fifty, "one more"]) is None


# --- The stack ------------------------------------------------------------------------------


def test_it_ties_nothing_to_itself_but_the_table_and_the_api(templates: Synthesized) -> None:
    """A pattern can be taken away: no export of its function would hold it."""
    text = json.dumps(templates.monitoring.template)
    imported = set(re.findall(r'"Fn::ImportValue": "([^"]+)"', text))

    assert len(imported) == 2
    assert {each.partition(":")[0] for each in imported} == {"SingleTable", "SingleTableApi"}
    assert {each["Type"] for each in templates.monitoring.template["Resources"].values()} == {
        ALARM,
        QUERY,
        "AWS::CloudWatch::Dashboard",
    }


def test_a_stage_has_names_and_metrics_of_its_own(synthesize: Synthesize) -> None:
    stack = synthesize(**OTHER).monitoring

    assert stack.name == "SingleTableMonitoring-dev"
    assert {each.split("-")[1] for each in alarms(stack)} == {"dev"}
    assert Settings(stage="dev").metrics_namespace == "SingleTable-dev"
    assert Settings().metrics_namespace == "SingleTable"


def test_an_emulator_that_does_not_know_it_all_goes_without(tmp_path: Path) -> None:
    app = constructed({"monitoring": "off"}, tmp_path)
    names = {each.node.id for each in app.node.children}

    assert {"SingleTable", "SingleTableApi"} <= names
    assert "SingleTableMonitoring" not in names


def test_what_a_deployed_monitoring_refers_to_stays_when_it_is_switched_off(
    templates: Synthesized, tmp_path: Path
) -> None:
    """CloudFormation refuses to take an export away that another stack imports."""
    text = json.dumps(templates.monitoring.template)
    imported = set(re.findall(r'"Fn::ImportValue": "([^"]+)"', text))
    assembly = constructed({"monitoring": "off"}, tmp_path).synth()
    exported = {
        output["Export"]["Name"]
        for stack in assembly.stacks
        for output in stack.template["Outputs"].values()
        if "Export" in output
    }

    assert imported <= exported


def test_throttled_keys_are_shown_only_if_the_context_says_so(
    templates: Synthesized, synthesize: Synthesize
) -> None:
    def insights(synthesized: Synthesized) -> list[Any]:
        table = synthesized.table.resource("AWS::DynamoDB::GlobalTable")["Properties"]
        [replica] = table["Replicas"]
        places = [replica, *replica.get("GlobalSecondaryIndexes", [])]
        return [each.get("ContributorInsightsSpecification") for each in places]

    assert insights(templates) == [None] * (1 + len(INDEXES))
    shown = {"Enabled": True, "Mode": "THROTTLED_KEYS"}
    assert insights(synthesize(**OTHER)) == [shown] * (1 + len(INDEXES))
