"""The local cloud that the tests in this folder share; they are all marked `emulator`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lambdas.design.entity import Entity
from lambdas.runtime.items import to_item
from local.cloud import Cloud, local_cloud
from local.emulator import free_port
from tests.e2e.http import Api

Put = Callable[..., None]
"""Stores entities for the time of one test."""

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


@pytest.fixture(scope="session")
def api(cloud: Cloud) -> Api:
    """The deployed API."""
    return Api(cloud.api_url)


@pytest.fixture
def put(cloud: Cloud) -> Iterator[Put]:
    """Put entities into the table; they are removed after the test."""
    dynamodb = cloud.dynamodb
    keys = []

    def put(*entities: Entity) -> None:
        for item in map(to_item, entities):
            dynamodb.put_item(TableName=cloud.table_name, Item=item)
            keys.append({name: item[name] for name in ("PK", "SK")})

    yield put
    for key in keys:
        dynamodb.delete_item(TableName=cloud.table_name, Key=key)
