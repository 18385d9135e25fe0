from __future__ import annotations

import pytest

from bench import ledger, results
from bench.results import Found


@pytest.fixture(scope="session")
def now() -> Found:
    """The ledger as the code gives it now."""
    return ledger.measured(lambda _: None)


@pytest.fixture(scope="session")
def kept() -> Found:
    """The ledger as it was when `python -m bench cost` was last run."""
    found: Found = results.kept()["cost"]["ledger"]
    return found
