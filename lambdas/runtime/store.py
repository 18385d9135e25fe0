"""The one place that talks to DynamoDB. Its faults become ours here, and its costs are counted."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from botocore import __version__
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError
from botocore.session import get_session  # noqa: TID251 - this is the one place

from lambdas.runtime import answers, items, models, settings
from lambdas.runtime.errors import Conflict, Throttled, TooLarge, Unavailable
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


MAX_ACTIONS: Final = 100
"""DynamoDB's limit for the actions of a transaction."""

RETURN_OLD: Final = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


class Rejected(Exception):
    """DynamoDB found the request itself invalid. Its `reason` may quote what the caller gave."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class ConditionFailed(Exception):
    """A condition of a write does not hold; `item` is what is stored, if anything is."""

    def __init__(self, item: Item | None) -> None:
        super().__init__()
        self.item = item


class Cancelled(Exception):
    """Conditions of a transaction do not hold: `failed` maps their steps' positions to what is
    stored there, if anything is."""

    def __init__(self, failed: dict[int, Item | None]) -> None:
        super().__init__()
        self.failed = failed


@lru_cache(maxsize=1)
def client() -> DynamoDBClient:
    """The client of this process, made when it is first needed."""
    # boto3.client() is the same, but with boto3 come resources and transfers: a sixth of a start.
    session = get_session()
    models.load_fast(session)
    answers.read_fast(session)
    config = Config(
        connect_timeout=settings.CONNECT_TIMEOUT_SECONDS,
        read_timeout=settings.READ_TIMEOUT_SECONDS,
        retries={"mode": "standard", "total_max_attempts": settings.ATTEMPTS},
        # Without it botocore puts together twenty facts about this process, twice a request.
        user_agent=f"Botocore/{__version__} single-table",
    )
    return cast(
        "DynamoDBClient",
        session.create_client("dynamodb", region_name=settings.region(), config=config),
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
        if "ConsumedCapacity" not in answer:  # DynamoDB says it always; this was somebody else
            raise Unavailable("DynamoDB does not answer this at the moment.")
        return cast("Item | None", answer.get("Item"))

    def query(self, request: dict[str, Any]) -> tuple[list[Item], Item | None]:
        """The items, and the key of the last one that was read if there may be more."""
        answer = self._call(client().query, _of_table(request))
        if "Items" not in answer:
            raise Unavailable("DynamoDB does not answer this at the moment.")
        return answer["Items"], answer.get("LastEvaluatedKey")

    def get_items(self, keys: list[dict[str, Any]]) -> list[Item]:
        """The items with these keys, at most 100, that exist; in no order."""
        found: list[Item] = []
        for attempt in range(settings.ATTEMPTS_AT_A_BATCH):
            _pause(attempt)
            request = {"RequestItems": {settings.table_name(): {"Keys": keys}}}
            answer = self._call(client().batch_get_item, request)
            found += answer["Responses"].get(settings.table_name(), [])
            keys = answer.get("UnprocessedKeys", {}).get(settings.table_name(), {}).get("Keys", [])
            if not keys:
                return found
        raise Throttled("DynamoDB has no capacity left for this at the moment.")

    def update_item(self, request: dict[str, Any]) -> Item:
        """The item as an update leaves it. Raises ConditionFailed, Conflict and TooLarge."""
        _refuse_too_large(request.get("ExpressionAttributeValues", {}))
        update = {"ReturnValues": "ALL_NEW", **_of_table(request), **RETURN_OLD}
        return cast(Item, self._write(client().update_item, update)["Attributes"])

    def delete_item(self, request: dict[str, Any]) -> None:
        """Removes an item, if there is one. Raises Conflict."""
        self._write(client().delete_item, _of_table(request))

    def transact(self, steps: Sequence[tuple[str, dict[str, Any]]], token: str) -> None:
        """Carries out all the steps or none; each is an action (`Put`, ...) and its request.

        With the same token it is carried out once, however often it is sent. Raises Cancelled when
        conditions do not hold, Conflict and TooLarge.
        """
        if len(steps) > MAX_ACTIONS:
            raise TooLarge(
                f"It takes {len(steps)} actions; a transaction has {MAX_ACTIONS} at most."
            )
        for _, request in steps:
            _refuse_too_large(request.get("Item", {}))
        actions = [{action: {**_of_table(request), **RETURN_OLD}} for action, request in steps]
        request = {"TransactItems": actions, "ClientRequestToken": token}
        self._write(client().transact_write_items, request)

    def _write(self, operation: Callable[..., Any], request: dict[str, Any]) -> Any:
        """A write, tried again while another is at the same items. Raises Conflict in the end."""
        for attempt in range(settings.ATTEMPTS_AT_A_CONFLICT):
            _pause(attempt)
            try:
                return self._call(operation, request)
            except _Contended:
                continue
        raise Conflict("Another call changes the same at the moment; try again.")

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
        consumed = answer.get("ConsumedCapacity") or []
        for each in consumed if isinstance(consumed, list) else [consumed]:
            self.capacity += Decimal(str(each.get("CapacityUnits", 0)))
        return answer


def _of_table(request: dict[str, Any]) -> dict[str, Any]:
    return {"TableName": settings.table_name(), **request}


def _pause(attempt: int) -> None:
    """Wait before another attempt: at random up to a bound that doubles, so that writers part."""
    if attempt:
        bound = min(settings.LONGEST_PAUSE_SECONDS, 0.02 * 2**attempt)
        time.sleep(random.uniform(0, bound))  # noqa: S311 - nothing secret depends on it


def _refuse_too_large(item: Item) -> None:
    if (size := items.size(item)) > items.MAX_ITEM_BYTES:
        raise _too_large(f"It would have {size} bytes")


def _too_large(what: str) -> TooLarge:
    return TooLarge(f"{what}; DynamoDB takes an item of {items.MAX_ITEM_BYTES} bytes at most.")


class _Contended(Exception):
    """Another write is at the same items at this moment."""


def _as_ours(error: ClientError) -> Exception:
    code = error.response["Error"]["Code"]
    reason = error.response["Error"].get("Message", code)
    match code:
        case "ConditionalCheckFailedException":
            return ConditionFailed(cast("Item | None", error.response.get("Item")))
        case "TransactionCanceledException":
            return _cancelled(cast("Any", error.response).get("CancellationReasons", []))
        case "TransactionConflictException" | "TransactionInProgressException":
            return _Contended()
        case "ValidationException" if "size" in reason and "exceed" in reason:
            return _too_large("It is too large")
        case "ValidationException":
            return Rejected(reason)
        case _ if code in THROTTLED:
            return Throttled("DynamoDB has no capacity left for this at the moment.")
    return Unavailable("DynamoDB does not answer this at the moment.")


def _cancelled(reasons: Sequence[Mapping[str, Any]]) -> Exception:
    """What cancelled a transaction, read by position. A condition that does not hold is certain; it
    goes before a conflict or a lack of capacity, which may be over at the next attempt."""
    failed = {
        position: reason.get("Item")
        for position, reason in enumerate(reasons)
        if reason.get("Code") == "ConditionalCheckFailed"
    }
    codes = {reason.get("Code") for reason in reasons}
    if failed:
        return Cancelled(failed)
    if "TransactionConflict" in codes:
        return _Contended()
    if codes & {"ProvisionedThroughputExceeded", "ThrottlingError"}:
        return Throttled("DynamoDB has no capacity left for this at the moment.")
    if "ItemCollectionSizeLimitExceeded" in codes or "ValidationError" in codes:
        return _too_large("It is too large")
    return Unavailable("DynamoDB does not answer this at the moment.")
