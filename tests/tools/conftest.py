from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest
from botocore.stub import Stubber


@pytest.fixture
def cloudformation(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    """The answers of CloudFormation, in the order in which they are asked for."""
    client = boto3.client(
        "cloudformation",
        region_name="eu-central-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
    )
    # What boto3.client() makes is made by a session too.
    monkeypatch.setattr("boto3.Session.client", lambda *_, **__: client)
    with Stubber(client) as stubber:
        yield stubber
