"""A way to DynamoDB that can be disturbed: answers get lost, requests never arrive, faults come."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

HOST = "127.0.0.1"
PREFIX = "DynamoDB_20120810."


@dataclass(frozen=True)
class Fault:
    """What happens to a request instead of what should."""

    is_applied: bool
    """Whether DynamoDB gets the request."""
    status: int | None = None
    """What the caller is answered instead; None: nothing, the connection breaks."""
    body: bytes = b""


LOST_ANSWER = Fault(is_applied=True)
LOST_REQUEST = Fault(is_applied=False)


def error(status: int, code: str, **others: Any) -> Fault:
    """DynamoDB refuses the request with one of its own errors."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code, **others}
    return Fault(is_applied=False, status=status, body=json.dumps(body).encode())


@dataclass
class Proxy:
    """Passes requests on to an endpoint, and does to the next ones what it is told."""

    endpoint_url: str
    url: str = ""
    seen: list[str] = field(default_factory=list)
    """The operations that were asked for, the SDK's own attempts included."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    """What they were asked with."""
    _operation: str = ""
    _faults: list[Fault] = field(default_factory=list)

    def disturb(self, operation: str, *faults: Fault) -> None:
        """Let these happen to the next requests of an operation, one each."""
        self._operation, self._faults = operation, list(faults)
        self.seen.clear()
        self.bodies.clear()

    @property
    def is_quiet(self) -> bool:
        """Whether all that was to happen has happened."""
        return not self._faults

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        operation = request.headers["X-Amz-Target"].removeprefix(PREFIX)
        self.seen.append(operation)
        self.bodies.append(json.loads(body))
        fault = self._faults.pop(0) if operation == self._operation and self._faults else None
        if fault is None or fault.is_applied:
            status, answer = self._forward(request, body)
        if fault is None:
            _respond(request, status, answer)
        elif fault.status is not None:
            _respond(request, fault.status, fault.body)
        else:
            request.close_connection = True  # and nothing has been written to it

    def _forward(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(urlsplit(self.endpoint_url).netloc, timeout=30)
        connection.request("POST", "/", body, dict(request.headers))
        response = connection.getresponse()
        answer = response.status, response.read()
        connection.close()
        return answer


def _respond(request: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
    request.send_response(status)
    request.send_header("Content-Type", "application/x-amz-json-1.0")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


@contextmanager
def proxy_to(endpoint_url: str) -> Iterator[Proxy]:
    """A proxy on a free port of loopback, for the time of the block."""
    proxy = Proxy(endpoint_url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            proxy.handle(self)

        def log_message(self, *_: Any) -> None:  # pytest shows what is printed
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        server.daemon_threads = True
        proxy.url = f"http://{HOST}:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()
