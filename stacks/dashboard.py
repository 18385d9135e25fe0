"""The dashboard: is it healthy; if not, which pattern, which index, which entity is it about.

It is a document of CloudWatch's own form ("Dashboard body structure and syntax", Amazon CloudWatch
API Reference), made of the declaration: a new pattern is in it without a word here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from lambdas.design.entity import Entity
from lambdas.design.operations import DeleteItem, PutItem, UpdateItem, Write
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import metrics
from stacks.alarms import FIVE_MINUTES, PRICE_OF_A_UNIT
from stacks.settings import Settings
from stacks.watched import PLACES, Metric, System

WIDTH: Final = 24
"""CloudWatch's grid has so many columns."""

TALL: Final = 8
"""Rows of the grid that a bar for each pattern needs."""

MOST: Final = 10
"""How many patterns a ranking shows."""

Widget = dict[str, Any]

GUIDE: Final = """\
**Green above?** All is well. **Red:** the alarm's name says where. `ErrorRate`: see *Failing \
patterns*. `SlowAnswers`: see *Slowest patterns*. `Throttled...`, `Costly...`: see the index of \
that name, and the patterns with the most units. What a single request did: Logs Insights, saved \
queries, `{name}`."""


def body(system: System, settings: Settings, alarm_arns: Sequence[str]) -> dict[str, Any]:
    """The dashboard, its rows from the most urgent to the most particular."""
    rows = [
        [_alarm_states(alarm_arns)],
        _numbers(system),
        [_text(GUIDE.format(name=system.name))],
        [_requests(system), _latency(system, settings), _statuses(system)],
        [_slowest(system), _failing(system), _calls(system)],
        *([[*_units(system), _returned(system)]] if system.namespace else []),
        [*_units_by_index(system), _throttled_by_index(system, settings)],
        [*_by_type(system), _contention(system, settings)],
        [_reasons(system), _functions(system)],
    ]
    return {"start": "-PT3H", "periodOverride": "inherit", "widgets": list(_placed(rows))}


def _placed(rows: Iterable[Sequence[Widget]]) -> Iterable[Widget]:
    """The widgets of a row side by side, each as wide as the others; the rows below each other."""
    top = 0
    for row in rows:
        width = WIDTH // len(row)
        for at, widget in enumerate(row):
            yield {**widget, "x": at * width, "y": top, "width": width}
        top += row[0]["height"]


# --- The kinds of widgets -------------------------------------------------------------------


def _widget(
    system: System, title: str, drawn: Iterable[list[Any]], *, height: int = 6, **more: Any
) -> Widget:
    properties = {
        "title": title,
        "region": system.region,
        "period": FIVE_MINUTES,
        "view": "timeSeries",
        "metrics": list(drawn),
        **more,
    }
    return {"type": "metric", "height": height, "properties": properties}


def _number(system: System, title: str, drawn: Iterable[list[Any]], **more: Any) -> Widget:
    look = {"view": "singleValue", "setPeriodToTimeRange": True, **more}
    return _widget(system, title, drawn, height=3, **look)


def _text(markdown: str) -> Widget:
    return {"type": "text", "height": 2, "properties": {"markdown": markdown}}


def _alarm_states(arns: Sequence[str]) -> Widget:
    properties = {
        "title": "Is it healthy?",
        "alarms": list(arns),
        "sortBy": "stateUpdatedTimestamp",
    }
    return {"type": "alarm", "height": 4, "properties": properties}


def _expression(text: str, label: str = "", **more: Any) -> list[Any]:
    return [{"expression": text, **({"label": label} if label else {}), **more}]


def _hidden(found: Iterable[Metric], prefix: str = "m") -> list[list[Any]]:
    """Metrics that only expressions draw."""
    return [
        metric.drawn(id=f"{prefix}{at}", visible=False) for at, metric in enumerate(found, start=1)
    ]


def _ranked(found: Iterable[Metric], by: str) -> list[list[Any]]:
    """The metrics that are highest in the time that is looked at, the highest first."""
    return [_expression(f"SORT(METRICS(), {by}, DESC, {MOST})", id="top"), *_hidden(found)]


def _limit(value: float, label: str) -> dict[str, Any]:
    """A line where an alarm goes off."""
    return {"annotations": {"horizontal": [{"label": label, "value": value}]}}


# --- Is it healthy? -------------------------------------------------------------------------


