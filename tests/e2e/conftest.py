"""The local cloud that the tests in this folder share; they are all marked `emulator`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.cloud import Cloud, local_cloud
from local.emulator import free_port

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests beside this file; pytest passes those of all folders."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("emulator")


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """Deploy the real stacks to an emulator of our own, with the example data in the table."""
    with local_cloud(free_port(), tmp_path_factory.mktemp("cloud")) as cloud:
        yield cloud
