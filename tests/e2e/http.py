"""Calls the deployed API over HTTP, as any client would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from msgspec import to_builtins

from lambdas.design.pattern import AccessPattern


@dataclass(frozen=True)
class Answer:
    """What came over the wire."""

    status: int
    headers: Message
    text: str

    @property
    def body(self) -> Any:
        """The document, its numbers exact."""
        return json.loads(self.text, parse_float=Decimal)

    @property
    def refused(self) -> dict[str, str]:
        """The reason for each parameter that was refused."""
        assert self.status == 400, self.text
        return {error["name"]: error["reason"] for error in self.body["errors"]}


@dataclass(frozen=True)
class Api:
    """The API at a URL."""

    url: str

    def ask(self, pattern: AccessPattern, **parameters: str) -> Answer:
        """The answer of a pattern to these parameters, and to its example's body if it has one."""
        in_path = {name: quote(parameters.pop(name), safe="") for name in pattern.path_parameters}
        query = urlencode(parameters, quote_via=quote)
        body = to_builtins(pattern.example_body) if pattern.body else None
        return self.send(pattern.method, pattern.path.format_map(in_path), query, body)

    def pages(self, pattern: AccessPattern, **parameters: str) -> Iterator[Answer]:
        """Every page of a list, by following `next`."""
        answer = self.ask(pattern, **parameters)
        yield answer
        while answer.body["next"]:
            answer = self.ask(pattern, **parameters, cursor=answer.body["next"])
            yield answer

    def send(self, method: str, path: str, query: str = "", body: Any = None) -> Answer:
        """The answer to any request."""
        url = f"{self.url}{path}{'?' + query if query else ''}"
        sent = None if body is None else json.dumps(body).encode()
        request = Request(url, sent, {"Content-Type": "application/json"}, method=method)  # noqa: S310
        try:
            with urlopen(request, timeout=30) as response:  # noqa: S310
                return Answer(response.status, response.headers, response.read().decode())
        except HTTPError as error:
            return Answer(error.code, error.headers, error.read().decode())
