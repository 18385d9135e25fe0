"""The OpenAPI document says what the API does."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from docs import sample
from docs.generate import ROOT
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern, ParentAndPage
from lambdas.runtime.openapi import VERSION, document
from tests.docs.schemas import JSON, PROBLEM, fits, openapi, operation, pattern, response

ROUTED = [each for each in ACCESS_PATTERNS if not each.variant_of]
ANSWERED = [each for each in ACCESS_PATTERNS if sample.has_data(each)]


def by_id(each: AccessPattern) -> str:
    return each.id


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    return openapi()


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """What the handlers answer to the patterns' examples."""
    return dict(json.loads(json.dumps(sample.answers(), default=float)))


@pytest.fixture(scope="module")
def headers() -> dict[str, set[str]]:
    """The headers with which the handlers answer the patterns' examples."""
    with sample.table():
        sent = {each.id: sample.handler(each)(sample.event(each), None) for each in ANSWERED}
    return {name: set(answer["headers"]) for name, answer in sent.items()}


@pytest.fixture
def table() -> Iterator[None]:
    with sample.table():
        yield


def send(asked: AccessPattern, **changed: str) -> tuple[int, str, Any]:
    """Status, media type and body of a pattern's example with other values in its query or path."""
    event = sample.event(asked)
    for part in ("pathParameters", "queryStringParameters"):
        names = set(asked.path_parameters) if part == "pathParameters" else set(changed)
        names -= set(asked.path_parameters) if part == "queryStringParameters" else set()
        event[part] |= {name: value for name, value in changed.items() if name in names}
    answer = sample.handler(asked)(event, None)
    return answer["statusCode"], answer["headers"]["Content-Type"], json.loads(answer["body"])


# --- The whole ------------------------------------------------------------------------------


@pytest.mark.parametrize("auth", ["iam", "jwt", "none"])
def test_the_document_is_valid_openapi(auth: Any) -> None:
    validate(openapi(auth), cls=OpenAPIV31SpecValidator)


def test_it_is_not_when_a_path_parameter_is_missing(written: dict[str, Any]) -> None:
    broken = deepcopy(written)
    broken["paths"]["/ecommerce/users/{user_id}"]["get"]["parameters"] = []
    with pytest.raises(OpenAPIValidationError):
        validate(broken, cls=OpenAPIV31SpecValidator)


def test_each_route_is_an_operation_and_nothing_else_is(written: dict[str, Any]) -> None:
    operations = {
        (f"{method.upper()} {path}", each["operationId"], each["summary"], *each["tags"])
        for path, methods in written["paths"].items()
        for method, each in methods.items()
    }
    assert operations == {(each.route, each.name, each.summary, each.dataset) for each in ROUTED}


def test_the_tags_are_the_datasets_as_they_are_declared(written: dict[str, Any]) -> None:
    assert [tag["name"] for tag in written["tags"]] == ["ecommerce", "university", "social"]
    assert written["tags"][0]["description"].startswith("The shop of the lecture: users, ")


def test_its_version_is_that_of_the_project(written: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert written["info"]["version"] == VERSION == project["version"]


def test_a_server_without_an_address_yet_has_variables_and_another_has_none() -> None:
    [unknown] = document()["servers"]
    assert unknown["url"] == "https://{api_id}.execute-api.{region}.amazonaws.com"
    assert set(unknown["variables"]) == {"api_id", "region"}
    assert document("https://api.example.com")["servers"] == [{"url": "https://api.example.com"}]


# --- Who may call ---------------------------------------------------------------------------


def test_a_signature_is_an_api_key_that_the_gateway_knows_as_sigv4() -> None:
    written = openapi("iam")
    assert written["security"] == [{"sigv4": []}]
    scheme = written["components"]["securitySchemes"]["sigv4"]
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "Authorization")
    assert scheme["x-amazon-apigateway-authtype"] == "awsSigv4"


