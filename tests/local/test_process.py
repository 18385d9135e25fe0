import os
import select
import signal
import subprocess
import sys
import time
from io import FileIO
from pathlib import Path

import pytest

from local.process import Command, RunError, run, running

# A command that starts another one and stays. Both hold the pipe `alive` open until they end.
FAMILY = """
import subprocess, sys, time
alive = open("alive", "w")
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
subprocess.Popen(sleep, pass_fds=[alive.fileno()])
print("started", file=alive, flush=True)
time.sleep(600)
"""


def command(folder: Path, code: str, name: str = "log") -> Command:
    return Command([sys.executable, "-c", code], folder, dict(os.environ), folder / name)


def wait_for_family(folder: Path) -> FileIO:
    """Return our end of their pipe when both are there."""
    alive = FileIO(folder / "alive")
    assert alive.read(100) == b"started\n"
    return alive


def has_ended(alive: FileIO) -> bool:
    """Tell whether nobody holds the pipe any more, or will not within some seconds."""
    readable, _, _ = select.select([alive], [], [], 10)
    return bool(readable) and alive.read(1) == b""


def test_a_command_and_what_it_started_end_with_the_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "alive")
    with running(command(tmp_path, FAMILY)):
        alive = wait_for_family(tmp_path)
        assert not select.select([alive], [], [], 0)[0]
    with alive:
        assert has_ended(alive)


def test_they_end_also_when_who_started_them_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "alive")
    starter = f"""
import sys, time
from pathlib import Path
from local.process import Command, running
folder = Path({str(tmp_path)!r})
with running(Command([sys.executable, "-c", {FAMILY!r}], folder, {{}}, folder / "log")):
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", starter]) as process:  # noqa: S603  ours
        alive = wait_for_family(tmp_path)
        process.send_signal(signal.SIGKILL)
    with alive:
        assert has_ended(alive)


def test_the_output_goes_to_the_log(tmp_path: Path) -> None:
    run(command(tmp_path, "import sys; print('out'); print('err', file=sys.stderr)"))
    assert sorted((tmp_path / "log").read_text().split()) == ["err", "out"]


def test_a_failed_command_is_an_error_with_its_reason_and_its_log(tmp_path: Path) -> None:
    with pytest.raises(RunError) as failed:
        run(command(tmp_path, "raise ValueError('no such stage')"))
    assert str(failed.value) == f"ValueError: no such stage (log: {tmp_path / 'log'})"


def test_a_command_that_a_signal_ended_has_failed(tmp_path: Path) -> None:
    with pytest.raises(RunError):
        run(command(tmp_path, "import os; os.kill(os.getpid(), 15)"))


def test_the_failure_of_one_command_ends_those_beside_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "alive")
    family = command(tmp_path, FAMILY, "family")
    failing = command(tmp_path, "open('alive').read(1); raise SystemExit('no')", "failing")
    begin = time.monotonic()
    with pytest.raises(RunError, match="no"):
        run(failing, family)
    assert time.monotonic() - begin < 60


def test_a_command_has_the_variables_it_was_given_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "prod")
    code = "import os; print(os.environ.get('AWS_PROFILE'), os.environ['GIVEN'])"
    given = {"GIVEN": "yes"}
    run(Command([sys.executable, "-c", code], tmp_path, given, tmp_path / "log"))
    assert (tmp_path / "log").read_text() == "None yes\n"
