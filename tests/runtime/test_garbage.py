"""The collector is told for a whole process, so each function here is one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from pkgutil import iter_modules

import pytest

from lambdas import handlers
from lambdas.runtime.garbage import OBJECTS
from local.deployment import PROJECT

MODULES = [module.name for module in iter_modules(handlers.__path__)]

ASK = """
import gc
import lambdas
print(gc.isenabled())
import lambdas.handlers.{module}
print(gc.isenabled(), gc.get_threshold()[0], gc.get_freeze_count() > 0)
"""


def told(module: str, **environment: str) -> list[str]:
    """What the collector is told when the import begins, and when it has ended."""
    return subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", ASK.format(module=module)],
        cwd=PROJECT,
        env={"AWS_REGION": "eu-central-1", "HOME": str(Path("/nonexistent")), **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


@pytest.mark.parametrize("module", MODULES)
def test_a_function_looks_for_no_garbage_while_it_starts_and_seldom_after(module: str) -> None:
    before, after = told(module, AWS_LAMBDA_FUNCTION_NAME="get_user")
    assert before == "False"
    assert after == f"True {OBJECTS} True"


def test_elsewhere_python_looks_for_it_as_it_does_of_itself() -> None:
    usual = subprocess.check_output(
        [sys.executable, "-c", "import gc; print(gc.get_threshold()[0])"], text=True
    ).strip()
    assert told("ecommerce") == ["True", f"True {usual} False"]
