"""`python -m local`: deploys to a local cloud, says how to call it, stays up until Ctrl-C."""

import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from types import FrameType

from local.calls import show_calls
from local.cloud import Cloud, local_cloud
from local.emulator import check_port, endpoint
from local.env_file import ENV_FILE, remove_env, write_env
from local.process import RunError

FOLDER = ENV_FILE.parent
DEFAULT_PORT = "4566"
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(words: Sequence[str] | None = None) -> int:
    """Run until a signal ends it, and return the exit status."""
    ArgumentParser(
        prog="python -m local",
        description=__doc__,
        epilog=f"PORT is the port of the emulator (default: {DEFAULT_PORT}).",
    ).parse_args(words)
    for number in ENDING_SIGNALS:
        signal.signal(number, end)
    try:
        port = port_number(os.environ.get("PORT") or DEFAULT_PORT)
        check_port(port)
        remove_env(ENV_FILE, endpoint(port))
        with local_cloud(port, FOLDER / str(port)) as cloud:
            serve(cloud)
    except RunError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        print("stopped", flush=True)
    return 0


def end(_number: int, _frame: FrameType | None) -> None:
    """Unwind to `main`; a second signal does not disturb what is cleared up on the way."""
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    os.write(1, b"\nstopping ...\n")  # a print may be what was interrupted
    raise KeyboardInterrupt


def port_number(text: str) -> int:
    """Return the port that PORT says; raise RunError if it says none."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 2**16:
        return int(text)
    raise RunError(f"PORT must be a number from 1 to 65535, not {text!r}")


def serve(cloud: Cloud) -> None:
    """Say how to call the service, then wait for a signal; raise RunError if the emulator ends."""
    write_env(ENV_FILE, cloud)
    try:
        show_calls(cloud.api_url)
        print(f"\nall calls, to read about and to try: {cloud.api_url}/docs", flush=True)
        print("the table, on a page: `make explore` in another terminal", flush=True)
        print(f"ready: {cloud.api_url}", flush=True)
        cloud.emulator.wait()
        raise RunError("the emulator ended by itself (its log: emulator.log in .local/<port>)")
    finally:
        remove_env(ENV_FILE, cloud.endpoint_url)


if __name__ == "__main__":
    sys.exit(main())
