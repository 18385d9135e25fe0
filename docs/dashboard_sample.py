"""Made-up values for every metric of the dashboard, for its picture: the same each time.

Three hours of a shop. In the last half hour everybody orders at once: the new orders all go into
one partition of GSI1, `STATUS#PENDING`, which throttles, and writers get in each other's way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from zlib import crc32

import numpy as np

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import GetItem
from lambdas.runtime import metrics

Values = np.ndarray[Any, np.dtype[np.float64]]

PERIODS: Final = 36
"""Of five minutes each."""

RUSH: Final = 30
"""In which period everybody begins to order."""

CALLS: Final[Mapping[str, int]] = {
    "AP-11": 900,
    "AP-15": 760,
    "AP-13": 610,
    "AP-01": 420,
    "AP-02": 380,
    "AP-10": 240,
    "AP-04": 190,
    "CW-05": 150,
    "CW-08": 120,
    "CW-06": 110,
    "AP-05": 60,
    "SO-02": 55,
    "SO-01": 50,
    "AP-17": 40,
}
"""How often patterns are called in a period; the others 4 to 24 times."""

ORDERING: Final = ("CW-05", "CW-06")
"""The patterns that write what GSI1 has of orders."""

STATUSES: Final = {"404": 38.0, "400": 22.0, "409": 9.0, "403": 6.0, "412": 3.0}
FAILING: Final = {"CW-05 429": 34.0, "CW-06 429": 12.0, "AP-05 503": 2.0, "UW-06 503": 1.0}

_BY_FUNCTION: Final = {
    f"SingleTableApi-{each.name}": each for each in ACCESS_PATTERNS if not each.variant_of
}
_BY_ID: Final = {each.id: each for each in _BY_FUNCTION.values()}


def values(namespace: str, name: str, dimensions: Mapping[str, str], statistic: str) -> Values:
    """A value for each period."""
    wave = _wave(f"{namespace}{name}{sorted(dimensions.items())}{statistic}")
    match namespace:
        case "AWS/Lambda":
            return _of_function(name, _BY_FUNCTION[dimensions["FunctionName"]].id, wave)
        case "AWS/ApiGateway":
            return _of_gateway(name, statistic, wave)
        case "AWS/DynamoDB":
            return _of_place(name, dimensions.get("GlobalSecondaryIndexName", "Table"), wave)
    return _of_pattern(name, dimensions[metrics.PATTERN], wave)


def looked_up(expression: str) -> dict[str, Values]:
    """What CloudWatch would find for a query of its own, by label."""
    if expression.startswith("SELECT"):
        found = {status: often * _wave(status) for status, often in STATUSES.items()}
        return {**found, "429": 46 * _rush()}
    return {label: often * _wave(label) * _rush() for label, often in FAILING.items()}


def _wave(seed: str) -> Values:
    """Around 1: the traffic of a day, and chance."""
    chance = np.random.RandomState(crc32(seed.encode()))  # the same numbers for ever
    traffic = 1 + 0.18 * np.sin(np.arange(PERIODS) / 9)
    return np.asarray(traffic * chance.normal(1, 0.07, PERIODS), dtype=np.float64)


def _rush() -> Values:
    return np.asarray((np.arange(PERIODS) >= RUSH) * 1.0, dtype=np.float64)


def _calls(pattern: str) -> Values:
    calls = CALLS.get(pattern, 4 + crc32(pattern.encode()) % 20) * _wave(pattern)
    return calls * (1 + 2.2 * _rush()) if pattern in ORDERING else calls


def _of_function(name: str, pattern: str, wave: Values) -> Values:
    match name:
        case "Invocations":
            return _calls(pattern)
        case "Duration":
            usual = 14 + crc32(pattern.encode()) % 40
            return usual * wave + (1150 * _rush() if pattern in ORDERING else 0)
        case "Throttles":
            return 2.0 * _rush() * (pattern == "CW-05")
    return 0 * wave


def _of_gateway(name: str, statistic: str, wave: Values) -> Values:
    requests = np.sum([_calls(each) for each in _BY_ID], axis=0)
    match name, statistic:
        case "Count", _:
            return np.asarray(requests, dtype=np.float64)
        case "4xx", _:
            return 78 * wave + 46 * _rush()
        case "5xx", _:
            return 3 * wave * _rush()
        case "Latency", "p50":
            return 17 * wave + 3 * _rush()
    return 140 * wave + 1080 * _rush()


def _of_pattern(name: str, pattern: str, wave: Values) -> Values:
    declared, calls = _BY_ID[pattern], _calls(pattern)
    match name:
        case metrics.WRITE_UNITS:
            return calls * (3 + crc32(pattern.encode()) % 12)
        case metrics.ITEMS_READ:
            return calls * (6 + crc32(pattern.encode()) % 30)
        case metrics.ITEMS_RETURNED:
            share = 0.82 + (crc32(pattern[::-1].encode()) % 18) / 100
            return share * _of_pattern(metrics.ITEMS_READ, pattern, wave)
    a_call = 0.5 if isinstance(declared.operation, GetItem) else 1 + crc32(pattern.encode()) % 5
    return calls * a_call


def _of_place(name: str, place: str, wave: Values) -> Values:
    hot = _rush() * (place == "GSI1")
    # An index that comes later gets figures of a small one.
    reads = {"Table": 5200, "GSI1": 2100, "GSI2": 1500, "InvertedIndex": 240}
    writes = {"Table": 3900, "GSI1": 900, "GSI2": 1300, "InvertedIndex": 700}
    match name:
        case "ConsumedReadCapacityUnits":
            return reads.get(place, 600) * wave
        case "ConsumedWriteCapacityUnits":
            return writes.get(place, 400) * wave * (1 + 1.6 * _rush())
        case "WriteThrottleEvents" | "WriteKeyRangeThroughputThrottleEvents":
            return 58 * wave * hot
        case "TransactionConflict":
            return 4 * wave + 27 * _rush()
        case "ConditionalCheckFailedRequests":
            return 12 * wave + 9 * _rush()
    return 0 * wave