def _numbers(system: System) -> list[Widget]:
    requests = system.of_gateway("Count", label="requests")
    failed = system.of_gateway("5xx", label="failed")
    throttled = [_of_all_places(system, f"{kind}ThrottleEvents") for kind in PRICE_OF_A_UNIT]
    return [
        _number(system, "Requests", [requests.drawn()]),
        _number(
            system,
            "Requests that failed (5xx), %",
            [
                _expression("100 * FILL(failed, 0) / requests", "failed, %", id="share"),
                failed.drawn(id="failed", visible=False),
                requests.drawn(id="requests", visible=False),
            ],
        ),
        _number(
            system,
            "Slowest hundredth (p99), ms",
            [system.of_gateway("Latency", "p99", label="p99").drawn()],
        ),
        _number(
            system,
            "Reads and writes throttled",
            [
                _expression("SUM(METRICS())", "throttled", id="all"),
                *_hidden(metric for kind in throttled for metric in kind),
            ],
        ),
        _number(
            system,
            "Transaction conflicts",
            [system.of_table("TransactionConflict", "conflicts").drawn()],
        ),
        _number(system, "Units, USD a day at this rate", _dollars(system)),
    ]


def _of_all_places(system: System, name: str) -> list[Metric]:
    return [system.of_place(name, place) for place in PLACES]


def _dollars(system: System) -> list[list[Any]]:
    """What all units of the time that is looked at cost, for a day."""
    drawn, parts = [], []
    for kind, price in PRICE_OF_A_UNIT.items():
        prefix = kind.lower()
        drawn += _hidden(_of_all_places(system, f"Consumed{kind}CapacityUnits"), prefix)
        parts.append(f'{price * 1e6:g} * SUM(METRICS("{prefix}"))')
    text = f"({' + '.join(parts)}) / 1000000 * 86400 / PERIOD(read1)"
    return [_expression(text, "USD a day", id="dollars"), *drawn]


def _requests(system: System) -> Widget:
    found = [system.of_gateway(name) for name in ("Count", "4xx", "5xx")]
    return _widget(system, "Requests, and those answered with 4xx and 5xx", _all(found))


def _latency(system: System, settings: Settings) -> Widget:
    found = [system.of_gateway("Latency", each, label=each) for each in ("p50", "p99")]
    limit = _limit(settings.alarm_p99_ms, "SlowAnswers")
    return _widget(system, "Latency at the gateway, ms", _all(found), **limit)


def _statuses(system: System) -> Widget:
    if not system.namespace:
        found = [system.of_function("Errors", each) for each in system.patterns]
        return _widget(system, "Functions that ended without an answer", _ranked(found, "SUM"))
    schema = f'SCHEMA("{system.namespace}", {metrics.PATTERN}, {metrics.ERROR_STATUS})'
    grouped = f"GROUP BY {metrics.ERROR_STATUS} ORDER BY SUM() DESC"
    text = f"SELECT SUM({metrics.ERRORS}) FROM {schema} {grouped}"  # noqa: S608 - of our own names
    return _widget(system, "Errors by status", [_expression(text, id="statuses")], stacked=True)


def _all(found: Iterable[Metric]) -> list[list[Any]]:
    return [metric.drawn() for metric in found]


# --- Which pattern? -------------------------------------------------------------------------


def _slowest(system: System) -> Widget:
    found = (system.of_function("Duration", each, "p99") for each in system.patterns)
    return _widget(system, "Slowest patterns: p99 of the function, ms", _ranked(found, "MAX"))


def _failing(system: System) -> Widget:
    """429 is there as well: it is the table that refuses, not the caller who errs."""
    if not system.namespace:
        found = (system.of_function("Throttles", each) for each in system.patterns)
        return _widget(system, "Functions without room: throttled calls", _ranked(found, "SUM"))
    statuses = " OR ".join(f'"{status}"' for status in (429, 500, 503))
    search = (
        f'SEARCH(\'{{"{system.namespace}",{metrics.PATTERN},{metrics.ERROR_STATUS}}} '
        f'MetricName="{metrics.ERRORS}" {metrics.ERROR_STATUS}=({statuses})\', '
        f"'Sum', {FIVE_MINUTES})"
    )
    label = f"${{PROP('Dim.{metrics.PATTERN}')}} ${{PROP('Dim.{metrics.ERROR_STATUS}')}}"
    drawn = [_expression(f"SORT({search}, SUM, DESC, {MOST})", label, id="failing")]
    return _widget(system, "Failing patterns: 429, 500, 503", drawn)


def _calls(system: System) -> Widget:
    found = (system.of_function("Invocations", each) for each in system.patterns)
    return _widget(system, "Most called patterns", _ranked(found, "SUM"))


def _units(system: System) -> list[Widget]:
    return [
        _widget(system, title, _ranked(_measured(system, name), "SUM"), height=TALL)
        for title, name in (
            ("Most expensive patterns: read units", metrics.READ_UNITS),
            ("Most expensive patterns: write units", metrics.WRITE_UNITS),
        )
    ]


def _measured(system: System, name: str) -> list[Metric]:
    """One of our metrics, of every pattern that gives it."""
    return [system.of_pattern(name, each) for each in system.patterns if name in metrics.of(each)]


