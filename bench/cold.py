"""CPU of a process from its start to its first answer, as at a cold start of a function.

The project's code and its layer are copied as they are uploaded by a machine that has the
functions' Python; boto3 and its byte code are there already, as Lambda's runtime has them. What
Lambda itself does (starting a virtual machine, fetching the code) is not in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench import canned, pairs
from bench.pairs import Turn
from bench.results import Found, Say
from docs.markdown import picture, table
from local.deployment import PROJECT
from stacks.byte_code import compile_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CALLERS: Final = ("handler", "bare", "powertools", "pynamodb", "by_hand")
WITHOUT: Final = ("models", "garbage", "botocore_alone", "logger", "parser", "user_agent")
AS_SOURCES: Final = "handler, as sources"
TURNS: Final = 11

NAMES: Final = {
    "handler": "this project's handler",
    "bare": "boto3's client alone",
    "powertools": "Powertools' resolver with pydantic",
    "pynamodb": "PynamoDB",
    "by_hand": "written by hand, the limit",
    "handler-models": "with botocore's loader",
    "handler-garbage": "with Python's own rhythm of collecting garbage",
    "handler-botocore_alone": "with boto3.client",
    "handler-logger": "with Powertools' Logger",
    "handler-parser": "with botocore's parser",
    "handler-user_agent": "with botocore's user agent",
    AS_SOURCES: "without byte code",
}

OURS: Final = ("msgspec",)
"""What the layer brings; `lambdas/requirements.txt` has the same."""


def measure(say: Say) -> Found:
    """The seconds of CPU of a start, and the bytes that are uploaded."""
    contenders = (*CALLERS, *(f"handler-{each}" for each in WITHOUT), AS_SOURCES)
    say(f"{TURNS} turns of {len(contenders)} starts")
    with ExitStack() as stack:
        url = stack.enter_context(canned.running())
        uploaded = stack.enter_context(artefact())
        as_sources = stack.enter_context(artefact(is_compiled=False))
        turns = {
            name: start(name.partition(",")[0], url, as_sources if name == AS_SOURCES else uploaded)
            for name in contenders
        }
        for turn in turns.values():
            turn()  # the first one fills the caches of the file system
        took = pairs.taken_in_turn(turns, TURNS)
        size = {folder: _bytes(uploaded / folder) for folder in ("code", "layer")}
    return {"starts": pairs.compared(took, to="bare"), "bytes": size}


@contextmanager
def artefact(*, is_compiled: bool = True) -> Iterator[Path]:
    """What is uploaded, in a folder: `code` and `layer`."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(PROJECT / "lambdas", root / "code" / "lambdas", ignore=ignored)
        for package in OURS:
            source = Path(str(distribution(package).locate_file(package)))
            shutil.copytree(source, root / "layer" / package, ignore=ignored)
        if is_compiled:
            compile_all(root, "/", f"3.{sys.version_info.minor}")
        yield root


def start(caller: str, url: str, uploaded: Path) -> Turn:
    """A turn: the seconds of CPU of a process that asks once."""
    folders = [uploaded / "code", uploaded / "layer", PROJECT]
    environment = pairs.environment(
        url,
        PYTHONPATH=os.pathsep.join(map(str, folders)),
        PYTHONDONTWRITEBYTECODE="1",
        AWS_LAMBDA_FUNCTION_NAME="get_user",
    )
    command = [sys.executable, "-m", "bench.callers", caller, "item"]

    def turn() -> float:
        with subprocess.Popen(  # noqa: S603 - our own module
            command,
            cwd=uploaded,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            said = process.stderr.read() if process.stderr else b""
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{caller} ended with {process.returncode}: {said.decode()}")
        return used.ru_utime + used.ru_stime

    return turn


def _bytes(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """The starts beside one another, and what each means brings."""
    starts = found["starts"]

    def rows(names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        for name in names:
            ratio = "1" if name == "bare" else pairs.shown(starts[name]["ratio"])
            yield NAMES[name], f"{starts[name]['median'] * 1000:.0f}", ratio

    uploaded = found["bytes"]
    ours = ("handler", *(f"handler-{each}" for each in WITHOUT), AS_SOURCES)
    return "\n\n".join(
        [
            "## A cold start",
            INTRODUCTION,
            picture("cold", ALT),
            table(("From start to first answer", "ms of CPU", "of boto3's client"), rows(CALLERS)),
            MEANS,
            table(("The handler", "ms of CPU", "of boto3's client"), rows(ours)),
            UPLOADED.format(**{name: f"{size / 1000:.0f} KB" for name, size in uploaded.items()}),
        ]
    )


INTRODUCTION: Final = """\
CPU time of a new process from its start to its first answer, a GetItem against an endpoint on
loopback. The code is what is uploaded; boto3 is there with its byte code, as in Lambda's runtime.
Each share is one of starts in the same turn, with its quartiles."""

ALT: Final = (
    "Bars: the milliseconds of CPU from a process's start to its first answer, for this project's "
    "handler, boto3's client alone, Powertools with pydantic, PynamoDB, and a client by hand."
)

UPLOADED: Final = "Uploaded are {code} of code and {layer} of dependencies, not yet compressed."

MEANS: Final = """\
What brings it down, each measured as the same handler without it. When it makes a client, botocore
searches the folders of all services and reads everyone's endpoints; `lambdas/runtime/models.py`
spares both. Some ninety thousand objects are made and kept; to look for garbage among them in vain
is put off by `lambdas/runtime/garbage.py` until the function answers. boto3 brings transfers and
resources that a client does not use, so the client is botocore's own. Powertools' Logger is
replaced by one of forty lines with the same fields. The parser and the user agent are for warm
requests; they bring nothing here. Byte code is uploaded where the machine that deploys has the
functions' Python (`stacks/byte_code.py`); the last line is a function that was deployed without."""


def plots(found: Found) -> dict[str, Figure]:
    """The starts as bars."""
    from bench import plot  # noqa: PLC0415

    drawn = plot.figure(height=2.6)
    axes = drawn.add_subplot()
    names = list(reversed(CALLERS))
    axes.barh(
        [NAMES[name] for name in names],
        [found["starts"][name]["median"] * 1000 for name in names],
        color=[plot.COLOURS[name != "handler"] for name in names],
    )
    axes.set_xlabel("ms of CPU from the start of a process to its first answer")
    return {"cold": drawn}
