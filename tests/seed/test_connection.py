from __future__ import annotations

import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from botocore.exceptions import ClientError

from seed import connection
from seed.connection import connect, is_loopback
from seed.faults import Failure


@pytest.fixture(autouse=True)
def _as_on_a_new_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:4566",
        "http://127.9.9.9",
        "http://localhost:4566/",
        "http://LOCALHOST",
        "http://[::1]:4566",
    ],
)
def test_these_lead_to_this_machine(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://dynamodb.eu-central-1.amazonaws.com",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "http://example.org/localhost",
        "http://localhost@example.org",
        "http://0.0.0.0:4566",
        "http://10.0.0.1",
        "http://[::2]",
    ],
)
def test_these_only_look_as_if(url: str) -> None:
    assert not is_loopback(url)


def test_the_region_is_the_one_that_the_functions_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-3")
    assert connect(None).meta.endpoint_url == "https://dynamodb.eu-west-3.amazonaws.com"


def test_the_environment_may_name_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-3")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
    assert connect(None).meta.endpoint_url == "http://127.0.0.1:4566"
    assert connect("http://127.0.0.1:4600").meta.endpoint_url == "http://127.0.0.1:4600"


def test_no_proxy_stands_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-3")
    here: Any = connect("http://127.0.0.1:4566").meta.config
    elsewhere: Any = connect("http://10.0.0.1:4566").meta.config
    assert here.proxies == {}
    assert elsewhere.proxies is None


def test_without_a_region_it_says_so() -> None:
    with pytest.raises(Failure, match="AWS_REGION"):
        connect(None)


def test_a_profile_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "elsewhere")
    with pytest.raises(Failure, match="elsewhere"):
        connect(None)


def test_an_endpoint_that_is_no_url_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-3")
    with pytest.raises(Failure, match="Invalid"):
        connect("http://[::")


class Refusing(BaseHTTPRequestHandler):
    """Answers every request with one error, and counts them."""

    code, status, asked = "", 400, 0

    def do_POST(self) -> None:
        type(self).asked += 1
        body = f'{{"__type": "com.amazonaws.dynamodb.v20120810#{self.code}"}}'.encode()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Not on the tests' output."""


@pytest.mark.parametrize(
    ("code", "status", "requests"),
    [
        ("ProvisionedThroughputExceededException", 400, 1),
        ("ThrottlingException", 400, 1),
        ("InternalServerError", 500, connection.ATTEMPTS),
    ],
)
def test_the_sdk_does_not_wait_for_capacity_as_well_but_tries_again_what_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, code: str, status: int, requests: int
) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _seconds: None)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "local")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    refusing = type("Refusing", (Refusing,), {"code": code, "status": status, "asked": 0})
    with HTTPServer(("127.0.0.1", 0), refusing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        client = connect(f"http://127.0.0.1:{server.server_port}")
        with pytest.raises(ClientError, match=code):
            client.batch_write_item(RequestItems={"shop": []})
        client.close()
        server.shutdown()
    assert refusing.asked == requests  # type: ignore[attr-defined]
