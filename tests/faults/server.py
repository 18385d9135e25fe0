"""A DynamoDB on loopback that has faults: moto behind a real HTTP server."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import NoCredentialsError
from moto.core.request import normalize_request
from moto.dynamodb.responses import DynamoHandler

from tests.faults.cases import Fault, Way

HOST: Final = "127.0.0.1"
REAL: Final = "https://dynamodb.eu-central-1.amazonaws.com/"
PREFIX: Final = "DynamoDB_20120810."

NOBODY: Final = f"http://{HOST}:1/"
"""Where nobody listens."""

STRUCK: Final = "X-Struck"
"""The header of a request that the fault happens to."""

UNANSWERED: Final = (Way.SILENT, Way.SLOW_HEAD, Way.SLOW_BODY, Way.ENDLESS)

PATIENCE_SECONDS: Final = 10.0
"""How long an answer that comes is waited for."""

IMPATIENCE_SECONDS: Final = 0.015
"""How long an answer is waited for that does not come."""

PIECE_SECONDS: Final = 0.003
"""How long it takes from one piece of a slow answer to the next: less than a read may take."""

PIECES: Final = 300
"""A slow answer has so many and then ends well, so that who waits for it is found out."""


@dataclass
class Server:
    """DynamoDB as a client finds it, and what is wrong with it."""

    url: str = ""
    seen: list[str] = field(default_factory=list)
    """The operations that were asked for, each attempt of the SDK's."""
    _fault: Fault | None = None
    _let_through: int = 0
    _sent: int = 0
    _handled: int = 0
    _carried_out: dict[str, bytes] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begins(self, fault: Fault | None = None, let_through: int = 0) -> None:
        """From now on this happens to every request that it can, after so many of them."""
        self.seen.clear()
        self._fault, self._let_through = fault, let_through

    # --- In the client -----------------------------------------------------------------------

    def before_sign(self, operation_name: str, **_: Any) -> None:
        """There are no credentials, if that is the fault."""
        if self._strikes(operation_name) and self._way is Way.NOT_SIGNED:
            raise NoCredentialsError

    def before_send(self, request: Any, **_: Any) -> None:
        """Counts an attempt, and marks it if the fault happens to it."""
        operation = request.headers["X-Amz-Target"].decode().removeprefix(PREFIX)
        strikes = self._strikes(operation)
        self.seen.append(operation)
        # Only what is not going to be answered is waited for shortly: nothing depends on how fast
        # the machine is.
        is_short = strikes and self._way in UNANSWERED
        request.context["read_timeout"] = IMPATIENCE_SECONDS if is_short else PATIENCE_SECONDS
        if strikes:
            request.headers[STRUCK] = "yes"
        if strikes and self._way is Way.REFUSED:
            request.url = NOBODY
        else:
            self._sent += 1

    @property
    def _way(self) -> Way | None:
        return self._fault.way if self._fault else None

    def _strikes(self, operation: str) -> bool:
        """Whether the fault happens to the next request of an operation."""
        fault = self._fault
        if fault is None or (fault.operations and operation not in fault.operations):
            return False
        before = [each for each in self.seen if not fault.operations or each in fault.operations]
        return len(before) >= self._let_through

    # --- On the wire -------------------------------------------------------------------------

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        fault = self._fault if STRUCK in request.headers else None
        is_applied = fault is None or fault.is_applied
        status, answer = self._answer(request, body) if is_applied else (0, b"")
        with self._lock:
            self._handled += 1
        if fault is None:
            _respond(request, status, answer)
        else:
            _misbehave(request, fault, json.loads(body), answer)

    def settle(self) -> None:
        """Wait until nothing is under way: a client that has given up does not see its write."""
        for _ in range(5000):
            if self._handled >= self._sent:
                return
            time.sleep(0.002)
        raise TimeoutError("a request has not arrived")

    def _answer(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        """What moto answers; as DynamoDB, and unlike moto, it knows a transaction by its token."""
        token = json.loads(body).get("ClientRequestToken")
        with self._lock:
            if token in self._carried_out:
                return 200, self._carried_out[token]
            headers: Any = dict(request.headers)
            asked: Any = normalize_request(AWSPreparedRequest("POST", REAL, headers, body, False))
            status, _, text = DynamoHandler.dispatch(asked, REAL, asked.headers)
            answer = text.encode() if isinstance(text, str) else text
            if token and status == 200:
                self._carried_out[token] = answer
            return status, answer


def _misbehave(request: BaseHTTPRequestHandler, fault: Fault, asked: Any, answer: bytes) -> None:
    match fault.way:
        case Way.ANSWERED:
            _respond(request, fault.answer_status, fault.body.encode())
        case Way.CANCELLED:
            _respond(request, 400, _cancellation(fault, asked))
        case Way.UNPROCESSED:
            _respond(request, 200, _unprocessed(asked))
        case _:
            _break(request, fault, answer)
            request.close_connection = True


def _break(request: BaseHTTPRequestHandler, fault: Fault, answer: bytes) -> None:
    """Gives no answer, or none that comes to its end in time."""
    match fault.way:
        case Way.SILENT:
            _until_it_is_gone(request)
        case Way.RESET:
            at_once = struct.pack("ii", 1, 0)
            request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        case Way.SLOW_HEAD:
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Slow: " % len(answer)
            _drip(request, head, b"x", b"\r\n\r\n" + answer)
        case Way.SLOW_BODY:
            _drip(request, _head(PIECES + len(answer)), b" ", answer)
        case Way.ENDLESS:
            _drip(request, _head(PIECES * 1000 + len(answer)), b" " * 1000, answer)
        case Way.CUT_OFF:
            request.wfile.write(_head(1000) + fault.body.encode())


def _head(length: int) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length


def _respond(request: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
    request.send_response(status)
    request.send_header("Content-Type", "application/x-amz-json-1.0")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def _drip(request: BaseHTTPRequestHandler, head: bytes, piece: bytes, end: bytes) -> None:
    with suppress(OSError):  # when the client has given up
        request.wfile.write(head)
        for _ in range(PIECES):
            request.wfile.write(piece)
            time.sleep(PIECE_SECONDS)
        request.wfile.write(end)


def _until_it_is_gone(request: BaseHTTPRequestHandler) -> None:
    request.connection.settimeout(PIECES * PIECE_SECONDS)
    with suppress(OSError):
        request.connection.recv(1)


def _cancellation(fault: Fault, asked: Any) -> bytes:
    """Reasons for the last steps of a transaction, and none for the others."""
    codes = [*["None"] * (len(asked["TransactItems"]) - len(fault.reasons)), *fault.reasons]
    answer = {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "message": f"Transaction cancelled [{', '.join(codes)}]",
        "CancellationReasons": [{"Code": code} for code in codes[-len(asked["TransactItems"]) :]],
    }
    return json.dumps(answer).encode()


def _unprocessed(asked: Any) -> bytes:
    answer = {
        "Responses": {},
        "UnprocessedKeys": asked["RequestItems"],
        "ConsumedCapacity": [],
    }
    return json.dumps(answer).encode()


@contextmanager
def serving() -> Iterator[Server]:
    """A server on a free port of loopback, for the time of the block; moto must be on."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            server.handle(self)

        def finish(self) -> None:
            with suppress(OSError):  # the client has given up
                super().finish()

        def log_message(self, *_: Any) -> None:  # pytest shows what is printed
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as listening:
        listening.daemon_threads = True
        server.url = f"http://{HOST}:{listening.server_port}"
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join()
