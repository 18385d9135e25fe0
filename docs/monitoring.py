"""The page about monitoring: its tables and its costs follow from what is deployed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from docs.dashboard import of_type, template
from docs.markdown import code, table
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.table import INDEXES
from lambdas.runtime import metrics
from stacks.prices import PRICES
from stacks.queries import QUERIES

PATTERNS: Final = [each for each in ACCESS_PATTERNS if not each.variant_of]

_TEXT: Final = """\
# Monitoring

<!-- Generated from the monitoring's template and `lambdas/runtime/metrics.py`: `make docs`. -->

`make deploy` deploys a stack `SingleTableMonitoring` beside the other two: a dashboard, alarms and
saved queries. Its output `DashboardUrl` leads there. It only looks on; without it the system runs
the same. (`monitoring=off` leaves it out, as a local run does.)

![The dashboard: one of {alarms} alarms is red, the writes of GSI1; below it place_order and \
change_order_status are slow and answer 429, GSI1 is throttled for one hot key, and writers get in \
each other's way.](monitoring.png)

The dashboard of a made-up rush: everybody orders at once. The first row says that something is
wrong and where, `ThrottledWrites-GSI1`. The failing and the slowest patterns are those that write
orders, and *Why throttled* says that no ceiling is in the way but one key: every new order goes
into the partition `STATUS#PENDING`. (`python -m docs.dashboard_picture` draws it: titles, places
and metrics are those of the template, the values are made up.)

## Alarms

{alarm_table}

An alarm whose metric has no values is not in alarm. They go to nobody unless `-c
alarms_topic=arn:aws:sns:...` names an SNS topic of yours; it then hears of each alarm, and of its
end. An encrypted topic needs a key that lets `cloudwatch.amazonaws.com` use it. What is too much is
[said by the context](deployment.md#context-keys).

## Metrics

A custom metric is paid for, so there are only those that AWS does not have. One function for each
pattern makes AWS's own metrics of functions metrics of patterns; variants of a pattern (AP-07 to
AP-09 of AP-02) share its function, and count as that pattern.

{metric_table}

Ours are members of the line that each call logs anyway, which CloudWatch takes out of the log
afterwards (its embedded metric format): no request, no library, no wait. They need the functions'
log level `INFO`, the default. No dimension has a value of a caller: ids of patterns, and statuses.

By **index**, all is DynamoDB's own: it has units and throttles, with their reason, of the table and
of each index. By **Type**, the dashboard adds up the calls of the patterns that are declared to
read or write items of that type; nothing looks at the items.

## Saved queries

In CloudWatch's Logs Insights, under *Saved queries*:

{query_table}

A query asks at most 50 log groups. If there are more functions, the queries name none, and you pick
them.

**Which callers cost most** is not among them: no log says who called. With `auth=iam` and with
`auth=jwt` alike that would be personal data, or a way to it, and [the logs have
none](../SECURITY.md). `Routes by use` tells which routes cost most, which often answers it. If you
must know, add `"caller": "$context.identity.userArn"` (`iam`) or `"caller":
"$context.authorizer.claims.sub"` (`jwt`) to `ACCESS_LOG` in `stacks/api_stack.py` for a while,
group `Routes by use` by `caller`, and take it away again; until then `tests/stacks/test_privacy.py`
fails, as it should. What has been logged is gone after a month.

## Which key is hot

DynamoDB can show which keys are throttled: `-c contributor_insights=throttled` turns on CloudWatch
Contributor Insights, in the mode that looks at throttled keys alone, for the table and each index.
It is off, because it shows **partition and sort keys in plain text**, to everybody who may read
CloudWatch, and ours have e-mail addresses (`EMAIL#...`) and ids of people. The patterns and the
index that are throttled, which the dashboard has, tell the kind of key without it.

## What it costs

{cost_table}

List prices of {region}, {date}. A metric is paid for by the hour, and only in those in which it has
values: a system at rest pays for the dashboard and the alarms. `metrics=none` saves the first three
rows, and the widgets of units, of items and of errors by status; the queries answer the same.

## What it takes of a request

Nothing that `make bench` can tell from chance: with and without metrics, and in the version before
them, a warm GetItem takes the handler 0.94 ms of CPU, a Query of 100 items 2.3 ms (the quickest
of 25 turns of each, side by side on one machine). What is to be measured is put together once for
each pattern, as text.
"""


def monitoring() -> str:
    """The page about monitoring."""
    found = template()
    alarms = of_type("AWS::CloudWatch::Alarm", found).values()
    return _TEXT.format(
        alarms=len(alarms),
        alarm_table=table(("alarm", "goes off when", "looks at"), map(_alarm, alarms)),
        metric_table=table(("what", "of what", "by whom", "metric"), _metrics()),
        query_table=table(("query", "question"), ((code(q.name), q.answers) for q in QUERIES)),
        cost_table=table(("what", "how many", "USD a month"), _costs(found)),
        region=PRICES.region,
        date=f"{PRICES.date:%B %Y}",
    )


def _alarm(alarm: dict[str, Any]) -> tuple[str, str, str]:
    stat = [
        each["MetricStat"]["Metric"] for each in alarm.get("Metrics", []) if "MetricStat" in each
    ]
    looked_at = " / ".join(code(each["MetricName"]) for each in stat or [alarm])
    when, periods = alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]
    often = f" ({when} of {periods} periods of 5 minutes)" if periods > 1 else ""
    name = alarm["AlarmName"].removeprefix("SingleTable-")
    sentence = alarm["AlarmDescription"].partition(". ")[0]
    return code(name), f"{sentence}{often}", looked_at


def _metrics() -> list[tuple[str, ...]]:
    pattern = "pattern"
    return [
        (
            "requests, duration, throttled calls",
            pattern,
            "AWS/Lambda",
            _named("Invocations", "Duration"),
        ),
        (
            "requests, 4xx, 5xx, latency",
            "API",
            "AWS/ApiGateway",
            _named("Count", "4xx", "5xx", "Latency"),
        ),
        (
            "units",
            "table, index",
            "AWS/DynamoDB",
            _named("ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"),
        ),
        (
            "throttles",
            "table, index",
            "AWS/DynamoDB",
            _named("ReadThrottleEvents", "WriteThrottleEvents"),
        ),
        (
            "why throttled",
            "table, index",
            "AWS/DynamoDB",
            _named("Read...ThrottleEvents", "Write...ThrottleEvents"),
        ),
        (
            "conflicts",
            "table",
            "AWS/DynamoDB",
            _named("TransactionConflict", "ConditionalCheckFailedRequests"),
        ),
        ("units", pattern, "us", _named(metrics.READ_UNITS, metrics.WRITE_UNITS)),
        (
            "items read and returned",
            pattern,
            "us",
            _named(metrics.ITEMS_READ, metrics.ITEMS_RETURNED),
        ),
        ("errors", f"{pattern}, status", "us", _named(metrics.ERRORS)),
    ]


def _named(*names: str) -> str:
    return ", ".join(code(name) for name in names)


def _costs(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    prices = PRICES.cloudwatch
    steady = sum(len(metrics.of(each)) for each in PATTERNS)
    yield (
        "metrics of patterns that are called in every hour",
        f"{steady}, of which {prices.free_metrics} are free",
        _usd((steady - prices.free_metrics) * prices.metric_month),
    )
    most = sum(len(each.errors) for each in PATTERNS)
    yield (
        "errors, for each pattern and status that occurs",
        f"{most} at most",
        f"{_usd(most * prices.metric_month)} at most, if each occurs in every hour",
    )
    longer = _embedded_bytes()
    yield (
        "the longer line in the log",
        f"{longer} bytes a call",
        f"{longer * 1e6 / 1e9 * prices.logs_gb:.2f} for a million calls",
    )
    yield (
        "dashboard",
        "1, the first three of an account are free up to 50 metrics",
        _usd(prices.dashboard_month),
    )
    looked_at = sum(_looked_at(each) for each in of_type("AWS::CloudWatch::Alarm", found).values())
    yield (
        "alarms",
        f"they look at {looked_at} metrics, of which {prices.free_alarm_metrics} are free",
        _usd((looked_at - prices.free_alarm_metrics) * prices.alarm_metric_month),
    )
    rules, events = 2 * (1 + len(INDEXES)), prices.insights_million_events
    yield (
        "`contributor_insights=throttled`, off unless you say so",
        f"{rules} rules: partition key, and both keys, of the table and each index",
        f"{_usd(rules * prices.insights_rule_month)}; {events} for a million events",
    )
    yield (
        "`tracing=active`, off unless you say so",
        "every call of a function that is called once a second or less, a twentieth beyond",
        f"{_usd(prices.million_traces)} for a million, the first {prices.free_traces:,} free",
    )


def _looked_at(alarm: dict[str, Any]) -> int:
    return sum("MetricStat" in each for each in alarm.get("Metrics", [])) or 1


def _embedded_bytes() -> int:
    """By how much metrics make a line longer, on average over the patterns."""
    lengths = [
        len(',"_aws":{"Timestamp":1700000000000,"CloudWatchMetrics":}')
        + len(bytes(metrics.directives("SingleTable", metrics.of(each), failed=False)))
        for each in PATTERNS
    ]
    return round(sum(lengths) / len(lengths))


def _usd(amount: float) -> str:
    return f"{amount:.2f}"
