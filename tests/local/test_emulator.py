import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator import HOST, answers, check_port, free_port, wait_until_up
from local.process import Command, RunError, running


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_is_refused_and_another_one_suggested(taken_port: int) -> None:
    with pytest.raises(RunError) as refused:
        check_port(taken_port)
    assert str(refused.value) == (f"port {taken_port} is taken; choose another: PORT=4600 make run")


def test_a_port_that_something_on_all_interfaces_listens_on_is_taken() -> None:
    with socket.create_server(("", 0)) as server, pytest.raises(RunError, match="is taken"):
        check_port(server.getsockname()[1])


def test_a_free_port_is_accepted() -> None:
    check_port(free_port())


def test_a_port_that_was_left_a_moment_ago_is_free() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection((HOST, port)), server.accept()[0] as connection:
            connection.close()
    check_port(port)


def test_nobody_answers_on_a_free_port() -> None:
    assert not answers(free_port())


def test_an_emulator_that_ends_at_once_is_an_error_with_its_reason(tmp_path: Path) -> None:
    code = "import sys; sys.exit('ERROR: the port is already in use')"
    log = tmp_path / "emulator.log"
    command = Command([sys.executable, "-c", code], tmp_path, {}, log)
    with running(command) as process, pytest.raises(RunError) as ended:
        wait_until_up(process, free_port(), log)
    assert str(ended.value) == (
        f"the emulator did not start: the port is already in use (log: {log})"
    )
