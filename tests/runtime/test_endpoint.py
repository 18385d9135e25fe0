import json
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import (
    FIND_USER_BY_EMAIL,
    GET_USER,
    LIST_USER_ORDERS,
)
from lambdas.design.operations import GetItem, Query, Write
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import body as bodies
from lambdas.runtime.endpoint import endpoint
from tests.runtime.conftest import Log, Table
from tests.runtime.samples import event, order_item, user_item

BLIND_WRITES = [
    each
    for each in ACCESS_PATTERNS
    if isinstance(each.operation, Write)
    and not isinstance(each.operation.steps[0], GetItem | Query)
]
CONTEXT = SimpleNamespace(aws_request_id="request-1")
USER = {"user_id": "U-001"}
READS = [pattern for pattern in ACCESS_PATTERNS if pattern.method == "GET"]
ANN = "Ann.Secret-7f3k@x.de"
NAME = "Ännchen Geheim"

Response = dict[str, Any]


def call(pattern: AccessPattern, called: dict[str, Any]) -> Response:
    return endpoint(pattern)(called, CONTEXT)


def get_user() -> Response:
    return call(GET_USER, event(USER))


def body(response: Response) -> Any:
    return json.loads(response["body"])


def costs(response: Response) -> tuple[str, str]:
    headers = response["headers"]
    return headers["X-DynamoDB-Requests"], headers["X-DynamoDB-Capacity"]


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": f"about {ANN}"}}, "GetItem")


# --- Success --------------------------------------------------------------------------------


def test_an_item_is_answered_as_json_with_its_version_and_what_it_cost(table: Table) -> None:
    table.has(user_item(Name={"S": NAME}, Points={"N": "79.90"}))
    response = get_user()
    assert response["statusCode"] == 200
    assert response["headers"] == {
        "Content-Type": "application/json",
        "ETag": '"1"',
        "X-DynamoDB-Requests": "1",
        "X-DynamoDB-Capacity": "0.5",
    }
    assert response["body"] == (
        f'{{"Type":"User","UserId":"U-001","Name":"{NAME}","Points":79.90,"Version":1}}'
    )


def test_a_list_is_answered_with_its_items_and_what_follows(table: Table) -> None:
    table.finds(order_item("2024-01-05"), order_item("2024-01-15"), last=order_item("2024-01-15"))
    response = call(LIST_USER_ORDERS, event(USER, limit="1"))
    assert response["statusCode"] == 200
    assert "ETag" not in response["headers"]
    assert [item["OrderId"] for item in body(response)["items"]] == ["2024-01-05"]
    assert body(response)["next"]
    assert costs(response) == ("1", "0.5")


def test_the_costs_of_one_call_are_not_those_of_the_one_before(table: Table) -> None:
    handler = endpoint(GET_USER)
    for _ in range(2):
        table.has(user_item())
        assert costs(handler(event(USER), CONTEXT)) == ("1", "0.5")


# --- Problems -------------------------------------------------------------------------------


def test_bad_input_is_refused_before_any_call_and_says_what_is_wrong(table: Table) -> None:
    response = call(LIST_USER_ORDERS, event(USER, limit="0"))
    assert response["statusCode"] == 400
    assert response["headers"] == {
        "Content-Type": "application/problem+json",
        "X-DynamoDB-Requests": "0",
        "X-DynamoDB-Capacity": "0",
    }
    assert body(response) == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "limit must be a whole number from 1 to 200.",
        "errors": [{"name": "limit", "reason": "must be a whole number from 1 to 200"}],
    }
    assert table.calls == []


def test_a_cursor_that_is_not_ours_is_refused_before_any_call(table: Table) -> None:
    response = call(LIST_USER_ORDERS, event(USER, cursor="AAAA"))
    assert response["statusCode"] == 400
    assert [error["name"] for error in body(response)["errors"]] == ["cursor"]
    assert costs(response) == ("0", "0")
    assert table.calls == []


def test_an_item_that_does_not_exist_is_not_found_and_costs_its_read(table: Table) -> None:
    table.has(None)
    response = get_user()
    assert response["statusCode"] == 404
    assert response["headers"]["Content-Type"] == "application/problem+json"
    assert body(response) == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is no User with user_id 'U-001'.",
    }
    assert costs(response) == ("1", "0.5")


