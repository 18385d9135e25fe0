"""`python -m local` as a person runs it, but in a folder of its own."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from local.deployment import API_ID, PROJECT
from local.emulator import answers, check_port, free_port

RUN_IN = """
import sys
from pathlib import Path
from local import __main__ as run
run.FOLDER = Path(sys.argv[1])
run.ENV_FILE = run.FOLDER / "env"
sys.exit(run.main([]))
"""


@dataclass(frozen=True)
class Run:
    """A run that is ready, what it said until then, and its folder."""

    process: subprocess.Popen[str]
    said: list[str]
    folder: Path
    port: int


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    port = free_port()
    with subprocess.Popen(  # noqa: S603  ours
        [sys.executable, "-c", RUN_IN, str(tmp_path)],
        cwd=PROJECT,
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            said: list[str] = []
            for line in process.stdout or ():
                said.append(line.rstrip("\n"))
                if line.startswith("ready: "):
                    break
            yield Run(process, said, tmp_path, port)
        finally:
            process.send_signal(signal.SIGTERM)


def get(url: str) -> tuple[int, dict[str, object]]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    connection.request("GET", parts.path)
    response = connection.getresponse()
    status, body = response.status, json.load(response)
    connection.close()
    return status, body


def test_a_run_says_how_to_call_it_and_leaves_nothing_when_it_ends(run: Run) -> None:
    env_file = run.folder / "env"
    variables = dict(line.split("=", 1) for line in env_file.read_text().splitlines())
    # The same address at each run: what a shell or a page has read of one is good for the next.
    assert urlsplit(variables["API_URL"]).path.rpartition("/")[2] == API_ID
    assert run.said[-1] == f"ready: {variables['API_URL']}"
    assert f"  curl -s {variables['API_URL']}/ecommerce/users/U-001" in run.said

    status, user = get(f"{variables['API_URL']}/ecommerce/users/U-001")
    assert (status, user["Name"]) == (200, "Alice")

    run.process.send_signal(signal.SIGTERM)
    assert run.process.wait(timeout=20) == 0
    assert not env_file.exists()
    assert not answers(run.port)
    check_port(run.port)
