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


LEFT = """
import gc, socket, sys, time, weakref
from threading import Thread
from bench import canned

attempts, collects = int(sys.argv[1]), sys.argv[2] == "yes"
listening = socket.create_server(("127.0.0.1", 0))
found = canned._bytes({"Item": canned.user(), "ConsumedCapacity": canned.CAPACITY})

def serve():
    for attempt in range(attempts):
        connection, _ = listening.accept()
        if attempt + 1 == attempts <= 3:
            connection.recv(65536)
            connection.sendall(found)
        connection.close()

import os
os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{listening.getsockname()[1]}"
os.environ["AWS_LAMBDA_FUNCTION_NAME"] = "get_user"
from lambdas.handlers import ecommerce
from lambdas.runtime import garbage
if not collects:
    garbage.collect = lambda: None
time.sleep = lambda _: None  # the SDK's pauses

class Event(dict):
    '''One that says whether it is still there.'''

Thread(target=serve, daemon=True).start()
event = Event(pathParameters={"user_id": "U-001"}, headers={})
there = weakref.ref(event)
status = ecommerce.get_user(event, None)["statusCode"]
del event
print(status, there() is not None)
"""


def left(attempts: int, *, collects: bool = True) -> str:
    """The status of a call whose last attempt of so many is answered (of more than three, none is),
    and whether its event is still in memory after it."""
    asked = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", LEFT, str(attempts), "yes" if collects else "no"],
        cwd=PROJECT,
        env={
            "AWS_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
            "TABLE_NAME": "Table",
            "HOME": "/nonexistent",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return asked.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("attempts", "status"),
    [
        pytest.param(1, 200, id="one that is answered at once"),
        pytest.param(2, 200, id="one that is answered at the second attempt"),
        pytest.param(4, 503, id="one that is never answered"),
    ],
)
def test_nothing_of_a_call_stays_in_memory(attempts: int, status: int) -> None:
    assert left(attempts) == f"{status} False"


@pytest.mark.parametrize(("attempts", "status"), [(2, 200), (4, 503)])
def test_without_collecting_after_a_fault_all_that_it_was_given_stays(
    attempts: int, status: int
) -> None:
    """Bodies of megabytes too, and dozens: the collector counts objects, and not their bytes."""
    assert left(attempts, collects=False) == f"{status} True"
