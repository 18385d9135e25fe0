from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime

import pytest

from lambdas.runtime.logs import logger
from tests.runtime.conftest import Log


def test_a_line_is_json_with_the_fields_that_log_queries_ask_for(log: Log) -> None:
    logger.info("answered", extra={"pattern": "AP-01", "duration_ms": 1.5})
    [line] = log.lines
    assert list(line) == [
        "level",
        "location",
        "message",
        "timestamp",
        "service",
        "pattern",
        "duration_ms",
    ]
    assert (line["level"], line["message"], line["service"]) == ("INFO", "answered", "single-table")
    assert line["location"].startswith(
        test_a_line_is_json_with_the_fields_that_log_queries_ask_for.__name__
    )
    assert (line["pattern"], line["duration_ms"]) == ("AP-01", 1.5)
    assert datetime.fromisoformat(line["timestamp"]).tzinfo is not None


def test_what_is_none_is_left_out_and_what_is_zero_is_not(log: Log) -> None:
    logger.error("broken", extra={"request_id": None, "requests": 0})
    [line] = log.lines
    assert "request_id" not in line
    assert (line["level"], line["requests"]) == ("ERROR", 0)


def test_a_text_with_a_line_break_stays_one_line(log: Log) -> None:
    logger.info("one\ntwo", extra={"pattern": "ü\n"})
    assert [line["message"] for line in log.lines] == ["one\ntwo"]


@pytest.mark.parametrize(
    ("level", "written"),
    [("", ["info", "error"]), ("ERROR", ["error"]), ("TRACE", ["info", "error"]), ("FATAL", [])],
)
def test_lambdas_log_level_is_kept_to_and_nothing_is_written_twice(
    level: str, written: list[str]
) -> None:
    code = """
import logging
logging.basicConfig()  # a handler of the root, as Lambda has one
from lambdas.runtime.logs import logger
logger.debug("debug"), logger.info("info"), logger.error("error")
"""
    environment = {"PATH": os.defpath} | ({"AWS_LAMBDA_LOG_LEVEL": level} if level else {})
    run = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert [json.loads(line)["message"] for line in run.stdout.splitlines()] == written
    assert run.stderr == ""
