"""A stand-in for DynamoDB on loopback that gives recorded answers after a delay.

What is compared over it is the number of times that a caller waits, and what it does itself; not
how fast an engine searches. `python -m bench.replay DELAY_MS` reads the recorded exchanges from
its standard input, prints its URL, and ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from zlib import crc32

from lambdas.runtime import store
from local.deployment import PROJECT

Exchanges = dict[str, str]
"""The bodies of answers, by the operation and the body of the request."""

NOT_RECORDED: Final = '{"__type":"x#ValidationException","message":"this was not recorded"}'


@contextmanager
def recorded() -> Iterator[Exchanges]:
    """The exchanges that the client of this process has within."""
    exchanges: Exchanges = {}
    events = store.client().meta.events

    def begin(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["asked"] = _key(params["headers"]["X-Amz-Target"], params["body"])

    def end(http_response: Any, context: dict[str, Any], **_: Any) -> None:
        exchanges[context["asked"]] = http_response.content.decode()

    events.register("before-call.dynamodb", begin)
    events.register("after-call.dynamodb", end)
    try:
        yield exchanges
    finally:
        events.unregister("before-call.dynamodb", begin)
        events.unregister("after-call.dynamodb", end)


@contextmanager
def running(exchanges: Exchanges, *, delay_ms: float) -> Iterator[str]:
    """The URL of such a server in a process of its own, which ends with the block."""
    command = [sys.executable, "-m", "bench.replay", str(delay_ms)]
    with subprocess.Popen(  # noqa: S603 - our own module
        command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise TypeError("both are pipes")
        print(json.dumps(exchanges), file=process.stdin, flush=True)
        yield process.stdout.readline().strip()
        process.stdin.close()


def _key(target: str, body: bytes | str) -> str:
    asked = json.dumps(json.loads(body), sort_keys=True)
    return f"{target.rpartition('.')[2]} {asked}"


class Server:
    """Gives the recorded answers."""

    def __init__(self, exchanges: Exchanges, delay_s: float) -> None:
        self._exchanges = exchanges
        self._delay_s = delay_s

    async def converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer the requests of a connection, one after another."""
        while await reader.readline():
            headers = {}
            while line := (await reader.readline()).strip():
                name, _, value = line.partition(b":")
                headers[name.lower()] = value.strip().decode()
            body = await reader.readexactly(int(headers.get(b"content-length", "0")))
            await asyncio.sleep(self._delay_s)
            writer.write(self._answer(_key(headers[b"x-amz-target"], body)))
            await writer.drain()
        writer.close()

    def _answer(self, asked: str) -> bytes:
        found = self._exchanges.get(asked)
        status, body = ("200 OK", found) if found else ("400 Bad Request", NOT_RECORDED)
        sent = body.encode()
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: application/x-amz-json-1.0\r\n"
            f"x-amz-crc32: {crc32(sent)}\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        return head.encode() + sent


async def main() -> None:
    """Serve until nobody holds our standard input any more."""
    exchanges: Exchanges = json.loads(sys.stdin.readline())
    server = Server(exchanges, float(sys.argv[1]) / 1000)
    listening = await asyncio.start_server(server.converse, "127.0.0.1", 0)
    host, port = listening.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    async with listening:
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