def test_a_token_is_a_bearer_token() -> None:
    written = openapi("jwt")
    assert written["security"] == [{"token": []}]
    assert written["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_an_open_api_asks_for_nothing() -> None:
    written = openapi("none")
    assert "security" not in written
    assert "securitySchemes" not in written["components"]


@pytest.mark.parametrize(("auth", "refused"), [("iam", {"403"}), ("jwt", {"401"}), ("none", set())])
@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_the_gateway_refuses_callers_by_the_status_of_its_authorizer(
    asked: AccessPattern, auth: Any, refused: set[str]
) -> None:
    statuses = set(operation(openapi(auth), asked)["responses"])
    assert statuses & {"401", "403"} == refused


# --- Parameters and bodies ------------------------------------------------------------------


@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_each_declared_parameter_is_there_and_no_other(
    asked: AccessPattern, written: dict[str, Any]
) -> None:
    found = {
        each["name"]: (each["in"], each["required"], each["schema"].get("default"))
        for each in operation(written, asked)["parameters"]
    }
    assert found == {
        each.name: (
            "path" if each.name in asked.path_parameters else "query",
            each.required or each.name in asked.path_parameters,
            each.default,
        )
        for each in asked.parameters
    }


@pytest.mark.parametrize(
    ("pattern_id", "name", "good", "bad"),
    [
        ("AP-01", "user_id", ["U-001", "a" * 64, "..."], ["", ".", "..", "a" * 65, "a/b", "a:b"]),
        ("AP-03", "order_id", ["2024-01-15", "2024-01-31T18:45:00.000Z-JAN31X"], ["a b", "a#b"]),
        ("AP-02", "limit", [1, 200], [0, 201, 1.5, "5"]),
        ("AP-02", "newest", [True, False], ["yes", 1]),
        ("AP-02", "from", ["2024", "2024-01", "2024-01-31T18:45:00Z"], ["2024-1", "24", "today"]),
        ("AP-02", "period", ["2024", "2024-01-31"], ["2024-01-31T18:45:00Z"]),
        ("AP-02", "cursor", ["x"], ["", "x" * 6001]),
        ("AP-06", "email", ["alice@x.de"], ["alice", "alice@x.de\n", "a@" + "x" * 253]),
        ("AP-13", "category", ["electronics", "electronics/audio"], ["electronics/", "/audio", ""]),
        ("AP-18", "error_code", ["TIMEOUT"], ["TIME OUT"]),
        ("UN-01", "name", ["Finn Forschgeist", "ü" * 256], ["", "ü" * 257]),
    ],
)
def test_a_parameter_has_the_bounds_that_its_type_declares(
    pattern_id: str, name: str, good: list[Any], bad: list[Any], written: dict[str, Any]
) -> None:
    parameters = operation(written, pattern(pattern_id))["parameters"]
    [schema] = [each["schema"] for each in parameters if each["name"] == name]
    assert [value for value in good if not fits(written, schema, value)] == []
    assert [value for value in bad if fits(written, schema, value)] == []


@pytest.mark.parametrize("asked", ACCESS_PATTERNS, ids=by_id)
def test_the_examples_of_parameters_are_the_declared_ones(
    asked: AccessPattern, written: dict[str, Any]
) -> None:
    shared = next(each for each in ROUTED if each.id in (asked.id, asked.variant_of))
    given = {}
    for each in operation(written, shared)["parameters"]:
        named = each.get("examples", {}).get(asked.id, {"value": each.get("example")})
        if named["value"] is not None:
            given[each["name"]] = named["value"]
            assert fits(written, each["schema"], named["value"])
    texts = {name: json.dumps(value).strip('"') for name, value in given.items()}
    assert texts == json.loads(json.dumps(asked.example, ensure_ascii=True))


def test_a_variant_is_described_in_the_operation_that_it_shares(written: dict[str, Any]) -> None:
    shared = operation(written, pattern("AP-02"))
    assert shared["x-access-patterns"] == ["AP-02", "AP-07", "AP-08", "AP-09"]
    assert (
        "**AP-08**: A user's orders of one year, month or day. `?period=2024`"
        in (shared["description"])
    )
    assert "AP-08" not in operation(written, pattern("AP-01"))["description"]


def test_each_technique_is_named_where_it_is_shown(written: dict[str, Any]) -> None:
    assert operation(written, pattern("AP-05"))["x-techniques"] == [
        "Sparse index",
        "Index overloading",
    ]


def test_a_body_has_the_declared_members_and_no_others(written: dict[str, Any]) -> None:
    content = operation(written, pattern("UN-08"))["requestBody"]["content"][JSON]
    assert fits(written, content["schema"], content["example"])
    assert not fits(written, content["schema"], {**content["example"], "statement": "SELECT"})
    assert not fits(written, content["schema"], {})
    assert "requestBody" not in operation(written, pattern("AP-01"))


# --- Answers --------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ANSWERED, ids=by_id)
def test_what_a_handler_answers_is_as_its_schema_says(
    asked: AccessPattern, written: dict[str, Any], answers: dict[str, Any]
) -> None:
    schema = response(written, asked, 200)["content"][JSON]["schema"]
    assert fits(written, schema, answers[asked.id])
    assert not fits(written, schema, {**answers[asked.id], "Unknown": 1})
    for name in answers[asked.id]:
        if name not in ("VIP", "Address", "ExpiresAt", "ErrorCode", "FailedAt", "Note", "Adresse"):
            lacking = {key: each for key, each in answers[asked.id].items() if key != name}
            assert not fits(written, schema, lacking), name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Total", "129.90"),
        ("Type", "OrderItem"),
        ("Status", "LOST"),
        ("Version", 0),
        ("PK", "USER#U-001"),
        ("PlacedAt", "2024-01-15"),
    ],
)
def test_an_item_that_is_nearly_right_is_not(
    name: str, value: Any, written: dict[str, Any], answers: dict[str, Any]
) -> None:
    schema = response(written, pattern("AP-02"), 200)["content"][JSON]["schema"]
    page = deepcopy(answers["AP-02"])
    assert fits(written, schema, page)
    page["items"][2][name] = value
    assert not fits(written, schema, page)


