"""The alarms: what is looked at, and what is too much. Where nothing is measured, nothing is wrong.

Each alarm but one looks at a single metric, since one that computes is silent where one of its
metrics has no values; so reads and writes, table and indexes have an alarm each, and its name says
where to look. ("Using Amazon CloudWatch alarms", Amazon CloudWatch User Guide.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from stacks.prices import PRICES
from stacks.settings import Settings
from stacks.watched import PLACES, Metric, System

FIVE_MINUTES: Final = 300
HOUR: Final = 3600

PRICE_OF_A_UNIT: Final = {
    "Read": PRICES.dynamodb.million_read_units / 1e6,
    "Write": PRICES.dynamodb.million_write_units / 1e6,
}
"""US dollars, of the region that `stacks/prices.toml` names."""


@dataclass(frozen=True)
class Alarm:
    """Goes off when the last `periods` periods have `breaching` that exceed the threshold."""

    name: str
    meaning: str
    """What it means and where to look, for who is woken by it."""
    metric: Metric
    threshold: float
    period: int = FIVE_MINUTES
    breaching: int = 1
    periods: int = 1
    divisor: Metric | None = None
    """What the metric is a percentage of."""

    @property
    def metrics(self) -> int:
        """How many metrics it looks at, each of which is paid for."""
        return 2 if self.divisor else 1

    def properties(self) -> dict[str, Any]:
        """The properties of an AWS::CloudWatch::Alarm, without its names and actions."""
        return {
            "AlarmDescription": self.meaning,
            "ComparisonOperator": "GreaterThanThreshold",
            "Threshold": self.threshold,
            "DatapointsToAlarm": self.breaching,
            "EvaluationPeriods": self.periods,
            "TreatMissingData": "notBreaching",
            **(self._percentage(self.divisor) if self.divisor else self._single()),
        }

    def _single(self) -> dict[str, Any]:
        found = self.metric.alarmed(self.period)
        is_percentile = self.metric.statistic.startswith("p")
        # Of a few values, the slowest hundredth is the slowest one: such a period does not count.
        few = {"EvaluateLowSampleCountPercentile": "ignore"} if is_percentile else {}
        name = "ExtendedStatistic" if is_percentile else "Statistic"
        return {**found["Metric"], "Period": self.period, name: found["Stat"], **few}

    def _percentage(self, divisor: Metric) -> dict[str, Any]:
        computed = {"Id": "share", "Label": self.name, "Expression": "100 * FILL(part, 0) / whole"}
        parts = (("part", self.metric), ("whole", divisor))
        hidden = [
            {"Id": name, "MetricStat": metric.alarmed(self.period), "ReturnData": False}
            for name, metric in parts
        ]
        return {"Metrics": [{**computed, "ReturnData": True}, *hidden]}


def alarms(system: System, settings: Settings) -> list[Alarm]:
    """All alarms, the most urgent first."""
    return [
        Alarm(
            "ErrorRate",
            f"More than {settings.alarm_error_percent} % of the requests end with 5xx. "
            "See the failing patterns, then the saved query `Faults`.",
            system.of_gateway("5xx"),
            settings.alarm_error_percent,
            breaching=2,
            periods=3,
            divisor=system.of_gateway("Count"),
        ),
        Alarm(
            "SlowAnswers",
            f"One request in a hundred takes longer than {settings.alarm_p99_ms} ms, for a quarter "
            "of an hour. See the slowest patterns, then the saved query `Slowest calls`.",
            system.of_gateway("Latency", "p99"),
            settings.alarm_p99_ms,
            breaching=3,
            periods=3,
        ),
        *_throttles(system, settings),
        Alarm(
            "Conflicts",
            f"More than {settings.alarm_conflicts} writes in five minutes met another one at the "
            "same items. See the saved query `Conflicts by pattern`.",
            system.of_table("TransactionConflict"),
            settings.alarm_conflicts,
        ),
        *_costs(system, settings),
    ]


def _throttles(system: System, settings: Settings) -> Iterator[Alarm]:
    for place in PLACES:
        for kind in PRICE_OF_A_UNIT:
            yield Alarm(
                f"Throttled{kind}s-{place}",
                f"More than {settings.alarm_throttles} {kind.lower()}s of {_called(place)} were "
                "refused in five minutes. The widget of the reasons says whether a ceiling "
                f"(max_{kind.lower()}_units) or one hot key is why.",
                system.of_place(f"{kind}ThrottleEvents", place),
                settings.alarm_throttles,
            )


def _costs(system: System, settings: Settings) -> Iterator[Alarm]:
    for place in PLACES:
        for kind, price in PRICE_OF_A_UNIT.items():
            yield Alarm(
                f"Costly{kind}s-{place}",
                f"The {kind.lower()}s of {_called(place)} have consumed units for an hour as if "
                f"for more than {settings.alarm_usd_per_day} USD a day. See the patterns with the "
                "most units.",
                system.of_place(f"Consumed{kind}CapacityUnits", place),
                round(settings.alarm_usd_per_day / 24 / price),
                period=HOUR,
            )


def _called(place: str) -> str:
    return "the table" if place == PLACES[0] else place
