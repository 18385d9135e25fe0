"""`docs/deployment.md` says what `stacks/settings.py` takes and what the gateway answers."""

from __future__ import annotations

import re
from dataclasses import fields

from docs.generate import ROOT
from lambdas.runtime.openapi.responses import GATEWAY
from lambdas.runtime.settings import FUNCTION_TIMEOUT_SECONDS
from stacks.settings import NUMBERS, Settings

PAGE = (ROOT / "docs" / "deployment.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_context_key_is_there_with_its_default() -> None:
    described = {key.strip("`"): default.strip("`") for key, default, _ in rows("Context keys")}

    assert described == {each.name: str(each.default) for each in fields(Settings)}


def test_what_a_number_can_be_is_said() -> None:
    meaning = {key.strip("`"): text for key, _, text in rows("Context keys")}

    for name, allowed in NUMBERS.items():
        [last] = re.findall(r"\((?:1 |up )to (\d+)\)", meaning[name])
        assert int(last) == allowed[-1]


def test_every_status_of_the_gateway_is_there() -> None:
    described = [int(status) for status, _, _ in rows("What the gateway answers by itself")]

    assert described == sorted({*GATEWAY, 404})


def test_the_time_after_which_a_function_ends_is_the_one_it_has() -> None:
    [row] = [row for row in rows("What the gateway answers by itself") if row[0] == "503"]

    assert f"ends after {FUNCTION_TIMEOUT_SECONDS} by itself" in row[2]
