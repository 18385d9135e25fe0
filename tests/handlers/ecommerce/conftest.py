from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from seed import ecommerce
from tests.conftest import Put


@pytest.fixture
def shop(put: Put) -> None:
    """The example data that `make seed` loads."""
    put(*ecommerce.items(datetime.now(UTC)))


class Clock:
    """The functions' clock, which stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def after(self, **duration: float) -> datetime:
        """The time so long after now, or before it."""
        return self.now + timedelta(**duration)

    def move(self, **duration: float) -> None:
        self.now = self.after(**duration)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("lambdas.runtime.times.now", lambda: clock.now)
    return clock
