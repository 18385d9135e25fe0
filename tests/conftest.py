"""What the tests of several folders share: the synthesized stacks, and a table made from them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from lambdas.design.entity import Entity
from lambdas.runtime import store
from lambdas.runtime.items import Item, to_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from tests.stacks.synthesis import Synthesize, Synthesized

pytest.register_assert_rewrite("tests.handlers.caller", "tests.handlers.cursors")

REGION = "eu-central-1"
TABLE_NAME = "single-table"

Put = Callable[..., None]
"""Stores entities, and items as DynamoDB has them for what no entity can be."""


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
    """Both stacks with the context of cdk.json, as `cdk deploy` would take them."""
    return synthesize()


@pytest.fixture(scope="module")
def dynamodb() -> Iterator[DynamoDBClient]:
    """A client of moto's DynamoDB, which the functions' client talks to as well.

    It is there for a whole module: to make two clients takes as long as a dozen tests.
    """
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            environment.delenv(name)
        environment.setenv("AWS_REGION", REGION)
        environment.setenv("AWS_DEFAULT_REGION", REGION)
        environment.setenv("TABLE_NAME", TABLE_NAME)
        with mock_aws():
            store.client.cache_clear()
            yield boto3.client("dynamodb")
            store.client.cache_clear()


@pytest.fixture
def table(dynamodb: DynamoDBClient, templates: Synthesized) -> Iterator[str]:
    """The template's table in moto, with nothing in it; the functions' environment names it."""
    dynamodb.create_table(TableName=TABLE_NAME, **templates.table.create_table())
    yield TABLE_NAME
    dynamodb.delete_table(TableName=TABLE_NAME)


@pytest.fixture
def put(dynamodb: DynamoDBClient, table: str) -> Put:
    """Puts entities into the table, and items as they are."""

    def put(*things: Entity | Item) -> None:
        for thing in things:
            item = to_item(thing) if isinstance(thing, Entity) else thing
            dynamodb.put_item(TableName=table, Item=item)

    return put
