"""The one place that talks to DynamoDB. Its faults become ours here, and its costs are counted."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from botocore import __version__
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError
from botocore.session import get_session  # noqa: TID251 - this is the one place

from lambdas.design.keys import MAX_SHARDS
from lambdas.runtime import (
    answers,
    garbage,
    items,
    models,
    settings,
    signatures,
    whole_answers,
)
from lambdas.runtime.errors import (
    Conflict,
    Forbidden,
    Problem,
    Throttled,
    TooLarge,
    Unavailable,
)
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


READS: Final = frozenset({"get_item", "query", "batch_get_item", "execute_statement"})
"""The operations that consume read units; the others consume write units."""

DENIED: Final = "AccessDeniedException"

NO_ANSWER: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What is raised over an answer that is no JSON object of the declared form."""

MAX_ACTIONS: Final = 100
"""DynamoDB's limit for the actions of a transaction."""

CAPACITY: Final = "ConsumedCapacity"
"""The member that every answer of DynamoDB's has, since every request asks for it."""

NOT_NOW: Final = "DynamoDB does not answer this at the moment."
NO_CAPACITY: Final = "DynamoDB has no capacity left for this at the moment."

INVALID: Final = "ValidationError"
"""The code of a transaction's step that cannot be carried out on the item as it is."""

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
    """The client of this process, made when it is first needed. It waits as `settings` says."""
    whole_answers.install()
    # boto3.client() is the same, but with boto3 come resources and transfers.
    session = get_session()
    models.load_fast(session)
    answers.read_fast(session)
    config = Config(
        connect_timeout=settings.CONNECT_TIMEOUT_SECONDS,
        read_timeout=settings.READ_TIMEOUT_SECONDS,
        retries={"mode": "standard", "total_max_attempts": settings.ATTEMPTS},
        max_pool_connections=MAX_SHARDS,  # made as they are needed
        # DynamoDB does the same once more, and what is wrong with ours the tests find.
        parameter_validation=not settings.in_lambda(),
        signature_version=signatures.version(),
        # Without it botocore puts together twenty facts about this process, twice a request.
        user_agent=f"Botocore/{__version__} single-table",
    )
    return cast(
        "DynamoDBClient",
        session.create_client("dynamodb", region_name=settings.region(), config=config),
    )


if settings.in_lambda():  # while the function starts it has a whole processor, later a part of one
    client()
    garbage.look_again()


