"""The figures in SECURITY.md: what is tried, and who may call what."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from docs.markdown import between_markers, code, table
from lambdas.design import ACCESS_PATTERNS
from tests.e2e.test_fuzz import FEWEST_CASES, OPERATIONS
from tests.e2e.test_fuzz import FEWEST_CASES_OF_A_LONG_RUN as LONG_RUN
from tests.faults import cases
from tools import permissions

ACKNOWLEDGED: Final = (
    Path(__file__).resolve().parent.parent
    / "tests/stacks/__snapshots__/test_snapshots/test_acknowledged.txt"
)
"""What is accepted of the rule packs' findings, as `make snapshots` writes it."""


def with_figures(text: str) -> str:
    """The page with what is tried, and who may call what, between their markers."""
    blocks = {
        "figures": table(("what is tried", "how much", "by"), _figures()),
        "people": table(("who", "patterns"), _people()),
    }
    return between_markers(text, blocks)


def _figures() -> list[tuple[str, str, str]]:
    counted = permissions.figures()
    routes = counted.functions  # each has one, the OpenAPI document as well
    tried = routes * (2 + routes)
    return [
        (
            "routes: called by nobody, without permission, and with permission for each",
            f"{routes} routes, {tried} calls: {routes} allowed, {tried - routes} refused",
            "`make fuzz`, each on some of the routes in `make test`",
        ),
        (
            "roles, actions of DynamoDB, and what they may be on",
            f"{counted.tried} pairs: {counted.allowed} allowed, {counted.refused} refused",
            "`make permissions`",
        ),
        (
            "faults injected",
            cases.summary().partition(": ")[2],
            "`make fuzz`, every fifth in `make test`",
        ),
        (
            "operations fuzzed",
            f"{OPERATIONS}, {FEWEST_CASES} calls at least; in a long run {LONG_RUN}",
            "`make test`, `make fuzz`",
        ),
        (
            "findings of the rule packs",
            ACKNOWLEDGED.read_text("utf-8").partition("\n")[0],
            "`make rules`",
        ),
    ]


def _people() -> list[tuple[str, str]]:
    routed = [each for each in ACCESS_PATTERNS if not each.variant_of]
    return [
        (who, " ".join(code(each.id) for each in routed if str(each.people) == who))
        for who in dict.fromkeys(str(each.people) for each in routed)
    ]