def test_an_attribute_that_has_no_value_is_left_out_and_never_null(
    written: dict[str, Any], answers: dict[str, Any]
) -> None:
    schema = response(written, pattern("AP-01"), 200)["content"][JSON]["schema"]
    alice = answers["AP-01"]
    assert fits(written, schema, {name: each for name, each in alice.items() if name != "VIP"})
    assert not fits(written, schema, alice | {"VIP": None})


def test_the_parent_is_null_on_later_pages_and_never_absent(
    written: dict[str, Any], answers: dict[str, Any]
) -> None:
    asked = pattern("AP-04")
    assert isinstance(asked.answer, ParentAndPage)
    schema = response(written, asked, 200)["content"][JSON]["schema"]
    assert fits(written, schema, answers["AP-04"] | {"user": None})
    assert not fits(written, schema, {"orders": answers["AP-04"]["orders"]})


def test_an_item_of_the_inverted_index_has_its_keys_alone(written: dict[str, Any]) -> None:
    schema = response(written, pattern("AP-12"), 200)["content"][JSON]["schema"]
    keys = {"OrderId": "2024-01-15", "ProductId": "P-100"}
    assert fits(written, schema, {"items": [keys], "next": None})
    assert not fits(written, schema, {"items": [keys | {"Type": "OrderItem"}], "next": None})
    assert not fits(written, schema, {"items": [{"OrderId": "2024-01-15"}], "next": None})


def test_items_of_several_entities_are_told_apart_by_their_type(written: dict[str, Any]) -> None:
    schema = response(written, pattern("UN-03"), 200)["content"][JSON]["schema"]
    seminar = {"Professor": "C", "Seminar": "S", "RaumNr": "25", "Jahr": "2024", "Version": 1}
    assert fits(written, schema, {"items": [{"Type": "Teaching", **seminar}], "next": None})
    assert not fits(
        written, schema, {"items": [{"Type": "ResearchArticle", **seminar}], "next": None}
    )


def test_a_list_has_no_more_items_than_a_page_can(written: dict[str, Any]) -> None:
    schema = response(written, pattern("AP-12"), 200)["content"][JSON]["schema"]
    keys = {"OrderId": "2024-01-15", "ProductId": "P-100"}
    assert fits(written, schema, {"items": [keys] * 200, "next": "x"})
    assert not fits(written, schema, {"items": [keys] * 201, "next": "x"})


