"""What a function is told by its environment, and the limits it keeps to."""

from __future__ import annotations

import os
from typing import Final

CONNECT_TIMEOUT_SECONDS: Final = 1.0
"""How long it may take to connect, to agree on the encryption, and to send: a second each."""

READ_TIMEOUT_SECONDS: Final = 2.0
"""How long an answer may take until it is there whole, however slowly its bytes come."""

MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""More than DynamoDB answers (a batch has 16 MB of items), and what a function has memory for."""

ATTEMPTS: Final = 3
"""How often botocore sends a request that gets no answer, or one that says: try again."""

PAUSES_SECONDS: Final = 3.0
"""How long botocore's standard mode pauses between them: at random up to 1 s, and up to 2 s."""

LAST_START_SECONDS: Final = 8.0
"""After this much of a call no other operation of DynamoDB is begun; what has begun is ended."""

FUNCTION_TIMEOUT_SECONDS: Final = 27
"""More than `longest_call` is, and less than the 30 s after which an HTTP API gives up. So whatever
DynamoDB and the network do, the caller gets an answer of ours."""

ATTEMPTS_AT_A_CONFLICT: Final = 8
ATTEMPTS_AT_A_BATCH: Final = 5
LONGEST_PAUSE_SECONDS: Final = 0.4
"""How often a write is tried that meets another one at the same items, and a batch of which
DynamoDB leaves a part; with the pauses between them this takes two seconds at most."""

ADMIN_SCOPE: Final = "admin"
"""What the scope is called where the deployment gives it no other name."""


def longest_operation() -> float:
    """How many seconds an operation of DynamoDB takes at most: every attempt with all its waits."""
    return ATTEMPTS * (3 * CONNECT_TIMEOUT_SECONDS + READ_TIMEOUT_SECONDS) + PAUSES_SECONDS


def longest_call() -> float:
    """After how many seconds a call is answered at the latest: an operation begins at the last
    moment, and takes as long as it can."""
    return LAST_START_SECONDS + longest_operation()


def table_name() -> str:
    """The table's name. Raises KeyError outside a function that has none set."""
    return os.environ["TABLE_NAME"]


def region() -> str | None:
    """The region, where the environment names it as Lambda does; boto3 itself looks elsewhere."""
    return os.environ.get("AWS_REGION")


def metrics_namespace() -> str | None:
    """Under which name CloudWatch keeps the metrics of the calls; None where none are wanted."""
    return os.environ.get("METRICS_NAMESPACE")


def callers_are_people() -> bool:
    """Whether every call must come with a token (`auth=jwt`)."""
    return os.environ.get("AUTH") == "jwt"


def admin_scope() -> str:
    """The scope that makes a token an admin's."""
    return os.environ.get("ADMIN_SCOPE", ADMIN_SCOPE)


def in_lambda() -> bool:
    """Whether this process is a Lambda function's."""
    return "AWS_LAMBDA_FUNCTION_NAME" in os.environ
