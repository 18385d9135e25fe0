from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from tools import call

ITEM = '{"UserId":"U-001","Name":"Jörg","Price":79.90}'

SHOWN = """\
HTTP 200
X-DynamoDB-Requests: 1
X-DynamoDB-Capacity: 0.5
ETag: "3"

{
  "UserId": "U-001",
  "Name": "Jörg",
  "Price": 79.90
}
"""


@dataclass(frozen=True)
class Asked:
    """A request as the service saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


class Service(BaseHTTPRequestHandler):
    """Answers everything with one item, and remembers what it was asked."""

    asked: list[Asked]

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked.append(Asked(self.command, self.path, headers, body))
        answer = ITEM.encode()
        self.send_response(200)
        self.send_header("X-DynamoDB-Requests", "1")
        self.send_header("X-DynamoDB-Capacity", "0.5")
        self.send_header("ETag", '"3"')
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_PUT(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name in the base
        """Keep the test's output quiet."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Asked]]:
    """What the service at API_URL has been asked."""
    Service.asked = []
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.delenv("BODY", raising=False)
    with HTTPServer(("127.0.0.1", 0), Service) as server:
        monkeypatch.setenv("API_URL", f"http://127.0.0.1:{server.server_port}/base/")
        Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield Service.asked
        server.shutdown()


def test_the_status_the_cost_and_the_item_are_shown(
    asked: list[Asked], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROUTE", "GET /ecommerce/users/U-001")
    assert call.main() == 0
    assert capsys.readouterr().out == SHOWN
    assert [(request.method, request.path) for request in asked] == [
        ("GET", "/base/ecommerce/users/U-001")
    ]


def test_the_request_is_signed_for_api_gateway(
    asked: list[Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUTE", "GET /ecommerce/users/U-001")
    call.main()
    authorization = asked[0].headers["authorization"]
    assert authorization.startswith("AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/")
    assert "/eu-central-1/execute-api/aws4_request, " in authorization


def test_a_body_is_sent_as_json(asked: list[Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUTE", "put /ecommerce/products/P-1")
    monkeypatch.setenv("BODY", '{"Price": 79.90}')
    call.main()
    assert asked[0].method == "PUT"
    assert asked[0].headers["content-type"] == "application/json"
    assert asked[0].body == '{"Price": 79.90}'


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("/student?name=Nora Müller", "/student?name=Nora%20M%C3%BCller"),
        ("/student?name=Nora%20Neugierig", "/student?name=Nora%20Neugierig"),
        ("/user-by-email?email=alice+1@x.de", "/user-by-email?email=alice%2B1%40x.de"),
        ("/products?category=books/art&limit=2", "/products?category=books%2Fart&limit=2"),
        ("/orders/2024-03-02T09:15:00.123Z-7F", "/orders/2024-03-02T09:15:00.123Z-7F"),
    ],
)
def test_a_route_may_be_typed_as_it_reads(
    typed: str, sent: str, asked: list[Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUTE", f"GET {typed}")
    call.main()
    assert asked[0].path == f"/base{sent}"


@pytest.mark.parametrize("route", ["", "GET", "/ecommerce/users/U-001", "GET ecommerce/users"])
def test_a_route_that_is_none_gets_the_usage(
    route: str,
    asked: list[Asked],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ROUTE", route)
    assert call.main() == 1
    assert capsys.readouterr().err.startswith("error: usage: make call ROUTE=")
    assert asked == []


def test_a_service_that_cannot_be_reached_is_one_clear_line(
    asked: list[Asked], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("API_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ROUTE", "GET /ecommerce/users/U-001")
    assert call.main() == 1
    assert capsys.readouterr().err == (
        'error: Could not connect to the endpoint URL: "http://127.0.0.1:1/ecommerce/users/U-001"\n'
    )
    assert asked == []


def test_the_region_of_an_api_is_in_its_name() -> None:
    assert call.region_of("https://1a2b3c.execute-api.eu-west-1.amazonaws.com/") == "eu-west-1"


def test_a_name_of_ones_own_tells_no_region() -> None:
    assert call.region_of("https://orders.example.com/") is None
