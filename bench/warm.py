"""CPU of a request in a process that is warm: GetItem of one item, and Query of a hundred.

Each contender (`bench.callers`) has a process of its own; they take turns at the same canned
endpoint, and their CPU time is read, not the clock.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from bench import canned, machine, pairs
from bench.pairs import Turn
from bench.profile import MEMORY_MB
from bench.results import Found, Say
from docs.markdown import picture, table
from local.deployment import PROJECT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CALLERS: Final = ("handler", "bare", "deserializer", "boto3_resource", "pynamodb", "by_hand")
WITHOUT: Final = ("parser", "garbage", "signature", "validation", "user_agent", "logger", "any")
"""What the handler is also measured without: see `bench.callers`."""

QUESTIONS: Final = {"item": 400, "page": 150}
"""How often each is asked in a turn: often enough that the caches are warm for most of them."""

TURNS: Final = 15

WHOLE_PROCESSOR_MB: Final = 1769
"""The memory with which a function has one whole processor: Lambda Developer Guide, "Configure
Lambda function memory"."""

NAMES: Final = {
    "handler": "this project's handler",
    "bare": "boto3's client, its answer unused",
    "deserializer": "boto3's client with TypeDeserializer",
    "boto3_resource": "boto3's resource",
    "pynamodb": "PynamoDB",
    "by_hand": "written by hand, the limit",
    "handler-parser": "handler, with botocore's parser",
    "handler-garbage": "handler, with Python's own rhythm of collecting garbage",
    "handler-signature": "handler, with botocore's signing",
    "handler-validation": "handler, with botocore's check of parameters",
    "handler-user_agent": "handler, with botocore's user agent",
    "handler-logger": "handler, with Powertools' Logger",
    "handler-any": "handler, with all of these",
}


def measure(say: Say) -> Found:
    """The milliseconds of CPU that a request takes."""
    found: Found = {}
    contenders = (*CALLERS, *(f"handler-{each}" for each in WITHOUT))
    for question, often in QUESTIONS.items():
        say(f"{question}: {TURNS} turns of {len(contenders)} callers")
        with ExitStack() as stack:
            url = stack.enter_context(canned.running())
            turns = {
                name: stack.enter_context(asking(name, question, url, often)) for name in contenders
            }
            for turn in turns.values():
                turn()  # the first one warms up
            took = pairs.taken_in_turn(turns, TURNS, say)
        found[question] = pairs.compared(took, to="handler")
    return {**found, "machine": machine.this()}


@contextmanager
def asking(name: str, question: str, url: str, often: int) -> Iterator[Turn]:
    """A process of a caller, and a turn of it: the milliseconds of CPU of one question."""
    command = [sys.executable, "-m", "bench.callers", name, question, "again"]
    with subprocess.Popen(  # noqa: S603 - our own module
        command,
        cwd=PROJECT,
        env=pairs.environment(url, AWS_LAMBDA_FUNCTION_NAME="get_user"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        questions, answers = process.stdin, process.stdout
        if questions is None or answers is None:
            raise TypeError("both are pipes")

        def turn() -> float:
            print(often, file=questions, flush=True)
            return float(answers.readline()) / often

        yield turn
        questions.close()


# --- The page -------------------------------------------------------------------------------


def section(found: Found) -> str:
    """The callers beside one another, and what each means brings."""
    return "\n\n".join(
        [
            "## A warm request",
            INTRODUCTION.format(
                machine=machine.said(found["machine"]),
                memory=MEMORY_MB,
                times=f"{WHOLE_PROCESSOR_MB / MEMORY_MB:.1f}",
            ),
            picture("warm", ALT),
            table(
                (
                    "Caller",
                    "GetItem of 0.8 KB: ms",
                    "the handler's share of it",
                    "Query of 100 items: ms",
                    "the handler's share of it",
                ),
                [[NAMES[name], *_cells(found, name)] for name in CALLERS],
            ),
            MEANS,
            table(
                (
                    "The handler",
                    "GetItem: ms",
                    "the handler's share of it",
                    "Query: ms",
                    "the handler's share of it",
                ),
                [
                    [NAMES[name], *_cells(found, name)]
                    for name in ("handler", *(f"handler-{each}" for each in WITHOUT))
                ],
            ),
        ]
    )


INTRODUCTION: Final = """\
CPU time, the kernel's included, of one request in a process that has made requests before, against
an endpoint on loopback that always gives the same answer. Each caller ends with the JSON text that
an API answers with, but for the second one, which stops at the client's answer; the handler also
checks parameters and writes its log line. Powertools, which asks by boto3's client, is in the
chapter above alone. {machine} A function of {memory} MB has a part of a processor, so that
it takes {times} times as long.

All callers take turns, and a share is that of two callers in the same turn: the median of these
shares, which is not that of the medians, and in brackets their quartiles. Quartiles with 1 between
them tell nothing from chance. What we want: a GetItem at most 1.05 times boto3's client, and a page
at most 0.25 times boto3's resource and at most twice the client that is written by hand for these
two requests and does nothing else: the limit."""

ALT: Final = (
    "Two rows of bars: the milliseconds of CPU of a GetItem and of a Query of 100 items, for this "
    "project's handler, four ways of using boto3 and PynamoDB, and a client written by hand."
)

MEANS: Final = """\
What brings it down, each measured as the same handler without it, and in the last line without any:

- botocore's parser walks every value of an answer in Python. `lambdas/runtime/answers.py` has
  msgspec read answers of reads in one step; the tests hold it to botocore's own result.
- Python looks for garbage whenever there are 700 objects more than before (2000 from 3.13 on), and
  a page of items is some thousands, none of them garbage. `lambdas/runtime/garbage.py` has it look
  seldom.
- botocore copies a request's headers three times to sign them. `lambdas/runtime/signatures.py` goes
  through them once; the tests hold it to botocore's own signature.
- botocore checks parameters against its model, and DynamoDB does so again. That is an option of the
  client, and so is the user agent, which botocore puts together anew for every request, twice.
- Powertools' Logger does more than one line of JSON needs."""


def _cells(found: Found, name: str) -> Iterator[str]:
    for question in QUESTIONS:
        each = found[question][name]
        yield f"{each['median']:.2f}"
        yield "1" if name == "handler" else pairs.shown(_inverse(each["ratio"]))


def _inverse(ratio: Sequence[float]) -> list[float]:
    """The handler's share of a caller, from the caller's multiple of the handler."""
    low, middle, high = ratio
    return [1 / high, 1 / middle, 1 / low]


def plots(found: Found) -> dict[str, Figure]:
    """The callers as bars."""
    from bench import plot  # noqa: PLC0415

    drawn = plot.figure(height=4.5)
    for at, (question, title) in enumerate(
        {"item": "GetItem, 0.8 KB", "page": "Query, 100 items"}.items(), 1
    ):
        axes = drawn.add_subplot(2, 1, at)
        names = list(reversed(CALLERS))
        axes.barh(
            [NAMES[name] for name in names],
            [found[question][name]["median"] for name in names],
            color=[plot.COLOURS[name != "handler"] for name in names],
        )
        axes.bar_label(axes.containers[0], fmt="%.2f", padding=3)  # type: ignore[arg-type]
        axes.margins(x=0.1)
        axes.set_title(title, loc="left")
        axes.set_xlabel("ms of CPU")
    return {"warm": drawn}
