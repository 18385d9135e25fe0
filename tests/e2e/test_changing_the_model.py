"""`docs/changing-the-model.md`, followed to the letter: a table that is in use gets an index."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from docs.generate import ROOT
from lambdas.design.ecommerce import CHANGE_ORDER_STATUS, Order
from lambdas.runtime import keys
from lambdas.runtime.items import Item
from local.cloud import TABLE_STACK, Cloud, local_cloud
from local.deployment import Deployment
from local.emulator import free_port
from tests.docs.steps import Step, follow, steps
from tests.docs.test_changing_the_model import chapter
from tests.e2e.http import Api

NOT_COPIED = (".*", "__pycache__", "node_modules", "cdk.out")
ITEMS = 10_000
NEW_KEY = {"GSI3PK", "GSI3SK"}

DEPLOY = """\
import sys
from pathlib import Path
from local.cloud import API_STACK
from local.deployment import Deployment
from local.process import run
deployment = Deployment(sys.argv[1], Path(sys.argv[2]))
deployment.write_credentials()
run(deployment.synth())
options = ["--require-approval=never", "--method=direct", f"--app={deployment.assembly}"]
run(deployment.cdk("deploy", API_STACK, "--exclusively", *options))
"""
"""Deploys the functions of a copy. The emulator's CloudFormation gives a table another name when
it is updated, so the table gets its index by UpdateTable, as CloudFormation on AWS does it."""


def steps_of(heading: str) -> list[Step]:
    """What the document says to change in a step of its chapter about a new index."""
    return steps(chapter("A new index").partition(f"\n### {heading}\n")[2].partition("\n### ")[0])


@dataclass
class Copy:
    """A copy of the project, in which the document is followed."""

    folder: Path
    deployment: Deployment

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self.deployment.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def deploy(self) -> None:
        """Bring the functions to what the copy declares. Their permissions name the index."""
        done = self.python("-c", DEPLOY, self.deployment.endpoint_url, str(self.deployment.folder))
        assert done.returncode == 0, done.stderr


@dataclass
class Callers:
    """Callers who change orders through the API all the while."""

    api: Api
    orders: list[Item]
    changed: set[tuple[str, str]] = field(default_factory=set)
    refused: list[Any] = field(default_factory=list)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        done = threading.Event()
        threads = [threading.Thread(target=self._work, args=(n, done)) for n in range(2)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            done.set()
            for thread in threads:
                thread.join()

    def _work(self, number: int, done: threading.Event) -> None:
        for order in cycle(self.orders[number::2]):
            if done.is_set():
                return
            status = {"PENDING": "PAID", "PAID": "SHIPPED"}.get(order["Status"]["S"])
            if status is None:
                continue
            key = keys.decode(Order.primary, order["PK"]["S"], order["SK"]["S"])
            answer = self.api.ask(
                CHANGE_ORDER_STATUS,
                {"Status": status},
                user_id=key["UserId"],
                order_id=key["OrderId"],
            )
            order["Status"] = {"S": status}
            self.changed.add((order["PK"]["S"], order["SK"]["S"]))
            if answer.status != 200:
                self.refused.append(answer)


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Cloud]:
    """A cloud of its own, since the table changes for good."""
    with local_cloud(free_port(), tmp_path / "cloud") as cloud:
        yield cloud


@pytest.fixture
def copy(cloud: Cloud, tmp_path: Path) -> Copy:
    folder = tmp_path / "project"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED))
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    later = tmp_path / "later"
    later.mkdir()
    return Copy(folder, Deployment(cloud.endpoint_url, later))


def add_index(cloud: Cloud, template: Path) -> None:
    """Make the change of the table that the synthesized template has against the deployed one."""
    dynamodb = cloud.dynamodb
    resources = json.loads(template.read_bytes())["Resources"].values()
    [table] = [each["Properties"] for each in resources if "KeySchema" in each["Properties"]]
    deployed = dynamodb.describe_table(TableName=cloud.table_name)["Table"]
    known = {index["IndexName"] for index in deployed["GlobalSecondaryIndexes"]}
    [new] = [each for each in table["GlobalSecondaryIndexes"] if each["IndexName"] not in known]
    create: Any = {name: new[name] for name in ("IndexName", "KeySchema", "Projection")}
    dynamodb.update_table(
        TableName=cloud.table_name,
        AttributeDefinitions=table["AttributeDefinitions"],
        GlobalSecondaryIndexUpdates=[{"Create": create}],
    )


def stored(cloud: Cloud) -> dict[tuple[str, str], Item]:
    pages = cloud.dynamodb.get_paginator("scan").paginate(TableName=cloud.table_name)
    items: list[Any] = [item for page in pages for item in page["Items"]]
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}


@pytest.mark.thorough
def test_an_index_comes_to_a_table_that_is_in_use(cloud: Cloud, copy: Copy) -> None:
    table = ("--table", cloud.table_name)
    loaded = copy.python("-m", "seed", "ecommerce", "--generate", str(ITEMS), *table)
    assert loaded.returncode == 0, loaded.stderr
    before = stored(cloud)
    assert copy.python("-m", "doctor", *table).returncode == 0

    for step in steps_of("Write"):
        follow(step, copy.folder)
    copy.deploy()
    add_index(cloud, copy.deployment.assembly / f"{TABLE_STACK}.template.json")
    lacking = copy.python("-m", "doctor", *table, "--json", "--items-only")
    assert lacking.returncode == 1, lacking.stderr
    orders = [item for item in before.values() if item["Type"] == {"S": "Order"}]
    kinds = {each["kind"]: each["found"] for each in json.loads(lacking.stdout)["kinds"]}
    assert kinds["missing index key"] == len(orders)

    callers = Callers(Api(cloud.api_url), [dict(order) for order in orders])
    with callers.at_work():
        mended = copy.python("-m", "doctor", *table, "--json", "--fix", "--yes")
    report = json.loads(mended.stdout)
    assert (mended.returncode, report["wrong"]) == (0, 0), mended.stderr
    assert copy.python("-m", "doctor", *table).returncode == 0
    assert callers.changed
    assert not callers.refused

    after = stored(cloud)
    assert after.keys() == before.keys()
    for place, item in after.items():
        if place not in callers.changed:
            old = {name: each for name, each in item.items() if name not in NEW_KEY}
            assert old == before[place]
        assert (item.keys() >= NEW_KEY) == (item["Type"] == {"S": "Order"})

    for step in steps_of("Read"):
        follow(step, copy.folder)
    copy.deploy()
    for status in ("PENDING", "PAID", "SHIPPED", "DELIVERED", "CANCELLED"):
        expected = [
            item["SK"]["S"] for item in after.values() if item.get("Status") == {"S": status}
        ]
        listed = listing(Api(cloud.api_url), f"limit=200&status={status}")
        assert [f"ORDER#{each['OrderId']}" for each in listed] == sorted(expected)


def listing(api: Api, query: str) -> list[dict[str, Any]]:
    """All orders of the new pattern's list, page by page."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        answer = api.send("GET", "/ecommerce/orders", query + cursor)
        assert answer.status == 200, answer.text
        found += answer.body["items"]
        if not answer.body["next"]:
            return found
        cursor = f"&cursor={answer.body['next']}"
