"""The emulator: starts ministack on loopback, waits until it answers, stops it."""

import errno
import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from local.logs import reason
from local.process import Command, RunError, running

HOST = "127.0.0.1"
START_TIMEOUT_S = 30.0


def check_port(port: int, instead: str = "PORT=4600 make run") -> None:
    """Raise RunError, with what to type instead, if nobody can listen on the port now."""
    with socket.socket() as probe:
        # A port that was left a moment ago counts as free, as it does for the emulator.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            trouble = "is taken" if taken else f"cannot be used: {error.strerror}"
            raise RunError(f"port {port} {trouble}; choose another: {instead}") from error


def free_port() -> int:
    """Return a port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def endpoint(port: int) -> str:
    """Return the URL of an emulator on the port."""
    return f"http://{HOST}:{port}"


@contextmanager
def emulator(
    port: int, folder: Path, settings: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Give the process of an emulator that listens on the port; it ends with the block.

    The settings are further variables of its own. Its log is emulator.log in the folder. Raises
    RunError if it does not come up.
    """
    # Functions run in here, and must not find the project's modules instead of their package's.
    scratch = folder / "emulator"
    scratch.mkdir()
    # All variables that it has, and the functions with it: as in Lambda, none of this machine's.
    environment = {
        "BIND_HOST": HOST,  # it listens on every interface otherwise
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",
        "PATH": os.environ.get("PATH", os.defpath),
        "SFTP_ENABLED": "0",
        "TMPDIR": str(scratch),
        **(settings or {}),
    }
    arguments = [sys.executable, "-m", "ministack"]
    log = folder / "emulator.log"
    try:
        with running(Command(arguments, scratch, environment, log)) as process:
            wait_until_up(process, port, log)
            yield process
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def wait_until_up(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Return as soon as the emulator answers; raise RunError if it ends or takes too long."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while not answers(port):
        if process.poll() is not None:
            raise RunError(f"the emulator did not start: {reason(log)} (log: {log})")
        if time.monotonic() > deadline:
            raise RunError(f"no answer from the emulator in {START_TIMEOUT_S:.0f} s (log: {log})")
        time.sleep(0.05)


def answers(port: int) -> bool:
    """Tell whether an emulator on the port says that it is up."""
    connection = http.client.HTTPConnection(HOST, port, timeout=START_TIMEOUT_S)
    try:
        connection.request("GET", "/_ministack/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
