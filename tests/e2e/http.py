"""Calls the deployed API over HTTP, as any client would."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from lambdas.design.pattern import AccessPattern
from lambdas.runtime import body as bodies
from local.deployment import REGION

Proof = Callable[[str, str, bytes | None], Mapping[str, str]]
"""The headers that show who calls: what a method, a URL and a body are sent with."""


def unsigned(_method: str, _url: str, _body: bytes | None) -> Mapping[str, str]:
    """Nobody in particular."""
    return {}


def signed(credentials: Credentials) -> Proof:
    """An AWS principal, by a signature."""

    def proof(method: str, url: str, body: bytes | None) -> Mapping[str, str]:
        request = AWSRequest(method, url, data=body)
        SigV4Auth(credentials, "execute-api", REGION).add_auth(request)
        return dict(request.headers)

    return proof


def bearer(token: str) -> Proof:
    """A person, by a token."""
    return lambda _method, _url, _body: {"Authorization": f"Bearer {token}"}


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
    """The API at a URL, and how its caller is known."""

    url: str
    proof: Proof = unsigned

    def ask(
        self,
        pattern: AccessPattern,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        /,
        **parameters: str,
    ) -> Answer:
        """The answer of a pattern to these parameters and this body, or its example's if it takes
        one and none is given."""
        in_path = {name: quote(parameters.pop(name), safe="") for name in pattern.path_parameters}
        query = urlencode(parameters, quote_via=quote)
        if body is None and pattern.example_body:
            body = json.loads(bodies.write(pattern.example_body))
        path = pattern.path.format_map(in_path)
        return self.send(pattern.method, path, query, body, headers=headers)

    def pages(self, pattern: AccessPattern, **parameters: str) -> Iterator[Answer]:
        """Every page of a list, by following `next`."""
        answer = self.ask(pattern, **parameters)
        yield answer
        while answer.body["next"]:
            answer = self.ask(pattern, **parameters, cursor=answer.body["next"])
            yield answer

    def send(
        self,
        method: str,
        path: str,
        query: str = "",
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer to any request; a body of bytes is sent as it is."""
        url = f"{self.url}{path}{'?' + query if query else ''}"
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        named = {
            "Content-Type": "application/json",
            **self.proof(method, url, sent),
            **(headers or {}),
        }
        request = Request(url, sent, named, method=method)  # noqa: S310
        try:
            with urlopen(request, timeout=30) as response:  # noqa: S310
                return Answer(response.status, response.headers, response.read().decode())
        except HTTPError as error:
            return Answer(error.code, error.headers, error.read().decode())
