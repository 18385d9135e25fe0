"""The one logger. What it is told are ids, counts and places: never a value of the caller's.

It writes lines of JSON with the fields that Powertools' Logger has, and that Lambda's own log
settings know: `level`, `location`, `message`, `timestamp`, `service`, `xray_trace_id`, and then
what the message is told beside. Powertools itself would be a part of every cold start, and most of
what is uploaded.
"""

from __future__ import annotations

import logging
import os
import sys
from datetime import UTC, datetime
from typing import Final

from msgspec import json

from lambdas.runtime import times

SERVICE: Final = "single-table"

_OF_EVERY_RECORD: Final = frozenset(logging.makeLogRecord({}).__dict__)


class JsonLines(logging.Formatter):
    """A record as a line of JSON; what is None is left out."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "level": record.levelname,
            "location": f"{record.funcName}:{record.lineno}",
            "message": record.getMessage(),
            "timestamp": times.to_text(datetime.fromtimestamp(record.created, UTC)),
            "service": SERVICE,
            "xray_trace_id": _trace_id(),
        }
        told = record.__dict__.items()
        line |= {name: value for name, value in told if name not in _OF_EVERY_RECORD}
        return json.encode({k: v for k, v in line.items() if v is not None}).decode()


def _trace_id() -> str | None:
    """The trace that Lambda has begun for this call, `1-5759e988-...`."""
    root = os.environ.get("_X_AMZN_TRACE_ID", "").partition(";")[0]
    return root.removeprefix("Root=") or None


handler: Final = logging.StreamHandler(sys.stdout)
handler.setFormatter(JsonLines())

logger: Final = logging.getLogger(SERVICE)
logger.addHandler(handler)
# Lambda also has levels that Python has not, such as TRACE.
level = os.environ.get("AWS_LAMBDA_LOG_LEVEL", "INFO")
logger.setLevel(logging.getLevelNamesMapping().get(level, logging.INFO))
logger.propagate = False  # Lambda's own handler would write everything once more
