"""What is logged of a call: which pattern, how it ended, what it cost. Never whose it was.

A mark is planted wherever a caller, the table or an error can bring personal data, and then looked
for in everything that the process writes: the functions' log, the SDK's at its most talkative, and
both standard streams.
"""

from __future__ import annotations

import io
import json
import logging
import re
import socket
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

import pytest
import urllib3
from botocore.exceptions import ClientError, EndpointConnectionError, ParamValidationError

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import LIST_USER_ORDERS
from lambdas.design.operations import Parameter
from lambdas.design.pattern import IDEMPOTENCY_KEY, AccessPattern
from lambdas.runtime import logs, store
from lambdas.runtime.arguments import Event
from lambdas.runtime.endpoint import endpoint
from lambdas.runtime.items import Item, to_item
from lambdas.runtime.settings import admin_scope
from tests.conftest import Put
from tests.handlers.caller import event, example, handler
from tests.handlers.marks import MARK, TEXTS, body, parameters

ADDRESS = "203.0.113.77"
"""The caller's; nothing else here has it."""

ROUTED = [each for each in ACCESS_PATTERNS if not each.variant_of]
EACH = pytest.mark.parametrize("pattern", ROUTED, ids=lambda each: each.name)

Response = dict[str, Any]


class Written:
    """All that the process writes."""

    def __init__(self, streams: pytest.CaptureFixture[str]) -> None:
        self._streams = streams
        self.log, self.others = io.StringIO(), io.StringIO()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What the functions have logged."""
        return [json.loads(line) for line in self.log.getvalue().splitlines()]

    @property
    def all(self) -> str:
        printed = self._streams.readouterr()
        return self.log.getvalue() + self.others.getvalue() + printed.out + printed.err


@pytest.fixture
def written(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Written]:
    """Everything is as talkative as a function's settings can make it."""
    for name in ("POWERTOOLS_LOGGER_LOG_EVENT", "POWERTOOLS_DEV", "POWERTOOLS_DEBUG"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("METRICS_NAMESPACE", "SingleTable")
    monkeypatch.setenv("_X_AMZN_TRACE_ID", f"Root=1-{MARK};Sampled=1")
    written = Written(capfd)
    root, handler = logging.getLogger(), logging.StreamHandler(written.others)
    level, ours = root.level, logs.logger.level
    before = logs.handler.setStream(written.log)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    logs.logger.setLevel("DEBUG")
    yield written
    root.removeHandler(handler)
    root.setLevel(level)
    logs.logger.setLevel(ours)
    logs.handler.setStream(before)


# --- Planting -------------------------------------------------------------------------------


def stored(pattern: AccessPattern) -> list[Item]:
    """The example data, with the marked values of the call in place of those of the example."""
    text = json.dumps(
        [to_item(each) for each in import_module(f"seed.{pattern.dataset}").items(NOW)]
    )
    for value in sorted(_texts([list(pattern.example.values()), example(pattern)]), key=len):
        text = re.sub(_whole(value), value + MARK, text)
    return cast("list[Item]", json.loads(text.replace("Alice", f"Alice {MARK}")))


def _whole(value: str) -> str:
    """Matches a text where it is all of an attribute, or all of a part of a key."""
    return r'(?<!"N": ")' + re.escape(json.dumps(value)[1:-1]) + r'(?=["#])'


def _texts(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(_texts(part) for part in value.values()))
    if isinstance(value, list):
        return set().union(*(_texts(part) for part in value))
    quoted = re.findall(r"#([^']+)'", value) if isinstance(value, str) else []
    return {value, *quoted} if isinstance(value, str) else set()


NOW = datetime.now(UTC)


def sent(pattern: AccessPattern, given: dict[str, str] | None = None, asked: Any = None) -> Event:
    """The event of a call from somebody, with all that a gateway tells of them."""
    headers = {
        "Authorization": f"Bearer {MARK}.{MARK}.{MARK}",
        "Cookie": f"session={MARK}",
        "User-Agent": f"{MARK}/1.0",
        "X-Forwarded-For": ADDRESS,
        "X-Amzn-Trace-Id": f"Root=1-{MARK}",
        **({IDEMPOTENCY_KEY.name: MARK} if pattern.is_idempotent else {}),
    }
    made = event(pattern, given or parameters(pattern), headers, asked or body(pattern))
    claims = {
        "sub": MARK,
        "email": f"{MARK}@x.de",
        "name": f"Ann {MARK}",
        "scope": f"{MARK} {admin_scope()}",
    }
    context = made["requestContext"]
    context["http"] |= {"sourceIp": ADDRESS, "userAgent": MARK}
    context["authorizer"] = {
        "jwt": {"claims": claims},
        "iam": {"userArn": f"arn:aws:iam::1:user/{MARK}"},
    }
    return made


def called(pattern: AccessPattern, asked: Event) -> Response:
    return handler(pattern)(asked, SimpleNamespace(aws_request_id="a-request"))


def assert_nothing_personal(written: Written, calls: int) -> None:
    """There is a line for each call, and the mark is in none."""
    assert len([line for line in written.lines if line["message"] == "answered"]) == calls
    text = written.all
    assert MARK not in text.lower()
    assert ADDRESS not in text


# --- The lines ------------------------------------------------------------------------------

LINE = {
    "level": r"INFO",
    "location": r"\w+:\d+",
    "message": r"answered",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "service": r"single-table",
    "pattern": r"(AP|UN|SO|CW|UW|SW)-\d\d",
    "request_id": r"a-request",
    "status": r"\d{3}",
    "requests": r"\d+",
    "gateway_id": r"a-request",
    "read_units": r"\d+\.\d+",
    "write_units": r"\d+\.\d+",
    "items_read": r"\d+",
    "items_returned": r"\d+",
    "duration_ms": r"\d+\.\d",
    "_aws": r".+",
}
"""All that a call's line has, and what each member looks like."""


def assert_line(line: dict[str, Any], pattern: AccessPattern) -> None:
    """A call's line has all its members, each as it should be, and no others."""
    assert set(line) == set(LINE)
    wrong = {name: line[name] for name in LINE if not re.fullmatch(LINE[name], str(line[name]))}
    assert wrong == {}
    assert line["pattern"] == pattern.id


# --- Calls ----------------------------------------------------------------------------------


@EACH
def test_a_call_that_succeeds_leaves_no_trace_of_what_it_is_about(
    pattern: AccessPattern, put: Put, written: Written
) -> None:
    put(*stored(pattern))

    response = called(pattern, sent(pattern))

    assert response["statusCode"] in {200, 201, 204}, response
    about = json.dumps([response, sent(pattern)])
    assert MARK in about
    [line] = written.lines
    assert_line(line, pattern)
    assert_nothing_personal(written, 1)


@pytest.mark.usefixtures("table")
@EACH
def test_a_call_about_what_is_not_there_leaves_none_either(
    pattern: AccessPattern, written: Written
) -> None:
    called(pattern, sent(pattern))

    assert_nothing_personal(written, 1)


@pytest.mark.usefixtures("table")
@EACH
def test_nor_does_one_that_is_refused(pattern: AccessPattern, written: Written) -> None:
    wrong = [f"{MARK} \n", f"{MARK}@", MARK * 60]
    asked = [
        sent(pattern, {**parameters(pattern), each.name: text})
        for each in pattern.parameters
        for text in wrong
    ]
    asked.append(sent(pattern, {**parameters(pattern), f"{MARK}@x.de": MARK}))
    asked.append(sent(pattern, {**parameters(pattern), "cursor": _cursor()}))
    asked.append(sent(pattern))
    asked[-1]["queryStringParameters"] = {f"\ud800{MARK}": f"\ud800{MARK}"}
    if pattern.body:
        bodies: tuple[Any, ...] = (
            MARK,
            f'{{"{MARK}": 1}}',
            f'["{MARK}"]',
            f'{{"Name": "{MARK}',
            [MARK],
            {MARK: {}},
        )
        asked += [sent(pattern, asked=each) for each in bodies]
        asked += [sent(pattern, asked=_wrong(body(pattern), name)) for name in body(pattern)]

    statuses = [called(pattern, each)["statusCode"] for each in asked]

    assert statuses.count(400) >= len(asked) / 2
    assert set(statuses) <= {200, 201, 204, 400, 404, 409}
    assert_nothing_personal(written, len(asked))


def _cursor() -> str:
    return urlsafe_b64encode(f'123456789["{MARK}"]'.encode()).decode().rstrip("=")


def _wrong(asked: dict[str, Any], name: str) -> dict[str, Any]:
    return {**asked, name: {MARK: [MARK]}}


# --- Faults ---------------------------------------------------------------------------------


def refusal(code: str, **more: Any) -> ClientError:
    answer = {"Error": {"Code": code, "Message": f"The value {MARK} is not valid"}, **more}
    return ClientError(cast("Any", answer), "GetItem")


OLD = {"PK": {"S": f"USER#{MARK}"}, "Name": {"S": MARK}}

FAULTS = [
    refusal("ValidationException"),
    refusal("AccessDeniedException"),
    refusal("ThrottlingException"),
    refusal("InternalServerError"),
    refusal("ConditionalCheckFailedException", Item=OLD),
    refusal("TransactionConflictException"),
    refusal(
        "TransactionCanceledException",
        CancellationReasons=[{"Code": "ConditionalCheckFailed", "Item": OLD, "Message": MARK}],
    ),
    refusal("SomethingNew"),  # the code, which is logged, is a word of the service itself
    EndpointConnectionError(endpoint_url=f"https://{MARK}", error=MARK),
    ParamValidationError(report=MARK),
    RuntimeError(MARK),
    KeyError(MARK),
    UnicodeEncodeError("utf-8", MARK, 0, 1, MARK),
    ExceptionGroup(MARK, [ValueError(MARK)]),
]


class Faulty:
    """A client of DynamoDB whose every operation ends in the same fault."""

    def __init__(self, fault: Exception) -> None:
        self.fault = fault

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def fail(**_: Any) -> Any:
            raise self.fault from RuntimeError(MARK)

        return fail


@EACH
def test_an_error_that_quotes_values_is_logged_without_them(
    pattern: AccessPattern, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLE_NAME", "table")
    monkeypatch.setattr("time.sleep", lambda _: None)

    for fault in FAULTS:
        monkeypatch.setattr(store, "client", lambda fault=fault: Faulty(fault))
        called(pattern, sent(pattern))

    broken = [line["error"] for line in written.lines if line["message"] == "broken"]
    assert broken
    assert all(re.fullmatch(r"\w+ in [\w.<>]+:\d+", where) for where in broken)
    assert_nothing_personal(written, len(FAULTS))


@pytest.mark.usefixtures("table")
def test_an_item_that_cannot_be_shown_is_left_out_without_a_word_about_it(
    put: Put, written: Written
) -> None:
    order = {"SK": {"S": f"ORDER#{MARK}#{MARK}"}, "Type": {"S": "Order"}}
    put({"PK": {"S": f"USER#U-001{MARK}"}, **order})

    response = called(LIST_USER_ORDERS, sent(LIST_USER_ORDERS))

    assert json.loads(response["body"])["items"] == []
    assert [line["message"] for line in written.lines] == ["item left out", "answered"]
    assert_nothing_personal(written, 1)


@pytest.fixture
def broken_answer() -> Iterator[str]:
    """The address of a peer whose answer runs on into its headers, with an item in it."""
    answer = f'HTTP/1.1 200 OK\r\n{{ "Item" : "{MARK}" }}\r\n\r\n'.encode()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def speak() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=speak)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def test_what_the_sdk_cannot_read_of_an_answer_is_not_logged(
    broken_answer: str, written: Written
) -> None:
    urllib3.PoolManager().request("GET", broken_answer, retries=False)

    assert MARK not in written.all


# --- That these tests can fail --------------------------------------------------------------


@pytest.mark.usefixtures("table")
def test_a_value_that_is_logged_is_found(written: Written) -> None:
    logs.logger.info("answered", extra={"email": f"{MARK.upper()}@x.de"})
    with pytest.raises(AssertionError):
        assert_nothing_personal(written, 1)


@pytest.mark.usefixtures("table")
def test_what_the_sdk_would_log_is_found(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    """Why the SDK's loggers are kept from their own DEBUG."""
    monkeypatch.setattr(logging.getLogger("botocore"), "level", logging.DEBUG)
    logging.getLogger("botocore").manager._clear_cache()  # type: ignore[attr-defined]  # noqa: SLF001
    called(ROUTED[0], sent(ROUTED[0]))
    assert MARK in written.all


def test_what_the_sdk_would_log_of_an_answer_is_found(
    broken_answer: str, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why its warnings are kept back too."""
    monkeypatch.setattr(logging.getLogger("urllib3"), "level", logging.WARNING)
    logging.getLogger("urllib3").manager._clear_cache()  # type: ignore[attr-defined]  # noqa: SLF001
    urllib3.PoolManager().request("GET", broken_answer, retries=False)

    assert MARK in written.all


def test_every_parameter_that_can_name_a_person_is_marked() -> None:
    unmarked = {
        parameter.name
        for pattern in ROUTED
        for parameter in (*pattern.own_parameters, *pattern.operation.parameters)
        if _has_text(parameter)
    }
    assert unmarked == {"before", "from", "to", "period"}  # times, of which none can be marked


def _has_text(parameter: Parameter) -> bool:
    return parameter.type not in TEXTS and "str" in str(parameter.type)


def test_an_endpoint_lets_no_exception_through() -> None:
    """Lambda itself would log its message."""

    def fail(_: Any) -> Any:
        raise RuntimeError(MARK)

    for pattern in ROUTED:
        response = endpoint(pattern, fail)(sent(pattern), None)
        assert response["statusCode"] == 500
        assert MARK not in json.dumps(response)
