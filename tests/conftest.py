"""What the tests of several folders share: the synthesized stacks, and a table made from them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from hypothesis import settings
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends

from lambdas.design.entity import Entity
from lambdas.runtime import models, store
from lambdas.runtime.items import Item, to_item
from seed.table import WRITE_BATCH, batches

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from tests.stacks.synthesis import Synthesize, Synthesized

pytest.register_assert_rewrite("tests.handlers.caller", "tests.handlers.cursors")

# The same generated inputs each time, and none is too slow: on a busy machine any of them can be.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("suite")

REGION = "eu-central-1"
TABLE_NAME = "single-table"

Put = Callable[..., None]
"""Stores entities, and items as DynamoDB has them for what no entity can be."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share the tests out by file, those on a local cloud by folder: each cloud is deployed once.

    The tests on one cloud also change the same table, so they must not run side by side.
    """
    from tests.scheduling import ByFileOrFolder  # noqa: PLC0415 - only a parallel run has xdist

    return ByFileOrFolder(config, log)


@pytest.fixture(scope="session")
def synthesize(tmp_path_factory: pytest.TempPathFactory) -> Synthesize:
    """The stacks of a context; each is synthesized once, when the first test asks for it."""
    # The CDK starts a Node process when it is imported; only tests that need it wait for it. The
    # virtual environment may have one that is not on the PATH.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    os.environ["PATH"] = path
    if shutil.which("node") is None:
        pytest.exit("error: these tests need Node.js 22 or newer on the PATH", returncode=1)
    from tests.stacks.synthesis import synthesize as synthesized  # noqa: PLC0415

    known: dict[frozenset[tuple[str, str]], Synthesized] = {}

    def once(**context: str) -> Synthesized:
        key = frozenset(context.items())
        if key not in known:
            known[key] = synthesized(context, tmp_path_factory.mktemp("synthesized"))
        return known[key]

    return once


@pytest.fixture(scope="session")
def templates(synthesize: Synthesize) -> Synthesized:
    """The stacks with the context of cdk.json, as `cdk deploy` would take them."""
    return synthesize()


@pytest.fixture(scope="session", autouse=True)
def _models_read_once() -> Iterator[None]:
    """A function makes one client, and the tests make hundreds: they keep what is read for one."""
    kept = cache(models.ModelFiles().load_file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models.ModelFiles, "load_file", lambda _self, file_path: kept(file_path))
        yield


@pytest.fixture(scope="session")
def aws() -> boto3.Session:
    """What clients of moto are made from: it reads the SDK's large files once, not per module."""
    return boto3.Session()


@pytest.fixture(scope="module")
def dynamodb(aws: boto3.Session) -> Iterator[DynamoDBClient]:
    """A client of moto's DynamoDB, which the functions' client talks to as well.

    It is there for a whole module: to make two clients takes as long as a dozen tests.
    """
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            environment.delenv(name)
        environment.setenv("AWS_REGION", REGION)
        environment.setenv("AWS_DEFAULT_REGION", REGION)
        environment.setenv("TABLE_NAME", TABLE_NAME)
        environment.setattr("boto3.DEFAULT_SESSION", aws)
        with mock_aws(config={"core": {"reset_boto3_session": False}}):
            store.client.cache_clear()
            yield boto3.client("dynamodb")
            store.client.cache_clear()


@pytest.fixture(scope="module")
def table_of_module(dynamodb: DynamoDBClient, templates: Synthesized) -> str:
    """The template's table in moto. To make and delete it takes moto as long as ten calls."""
    dynamodb.create_table(TableName=TABLE_NAME, **templates.table.create_table())
    return TABLE_NAME


@pytest.fixture
def table(table_of_module: str) -> Iterator[str]:
    """The template's table in moto, with nothing in it; the functions' environment names it."""
    yield table_of_module
    dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables[table_of_module].items.clear()


@pytest.fixture
def put(dynamodb: DynamoDBClient, table: str) -> Put:
    """Puts entities into the table, and items as they are."""

    def put(*things: Entity | Item) -> None:
        items = [to_item(thing) if isinstance(thing, Entity) else thing for thing in things]
        last = {(item["PK"]["S"], item["SK"]["S"]): item for item in items}
        # A call takes moto longer than what it does in it.
        for batch in batches(last.values(), WRITE_BATCH):
            puts: list[Any] = [{"PutRequest": {"Item": item}} for item in batch]
            dynamodb.batch_write_item(RequestItems={table: puts})

    return put


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that tests have recorded, whichever process they ran in."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "figure" and report.when == "call":
                    terminalreporter.write_line(str(value))
