"""The one logger. What it is told are ids, counts and places: never a value of the caller's.

It writes lines of JSON with the fields that Powertools' Logger has, and that Lambda's own log
settings know: `level`, `location`, `message`, `timestamp`, `service`, and then what the message is
told beside. The trace's id is not among them, since a caller may send it; Lambda's own report of a
request has both ids. Powertools itself would be a part of every cold start, and most of the upload.
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
        }
        told = record.__dict__.items()
        line |= {name: value for name, value in told if name not in _OF_EVERY_RECORD}
        return json.encode({k: v for k, v in line.items() if v is not None}).decode()


handler: Final = logging.StreamHandler(sys.stdout)
handler.setFormatter(JsonLines())

logger: Final = logging.getLogger(SERVICE)
logger.addHandler(handler)
# Lambda also has levels that Python has not, such as TRACE.
level = os.environ.get("AWS_LAMBDA_LOG_LEVEL", "INFO")
logger.setLevel(logging.getLevelNamesMapping().get(level, logging.INFO))
logger.propagate = False  # Lambda's own handler would write everything once more

# What no line says need not be found out for each (Logging HOWTO, "Optimization").
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False

# What the SDK logs quotes requests and answers: at DEBUG whole, and at WARNING the headers that it
# cannot read, which may be an item when an answer is broken. What it meets is told as our fault.
for _sdk in ("boto3", "botocore", "urllib3"):
    logging.getLogger(_sdk).setLevel(logging.CRITICAL)
