"""The entry points that describe the API instead of its data."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from msgspec import convert
from msgspec.json import Encoder

from lambdas.runtime import garbage, settings
from lambdas.runtime.arguments import Event
from lambdas.runtime.openapi import Auth, document
from lambdas.runtime.openapi.examples import recorded

OPENAPI_PATH: Final = "/openapi.json"
DOCS_PATH: Final = "/docs"

PAGE_PACKAGE: Final = "api_page"
"""The folder in the page's layer; `stacks/document_function.py` puts it there."""

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
"""All of the page is in it: it asks nobody but this API for anything."""


def get_openapi(event: Event, context: Any) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """The OpenAPI document, with the server that it was asked from."""
    return _response("application/json", _openapi(_server(event)))


def get_docs(event: Event, context: Any) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """The page on which a person can read the document and call the API; for a local run."""
    response = _response("text/html; charset=utf-8", _page())
    response["headers"]["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return response


@lru_cache(maxsize=8)
def _openapi(server_url: str) -> str:
    auth: Auth = convert(os.environ.get("AUTH", "iam"), Auth)
    written = document(server_url, auth=auth, examples=recorded())
    return Encoder(decimal_format="number").encode(written).decode()


@lru_cache(maxsize=1)
def _page() -> str:
    return (files(PAGE_PACKAGE) / "index.html").read_text("utf-8")


def _server(event: Event) -> str:
    """The URL that the API's paths go on from.

    On AWS that is the host of the request, and whatever stands before the route in its path: a
    stage or a mapping of a domain. The local cloud is reached at its own host and has the API
    below a path, because the host that names the API resolves nowhere.
    """
    context = event["requestContext"]
    host, domain = event["headers"].get("host", ""), context["domainName"]
    if host.partition(":")[0] in ("127.0.0.1", "localhost"):
        return f"http://{host}/_aws/execute-api/{context['apiId']}"
    return f"https://{domain}{event['rawPath'].removesuffix(OPENAPI_PATH)}"


def _response(media_type: str, body: str) -> dict[str, Any]:
    return {"statusCode": 200, "headers": {"Content-Type": media_type}, "body": body}


if settings.in_lambda():
    garbage.look_again()