@pytest.mark.parametrize("asked", ANSWERED, ids=by_id)
def test_a_success_has_the_headers_that_are_listed_and_no_others(
    asked: AccessPattern, written: dict[str, Any], headers: dict[str, set[str]]
) -> None:
    shared = next(each for each in ROUTED if each.id in (asked.id, asked.variant_of))
    listed = set(response(written, shared, 200)["headers"])
    assert listed == headers[asked.id] - {"Content-Type"}
    assert {"X-DynamoDB-Requests", "X-DynamoDB-Capacity"} <= listed


def test_the_answers_that_are_handed_in_are_examples_with_exact_numbers() -> None:
    example = {"Type": "Product", "Price": Decimal("79.90")}
    written = document(examples={"AP-11": example, "AP-07": {"items": [], "next": None}})
    product = operation(written, pattern("AP-11"))["responses"]["200"]["content"][JSON]
    assert product["examples"]["AP-11"]["value"]["Price"] == Decimal("79.90")
    orders = operation(written, pattern("AP-02"))["responses"]["200"]["content"][JSON]
    assert set(orders["examples"]) == {"AP-07"}
    user = operation(written, pattern("AP-01"))["responses"]["200"]["content"][JSON]
    assert "examples" not in user


# --- Errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_each_error_that_can_come_is_there_and_no_other(
    asked: AccessPattern, written: dict[str, Any]
) -> None:
    ours, gateways = set(), set()
    for status in operation(written, asked)["responses"]:
        content = response(written, asked, int(status))["content"]
        ours |= {int(status)} if PROBLEM in content else set()
        gateways |= {int(status)} if JSON in content else set()
    assert ours == set(asked.errors)
    assert gateways == {200, 403, 429, 500, 503}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("pattern_id", "changed", "status"),
    [
        ("AP-02", {"limit": "0"}, 400),
        ("AP-02", {"colour": "blue", "cursor": "x"}, 400),
        ("AP-01", {"user_id": "U-999"}, 404),
        ("AP-10", {"order_id": "2024-01-16"}, 404),
    ],
)
def test_a_problem_is_as_its_schema_says(
    pattern_id: str, changed: dict[str, str], status: int, written: dict[str, Any]
) -> None:
    asked = pattern(pattern_id)
    found, media_type, problem = send(asked, **changed)
    assert (found, media_type) == (status, PROBLEM)
    schema = response(written, asked, status)["content"][PROBLEM]["schema"]
    assert fits(written, schema, problem)
    assert not fits(written, schema, problem | {"status": 418})
    assert not fits(written, schema, problem | {"trace": "..."})
    assert not fits(written, schema, {"message": "Bad Request"})


def test_bad_input_names_what_is_wrong(written: dict[str, Any]) -> None:
    content = response(written, pattern("AP-02"), 400)["content"][PROBLEM]
    assert fits(written, content["schema"], content["example"])
    anonymous = {name: each for name, each in content["example"].items() if name != "errors"}
    assert not fits(written, content["schema"], anonymous)


@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_the_example_of_bad_input_is_about_what_the_route_takes(
    asked: AccessPattern, written: dict[str, Any]
) -> None:
    content = response(written, asked, 400)["content"][PROBLEM]
    assert fits(written, content["schema"], content["example"])
    [error] = content["example"]["errors"]
    assert error["name"] in {each.name for each in asked.parameters} | {"body"}
    assert (error["name"] == "body") == (not asked.parameters)


def test_throttling_has_two_forms_and_only_ours_says_how_long_to_wait(
    written: dict[str, Any],
) -> None:
    throttled = response(written, pattern("AP-02"), 429)
    ours, gateways = throttled["content"][PROBLEM], throttled["content"][JSON]
    assert fits(written, ours["schema"], ours["example"])
    assert fits(written, gateways["schema"], gateways["example"])
    assert not fits(written, ours["schema"], gateways["example"])
    assert not fits(written, gateways["schema"], ours["example"])
    assert "Retry-After" in throttled["headers"]
    assert "Retry-After" not in response(written, pattern("AP-02"), 503)["headers"]
