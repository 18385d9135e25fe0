"""The local cloud as a whole: from an empty folder to a service that answers."""

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3

from local.deployment import (
    ACCESS_KEY,
    ENFORCING,
    OPEN,
    REGION,
    SECRET_KEY,
    Deployment,
    check_tools,
)
from local.emulator import emulator, endpoint

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE_STACK = "SingleTable-dev"
API_STACK = "SingleTableApi-dev"


@dataclass(frozen=True)
class Cloud:
    """The deployed service, and the emulator that it runs on."""

    api_url: str
    table_name: str
    endpoint_url: str
    emulator: subprocess.Popen[bytes]

    @cached_property
    def dynamodb(self) -> "DynamoDBClient":
        """A client of the emulator's DynamoDB."""
        client: DynamoDBClient = self.client("dynamodb")
        return client

    def client(self, service: str) -> Any:
        """Make a client of a service of the emulator's, for the account itself."""
        return boto3.Session(ACCESS_KEY, SECRET_KEY, region_name=REGION).client(
            service,  # type: ignore[call-overload]  # types are installed for two services
            endpoint_url=self.endpoint_url,
        )


@contextmanager
def local_cloud(
    port: int, folder: Path, settings: Mapping[str, str] = OPEN, *others: Deployment
) -> Iterator[Cloud]:
    """Deploy the service onto an emulator on the port; all of it ends with the block.

    The settings are who may call; the emulator enforces IAM if they are made for that. The folder
    is emptied first, and keeps the logs afterwards. Others are deployments to follow, prepared
    meanwhile. Raises RunError.
    """
    check_tools()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    deployment = Deployment(endpoint(port), folder, settings)
    enforcing = ENFORCING if settings.get("policies") == "emulator" else None
    with ExitStack() as stack:
        with step(f"starting the emulator on port {port}"):
            process = stack.enter_context(emulator(port, folder, enforcing))
        with step("synthesizing the stacks, bootstrapping the account"):
            deployment.prepare(*others)
        with step("deploying the stacks"):
            outputs = deployment.deploy()
        table_name = outputs[TABLE_STACK]["TableName"]
        with step("loading the example data"):
            deployment.seed(table_name)
        api_url = local_url(outputs[API_STACK]["ApiUrl"], deployment.endpoint_url)
        yield Cloud(api_url, table_name, deployment.endpoint_url, process)


def local_url(api_url: str, endpoint_url: str) -> str:
    """Return where the emulator answers for an API, whose own host name resolves nowhere."""
    api_id = urlsplit(api_url).netloc.split(".")[0]
    return f"{endpoint_url}/_aws/execute-api/{api_id}"


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what happens before it happens, and after it how long it took."""
    print(f"{what} ...", end=" ", flush=True)
    begin = time.monotonic()
    try:
        yield
    except BaseException:
        print(flush=True)
        raise
    print(f"{time.monotonic() - begin:.1f} s", flush=True)
