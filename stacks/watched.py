"""What there is to look at: the metrics of the table, the gateway and the functions, and our own.

Names and dimensions are AWS's, from "DynamoDB metrics and dimensions" (Amazon DynamoDB Developer
Guide), "Working with metrics for HTTP APIs" (Amazon API Gateway Developer Guide) and "Types of
metrics for Lambda functions" (AWS Lambda Developer Guide). Ours are `lambdas.runtime.metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INDEXES
from lambdas.runtime import metrics

THE_TABLE: Final = "Table"
PLACES: Final = (THE_TABLE, *(index.name for index in INDEXES))
"""The table and its indexes: each has units and throttles of its own."""


@dataclass(frozen=True)
class Metric:
    """A metric, and what to take of its values in a period."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str = "Sum"
    label: str = ""

    def drawn(self, **options: Any) -> list[Any]:
        """As a widget of a dashboard has it."""
        names = [text for dimension in self.dimensions for text in dimension]
        label = {"label": self.label} if self.label else {}
        return [self.namespace, self.name, *names, {"stat": self.statistic, **label, **options}]

    def alarmed(self, period: int) -> dict[str, Any]:
        """As an alarm has it."""
        return {
            "Metric": {
                "Namespace": self.namespace,
                "MetricName": self.name,
                "Dimensions": [{"Name": name, "Value": value} for name, value in self.dimensions],
            },
            "Period": period,
            "Stat": self.statistic,
        }


@dataclass(frozen=True)
class System:
    """What is deployed, by the names that its metrics and its logs have."""

    name: str
    """Such as `SingleTable-dev`; the names of dashboard, alarms and queries begin with it."""
    region: str
    table_name: str
    api_id: str
    access_logs: str
    """The gateway's log group."""
    functions: Mapping[str, str] = field(repr=False)
    """The name of the function of each pattern, by the pattern's id."""
    namespace: str
    """Where our own metrics are; empty where none are made."""

    @property
    def patterns(self) -> list[AccessPattern]:
        """The patterns that have a function; a variant has that of another one."""
        return [each for each in ACCESS_PATTERNS if each.id in self.functions]

    def of_gateway(self, name: str, statistic: str = "Sum", label: str = "") -> Metric:
        dimensions = (("ApiId", self.api_id), ("Stage", "$default"))
        return Metric("AWS/ApiGateway", name, dimensions, statistic, label or name)

    def of_table(self, name: str, label: str = "") -> Metric:
        """Of the table as a whole."""
        dimensions = (("TableName", self.table_name),)
        return Metric("AWS/DynamoDB", name, dimensions, label=label or name)

    def of_place(self, name: str, place: str) -> Metric:
        """Of the table without its indexes, or of one of them."""
        index = () if place == THE_TABLE else (("GlobalSecondaryIndexName", place),)
        dimensions = (("TableName", self.table_name), *index)
        return Metric("AWS/DynamoDB", name, dimensions, label=place)

    def of_function(self, name: str, pattern: AccessPattern, statistic: str = "Sum") -> Metric:
        dimensions = (("FunctionName", self.functions[pattern.id]),)
        return Metric("AWS/Lambda", name, dimensions, statistic, titled(pattern))

    def of_pattern(self, name: str, pattern: AccessPattern) -> Metric:
        """One of our own metrics."""
        dimensions = ((metrics.PATTERN, pattern.id),)
        return Metric(self.namespace, name, dimensions, label=titled(pattern))


def titled(pattern: AccessPattern) -> str:
    """A pattern as somebody on call reads it."""
    return f"{pattern.id} {pattern.name}"
