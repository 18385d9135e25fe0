import os
import socket
import subprocess
import sys

import pytest

from local.__main__ import port_number
from local.deployment import PROJECT
from local.emulator import HOST
from local.process import RunError


def run_local(port: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "local"],
        cwd=PROJECT,
        env={**os.environ, "PORT": port},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_port_is_a_number() -> None:
    assert port_number("4600") == 4600


@pytest.mark.parametrize("text", ["0", "65536", "-1", "http", "4566.5", "٤٥", " 4566", ""])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(RunError, match="PORT must be a number from 1 to 65535"):
        port_number(text)


def test_a_taken_port_is_one_clear_line_and_exit_status_1() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        finished = run_local(str(port))
    message = f"error: port {port} is taken; choose another: PORT=4600 make run\n"
    assert (finished.returncode, finished.stdout, finished.stderr) == (1, "", message)


def test_a_port_that_is_no_number_is_one_clear_line_and_exit_status_1() -> None:
    finished = run_local("http")
    message = "error: PORT must be a number from 1 to 65535, not 'http'\n"
    assert (finished.returncode, finished.stdout, finished.stderr) == (1, "", message)
