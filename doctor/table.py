"""The table as the doctor uses it: read in segments side by side, looked up, mended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from doctor.faults import Step
from doctor.pace import Pace, units
from lambdas.design.table import TABLE
from lambdas.runtime import items
from lambdas.runtime.items import Item
from lambdas.runtime.requests import Request
from seed import table as loading
from seed.faults import Failure
from seed.table import READ_BATCH, batches

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CHANGED_MEANWHILE: Final = frozenset(
    {
        "ConditionalCheckFailedException",
        "TransactionCanceledException",
        "TransactionConflictException",
    }
)
"""The error codes that mean: another has been here, or is here now."""

NOT_TAKEN: Final = frozenset({"ValidationException", "ValidationError"})
"""The codes, of an error and within a cancelled transaction, of what will never be taken."""

NO_CAPACITY: Final = frozenset({"ProvisionedThroughputExceeded", "ThrottlingError"})
"""The codes within a cancelled transaction that mean: later it will work."""

NO_ANSWER: Final = f"DynamoDB has no capacity for it, though asked {loading.ATTEMPTS} times"

DEFINED, KEYED = "AttributeDefinitions", "KeySchema"

PAGE_ITEMS: Final = 1000
"""A page has no more items than that, so that several of them at once are little memory."""

ITEMS_OF_A_UNIT: Final = 4
"""How many items a read unit is taken to read, to make pages that cost no more than the rate."""

INDEX_LAG_SECONDS = 3.0
"""Changes usually reach an index within a fraction of a second, and DynamoDB names no bound."""

Key = tuple[str, str]


class NotTaken(Exception):
    """DynamoDB does not take a write, whenever it is asked."""


class Table(loading.Table):
    """A table whose items are read, looked up and mended at a pace.

    All reads are consistent, but those of an index, which cannot be. Each method may be called from
    several threads, and raises Failure.
    """

    def __init__(self, client: DynamoDBClient, name: str, pace: Pace) -> None:
        super().__init__(client, name)
        self.pace = pace

    def about(self) -> int:
        """How many items there are, as DynamoDB last counted them: it does so every six hours."""
        answer = self._answer("Table", self._client.describe_table, TableName=self.name)
        described = answer["Table"]
        types = {each["AttributeName"]: each["AttributeType"] for each in _of(described, DEFINED)}
        named = [(each["AttributeName"], each["KeyType"]) for each in _of(described, KEYED)]
        attributes = zip(TABLE.key_attributes, ("HASH", "RANGE"), strict=True)
        if named != [*attributes] or {types.get(name) for name, _ in named} != {"S"}:
            raise Failure(
                f"the table {self.name} has other keys than {' and '.join(TABLE.key_attributes)}, "
                "both of them text: it is none of this project's"
            )
        count: int = described["ItemCount"]
        return count

    def side_by_side(self, work: Callable[[int], None], segments: Iterable[int]) -> None:
        """Do some work on each segment; those that do not fit beside the others follow."""
        for _ in self._in_flight(work, segments):
            pass

    def pages(
        self, segment: int, of: int, after: Item | None
    ) -> Iterator[tuple[list[Item], Item | None]]:
        """The items of a segment from a place on: each page, and where it ends unless it is the
        last."""
        request: Request = {
            "TableName": self.name,
            "Segment": segment,
            "TotalSegments": of,
            "ConsistentRead": True,
            "ReturnConsumedCapacity": "TOTAL",
            "Limit": PAGE_ITEMS,
        }
        if self.pace.rate is not None:  # at most what flows in within a second, for all segments
            a_second = int(self.pace.rate * ITEMS_OF_A_UNIT / of)
            request["Limit"] = min(PAGE_ITEMS, max(1, a_second))
        while not self._given_up.is_set():  # of a fault elsewhere others will tell
            if after:
                request["ExclusiveStartKey"] = after
            answer = self._read_of("Items", self._client.scan, request)
            after = answer.get("LastEvaluatedKey")
            yield answer["Items"], after
            if not after:
                return

    def get(self, wanted: Iterable[Item]) -> dict[Key, Item]:
        """Those items that exist, by key, of the keys that are wanted."""
        by_key = {label(key): key for key in wanted}
        found: dict[Key, Item] = {}
        for batch in batches(list(by_key.values()), READ_BATCH):
            found |= {label(item): item for item in self._batch(batch)}
        return found

    def has_any(self, request: Request) -> bool:
        """Whether a query finds anything."""
        return bool(
            self._read_of("Items", self._client.query, self._query(request, Limit=1))["Items"]
        )

    def count(self, request: Request) -> int:
        """How many items a query finds. None of them is kept, nor sent."""
        counting = self._query(request, Select="COUNT")
        total = 0
        while True:
            answer = self._read_of("Count", self._client.query, counting)
            total += int(answer["Count"])
            if "LastEvaluatedKey" not in answer:
                return total
            counting["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def write(self, steps: Sequence[Step]) -> bool:
        """Carry out all the steps or none; False when something that they rest on has changed.

        Raises NotTaken when they can never be carried out.
        """
        return bool(self._answer("IsDone", self._written, steps=steps)["IsDone"])

    def let_indexes_catch_up(self) -> None:
        """Wait until an index has, in all likelihood, what was written before."""
        self._given_up.wait(INDEX_LAG_SECONDS)

    def _written(self, steps: Sequence[Step]) -> dict[str, Any]:
        with_table = [(action, {"TableName": self.name, **request}) for action, request in steps]
        try:
            if len(steps) > 1:
                actions: Any = [{action: request} for action, request in with_table]
                self._client.transact_write_items(TransactItems=actions)
            else:
                [(action, request)] = with_table
                getattr(self._client, f"{action.lower()}_item")(**request)
        except ClientError as error:
            if not _codes(error).isdisjoint(NOT_TAKEN):
                raise NotTaken from None
            if self._is_throttled(error) or _code(error) not in CHANGED_MEANWHILE:
                raise
            return {"IsDone": False}
        return {"IsDone": True}

    def _is_throttled(self, error: ClientError) -> bool:
        """A transaction is also throttled if one of its steps is, and no condition has failed."""
        codes = _codes(error)
        is_cancelled = not codes.isdisjoint(NO_CAPACITY) and "ConditionalCheckFailed" not in codes
        return is_cancelled or super()._is_throttled(error)

    def _batch(self, keys: Sequence[Item]) -> list[Item]:
        wanted: dict[str, Any] = {self.name: {"Keys": list(keys), "ConsistentRead": True}}
        found: list[Item] = []
        for _ in self._attempts():
            self.pace.wait()
            if answer := self._ask(
                "UnprocessedKeys", self._client.batch_get_item, RequestItems=wanted
            ):
                read = list(chain.from_iterable(answer["Responses"].values()))
                asked = len(wanted[self.name]["Keys"])
                wanted = answer["UnprocessedKeys"]
                done = asked - len(wanted.get(self.name, {}).get("Keys", []))
                self.pace.spend(sum(map(_units, read)) + done - len(read))
                found += read
            if not wanted:
                return found
        raise Failure(NO_ANSWER)

    def _query(self, request: Request, **more: Any) -> Request:
        consistent = {} if "IndexName" in request else {"ConsistentRead": True}
        return {
            "TableName": self.name,
            "ReturnConsumedCapacity": "TOTAL",
            **request,
            **consistent,
            **more,
        }

    def _read_of(
        self, member: str, operation: Callable[..., Any], request: Request
    ) -> dict[str, Any]:
        """The answer to a read, paid for.

        What DynamoDB says that it consumed is believed unless it is less than what the items come
        to: emulators of it say one unit, or half of one, for whatever is read.
        """
        self.pace.wait()
        answer = self._answer(member, operation, **request)
        said = float((answer.get("ConsumedCapacity") or {}).get("CapacityUnits", 0))
        self.pace.spend(max(said, units(sum(map(items.size, answer.get("Items", []))))))
        return answer

    def _answer(self, member: str, operation: Callable[..., Any], **request: Any) -> dict[str, Any]:
        for _ in self._attempts():
            if answer := self._ask(member, operation, **request):
                return answer
        raise Failure(NO_ANSWER)


def _codes(error: ClientError) -> set[str]:
    """The error's code, and those of the steps of a cancelled transaction."""
    response: Any = error.response
    reasons = response.get("CancellationReasons", ())
    return {_code(error), *(each.get("Code", "") for each in reasons)}


def _code(error: ClientError) -> str:
    return error.response["Error"]["Code"]


def label(item: Item) -> Key:
    """The key of an item as text."""
    return loading.primary_key(item)


def _of(described: dict[str, Any], member: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = described.get(member, [])
    return found


def _units(item: Item) -> float:
    return units(items.size(item))
