"""A stand-in for DynamoDB on loopback that costs as little as possible itself.

It answers reads at once with one canned answer each, so that what is measured is the caller. It
takes BatchWriteItem after a delay, and no more items a second than it is told; what is too much it
gives back, as DynamoDB does. `python -m bench.canned [DELAY_MS [ITEMS_A_SECOND]]` prints its URL,
and ends when its standard input does.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from threading import Lock, Thread
from typing import Any, Final
from zlib import crc32

from lambdas.design.ecommerce import Order, User
from lambdas.runtime.items import Item, to_item
from local.deployment import PROJECT

ITEMS: Final = 100
ITEM_BYTES: Final = 800
"""About the bytes of an item on the wire."""

CAPACITY: Final = {"TableName": "Table", "CapacityUnits": 0.5}
OVERDRAFT_SECONDS: Final = 300
"""How long unused capacity is kept: Developer Guide, "DynamoDB burst and adaptive capacity"."""


def user() -> Item:
    """The item that every GetItem gives."""
    entity = User(
        UserId="U-001",
        Name="Alice",
        Email="alice@x.de",
        CreatedAt="2023-05-02T08:14:00.000Z",
        Address={"Strasse": "Lindenallee", "Postleitzahl": "50667", "Stadt": "Köln"},
    )
    return _padded(to_item(entity))


def order(number: int) -> Item:
    """One of the items that every Query gives."""
    order_id = f"2024-03-02T09:15:00.{number:03}Z-7F3K9Q"
    entity = Order(
        UserId="U-001",
        OrderId=order_id,
        Status="PENDING",
        Total=Decimal("129.90"),
        Currency="EUR",
        PlacedAt=order_id[:24],
    )
    return _padded(to_item(entity))


def _padded(item: Item) -> Item:
    """The item with a note and a map, so that it has the bytes that it should."""
    inner = {"Carrier": {"S": "DHL"}, "Parcels": {"N": "2"}, "Insured": {"BOOL": True}}
    item["Delivery"] = {"M": inner}
    item["Note"] = {"S": ""}
    item["Note"]["S"] = "n" * (ITEM_BYTES - len(json.dumps(item)))
    return item


class Server:
    """Answers on one port until the process ends."""

    def __init__(self, delay_s: float, items_a_second: float | None) -> None:
        items = [order(number) for number in range(ITEMS)]
        found = {"Items": items, "Count": ITEMS, "ScannedCount": ITEMS}
        self._canned = {
            b"GetItem": _bytes({"Item": user(), "ConsumedCapacity": CAPACITY}),
            b"Query": _bytes({**found, "ConsumedCapacity": CAPACITY}),
        }
        self._delay_s = delay_s
        self._rate = items_a_second
        self._left = 0.0
        self._filled_at = time.monotonic()
        self._lock = Lock()
        self._stored: set[tuple[str, str]] = set()

    def serve(self, listening: socket.socket) -> None:
        """Give each connection a thread."""
        while True:
            connection, _ = listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            while stream.readline():
                headers = {}
                while line := stream.readline().strip():
                    name, _, value = line.partition(b":")
                    headers[name.lower()] = value.strip()
                body = stream.read(int(headers.get(b"content-length", 0)))
                operation = headers.get(b"x-amz-target", b"").rpartition(b".")[2]
                connection.sendall(self._answer(operation, body))

    def _answer(self, operation: bytes, body: bytes) -> bytes:
        if operation in self._canned:
            return self._canned[operation]
        if operation == b"DescribeLimits":  # how the bench asks how many items have arrived
            return _bytes({"TableMaxWriteCapacityUnits": len(self._stored)})
        time.sleep(self._delay_s)
        [(table, writes)] = json.loads(body)["RequestItems"].items()
        taken = self._take(len(writes))
        if not taken:
            kind = "ProvisionedThroughputExceededException"
            return _bytes({"__type": f"x#{kind}", "message": "too much"}, 400)
        items = [write["PutRequest"]["Item"] for write in writes[:taken]]
        with self._lock:
            self._stored.update((item["PK"]["S"], item["SK"]["S"]) for item in items)
        left = writes[taken:]
        return _bytes({"UnprocessedItems": {table: left} if left else {}})

    def _take(self, wanted: int) -> int:
        """How many of so many items there is capacity for now."""
        if self._rate is None:
            return wanted
        with self._lock:
            now = time.monotonic()
            most = self._rate * OVERDRAFT_SECONDS
            self._left = min(most, self._left + (now - self._filled_at) * self._rate)
            self._filled_at = now
            taken = min(wanted, int(self._left))
            self._left -= taken
            return taken


def _bytes(answer: dict[str, Any], status: int = 200) -> bytes:
    body = json.dumps(answer).encode()
    head = (
        f"HTTP/1.1 {status} OK\r\nContent-Type: application/x-amz-json-1.0\r\n"
        f"x-amzn-RequestId: {'R' * 52}\r\nx-amz-crc32: {crc32(body)}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@contextmanager
def running(*, delay_ms: float = 0, items_a_second: float | None = None) -> Iterator[str]:
    """The URL of such a server in a process of its own, which ends with the block."""
    rate = [str(items_a_second)] if items_a_second else []
    command = [sys.executable, "-m", "bench.canned", str(delay_ms), *rate]
    with subprocess.Popen(  # noqa: S603 - our own module
        command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None  # noqa: PT018, S101
        yield process.stdout.readline().strip()
        process.stdin.close()


def main() -> None:
    """Serve until nobody holds our standard input any more."""
    delay_ms, rate, *_ = [*map(float, sys.argv[1:]), 0, 0]
    server = Server(delay_ms / 1000, rate or None)
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)  # for as long as the process is
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    Thread(target=server.serve, args=(listening,), daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