def test_who_is_throttled_is_told_when_to_come_again(table: Table) -> None:
    table.fails(refused("ProvisionedThroughputExceededException"))
    response = get_user()
    assert response["statusCode"] == body(response)["status"] == 429
    assert int(response["headers"]["Retry-After"]) >= 1
    assert costs(response) == ("1", "0")


@pytest.mark.parametrize(
    "error",
    [refused("AccessDeniedException"), ConnectTimeoutError(endpoint_url="x")],
    ids=["aws", "wire"],
)
def test_a_table_that_does_not_answer_is_not_available(table: Table, error: Exception) -> None:
    table.fails(error)
    response = get_user()
    assert response["statusCode"] == body(response)["status"] == 503
    assert "Retry-After" not in response["headers"]
    assert costs(response) == ("1", "0")


def test_a_cursor_that_dynamodb_refuses_is_bad_input_and_costs_its_read(table: Table) -> None:
    table.finds(order_item("1"), order_item("2"))
    after = body(call(LIST_USER_ORDERS, event(USER, limit="1")))["next"]
    table.fails(refused("ValidationException"))
    response = call(LIST_USER_ORDERS, event(USER, limit="1", cursor=after))
    assert response["statusCode"] == 400
    assert costs(response) == ("1", "0")


@pytest.mark.parametrize("pattern", READS, ids=lambda pattern: pattern.id)
def test_every_read_answers_each_failure_with_a_status_that_it_declares(
    table: Table, pattern: AccessPattern
) -> None:
    statuses = []
    for error in (
        refused("ThrottlingException"),
        refused("InternalServerError"),
        RuntimeError("x"),
    ):
        table.fails(error)
        response = carried_out(pattern)
        statuses.append(response["statusCode"])
        assert response["headers"].get("Retry-After") == ("1" if len(statuses) == 1 else None)
        assert costs(response) == ("1", "0")
    assert statuses == [429, 503, 500]
    assert set(statuses) <= set(pattern.errors)


@pytest.mark.parametrize("code", ["TransactionConflictException", "TransactionInProgressException"])
@pytest.mark.parametrize("pattern", BLIND_WRITES, ids=lambda pattern: pattern.id)
def test_a_write_that_meets_another_again_and_again_is_a_conflict(
    table: Table, pattern: AccessPattern, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    for _ in range(8):
        table.fails(refused(code))
    response = carried_out(pattern)
    assert response["statusCode"] == 409
    assert costs(response) == ("8", "0")
    assert 409 in pattern.errors


def carried_out(pattern: AccessPattern) -> Response:
    """What a pattern's entry point answers to its example."""
    path = {name: pattern.example[name] for name in pattern.path_parameters}
    query = {name: value for name, value in pattern.example.items() if name not in path}
    called = event(path, **query)
    if pattern.example_body is not None:
        called["body"] = bodies.write(pattern.example_body).decode()
    entry_points = import_module(f"lambdas.handlers.{pattern.dataset}")
    [name] = [
        each.name for each in ACCESS_PATTERNS if each.id == (pattern.variant_of or pattern.id)
    ]
    response: Response = getattr(entry_points, name)(called, CONTEXT)
    return response


# --- Our own faults -------------------------------------------------------------------------


def test_a_fault_of_ours_is_told_without_what_it_was_about(table: Table, log: Log) -> None:
    table.fails(RuntimeError(f"cannot handle {ANN}"))
    response = call(FIND_USER_BY_EMAIL, event(email=ANN))
    assert response["statusCode"] == 500
    assert body(response) == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "The service has a fault; it has been logged.",
    }
    assert costs(response) == ("1", "0")
    for text in (response["body"], log.text):
        assert "cannot handle" not in text
        assert ANN.lower() not in text.lower()
        assert "Traceback" not in text


def test_the_log_says_where_our_fault_is(table: Table, log: Log) -> None:
    table.fails(RuntimeError(ANN))
    call(FIND_USER_BY_EMAIL, event(email=ANN))
    [broken, answered] = log.lines
    assert (broken["level"], broken["pattern"]) == ("ERROR", "AP-06")
    assert broken["error"].startswith("RuntimeError in Table._answer:")
    assert (answered["level"], answered["status"]) == ("INFO", 500)


@pytest.mark.parametrize("code", ["ExpiredTokenException", "ThrottlingException"])
def test_the_log_has_the_code_of_a_fault_of_dynamodb_s_and_not_its_message(
    table: Table, log: Log, code: str
) -> None:
    response = {"Error": {"Code": code, "Message": f"{ANN} is not welcome"}}
    table.fails(ClientError(response, "Query"))  # type: ignore[arg-type]
    call(FIND_USER_BY_EMAIL, event(email=ANN))
    [answered] = log.lines
    assert answered["fault"] == code
    assert "welcome" not in log.text

    table.finds()
    call(FIND_USER_BY_EMAIL, event(email=ANN))
    assert "fault" not in log.lines[-1]


