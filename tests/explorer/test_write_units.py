"""The write units that the page shows are those of the ledger, index by index."""

from __future__ import annotations

import pytest

from bench import results
from bench.ledger import EXAMPLE
from explorer import asking
from explorer.changes import attempt
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern

LEDGER = results.kept()["cost"]["ledger"]

FIRST = "CW-03"
"""The example before it makes the same user a VIP, whose change is one of GSI2 as well."""

CHANGES_NOTHING = "UW-03"
"""Its example ends an enrolment that there is not, so there is no item to tell the units from."""

WRITES = sorted(
    (each for each in ACCESS_PATTERNS if not asking.is_read(each) and each.id != CHANGES_NOTHING),
    key=lambda each: each.id != FIRST,
)


@pytest.mark.parametrize("pattern", WRITES, ids=lambda each: each.id)
def test_the_units_of_an_example_are_those_of_the_ledger(
    api_url: str, pattern: AccessPattern
) -> None:
    tried = attempt(api_url, pattern, asking.example(pattern), None)

    units = {name: count for name, count in tried.write_units.items() if count}
    assert tried.answer.problem is None
    assert units == LEDGER[pattern.id]["cases"][EXAMPLE]["writes"]
