from __future__ import annotations

from datetime import UTC, datetime

import pytest

from seed import university as dataset
from tests.conftest import Put


@pytest.fixture
def university(put: Put) -> None:
    """The article's example data, which `make seed` loads."""
    put(*dataset.items(datetime.now(UTC)))
