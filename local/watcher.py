"""Runs a command, and ends its whole process group when standard input closes.

Whoever started us (`local.process`) holds the other end of that pipe. It closes when we are to
stop, and also when that process is killed and can tell nobody: no child is ever left behind.
Run by path, so it imports nothing of ours.
"""

import os
import signal
import subprocess
import sys
import threading


def end_group_when_input_closes() -> None:
    """Wait for the end of standard input, then kill the process group, this process with it."""
    os.read(0, 1)  # not sys.stdin: its lock would still be held when the interpreter shuts down
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main() -> int:
    """Run the command and return its exit status."""
    threading.Thread(target=end_group_when_input_closes, daemon=True).start()
    command = sys.argv[1:]
    status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode  # noqa: S603  ours
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
