from __future__ import annotations

from datetime import UTC, datetime

import pytest

from seed import ecommerce
from tests.conftest import Put
from tests.handlers.conftest import Clock

__all__ = ["Clock"]


@pytest.fixture
def shop(put: Put) -> None:
    """The example data that `make seed` loads."""
    put(*ecommerce.items(datetime.now(UTC)))
