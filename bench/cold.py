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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench import canned, machine, pairs
from bench.pairs import Turn
from bench.results import Found, Say
from docs.markdown import picture, table
from local.deployment import PROJECT, this_machine

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CALLERS: Final = ("handler", "bare", "powertools", "pynamodb", "by_hand")
WITHOUT: Final = (
    "models",
    "garbage",
    "botocore_alone",
    "logger",
    "parser",
    "signature",
    "validation",
    "user_agent",
)
AS_SOURCES: Final = "handler, as sources"
WITHOUT_ANY: Final = "handler-any, as sources"
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
    "handler-signature": "with botocore's signing",
    "handler-validation": "with botocore's check of parameters",
    "handler-user_agent": "with botocore's user agent",
    AS_SOURCES: "without byte code",
    WITHOUT_ANY: "with all of these, without byte code",
}

VARIANTS: Final = (*(f"handler-{each}" for each in WITHOUT), AS_SOURCES, WITHOUT_ANY)


def measure(say: Say) -> Found:
    """The seconds of CPU of a start, and the bytes that are uploaded."""
    contenders = (*CALLERS, *VARIANTS)
    say(f"{TURNS} turns of {len(contenders)} starts")
    with ExitStack() as stack:
        url = stack.enter_context(canned.running())
        uploaded = stack.enter_context(artefact())
        as_sources = stack.enter_context(artefact(is_compiled=False))
        turns = {
            name: start(name.partition(",")[0], url, as_sources if "," in name else uploaded)
            for name in contenders
        }
        for turn in turns.values():
            turn()  # the first one fills the caches of the file system
        took = pairs.taken_in_turn(turns, TURNS, say)
        zipped = {"with byte code": _zipped(uploaded), "as sources": _zipped(as_sources)}
    return {
        "starts": pairs.compared(took, to="bare"),
        "zipped": zipped,
        "machine": machine.this(),
    }


@contextmanager
def artefact(*, is_compiled: bool = True) -> Iterator[Path]:
    """What is uploaded, in a folder: `code`, and `layer` as Lambda puts it beside."""
    # The CDK starts Node; who only writes the page again needs neither.
    from stacks.code import code  # noqa: PLC0415
    from stacks.dependencies import dependencies  # noqa: PLC0415
    from stacks.settings import Settings  # noqa: PLC0415

    functions = Settings(**this_machine())
    ignored = None if is_compiled else shutil.ignore_patterns("__pycache__")
    with TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(code(functions, PROJECT), root / "code", ignore=ignored)
        shutil.copytree(dependencies(functions) / "python", root / "layer", ignore=ignored)
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


def _zipped(uploaded: Path) -> Found:
    """The bytes of each part as the archive that is uploaded."""
    return {part: _bytes_zipped(uploaded / part) for part in ("code", "layer")}


def _bytes_zipped(folder: Path) -> int:
    with TemporaryDirectory() as archives:
        return Path(shutil.make_archive(f"{archives}/part", "zip", folder)).stat().st_size


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """The starts beside one another, and what each means brings."""
    starts = found["starts"]

    def rows(names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        for name in names:
            ratio = "1" if name == "bare" else pairs.shown(starts[name]["ratio"])
            yield NAMES[name], f"{starts[name]['median'] * 1000:.0f}", ratio

    sizes = [
        (kind, *(f"{size / 1000:.0f}" for size in each.values()))
        for kind, each in found["zipped"].items()
    ]
    return "\n\n".join(
        [
            "## A cold start",
            INTRODUCTION.format(machine=machine.said(found["machine"])),
            picture("cold", ALT),
            table(("From start to first answer", "ms of CPU", "of boto3's client"), rows(CALLERS)),
            MEANS,
            table(("The handler", "ms of CPU", "of boto3's client"), rows(("handler", *VARIANTS))),
            UPLOADED,
            table(("Uploaded", "code: KB", "dependencies: KB"), sizes),
        ]
    )


INTRODUCTION: Final = """\
CPU time of a new process from its start to its first answer, a GetItem against an endpoint on
loopback. The code is what is uploaded; boto3 is there with its byte code, as in Lambda's runtime.
{machine} The functions' own Python and processor are others by default, and were not at hand. All
callers take turns, and each share is that of two starts in the same turn: the median of these
shares, and in brackets their quartiles. What we want: at most 1.05 times boto3's client."""

ALT: Final = (
    "Bars: the milliseconds of CPU from a process's start to its first answer, for this project's "
    "handler, boto3's client alone, Powertools with pydantic, PynamoDB, and a client by hand."
)

UPLOADED: Final = """\
Byte code is uploaded where the machine that deploys has the functions' Python; what it takes in the
archives:"""

MEANS: Final = """\
What brings it down, each measured as the same handler without it, and in the last line without any.
When it makes a client, botocore searches the folders of all services and reads everyone's
endpoints; `lambdas/runtime/models.py` spares both. Some ninety thousand objects are made and kept;
to look for garbage among them in vain is put off by `lambdas/runtime/garbage.py` until the function
answers. boto3 brings transfers and resources that a client does not use, so the client is
botocore's own. Powertools' Logger is replaced by one of forty lines with the same fields. The
parser, the signer, the check of parameters and the user agent are for warm requests; at a start
they bring little."""


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
    axes.bar_label(axes.containers[0], fmt="%.0f", padding=3)  # type: ignore[arg-type]
    axes.margins(x=0.1)
    axes.set_xlabel("ms of CPU from the start of a process to its first answer")
    return {"cold": drawn}
