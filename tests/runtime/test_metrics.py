"""What CloudWatch takes for metrics of the lines that calls write."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import GET_USER, LIST_USER_ORDERS, PLACE_ORDER, PUT_PRODUCT
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import metrics
from lambdas.runtime.logs import logger
from tests.runtime.conftest import Log

ROUTED = [each for each in ACCESS_PATTERNS if not each.variant_of]

NAME: Final = {"type": "string", "minLength": 1, "maxLength": 1024}
EMBEDDED_METRIC_FORMAT: Final = {
    "type": "object",
    "required": ["_aws"],
    "properties": {
        "_aws": {
            "type": "object",
            "required": ["Timestamp", "CloudWatchMetrics"],
            "properties": {
                "Timestamp": {"type": "integer"},
                "CloudWatchMetrics": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["Namespace", "Dimensions", "Metrics"],
                        "additionalProperties": False,
                        "properties": {
                            "Namespace": NAME,
                            "Dimensions": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "type": "array",
                                    "minItems": 1,
                                    "maxItems": 30,
                                    "items": {**NAME, "maxLength": 250},
                                },
                            },
                            "Metrics": {
                                "type": "array",
                                "maxItems": 100,
                                "items": {
                                    "type": "object",
                                    "required": ["Name"],
                                    "additionalProperties": False,
                                    "properties": {"Name": NAME, "Unit": {"const": "Count"}},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The rules of "Specification: Embedded metric format" (Amazon CloudWatch User Guide) that a schema
can say, with the one unit that is used here."""


def faults(line: dict[str, Any]) -> list[str]:
    """What in a line is not as the specification has it."""
    found = [
        each.message for each in Draft202012Validator(EMBEDDED_METRIC_FORMAT).iter_errors(line)
    ]
    if found:
        return found
    directives = line["_aws"]["CloudWatchMetrics"]
    dimensions = {name for each in directives for names in each["Dimensions"] for name in names}
    names = {metric["Name"] for each in directives for metric in each["Metrics"]}
    return [
        *(f"dimension {each} is no text" for each in dimensions if not is_text(line.get(each))),
        *(f"metric {each} is no number" for each in names if not is_number(line.get(each))),
    ]


def is_text(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 1024


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@pytest.fixture(autouse=True)
def namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICS_NAMESPACE", "SingleTable")


def line_of(pattern: AccessPattern, status: int, log: Log) -> dict[str, Any]:
    """The line that a call writes; `tests/handlers/test_privacy.py` has real calls."""
    counted = {"read_units": 0.5, "write_units": 0.0, "items_read": 1, "items_returned": 1}
    told = metrics.embedded(pattern, status)
    logger.info("answered", extra={"pattern": pattern.id, "status": status, **counted, **told})
    return dict(log.lines[-1])


@pytest.mark.parametrize("status", [200, 404, 500])
@pytest.mark.parametrize("pattern", ROUTED, ids=lambda each: each.id)
def test_every_line_is_as_the_specification_has_it(
    pattern: AccessPattern, status: int, log: Log
) -> None:
    assert faults(line_of(pattern, status, log)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda line: line.update(error_status=404), "dimension error_status is no text"),
        (lambda line: line.pop("pattern"), "dimension pattern is no text"),
        (lambda line: line.update(read_units="0.5"), "metric read_units is no number"),
        (lambda line: line.pop("errors"), "metric errors is no number"),
        (lambda line: line["_aws"].pop("Timestamp"), "'Timestamp' is a required property"),
        (lambda line: line["_aws"].update(Timestamp=1.5), "1.5 is not of type 'integer'"),
        (
            lambda line: line["_aws"]["CloudWatchMetrics"][0].update(Dimensions=["pattern"]),
            "'pattern' is not of type 'array'",
        ),
        (
            lambda line: line["_aws"]["CloudWatchMetrics"][0]["Metrics"][0].update(Unit="count"),
            "'Count' was expected",
        ),
    ],
)
def test_one_that_is_nearly_so_is_found(change: Any, fault: str, log: Log) -> None:
    line = line_of(GET_USER, 404, log)
    assert faults(line) == []
    wrong = deepcopy(line)
    change(wrong)
    assert fault in "; ".join(faults(wrong))


def test_a_call_gives_the_units_that_its_pattern_can_consume() -> None:
    assert metrics.of(GET_USER) == ("read_units",)
    assert metrics.of(LIST_USER_ORDERS) == ("read_units", "items_read", "items_returned")
    assert metrics.of(PUT_PRODUCT) == ("write_units",)
    assert metrics.of(PLACE_ORDER) == ("read_units", "write_units")


def test_an_error_is_counted_by_its_status_and_a_success_is_not(log: Log) -> None:
    good, bad = line_of(GET_USER, 200, log), line_of(GET_USER, 404, log)

    assert (bad["errors"], bad["error_status"]) == (1, "404")
    assert not {"errors", "error_status"} & set(good)
    dimensions = [each["Dimensions"] for each in bad["_aws"]["CloudWatchMetrics"]]
    assert dimensions == [[["pattern"]], [["pattern", "error_status"]]]
    assert [each["Dimensions"] for each in good["_aws"]["CloudWatchMetrics"]] == [[["pattern"]]]


def test_399_is_no_error_and_400_is_one(log: Log) -> None:
    assert "errors" not in line_of(GET_USER, 399, log)
    assert line_of(GET_USER, 400, log)["errors"] == 1


def test_the_time_is_now_in_milliseconds(log: Log) -> None:
    timestamp = line_of(GET_USER, 200, log)["_aws"]["Timestamp"]
    assert 1.7e12 < timestamp < 1e13


def test_without_a_namespace_there_is_no_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", None):
        if value is None:
            monkeypatch.delenv("METRICS_NAMESPACE")
        else:
            monkeypatch.setenv("METRICS_NAMESPACE", value)
        assert metrics.embedded(GET_USER, 500) == {}


def test_what_a_metric_says_is_taken_from_the_declaration_alone() -> None:
    """So that neither a name nor a dimension can have a caller's value in it."""
    for pattern in ROUTED:
        for status in (200, 409):
            told = json.loads(json.dumps(metrics.embedded(pattern, status), default=_raw))
            assert set(told) <= {"_aws", "errors", "error_status"}
            assert told.get("error_status", "409") == "409"
            names = {
                each["Name"]
                for directive in told["_aws"]["CloudWatchMetrics"]
                for each in directive["Metrics"]
            }
            assert names <= {*metrics.of(pattern), "errors"}


def _raw(value: Any) -> Any:
    return json.loads(bytes(value))
