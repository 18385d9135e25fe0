"""The saved queries: the questions that people ask of the logs, for CloudWatch Logs Insights.

They ask for members of the lines that `lambdas.runtime.endpoint` writes, and of the access log that
`stacks.api_stack` declares. Neither has a caller in it, so none asks who called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

MOST_LOG_GROUPS: Final = 50
"""How many log groups a query can ask ("StartQuery", Amazon CloudWatch Logs API Reference)."""


@dataclass(frozen=True)
class Query:
    """A query, by the question that it answers."""

    name: str
    answers: str
    text: str
    of: Literal["functions", "gateway", "both"] = "functions"
    """Whose logs it asks. A log that cannot have an answer is paid for all the same."""


def asked_groups(names: list[str]) -> list[str] | None:
    """The log groups that a definition names; with too many it names none, and who runs it picks
    those that matter."""
    return names if len(names) <= MOST_LOG_GROUPS else None


ANSWERED: Final = "filter message = 'answered'"

QUERIES: Final = (
    Query(
        "One request",
        "What did this request do? `ID` is the answer's header `apigw-requestid`, or Lambda's id.",
        """\
fields @timestamp, pattern, status, requests, read_units, write_units, items_read, items_returned,
  conflicts, duration_ms, fault, error
| filter gateway_id = 'ID' or request_id = 'ID' or requestId = 'ID' or record.requestId = 'ID'
| sort @timestamp""",
        of="both",
    ),
    Query(
        "Slowest calls",
        "Which calls took longest, and what did they do meanwhile?",
        f"""\
fields @timestamp, pattern, status, requests, conflicts, duration_ms, gateway_id
| {ANSWERED}
| sort duration_ms desc
| limit 50""",
    ),
    Query(
        "Most expensive calls",
        "Which single calls consumed most? A write unit costs as much as five read units.",
        f"""\
fields @timestamp, pattern, read_units, write_units, read_units + 5 * write_units as weight,
  items_read, items_returned, gateway_id
| {ANSWERED}
| sort weight desc
| limit 50""",
    ),
    Query(
        "Most expensive patterns",
        "Which patterns consume most, altogether and a call?",
        f"""\
{ANSWERED}
| stats sum(read_units) as reads, sum(write_units) as writes, count(*) as calls,
  sum(read_units + 5 * write_units) as weight, avg(read_units + 5 * write_units) as a_call
  by pattern
| sort weight desc""",
    ),
    Query(
        "Items read for nothing",
        "Which patterns read items that their callers are not shown?",
        f"""\
{ANSWERED} and items_read > 0
| stats sum(items_read - items_returned) as for_nothing, sum(items_read) as read,
  sum(items_returned) as returned, count(*) as calls by pattern
| sort for_nothing desc""",
    ),
    Query(
        "Errors by pattern",
        "Which patterns answer with errors, with which status, since when?",
        f"""\
{ANSWERED} and status >= 400
| stats count(*) as calls, min(@timestamp) as first, max(@timestamp) as last by pattern, status
| sort calls desc""",
    ),
    Query(
        "Faults",
        "What is behind 429, 500 and 503: DynamoDB's code, or the place in our code?",
        """\
filter ispresent(fault) or ispresent(error)
| stats count(*) as lines, max(@timestamp) as last by pattern, fault, error
| sort lines desc""",
    ),
    Query(
        "Conflicts by pattern",
        "Which patterns meet other writers at the same items?",
        f"""\
{ANSWERED} and conflicts > 0
| stats sum(conflicts) as met, count(*) as calls, max(duration_ms) as longest by pattern
| sort met desc""",
    ),
    Query(
        "Cold starts",
        "How often did which function start, and how long did it take?",
        """\
filter type = 'platform.report' and ispresent(record.metrics.initDurationMs)
| stats count(*) as starts, avg(record.metrics.initDurationMs) as mean_ms,
  max(record.metrics.initDurationMs) as longest_ms by @log
| sort starts desc""",
    ),
    Query(
        "Routes by use",
        "Which routes are called most, how are they answered, and how long does that take?",
        """\
stats count(*) as calls, pct(latencyMs, 50) as p50, pct(latencyMs, 99) as p99 by route, status
| sort calls desc""",
        of="gateway",
    ),
    Query(
        "Refused by the gateway",
        "Which calls never got to a function, and what was the gateway's reason?",
        """\
filter error != '-'
| stats count(*) as calls by route, status, error
| sort calls desc""",
        of="gateway",
    ),
)
