"""The one place that talks to DynamoDB. Its faults become ours here, and its costs are counted."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

import boto3  # noqa: TID251 - this is the one place
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from lambdas.runtime import settings
from lambdas.runtime.errors import Throttled, Unavailable
from lambdas.runtime.items import Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

THROTTLED: Final = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
    }
)
"""The error codes that mean: later it will work."""


class Rejected(Exception):
    """DynamoDB found the request itself invalid. Its `reason` may quote what the caller gave."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


@lru_cache(maxsize=1)
def client() -> DynamoDBClient:
    """The client of this process, made when it is first needed."""
    return boto3.client(
        "dynamodb",
        region_name=settings.region(),
        config=Config(
            connect_timeout=settings.CONNECT_TIMEOUT_SECONDS,
            read_timeout=settings.READ_TIMEOUT_SECONDS,
            retries={"mode": "standard", "total_max_attempts": settings.ATTEMPTS},
        ),
    )


if settings.in_lambda():  # while the function starts it has a whole processor, later a part of one
    client()


class Store:
    """The table as one call of a function uses it.

    `requests` and `capacity` count what the call has cost so far: operations, without the SDK's own
    retries, and the units that DynamoDB says it consumed.
    """

    def __init__(self) -> None:
        self.requests = 0
        self.capacity = Decimal(0)

    def get_item(self, request: dict[str, Any]) -> Item | None:
        """The item with this key, or None."""
        answer = self._call(client().get_item, _of_table(request))
        return cast("Item | None", answer.get("Item"))

    def query(self, request: dict[str, Any]) -> tuple[list[Item], Item | None]:
        """The items, and the key of the last one that was read if there may be more."""
        answer = self._call(client().query, _of_table(request))
        return answer["Items"], answer.get("LastEvaluatedKey")

    def execute_statement(self, request: dict[str, Any]) -> tuple[list[Item], str | None]:
        """The items that a PartiQL statement finds, and the next page's token if there is one."""
        answer = self._call(client().execute_statement, request)
        return answer["Items"], answer.get("NextToken")

    def _call(self, operation: Callable[..., Any], request: dict[str, Any]) -> Any:
        """Raises Throttled, Unavailable, and Rejected when DynamoDB finds the request invalid."""
        self.requests += 1
        try:
            answer = operation(ReturnConsumedCapacity="TOTAL", **request)
        except ClientError as error:
            raise _as_ours(error) from error
        except ParamValidationError:  # our own fault, and not one of the network
            raise
        except BotoCoreError as error:
            raise Unavailable("DynamoDB cannot be reached at the moment.") from error
        consumed = answer.get("ConsumedCapacity", {})
        self.capacity += Decimal(str(consumed.get("CapacityUnits", 0)))
        return answer


def _of_table(request: dict[str, Any]) -> dict[str, Any]:
    return {"TableName": settings.table_name(), **request}


def _as_ours(error: ClientError) -> Exception:
    code = error.response["Error"]["Code"]
    if code in THROTTLED:
        return Throttled("DynamoDB has no capacity left for this at the moment.")
    if code == "ValidationException":
        return Rejected(error.response["Error"].get("Message", code))
    return Unavailable("DynamoDB does not answer this at the moment.")