def test_a_request_that_dynamodb_finds_invalid_is_our_fault(table: Table) -> None:
    table.fails(refused("ValidationException"))
    assert get_user()["statusCode"] == 500


@pytest.mark.parametrize("item", [{"Type": {"N": "1"}}, user_item() | {"PK": {"S": "X#1"}}])
def test_an_item_that_no_entity_wrote_is_absent(
    table: Table, log: Log, item: dict[str, Any]
) -> None:
    table.finds(item | {"Name": {"S": NAME}})
    response = call(FIND_USER_BY_EMAIL, event(email=ANN))
    assert response["statusCode"] == 404
    assert costs(response) == ("1", "0.5")
    assert "Geheim" not in response["body"] + json.dumps(log.lines, ensure_ascii=False)


@pytest.mark.parametrize("called", [{}, {"version": "2.0"}, {"pathParameters": None}])
def test_an_event_without_parameters_is_bad_input(table: Table, called: dict[str, Any]) -> None:
    assert call(GET_USER, called)["statusCode"] == 400
    assert table.calls == []


def test_a_parameters_name_that_is_no_valid_text_is_bad_input_and_not_a_crash(table: Table) -> None:
    for name in ("ü", "\ufffd", "\ud800"):
        response = call(GET_USER, event(USER, **{name: "1"}))
        assert response["statusCode"] == 400
        assert costs(response) == ("0", "0")
    assert table.calls == []


def test_a_function_without_a_table_name_is_our_fault(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.has(user_item())
    assert get_user()["statusCode"] == 200
    monkeypatch.delenv("TABLE_NAME")
    assert get_user()["statusCode"] == 500


# --- The log --------------------------------------------------------------------------------


def test_each_call_is_one_line_with_what_it_was_and_what_it_cost(table: Table, log: Log) -> None:
    table.has(user_item())
    call(GET_USER, {**event(USER), "requestContext": {"requestId": "gateway-1"}})
    [line] = log.lines
    assert line["message"] == "answered"
    assert line["pattern"] == "AP-01"
    assert line["request_id"] == "request-1"
    assert line["status"] == 200
    assert line["requests"] == 1
    assert (line["read_units"], line["write_units"]) == (0.5, 0)
    assert (line["items_read"], line["items_returned"]) == (1, 1)
    assert line["gateway_id"] == "gateway-1"
    assert 0 <= line["duration_ms"] < 10_000


def test_a_call_that_is_refused_is_one_line_too(table: Table, log: Log) -> None:
    call(GET_USER, event({"user_id": ".."}))
    [line] = log.lines
    assert (line["pattern"], line["status"], line["requests"]) == ("AP-01", 400, 0)
    assert table.calls == []


def test_no_line_has_personal_data_whatever_the_answer_is(
    table: Table, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    found = user_item(Name={"S": NAME}, Email={"S": ANN})
    table.finds(found)
    table.finds()
    table.fails(refused("ThrottlingException"))
    table.fails(refused("InternalServerError"))
    table.fails(RuntimeError(ANN))
    calls = [event(email=ANN)] * 5 + [event(email=ANN + "@", name=NAME)]
    statuses = [call(FIND_USER_BY_EMAIL, each)["statusCode"] for each in calls]
    assert statuses == [200, 404, 429, 503, 500, 400]
    printed = capsys.readouterr()
    logged = log.text + json.dumps(log.lines, ensure_ascii=False) + printed.out + printed.err
    assert len(log.lines) == 7
    for secret in ("secret-7f3k", "x.de", "geheim", "ännchen"):
        assert secret not in logged.lower()


def test_a_call_without_a_request_id_is_logged_all_the_same(table: Table, log: Log) -> None:
    table.has(user_item())
    assert endpoint(GET_USER)(event(USER), None)["statusCode"] == 200
    [line] = log.lines
    assert line.get("request_id") is None


# --- The handler itself ---------------------------------------------------------------------


def test_a_handler_is_called_as_its_pattern_is() -> None:
    handler = endpoint(GET_USER)
    assert handler.__name__ == "get_user"
    assert handler.__doc__ == "AP-01: A user's profile."
