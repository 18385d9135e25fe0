from __future__ import annotations

from datetime import UTC, datetime

import pytest

from seed import social
from tests.conftest import Put


@pytest.fixture
def network(put: Put) -> None:
    """The example data that `make seed` loads."""
    put(*social.items(datetime.now(UTC)))