class Store:
    """The table as one call of a function uses it.

    What the call has cost so far: `requests` counts operations, and `retries` how often the SDK has
    sent one again; `read_units` and `write_units` are what DynamoDB says they consumed.
    `items_read` counts the items that DynamoDB gave, `items_returned` those that the caller is
    shown, `conflicts` the writes that met another one. `fault` is the code or the kind of the last
    fault, for the log; never its message.
    """

    def __init__(self, last_start: float | None = None) -> None:
        self.requests = 0
        self.retries = 0
        self.read_units = Decimal(0)
        self.write_units = Decimal(0)
        self.items_read = 0
        self.items_returned = 0
        self.conflicts = 0
        self.fault: str | None = None
        self._last_start = last_start or time.monotonic() + settings.LAST_START_SECONDS

    @property
    def capacity(self) -> Decimal:
        """All units that the call has consumed so far."""
        return self.read_units + self.write_units

    @property
    def has_time(self) -> bool:
        """Whether the call may still begin an operation; see `settings`."""
        return time.monotonic() < self._last_start

    def get_item(self, request: dict[str, Any]) -> Item | None:
        """The item with this key, or None."""
        found = cast("Item | None", self._call("get_item", _of_table(request)).get("Item"))
        self.items_read += found is not None
        return found

    def query(self, request: dict[str, Any]) -> tuple[list[Item], Item | None]:
        """The items, and the key of the last one that was read if there may be more."""
        answer = self._call("query", _of_table(request), gives="Items")
        self.items_read += len(answer["Items"])  # no filter is declared: these are all it has read
        return answer["Items"], answer.get("LastEvaluatedKey")

    def query_each(
        self, requests: Sequence[dict[str, Any]]
    ) -> list[tuple[list[Item], Item | None]]:
        """What each of some queries finds, in their order; all are asked at the same time.

        It takes as long as the slowest. Raises what the first one raises that fails, once none is
        under way any more.
        """
        # Only a pattern with a sharded key comes here, and no other is to load this.
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

        client()  # threads that find none would each make one
        counts = [Store(self._last_start) for _ in requests]  # none is added to by two threads
        with ThreadPoolExecutor(len(requests)) as pool:
            asked = [
                pool.submit(copy_context().run, count.query, request)
                for count, request in zip(counts, requests, strict=True)
            ]
        for count in counts:
            self.requests += count.requests
            self.retries += count.retries
            self.read_units += count.read_units
            self.items_read += count.items_read
            self.fault = self.fault or count.fault
        return [each.result() for each in asked]

    def get_items(self, keys: list[dict[str, Any]]) -> list[Item]:
        """The items with these keys, at most 100, that exist, as they are now; in no order.

        That is half a unit more for each 4 KB than a read that may miss the last write.
        """
        found: list[Item] = []
        for attempt in range(settings.ATTEMPTS_AT_A_BATCH):
            _pause(attempt)
            wanted = {"Keys": keys, "ConsistentRead": True}
            request = {"RequestItems": {settings.table_name(): wanted}}
            answer = self._call("batch_get_item", request, gives="Responses")
            given = answer["Responses"].get(settings.table_name(), [])
            self.items_read += len(given)
            found += given
            keys = answer.get("UnprocessedKeys", {}).get(settings.table_name(), {}).get("Keys", [])
            if not keys:
                return found
        raise Throttled(NO_CAPACITY)

    def update_item(self, request: dict[str, Any]) -> Item:
        """The item as an update leaves it. Raises ConditionFailed, Conflict and TooLarge."""
        _refuse_too_large(request.get("ExpressionAttributeValues", {}))
        update = {"ReturnValues": "ALL_NEW", **_of_table(request), **RETURN_OLD}
        return cast(Item, self._write("update_item", update, gives="Attributes")["Attributes"])

    def delete_item(self, request: dict[str, Any]) -> None:
        """Removes an item, if there is one. Raises ConditionFailed and Conflict."""
        self._write("delete_item", {**_of_table(request), **RETURN_OLD})

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
        self._write("transact_write_items", request)

    def execute_statement(self, request: dict[str, Any]) -> tuple[list[Item], str | None]:
        """The items that a PartiQL statement finds, and the next page's token if there is one.

        Raises Forbidden when IAM denies what the caller's statement would read.
        """
        try:
            answer = self._call("execute_statement", request, gives="Items")
        except Unavailable:
            if self.fault == DENIED:
                raise Forbidden("The statement reads what this route may not read.") from None
            raise
        self.items_read += len(answer["Items"])
        return answer["Items"], answer.get("NextToken")

    def _write(self, operation: str, request: dict[str, Any], gives: str = CAPACITY) -> Any:
        """A write, tried again while another is at the same items. Raises Conflict in the end."""
        for attempt in range(settings.ATTEMPTS_AT_A_CONFLICT):
            _pause(attempt)
            try:
                return self._call(operation, request, gives)
            except _Contended:
                self.conflicts += 1
        raise Conflict("Another call changes the same at the moment; try again.")

    def _call(self, operation: str, request: dict[str, Any], gives: str = CAPACITY) -> Any:
        """The answer, which has at least the member that it `gives`.

        Raises Throttled, Unavailable, and Rejected when DynamoDB finds the request invalid.
        """
        if not self.has_time:
            raise Unavailable("DynamoDB takes too long at the moment; not all has been done.")
        self.requests += 1
        try:
            answer = getattr(client(), operation)(ReturnConsumedCapacity="TOTAL", **request)
            if gives not in answer:  # DynamoDB says it always; this was somebody else
                raise LookupError(gives)
            consumed = _consumed(answer)
            self.retries += _retries(answer)
        except ClientError as error:
            self.retries += _retries(error.response)
            raise self._noted(error.response["Error"]["Code"], _as_ours(error)) from error
        except ParamValidationError:  # our own fault, and not one of the network
            raise
        except BotoCoreError as error:
            reached = Unavailable("DynamoDB cannot be reached at the moment.")
            raise self._noted(type(error).__name__, reached) from error
        except NO_ANSWER as error:
            raise self._noted("NoAnswer", Unavailable(NOT_NOW)) from error
        if operation in READS:
            self.read_units += consumed
        else:
            self.write_units += consumed
        return answer

    def _noted(self, fault: str, ours: Exception) -> Exception:
        if isinstance(ours, Problem):
            self.fault = fault
        return ours


def _consumed(answer: Mapping[str, Any]) -> Decimal:
    """The units that an answer says it cost; a transaction says it for each of its tables."""
    said = answer.get(CAPACITY) or []
    tables = said if isinstance(said, list) else [said]
    return sum((Decimal(str(each.get("CapacityUnits", 0))) for each in tables), Decimal(0))


def _retries(answer: Mapping[str, Any]) -> int:
    """How often the SDK has sent the request again, as it says itself."""
    retries: int = answer.get("ResponseMetadata", {}).get("RetryAttempts", 0)
    return retries


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
    reason = str(error.response["Error"].get("Message"))
    match code:
        case "ConditionalCheckFailedException":
            return ConditionFailed(cast("Item | None", error.response.get("Item")))
        case "TransactionCanceledException":
            reasons = cast("Any", error.response).get("CancellationReasons", [])
            return _cancelled([reason or {} for reason in reasons])
        case "TransactionConflictException" | "TransactionInProgressException":
            return _Contended()
        case "ValidationException" if _is_about_size(reason):
            return _too_large("It is too large")
        case "ValidationException" | "SerializationException":
            return Rejected(reason)
        case _ if code in THROTTLED:
            return Throttled(NO_CAPACITY)
    return Unavailable(NOT_NOW)


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
        return Throttled(NO_CAPACITY)
    invalid = [str(reason.get("Message")) for reason in reasons if reason.get("Code") == INVALID]
    if "ItemCollectionSizeLimitExceeded" in codes or any(map(_is_about_size, invalid)):
        return _too_large("It is too large")
    if invalid:  # all in the request is ours, so it is what is stored that it does not fit
        return Conflict("An item that this changes is not stored as it should be.")
    return Unavailable(NOT_NOW)


def _is_about_size(reason: str) -> bool:
    return "size" in reason and "exceed" in reason
