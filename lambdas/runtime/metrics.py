"""What CloudWatch makes metrics of: members of the line that a call writes into its log.

The line says in its member `_aws` which of its other members are metrics, and of what (CloudWatch's
embedded metric format, "Specification: Embedded metric format" in the CloudWatch User Guide).
CloudWatch takes them out of the log when the call is long over; nothing is sent, nothing waits.

Every pair of a name and a dimension's value is a metric that is paid for. So there are only those
that AWS does not have already: it counts the calls of a function and measures them, and there is
one for each pattern; it counts units, throttles and conflicts of the table and of each index.
"""

from __future__ import annotations

import time
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from msgspec import Raw, json

from lambdas.design.operations import BatchGetItem, GetItem, Query, Write
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import settings

READ_UNITS: Final = "read_units"
WRITE_UNITS: Final = "write_units"
ITEMS_READ: Final = "items_read"
ITEMS_RETURNED: Final = "items_returned"
ERRORS: Final = "errors"

PATTERN: Final = "pattern"
"""The dimension of every metric; its values are ids such as `AP-01`."""

ERROR_STATUS: Final = "error_status"
"""The second dimension of `ERRORS`: which status from 400 on, as text, since dimensions are."""


def of(pattern: AccessPattern) -> tuple[str, ...]:
    """The metrics that each call of a pattern gives; what can only be 0 or 1 is none."""
    operation = pattern.operation
    if isinstance(operation, Write):
        reads = any(isinstance(each, GetItem | Query | BatchGetItem) for each in operation.singles)
        return (READ_UNITS, WRITE_UNITS) if reads else (WRITE_UNITS,)
    if isinstance(operation, GetItem):
        return (READ_UNITS,)
    return READ_UNITS, ITEMS_READ, ITEMS_RETURNED


def embedded(pattern: AccessPattern, status: int) -> dict[str, Any]:
    """The members by which a call's line becomes metrics; none where none are wanted."""
    namespace = settings.metrics_namespace()
    if not namespace:
        return {}
    failed = status >= HTTPStatus.BAD_REQUEST
    found = directives(namespace, of(pattern), failed=failed)
    told = {"_aws": {"Timestamp": time.time_ns() // 1_000_000, "CloudWatchMetrics": found}}
    return {**told, ERRORS: 1, ERROR_STATUS: str(status)} if failed else told


@lru_cache
def directives(namespace: str, names: tuple[str, ...], *, failed: bool) -> Raw:
    """Which members are metrics, as JSON: the same for all calls of a pattern that end alike."""
    found = [_directive(namespace, (PATTERN,), names)]
    if failed:
        found.append(_directive(namespace, (PATTERN, ERROR_STATUS), (ERRORS,)))
    return Raw(json.encode(found))


def _directive(
    namespace: str, dimensions: tuple[str, ...], names: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "Namespace": namespace,
        "Dimensions": [dimensions],
        "Metrics": [{"Name": name, "Unit": "Count"} for name in names],
    }
