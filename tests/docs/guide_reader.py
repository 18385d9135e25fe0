"""Reads the guide as its readers do: finds its calls, makes them, and compares what comes.

`python -m tests.docs.guide_reader COMMAND` makes a call of the handlers that stand beside it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from docs import sample
from docs.generate import ROOT
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern

GUIDE = ROOT / "docs" / "guide.md"
OWN_PATTERN = "## 17. Add your own access pattern"

CAPACITY = re.compile(r"(?i)(x-dynamodb-capacity): .*")
"""moto counts one unit for whatever is read."""


class Block(NamedTuple):
    """A fenced block of code."""

    language: str
    text: str


class Call(NamedTuple):
    """A command that calls the API, and what the guide says that it prints."""

    command: str
    shown: Block

    def __str__(self) -> str:
        return self.command.partition("API_URL")[2][:60]


def guide() -> tuple[str, str]:
    """The guide up to the access pattern that the reader adds, and from there on."""
    before, heading, after = GUIDE.read_text("utf-8").partition(OWN_PATTERN)
    assert heading
    return before, after


def blocks(text: str) -> list[Block]:
    """The blocks of code in their order."""
    return [Block(*found) for found in re.findall(r"(?ms)^```(\w+)\n(.*?)\n```$", text)]


def calls(text: str) -> list[Call]:
    """Every call, with its answer: the last block before the next command."""
    found: list[list[Call]] = []
    for block in blocks(text):
        if block.language == "bash":
            command = block.text
            found.append([])
        elif "curl" in command and block.language in {"text", "json", "http"}:
            found[-1].append(Call(command, block))
    return [shown[-1] for shown in found if shown]


def run(call: Call, api_url: str) -> str:
    """What the call prints in a shell whose API_URL is this one."""
    finished = subprocess.run(  # noqa: S603 - the guide's own commands
        ["bash", "-euo", "pipefail", "-c", call.command],  # noqa: S607
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "API_URL": api_url},
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def prints(call: Call, printed: str) -> bool:
    """Whether this is what the guide shows; `...` in it stands for anything that is left out."""
    if call.shown.language == "http":
        return _is_response(call.shown.text, printed)
    if call.shown.language == "json":
        return fits(whole(call.shown.text), json.loads(printed, parse_float=Decimal))
    return printed.lower().split() == call.shown.text.lower().split()  # a header has any case


def _is_response(shown: str, printed: str) -> bool:
    """Whether status and body are those shown, and the headers that are shown among the others."""
    (status, headers, body), (its_status, its_headers, its_body) = map(_response, (shown, printed))
    is_body = fits(whole(body), json.loads(its_body, parse_float=Decimal)) if body else not its_body
    return status == its_status and headers <= its_headers and is_body


def _response(text: str) -> tuple[str, set[str], str]:
    """The status, the headers in lower case, and the body of an answer as `curl -i` prints it."""
    head, _, body = text.partition("\n\n")
    first, *headers = head.split("\n")
    return first.split()[1], {header.strip().lower() for header in headers}, body.strip()


def whole(shown: str) -> Any:
    """A shortened answer as JSON: a member "..." stands for others, "... 7 more" for seven."""
    text = re.sub(r"(?<=[{ ])\.\.\.(?=\})", '"...": true', shown)
    text = re.sub(r"(?m)^( +)(\.\.\. \d+ more)$", r'\1"\2"', text)
    return json.loads(text, parse_float=Decimal)


def fits(shown: Any, actual: Any) -> bool:
    """Whether a shortened answer is one of the actual answer."""
    if isinstance(shown, dict) and isinstance(actual, dict):
        named = {name: value for name, value in shown.items() if name != "..."}
        is_all = named.keys() == actual.keys()
        return (
            is_all == ("..." not in shown)
            and named.keys() <= actual.keys()
            and all(fits(value, actual[name]) for name, value in named.items())
        )
    if isinstance(shown, list) and isinstance(actual, list):
        more = re.fullmatch(r"\.\.\. (\d+) more", str(shown[-1])) if shown else None
        first = shown[:-1] if more else shown
        count = len(first) + (int(more[1]) if more else 0)
        return count == len(actual) and all(map(fits, first, actual))
    return bool(shown == actual)


# --- The API on moto ------------------------------------------------------------------------


@contextmanager
def api_on_moto() -> Iterator[str]:
    """The URL of the handlers on a table of moto's with the example data."""
    with sample.table(), ThreadingHTTPServer(("127.0.0.1", 0), _Gateway) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Gateway(BaseHTTPRequestHandler):
    """Hands a request to the entry point of its route, as an HTTP API does."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def log_message(self, *_: Any) -> None:
        """Keep the tests' output clean."""

    def _answer(self) -> None:
        url = urlsplit(self.path)
        pattern, in_path = _route(self.command, url.path)
        query: dict[str, str] = {}
        for name, value in parse_qsl(url.query, keep_blank_values=True):
            query[name] = f"{query[name]},{value}" if name in query else value
        event = {
            "rawPath": url.path,
            "rawQueryString": url.query,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "queryStringParameters": query or None,
            "pathParameters": in_path or None,
            "body": self.rfile.read(int(self.headers.get("Content-Length", 0))).decode(),
            "isBase64Encoded": False,
        }
        handlers = import_module(f"lambdas.handlers.{pattern.dataset}")
        response = getattr(handlers, pattern.name)(event, None)
        body = response.get("body", "").encode()
        self.send_response(response["statusCode"])
        for name, value in {**response["headers"], "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _route(method: str, path: str) -> tuple[AccessPattern, dict[str, str]]:
    """The pattern whose route a path belongs to, one with fewer placeholders first."""
    routed = [each for each in ACCESS_PATTERNS if not each.variant_of and each.method == method]
    for pattern in sorted(routed, key=lambda each: len(each.path_parameters)):
        if found := re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern.path), path):
            return pattern, {name: unquote(value) for name, value in found.groupdict().items()}
    raise LookupError(f"no route for {method} {path}")


if __name__ == "__main__":
    with api_on_moto() as api_url:
        sys.stdout.write(run(Call(sys.argv[1], Block("", "")), api_url))
