"""A client that stands before moto's, which takes everything at once as DynamoDB does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from threading import Lock
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from lambdas.runtime.items import Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LOCAL = "http://127.0.0.1:4566"


class Reluctant:
    """Keeps what it is asked, and gives back or refuses as a test sets it."""

    def __init__(self, client: DynamoDBClient, endpoint_url: str = LOCAL) -> None:
        self.meta = SimpleNamespace(endpoint_url=endpoint_url)
        self.gives_back: Callable[[str], float] = lambda _key: 0
        """How often a write to this sort key is given back before it is done."""
        self.leaves_unread: Callable[[str], float] = lambda _key: 0
        """How often the item with this sort key is left unread before it is read."""
        self.before: Callable[[str], None] = lambda _operation: None
        """Called with the name of each operation; may raise."""
        self.batches: list[list[str]] = []
        """The sort keys of every batch that was asked."""
        self.taken: Counter[str] = Counter()
        """How often each sort key was written or read."""
        self._asked: Counter[str] = Counter()
        self.under = client
        self._lock = Lock()

    @property
    def client(self) -> DynamoDBClient:
        return cast("DynamoDBClient", self)

    def batch_write_item(self, **request: Any) -> dict[str, Any]:
        self.before("BatchWriteItem")
        [(table, writes)] = request["RequestItems"].items()
        taken, left = self._divided(writes, written_key, self.gives_back)
        if taken:
            self.under.batch_write_item(RequestItems={table: taken})
        return {"UnprocessedItems": {table: left} if left else {}}

    def batch_get_item(self, **request: Any) -> dict[str, Any]:
        self.before("BatchGetItem")
        [(table, wanted)] = request["RequestItems"].items()
        taken, left = self._divided(wanted["Keys"], lambda key: key, self.leaves_unread)
        found: list[Any] = []
        if taken:
            request["RequestItems"][table] = {**wanted, "Keys": taken}
            answer = self.under.batch_get_item(**request)
            found = answer["Responses"][table]
        unprocessed = {table: {**wanted, "Keys": left}} if left else {}
        return {"Responses": {table: found}, "UnprocessedKeys": unprocessed}

    def scan(self, **request: Any) -> dict[str, Any]:
        self.before("Scan")
        return dict(self.under.scan(**request))

    def _divided(
        self, pieces: list[Any], key: Callable[[Any], Item], times: Callable[[str], float]
    ) -> tuple[list[Any], list[Any]]:
        taken: list[Any] = []
        left: list[Any] = []
        with self._lock:
            self.batches.append([key(piece)["SK"]["S"] for piece in pieces])
            for piece in pieces:
                sort = key(piece)["SK"]["S"]
                self._asked[sort] += 1
                is_taken = self._asked[sort] > times(sort)
                (taken if is_taken else left).append(piece)
            self.taken.update(key(piece)["SK"]["S"] for piece in taken)
        return taken, left


def written_key(request: dict[str, Any]) -> Item:
    """The item of a PutRequest, the key of a DeleteRequest."""
    [(kind, write)] = request.items()
    return cast("Item", write["Item" if kind == "PutRequest" else "Key"])


def refusal(code: str, message: str = "as the test wants it") -> ClientError:
    """An error as DynamoDB answers it."""
    return ClientError({"Error": {"Code": code, "Message": message}}, "BatchWriteItem")
