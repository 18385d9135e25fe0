"""What AWS charges, from `prices.toml`, which has the date and the source of each price."""

from __future__ import annotations

import datetime as dt
import tomllib
from pathlib import Path
from typing import Final

from msgspec import Struct, convert


class DynamoDB(Struct, forbid_unknown_fields=True):
    """Prices of the table, in US dollars."""

    million_read_units: float
    million_write_units: float
    storage_gb_month: float
    free_storage_gb: float
    recovery_gb_month: float


class Gateway(Struct, forbid_unknown_fields=True):
    """Prices of the HTTP API, in US dollars."""

    million_requests: float
    first_million_requests: float
    further_million_requests: float


class Functions(Struct, forbid_unknown_fields=True):
    """Prices of the functions, in US dollars."""

    million_requests: float
    gb_second: float


class CloudWatch(Struct, forbid_unknown_fields=True):
    """Prices of monitoring, in US dollars."""

    metric_month: float
    alarm_metric_month: float
    dashboard_month: float
    free_metrics: int
    free_alarm_metrics: int
    logs_gb: float
    insights_rule_month: float
    insights_million_events: float
    million_traces: float
    free_traces: int


class Prices(Struct, forbid_unknown_fields=True, rename={"functions": "lambda"}):
    """List prices of a region on a day."""

    date: dt.date
    region: str
    dynamodb: DynamoDB
    gateway: Gateway
    cloudwatch: CloudWatch
    functions: Functions


PRICES: Final = convert(
    tomllib.loads((Path(__file__).parent / "prices.toml").read_text("utf-8")), Prices
)
