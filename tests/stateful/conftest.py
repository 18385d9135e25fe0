"""The table that the machines write to: moto's in the suite, the emulator's in a fuzz run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from hypothesis import HealthCheck, settings

from lambdas.runtime import store, times
from local.deployment import ACCESS_KEY, REGION, SECRET_KEY, is_about_aws
from local.emulator import emulator, endpoint, free_port
from tests.stateful.machine import FUZZ, is_fuzz
from tests.stateful.service import Clock, Service

if TYPE_CHECKING:
    from tests.stacks.synthesis import Synthesized

settings.register_profile(
    FUZZ,
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.fixture
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The service with a clock of its own, on an empty table."""
    clock = Clock()
    monkeypatch.setattr(times, "now", lambda: clock.now)
    if is_fuzz():
        client, name = request.getfixturevalue("table_on_the_emulator")
        return Service(client, name, clock)
    name = request.getfixturevalue("table")
    return Service(request.getfixturevalue("dynamodb"), name, clock)


@pytest.fixture(scope="session")
def table_on_the_emulator(
    templates: Synthesized, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Any, str]]:
    """A client of an emulator of our own, and the template's table in it."""
    port, folder = free_port(), tmp_path_factory.mktemp("emulator")
    with emulator(port, Path(folder)), pytest.MonkeyPatch.context() as environment:
        for name in filter(is_about_aws, list(os.environ)):
            environment.delenv(name)
        environment.setenv("AWS_ENDPOINT_URL", endpoint(port))
        environment.setenv("AWS_REGION", REGION)
        environment.setenv("AWS_DEFAULT_REGION", REGION)
        environment.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        environment.setenv("TABLE_NAME", "fuzz")
        store.client.cache_clear()
        client = boto3.client("dynamodb")
        client.create_table(TableName="fuzz", **templates.table.create_table())
        yield client, "fuzz"
        store.client.cache_clear()
