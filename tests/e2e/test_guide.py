"""The guide on the real deployment, and its last chapter followed to the letter on a copy."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from docs.generate import ROOT
from local.cloud import Cloud
from tests.docs.guide_reader import Block, Call, calls, guide, prints, run

NOT_COPIED = (".*", "__pycache__", "node_modules", "build", "cdk.out")
PERMISSIONS = "tests/stacks/__snapshots__/test_snapshots/test_permissions.txt"
NEW_ROUTES = ["GET /ecommerce/job-failures", "GET /ecommerce/queued-jobs"]

STEP = re.compile(
    r"(?ms)^In `(?P<file>[^`\n]+)`, (?P<where>before|after) `(?P<anchor>[^`\n]+)`, add"
    r"(?: `(?P<line>[^`\n]+)`\.|:\n\n```(?:python|text)\n(?P<lines>.*?)\n```)$"
    r"|^Make `(?P<new>[^`\n]+)`:\n\n```python\n(?P<whole>.*?)\n```$"
    r"|^```bash\n(?P<command>[^`]*?)\n```\n\n```(?P<language>\w+)\n(?P<shown>.*?)\n```$"
)
"""What the reader is told to do: change a file, make one, or type a command."""


CALLS = calls(guide()[0])


@pytest.fixture(scope="module")
def printed(cloud: Cloud) -> Iterator[dict[Call, str]]:
    """What each call prints, one after the other as a reader makes them: some change the table.

    It is as it was afterwards, since other tests use it too.
    """
    before = stored(cloud)
    try:
        yield {call: run(call, cloud.api_url) for call in CALLS}
    finally:
        restore(cloud, before)


def stored(cloud: Cloud) -> dict[tuple[str, str], dict[str, Any]]:
    """Every item of the table by its primary key."""
    pages = cloud.dynamodb.get_paginator("scan").paginate(TableName=cloud.table_name)
    items: list[dict[str, Any]] = [dict(item) for page in pages for item in page["Items"]]
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}


def restore(cloud: Cloud, before: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Put back what has changed, and remove what is new."""
    dynamodb, after = cloud.dynamodb, stored(cloud)
    for partition, sort in after.keys() - before.keys():
        dynamodb.delete_item(
            TableName=cloud.table_name, Key={"PK": {"S": partition}, "SK": {"S": sort}}
        )
    for place, item in before.items():
        if after.get(place) != item:
            dynamodb.put_item(TableName=cloud.table_name, Item=item)
    assert stored(cloud) == before


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_each_call_prints_what_the_guide_shows(call: Call, printed: dict[Call, str]) -> None:
    assert prints(call, printed[call]), printed[call]


@dataclass(frozen=True)
class Copy:
    """A copy of the project in which the last chapter is being followed."""

    folder: Path

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command as a reader would, and let all that it prints go one way."""
        path = f"{self.folder / '.venv' / 'bin'}:{os.environ['PATH']}"
        personal = {n: v for n, v in os.environ.items() if not n.startswith(("PYTEST", "GIT_"))}
        return subprocess.run(  # noqa: S603 - the guide's own commands
            ["bash", "-euo", "pipefail", "-c", command],  # noqa: S607
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**personal, "PATH": path, "GIT_PAGER": "cat", "COLUMNS": "200"},
            check=False,
        )

    def edit(self, step: re.Match[str]) -> None:
        """Make the change that a sentence of the guide asks for."""
        if step["new"]:
            (self.folder / step["new"]).write_text(f"{step['whole']}\n", "utf-8")
            return
        path = self.folder / step["file"]
        lines = path.read_text("utf-8").splitlines()
        anchor = re.compile(r"( *)" + ".*".join(map(re.escape, step["anchor"].split("..."))))
        [(at, indent)] = [
            (n, found[1]) for n, line in enumerate(lines) if (found := anchor.fullmatch(line))
        ]
        added = (step["line"] or step["lines"]).splitlines()
        apart = [""] if step["where"] == "before" and len(added) > 1 else []
        at += step["where"] == "after"
        lines[at:at] = [f"{indent}{line}".rstrip() for line in added] + apart
        path.write_text("\n".join(lines) + "\n", "utf-8")

    def permissions(self) -> list[str]:
        return (self.folder / PERMISSIONS).read_text("utf-8").splitlines()


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """The project without its history, with an environment that is ready."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED))
    shutil.copy(ROOT / ".gitignore", folder)
    # make takes both for set up: the stamp is newer than all that it depends on.
    for name, real in ((".venv", Path(sys.prefix)), ("node_modules", ROOT / "node_modules")):
        (folder / name).mkdir()
        for entry in real.iterdir():
            if entry.name != "ready":
                (folder / name / entry.name).symlink_to(entry)
        (folder / name / "ready").touch()
    copy = Copy(folder)
    commit = "git -c user.name=reader -c user.email=reader@example.org commit -qm 'As it was'"
    begun = copy.shell(f"git init -q && git add -A && {commit}")
    assert begun.returncode == 0, begun.stdout
    return copy


@pytest.mark.thorough
def test_the_last_chapter_is_true_to_the_letter(copy: Copy) -> None:
    _, chapter = guide()
    before = copy.permissions()
    steps = list(STEP.finditer(chapter))
    assert len(steps) == len(re.findall(r"(?m)^(?:In|Make) `|^```bash$", chapter))

    for step in steps:
        if step["command"] is None:
            copy.edit(step)
        elif "curl" in step["command"]:
            assert_answers(copy, step)
        else:
            assert_prints(copy, step["command"], step["shown"].split("\n"))

    gained = [line for line in copy.permissions() if line not in before]
    assert [line.partition(" |")[0].strip() for line in gained] == NEW_ROUTES
    assert [line for line in copy.permissions() if line in before] == before
    checked = copy.shell("ruff format --check . && ruff check . && make docs")
    assert checked.returncode == 0, checked.stdout
    assert "wrote" not in checked.stdout


def assert_prints(copy: Copy, command: str, shown: list[str]) -> None:
    """A command prints these lines in this order, others between them; `...` stands for anything.

    It succeeds, unless the guide shows that it fails.
    """
    finished = copy.shell(command)
    at = 0
    for line in shown:
        pattern = ".*".join(map(re.escape, line.split("...")))
        found = re.compile(pattern).search(finished.stdout, at)
        assert found, f"{command} does not print {line!r} but:\n{finished.stdout}"
        at = found.end()
    fails = any(re.search(r"\d failed", line) for line in shown)
    assert (finished.returncode != 0) == fails, finished.stdout


def assert_answers(copy: Copy, step: re.Match[str]) -> None:
    """A call of a new route gives what the guide shows, with the copy's own handlers."""
    call = Call(step["command"], Block(step["language"], step["shown"]))
    program = [".venv/bin/python", "-m", "tests.docs.guide_reader", call.command]
    printed = copy.shell(shlex.join(program)).stdout
    assert prints(call, printed), printed
