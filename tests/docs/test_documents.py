"""The entry points that serve the documents."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.generate import ROOT
from lambdas.handlers import documents


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Nothing is remembered from another test."""
    documents._openapi.cache_clear()  # noqa: SLF001
    documents._page.cache_clear()  # noqa: SLF001
    yield
    documents._openapi.cache_clear()  # noqa: SLF001
    documents._page.cache_clear()  # noqa: SLF001


def event(
    domain: str = "abc123.execute-api.eu-central-1.amazonaws.com",
    path: str = "/openapi.json",
    host: str | None = None,
) -> dict[str, Any]:
    """The gateway's event, as far as it is read."""
    return {
        "rawPath": path,
        "headers": {"host": host or domain},
        "requestContext": {"apiId": "abc123", "domainName": domain, "stage": "$default"},
    }


def served(asked: dict[str, Any]) -> dict[str, Any]:
    response = documents.get_openapi(asked, None)
    assert response["statusCode"] == 200
    assert response["headers"] == {"Content-Type": "application/json"}
    return dict(json.loads(response["body"]))


@pytest.mark.parametrize(
    ("asked", "server"),
    [
        (event(), "https://abc123.execute-api.eu-central-1.amazonaws.com"),
        (event("api.example.com", "/v1/openapi.json"), "https://api.example.com/v1"),
        (
            # An event as the local cloud sends it: the host that names the API resolves nowhere.
            event("abc123.execute-api.localhost", host="127.0.0.1:4566"),
            "http://127.0.0.1:4566/_aws/execute-api/abc123",
        ),
    ],
)
def test_the_server_is_where_it_was_asked_from(asked: dict[str, Any], server: str) -> None:
    assert served(asked)["servers"] == [{"url": server}]


def test_each_server_is_told_its_own_url_and_the_document_is_written_once_for_it() -> None:
    for domain in ("a.example.com", "b.example.com", "a.example.com"):
        assert served(event(domain))["servers"] == [{"url": f"https://{domain}"}]
    assert documents._openapi.cache_info().misses == 2  # noqa: SLF001


def test_it_is_the_generated_document_but_for_the_server() -> None:
    generated = json.loads((ROOT / "docs" / "openapi.json").read_bytes())
    assert served(event()) | {"servers": generated["servers"]} == generated


def test_who_may_call_is_as_it_was_deployed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTH", "none")
    assert "security" not in served(event())
    documents._openapi.cache_clear()  # noqa: SLF001
    monkeypatch.setenv("AUTH", "jwt")
    assert served(event())["security"] == [{"token": []}]


def test_it_talks_to_no_service_of_aws() -> None:
    code = "import sys, lambdas.handlers.documents; print('boto3' in sys.modules)"
    run = [sys.executable, "-c", code]
    finished = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603
    assert finished.stdout == "False\n"


def test_the_page_is_that_of_the_layer_and_loads_nothing_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / documents.PAGE_PACKAGE
    folder.mkdir()
    (folder / "index.html").write_text("<p>ü</p>", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    response = documents.get_docs(event(path="/docs"), None)
    assert response["body"] == "<p>ü</p>"
    assert response["headers"]["Content-Type"] == "text/html; charset=utf-8"
    policy = response["headers"]["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert not any("http" in part or "*" in part for part in policy)
