"""Schemathesis calls the deployed API as its OpenAPI document allows, and as it does not.

`fuzz.toml` has its settings, `fuzz_hooks.py` what it cannot know, each with its reason.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.handlers.documents import OPENAPI_PATH
from local.cloud import Cloud
from local.deployment import PROJECT
from tests.e2e.restore import restored

OPERATIONS = len({each.route for each in ACCESS_PATTERNS})

FEWEST_CASES = 300
"""What a short run has at least; below it something is left out that was not before."""

FEWEST_CASES_OF_A_LONG_RUN = 4000

Report = Callable[[str, str], None]


def fuzz(cloud: Cloud, folder: Path, *options: str) -> dict[str, Any]:
    """What schemathesis reports of a run that found nothing."""
    report = folder / "report.json"
    arguments = [
        *("--config-file", str(Path(__file__).with_name("fuzz.toml")), "--no-color"),
        *("run", f"{cloud.api_url}{OPENAPI_PATH}", "--url", cloud.api_url),
        *("--workers", "2", "--report", "json", "--report-json-path", str(report)),
        *options,
    ]
    with restored(cloud):
        run = subprocess.run(  # noqa: S603 - the program and its options are ours
            [sys.executable, "-m", "schemathesis.cli", *arguments],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout + run.stderr
    found: dict[str, Any] = json.loads(report.read_text("utf-8"))
    return found


def say(found: dict[str, Any], record_property: Report) -> None:
    """Hand the figures of a run to the summary that pytest prints at its end."""
    operations, cases = found["operations"]["tested"], found["test_cases"]["generated"]
    excused = f"{found['filtered']} findings excused (tests/e2e/fuzz_hooks.py says why)"
    record_property("figure", f"fuzzed: {operations} operations, {cases} cases, {excused}")


def test_no_call_gets_an_answer_that_the_document_does_not_have(
    cloud: Cloud, tmp_path: Path, record_property: Report
) -> None:
    found = fuzz(cloud, tmp_path, "--phases", "fuzzing", "--max-examples", "8")

    say(found, record_property)
    assert found["operations"]["tested"] == OPERATIONS
    assert found["test_cases"]["generated"] >= FEWEST_CASES


@pytest.mark.thorough
def test_no_call_of_many_does(cloud: Cloud, tmp_path: Path, record_property: Report) -> None:
    found = fuzz(cloud, tmp_path, "--max-examples", "100")

    say(found, record_property)
    assert found["operations"]["tested"] == OPERATIONS
    assert found["test_cases"]["generated"] >= FEWEST_CASES_OF_A_LONG_RUN
