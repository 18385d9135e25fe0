"""The table as loading uses it: many items at once, in batches as large as DynamoDB takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from functools import partial
from itertools import chain, count, islice
from random import uniform
from threading import Event
from typing import TYPE_CHECKING, Any, Final, TypeVar

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from lambdas.design.table import TABLE
from lambdas.runtime.items import Item
from lambdas.runtime.store import THROTTLED
from seed.connection import IN_FLIGHT
from seed.faults import Failure, no_answer, not_dynamodb, refused

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WRITE_BATCH: Final = 25
READ_BATCH: Final = 100
"""The most that BatchWriteItem and BatchGetItem take in one request."""

ATTEMPTS: Final = 8
FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 5.0
"""Pauses grow from the first to the longest; with these they come to 11.3 s at the most."""

NOT_EMPTIED: Final = f"DynamoDB has not let all items be deleted, though asked {ATTEMPTS} times"

PrimaryKey = tuple[str, str]
Advance = Callable[[int], None]
"""Told how many more items are done; it is called from several threads."""

_T = TypeVar("_T")
_R = TypeVar("_R")


class Table:
    """A table at the end of a connection.

    Each method sends several requests at once, and sends again, after a pause, what DynamoDB has
    left undone. Each raises Failure, and after that the table takes no more.
    """

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self.name = name
        self.endpoint_url = client.meta.endpoint_url
        self._client = client
        self._given_up = Event()
        self._taken = 0
        """How often DynamoDB has taken something; that it changes is what counts."""

    def versions(
        self, keys: Iterable[PrimaryKey], advance: Advance = lambda _: None
    ) -> Iterator[tuple[PrimaryKey, int]]:
        """The `Version` of those items that exist, in no order."""
        read = partial(self._read, advance=advance)
        for item in chain.from_iterable(self._in_flight(read, batches(keys, READ_BATCH))):
            yield primary_key(item), _version(item)

    def put(self, items: Iterable[Item], advance: Advance) -> None:
        """Write the items, whatever stands in their places. They are taken as they are needed."""
        write = partial(self._write, advance=advance)
        number = count()
        requests = ({"PutRequest": {"Item": item}} for item, _ in zip(items, number, strict=False))
        left = list(chain.from_iterable(self._in_flight(write, batches(requests, WRITE_BATCH))))
        if left:
            names = some([label(request["PutRequest"]["Item"]) for request in left])
            raise Failure(
                f"DynamoDB has not taken {len(left)} of {next(number)} items "
                f"(a batch is sent {ATTEMPTS} times): {names}"
            )

    def empty(self, advance: Advance) -> None:
        """Delete every item, also those that are not of a dataset."""
        empty_segment = partial(self._empty_segment, advance=advance)
        for _ in self._in_flight(empty_segment, range(IN_FLIGHT)):
            pass

    def _read(self, keys: Sequence[PrimaryKey], advance: Advance) -> list[Item]:
        """Key and version of those items that exist."""
        wanted: dict[str, Any] = {
            self.name: {
                "Keys": [_key(*key) for key in keys],
                "ProjectionExpression": "#PK, #SK, #Version",
                "ExpressionAttributeNames": _placeholders(*TABLE.key_attributes, "Version"),
                "ConsistentRead": True,
            }
        }
        found: list[Item] = []
        for _ in self._attempts():
            if answer := self._ask(
                "UnprocessedKeys", self._client.batch_get_item, RequestItems=wanted
            ):
                found += chain.from_iterable(answer["Responses"].values())
                wanted = answer["UnprocessedKeys"]
            if not wanted:
                advance(len(keys))
                return found
        raise Failure(f"DynamoDB has not read the items there are, though asked {ATTEMPTS} times")

    def _write(self, requests: Sequence[dict[str, Any]], advance: Advance) -> list[dict[str, Any]]:
        """Write a batch, and return what DynamoDB does not take."""
        left, rest, taken = list(requests), pauses(), self._taken
        while True:
            wanted = {self.name: left}
            if answer := self._ask(
                "UnprocessedItems", self._client.batch_write_item, RequestItems=wanted
            ):
                unprocessed = list(chain.from_iterable(answer["UnprocessedItems"].values()))
                advance(len(left) - len(unprocessed))
                self._taken += len(unprocessed) < len(left)
                left = unprocessed
            if taken != self._taken:  # there is some capacity, whose ever: no need for patience
                rest, taken = pauses(), self._taken
            if not left or not self._has_waited(rest):
                return left

    def _empty_segment(self, segment: int, advance: Advance) -> None:
        """Delete one of the parts of the table that are scanned side by side."""
        for keys in self._pages(segment):
            requests = [{"DeleteRequest": {"Key": key}} for key in keys]
            for batch in batches(requests, WRITE_BATCH):
                if self._write(batch, advance):
                    raise Failure(NOT_EMPTIED)

    def _pages(self, segment: int) -> Iterator[list[Item]]:
        """The keys of a part of the table."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "Segment": segment,
            "TotalSegments": IN_FLIGHT,
            "ProjectionExpression": "#PK, #SK",
            "ExpressionAttributeNames": _placeholders(*TABLE.key_attributes),
            "ConsistentRead": True,
        }
        is_last = False
        while not (is_last or self._given_up.is_set()):  # of a fault elsewhere others will tell
            answer = self._scan(request)
            yield answer["Items"]
            is_last = "LastEvaluatedKey" not in answer
            request["ExclusiveStartKey"] = answer.get("LastEvaluatedKey")

    def _scan(self, request: dict[str, Any]) -> dict[str, Any]:
        for _ in self._attempts():
            if answer := self._ask("Items", self._client.scan, **request):
                return answer
        raise Failure(NOT_EMPTIED)

    def _in_flight(self, work: Callable[[_T], _R], pieces: Iterable[_T]) -> Iterator[_R]:
        """The results of some work on each piece, in the order in which they come.

        A piece is taken when its turn is near, so there may be any number of them.
        """
        pool = ThreadPoolExecutor(IN_FLIGHT)
        begun: set[Future[_R]] = set()
        try:
            for piece in pieces:
                if len(begun) >= 2 * IN_FLIGHT:
                    done, begun = wait(begun, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
                begun.add(pool.submit(work, piece))
            yield from (future.result() for future in as_completed(begun))
        except BaseException as error:
            self._given_up.set()
            # After a fault what is under way is awaited, and counted; after Ctrl-C it is not.
            pool.shutdown(wait=isinstance(error, Exception), cancel_futures=True)
            raise
        pool.shutdown()

    def _attempts(self) -> Iterator[None]:
        """A turn for each attempt: the first at once, the others after their pauses.

        Once anything has been given up there is but the first: what the table takes is written,
        and what it does not take is not waited for any longer.
        """
        yield
        rest = pauses()
        while self._has_waited(rest):
            yield

    def _has_waited(self, rest: Iterator[float]) -> bool:
        """Make the next of the pauses; False when there was none left, or all is given up."""
        pause = next(rest, None)
        if pause is None:
            self._given_up.set()
            return False
        return not self._given_up.wait(pause)

    def _ask(
        self, member: str, operation: Callable[..., Any], **request: Any
    ) -> dict[str, Any] | None:
        """DynamoDB's answer, which always has this member; None when it has no capacity for the
        request at the moment."""
        try:
            answer: dict[str, Any] = operation(**request)
        except ClientError as error:
            if self._is_throttled(error):
                return None
            raise refused(error, self.name, self.endpoint_url) from error
        except (BotoCoreError, ResponseParserError) as error:
            raise no_answer(error, self.endpoint_url) from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            # The SDK's own parser falls over JSON that is not an object, such as null.
            raise not_dynamodb(self.endpoint_url) from error
        if member not in answer:
            raise not_dynamodb(self.endpoint_url)
        return answer

    def _is_throttled(self, error: ClientError) -> bool:
        """Whether it means that there is no capacity at the moment."""
        return error.response["Error"]["Code"] in THROTTLED


def pauses() -> Iterator[float]:
    """The seconds to wait before each attempt but the first: exponential back-off with full jitter,
    so that batches that were refused together do not come back together."""
    for doublings in range(ATTEMPTS - 1):
        # Chance spreads load here, it keeps no secret.
        yield uniform(0, min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**doublings))  # noqa: S311


def batches(whole: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """The parts of a whole, each as large as it may be."""
    rest = iter(whole)
    while batch := list(islice(rest, size)):
        yield batch


def primary_key(item: Item) -> PrimaryKey:
    """Where an item stands in the table."""
    return item[TABLE.partition_key]["S"], item[TABLE.sort_key]["S"]


def label(item: Item) -> str:
    """An item's type and key, for people: `Order USER#U-001 / ORDER#2024-01-15`."""
    return f"{item['Type']['S']} {' / '.join(primary_key(item))}"


def some(names: Sequence[str], most: int = 3) -> str:
    """The first few of some names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _key(partition: str, sort: str) -> Item:
    return {TABLE.partition_key: {"S": partition}, TABLE.sort_key: {"S": sort}}


def _version(item: Item) -> int:
    return int(item.get("Version", {}).get("N", "1"))


def _placeholders(*names: str) -> dict[str, str]:
    return {f"#{name}": name for name in names}
