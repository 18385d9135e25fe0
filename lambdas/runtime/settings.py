"""What a function is told by its environment, and the limits it keeps to."""

from __future__ import annotations

import os
from typing import Final

CONNECT_TIMEOUT_SECONDS: Final = 1.0
READ_TIMEOUT_SECONDS: Final = 3.0
ATTEMPTS: Final = 3
"""With these an operation that gets no answer ends after 15 s: three attempts of 4 s, and the
pauses of botocore's standard mode between them, at most 1 s and 2 s. The read timeout is one for
each read of the socket, so an answer that trickles in is ended by the function's own timeout."""

ATTEMPTS_AT_A_CONFLICT: Final = 8
ATTEMPTS_AT_A_BATCH: Final = 5
LONGEST_PAUSE_SECONDS: Final = 0.4
"""How often a write is tried that meets another one at the same items, and a batch of which
DynamoDB leaves a part; with the pauses between them this takes two seconds at most."""

FUNCTION_TIMEOUT_SECONDS: Final = 20
"""More than a call of DynamoDB can take, less than the 30 s after which the gateway gives up."""

ADMIN_SCOPE: Final = "admin"
"""What the scope is called where the deployment gives it no other name."""


def table_name() -> str:
    """The table's name. Raises KeyError outside a function that has none set."""
    return os.environ["TABLE_NAME"]


def region() -> str | None:
    """The region, where the environment names it as Lambda does; boto3 itself looks elsewhere."""
    return os.environ.get("AWS_REGION")


def callers_are_people() -> bool:
    """Whether every call must come with a token (`auth=jwt`)."""
    return os.environ.get("AUTH") == "jwt"


def admin_scope() -> str:
    """The scope that makes a token an admin's."""
    return os.environ.get("ADMIN_SCOPE", ADMIN_SCOPE)


def in_lambda() -> bool:
    """Whether this process is a Lambda function's."""
    return "AWS_LAMBDA_FUNCTION_NAME" in os.environ