def _returned(system: System) -> Widget:
    drawn: list[list[Any]] = []
    pairs = zip(
        _measured(system, metrics.ITEMS_RETURNED),
        _measured(system, metrics.ITEMS_READ),
        strict=True,
    )
    for at, (returned, read) in enumerate(pairs, start=1):
        drawn += [
            _expression(f"100 * returned{at} / read{at}", returned.label, id=f"share{at}"),
            returned.drawn(id=f"returned{at}", visible=False),
            read.drawn(id=f"read{at}", visible=False),
        ]
    title = "Items returned, % of the items read"
    look = {"view": "bar", "setPeriodToTimeRange": True}
    return _widget(system, title, drawn, height=TALL, **look)


# --- Which index? ---------------------------------------------------------------------------


def _units_by_index(system: System) -> list[Widget]:
    return [
        _widget(
            system,
            f"{kind} units by index",
            _all(_of_all_places(system, f"Consumed{kind}CapacityUnits")),
            stacked=True,
        )
        for kind in PRICE_OF_A_UNIT
    ]


def _throttled_by_index(system: System, settings: Settings) -> Widget:
    drawn: list[list[Any]] = []
    for kind in PRICE_OF_A_UNIT:
        drawn += [
            metric.drawn(label=f"{kind.lower()}s of {metric.label}")
            for metric in _of_all_places(system, f"{kind}ThrottleEvents")
        ]
    limit = _limit(settings.alarm_throttles, "Throttled")
    return _widget(system, "Throttled by index", drawn, **limit)


def _reasons(system: System) -> Widget:
    """Of the table and all indexes; see "CloudWatch throttling metrics" in DynamoDB's guide."""
    drawn: list[list[Any]] = []
    for kind in PRICE_OF_A_UNIT:
        for reason, words in (
            ("KeyRangeThroughput", "one hot key or partition"),
            ("MaxOnDemandThroughput", f"the ceiling max_{kind.lower()}_units"),
            ("AccountLimit", "the account's limit"),
        ):
            prefix = f"{kind.lower()}{reason.lower()}"
            drawn += [
                _expression(f'SUM(METRICS("{prefix}"))', f"{kind.lower()}s: {words}"),
                *_hidden(_of_all_places(system, f"{kind}{reason}ThrottleEvents"), prefix),
            ]
    return _widget(system, "Why throttled", drawn)


# --- Which entity? --------------------------------------------------------------------------


def _by_type(system: System) -> list[Widget]:
    """Calls by the `Type` of the items that they are about, which the declaration says."""
    return [
        _widget(system, title, _calls_by_type(system, touched), stacked=True)
        for title, touched in (
            ("Calls that read, by Type", _read_by),
            ("Calls that write, by Type", _written_by),
        )
    ]


def _calls_by_type(
    system: System, touched: Callable[[AccessPattern], Iterable[type[Entity]]]
) -> list[list[Any]]:
    by_type: dict[str, list[str]] = {}
    drawn: list[list[Any]] = []
    for at, pattern in enumerate(system.patterns, start=1):
        names = {entity.__name__: None for entity in touched(pattern)}
        for name in names:
            by_type.setdefault(name, []).append(f"m{at}")
        if names:
            metric = system.of_function("Invocations", pattern)
            drawn.append(metric.drawn(id=f"m{at}", visible=False))
    sums = [_expression(f"SUM([{','.join(ids)}])", name) for name, ids in by_type.items()]
    return [*sums, *drawn]


def _read_by(pattern: AccessPattern) -> Iterable[type[Entity]]:
    return () if isinstance(pattern.operation, Write) else pattern.entities


def _written_by(pattern: AccessPattern) -> Iterable[type[Entity]]:
    if not isinstance(pattern.operation, Write):
        return ()
    changes = PutItem | UpdateItem | DeleteItem
    return [each.key.entity for each in pattern.operation.singles if isinstance(each, changes)]


def _contention(system: System, settings: Settings) -> Widget:
    found = [
        system.of_table("TransactionConflict", "transaction conflicts"),
        system.of_table("ConditionalCheckFailedRequests", "conditions that did not hold"),
    ]
    limit = _limit(settings.alarm_conflicts, "Conflicts")
    return _widget(system, "Writers in each other's way", _all(found), **limit)


def _functions(system: System) -> Widget:
    drawn: list[list[Any]] = []
    for name, words in (("Errors", "ended without an answer"), ("Throttles", "had no room")):
        prefix = name.lower()
        drawn += [
            _expression(f'SUM(METRICS("{prefix}"))', f"calls that {words}"),
            *_hidden((system.of_function(name, each) for each in system.patterns), prefix),
        ]
    return _widget(system, "Functions: calls without an answer of ours", drawn)
