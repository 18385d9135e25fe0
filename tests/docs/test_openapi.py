"""The OpenAPI document says what the API does."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from msgspec.json import Encoder
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from docs import sample
from docs.generate import ROOT
from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.access import Anyone
from lambdas.design.ecommerce import LIST_PENDING_ORDERS
from lambdas.design.operations import Write
from lambdas.design.pattern import AccessPattern, ParentAndPage
from lambdas.design.university import RUN_PARTIQL
from lambdas.runtime.openapi import VERSION, document
from tests.docs.schemas import JSON, PROBLEM, fits, openapi, operation, pattern, response
from tests.pending import pending

ROUTED = [each for each in ACCESS_PATTERNS if not each.variant_of]
ANSWERED = [each for each in ACCESS_PATTERNS if sample.has_data(each)]
WITH_BODY = [each for each in ROUTED if each.body]
OPTIONAL = ("VIP", "Address", "ExpiresAt", "ErrorCode", "FailedAt", "Note", "Adresse")


def by_id(each: AccessPattern) -> str:
    return each.id


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    return openapi()


@pytest.fixture(scope="module")
def sent() -> dict[str, list[sample.Response]]:
    """What the handlers answer to the patterns' examples, by the pattern's id."""
    return sample.responses()


@pytest.fixture(scope="module")
def answers(sent: dict[str, list[sample.Response]]) -> dict[str, Any]:
    """The body of each first answer."""
    return {
        each: json.loads(responses[0]["body"])
        for each, responses in sent.items()
        if "body" in responses[0]
    }


@pytest.fixture
def table() -> Iterator[None]:
    with sample.table():
        yield


def send(
    asked: AccessPattern,
    changed: dict[str, str] | None = None,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> sample.Response:
    """The answer to a pattern's example with other values in its path or query, another body."""
    event = sample.event(asked, headers)
    for name, value in (changed or {}).items():
        in_path = name in asked.path_parameters
        event["pathParameters" if in_path else "queryStringParameters"][name] = value
    if body is not None:
        event["body"] = Encoder(decimal_format="number").encode(body).decode()
    return sample.handler(asked)(event, None)


def said(written: dict[str, Any], asked: AccessPattern, status: str) -> dict[str, Any]:
    """What an error of a pattern can say, by media type; nothing where it cannot happen."""
    response = operation(written, asked)["responses"].get(status, {})
    name = response.get("$ref", "").rpartition("/")[2]
    content: dict[str, Any] = (
        written["components"]["responses"].get(name, response).get("content", {})
    )
    return content


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
    written = openapi(auth)
    assert {
        status for status in ("401", "403") if "application/json" in said(written, asked, status)
    } == refused


@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_people_are_told_who_may_call_and_that_others_are_refused(asked: AccessPattern) -> None:
    written = openapi("jwt")
    assert f"Who may call it: {asked.people}." in operation(written, asked)["description"]
    are_refused = "application/problem+json" in said(written, asked, "403")
    assert are_refused == (asked.people != Anyone() or asked is RUN_PARTIQL)


@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_a_service_can_be_refused_by_the_gateway_and_a_statement_by_us_as_well(
    asked: AccessPattern,
) -> None:
    ours = {"application/problem+json"} if asked is RUN_PARTIQL else set()
    assert set(said(openapi("iam"), asked, "403")) == {"application/json", *ours}


# --- Parameters and bodies ------------------------------------------------------------------


@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_each_declared_parameter_is_there_and_no_other(
    asked: AccessPattern, written: dict[str, Any]
) -> None:
    found = {
        each["name"]: (each["in"], each["required"], each["schema"].get("default"))
        for each in operation(written, asked)["parameters"]
    }
    declared = {
        each.name: (
            "path" if each.name in asked.path_parameters else "query",
            each.required or each.name in asked.path_parameters,
            each.default,
        )
        for each in asked.parameters
    }
    assert found == declared | {each.name: ("header", False, None) for each in asked.headers}


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
        ("CW-02", "If-Match", ['"1"', '"12"'], ["1", '"0"', 'W/"1"', "*", '"1", "2"', ""]),
        ("CW-01", "Idempotency-Key", ["a", "~" * 64], ["", "~" * 65, "a b", "ü"]),
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
        if each["in"] == "header":
            assert fits(written, each["schema"], each["example"])
            continue
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


def test_of_a_sharded_key_is_said_that_a_read_is_several_requests(
    written: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(document: dict[str, Any]) -> tuple[bool, str]:
        about = "each read is exactly one request of DynamoDB, or one for each partition key"
        asked = operation(document, LIST_PENDING_ORDERS)
        return about in document["info"]["description"], asked["description"].partition(". ")[0]

    with pending(8) as spread:
        others = (spread if each.id == spread.id else each for each in ACCESS_PATTERNS)
        monkeypatch.setattr("lambdas.runtime.openapi.ACCESS_PATTERNS", tuple(others))
        how = "**AP-05**: Query on the index `GSI1`, a request for each of 8 partition keys"
        assert said(document()) == (True, how)
    assert said(written) == (False, "**AP-05**: Query on the index `GSI1`")


def test_each_technique_is_named_where_it_is_shown(written: dict[str, Any]) -> None:
    assert operation(written, pattern("AP-05"))["x-techniques"] == [
        "Sparse index",
        "Index overloading",
    ]


@pytest.mark.parametrize("asked", WITH_BODY, ids=by_id)
def test_a_body_has_the_declared_members_and_no_others(
    asked: AccessPattern, written: dict[str, Any]
) -> None:
    content = operation(written, asked)["requestBody"]["content"][JSON]
    schema, example = content["schema"], content["example"]
    assert json.loads(sample.event(asked)["body"], parse_float=Decimal) == example
    assert fits(written, schema, example)
    assert not fits(written, schema, {**example, "Unknown": "x"})
    assert asked.body
    for name in asked.body.__struct_encode_fields__[: -len(asked.body.__struct_defaults__) or None]:
        lacking = {key: each for key, each in example.items() if key != name}
        assert not fits(written, schema, lacking), name


def test_what_takes_no_body_has_none(written: dict[str, Any]) -> None:
    assert {each.id for each in ROUTED if "requestBody" in operation(written, each)} == {
        each.id for each in WITH_BODY
    }


LINE = {"ProductId": "P-100", "Quantity": 1}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("pattern_id", "name", "good", "bad"),
    [
        ("CW-01", "UserId", ["U-999", None], ["", "..", "a b", 1]),
        ("CW-01", "Name", ["Zoë", "ü" * 256], ["", "ü" * 257, None, 1]),
        ("CW-01", "Email", ["zoe2@x.de"], ["zoe", "zoe@x.de\n", None]),
        ("CW-01", "Address", [{"Stadt": ""}, {}, None], [{"": "x"}, {"Stadt": 1}, "Köln"]),
        ("CW-02", "VIP", [True, False, None], ["yes", 1]),
        ("CW-02", "Name", ["Bobby"], [None, ""]),
        ("CW-05", "Items", [[LINE], [LINE | {"Quantity": 1_000_000}]], [[], None, [LINE, LINE]]),
        (
            "CW-05",
            "Items",
            [],
            [[LINE | {"Quantity": 0}], [LINE | {"Quantity": 1.5}], [LINE | {"Price": 1}]],
        ),
        ("CW-05", "Items", [], [[LINE | {"ProductId": f"P-{n}"} for n in range(98)]]),
        ("CW-06", "Status", ["PAID"], ["LOST", "paid", None]),
        ("CW-07", "Price", [0, 249, Decimal("0.0001"), Decimal("249.00")], [-1, "249.00", None]),
        (
            "CW-07",
            "Price",
            [10**12],
            [10**12 + 1, Decimal("0.00001"), Decimal("0.00015"), True],
        ),
        ("CW-07", "Currency", ["EUR"], ["EURO", "eur"]),
        ("CW-07", "Category", ["a", "a/b"], ["a/", "/a", ""]),
        ("CW-08", "TtlSeconds", [1, 31_536_000, None], [0, 31_536_001, 1.5, "1"]),
        ("CW-10", "JobId", ["J-901", None], ["J 901"]),
        ("CW-11", "ErrorCode", ["TIMEOUT"], [None, "TIME OUT", ""]),
        ("CW-11", "Status", ["FAILED"], ["SUCCEEDED", "QUEUED"]),
        ("UW-01", "Note", ["1,0"], [None, "", 1]),
        ("UW-01", "Adresse", [{"Stadt": "Köln"}], [None, {"Stadt": None}]),
        ("UW-05", "Anz. Seiten", ["21"], [21, None]),
    ],
)
def test_the_handler_takes_of_a_body_what_the_document_says_it_takes(
    pattern_id: str, name: str, good: list[Any], bad: list[Any], written: dict[str, Any]
) -> None:
    asked = pattern(pattern_id)
    content = operation(written, asked)["requestBody"]["content"][JSON]
    for value, is_good in [*((each, True) for each in good), *((each, False) for each in bad)]:
        body = {**content["example"], name: value}
        assert fits(written, content["schema"], body) == is_good, value
        assert (send(asked, body=body)["statusCode"] != 400) == is_good, value


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("pattern_id", "body", "is_good"),
    [
        ("CW-02", {}, False),
        ("CW-08", {}, True),
        ("CW-10", {}, True),
        ("CW-11", {"Status": "SUCCEEDED"}, True),
        ("CW-11", {"Status": "SUCCEEDED", "ErrorCode": None}, True),
        ("CW-11", {"Status": "FAILED"}, False),
    ],
)
def test_a_body_with_nothing_optional_is_taken_where_it_means_something(
    pattern_id: str, body: Any, is_good: bool, written: dict[str, Any]
) -> None:
    asked = pattern(pattern_id)
    schema = operation(written, asked)["requestBody"]["content"][JSON]["schema"]
    assert fits(written, schema, body) == is_good
    assert (send(asked, body=body)["statusCode"] != 400) == is_good


def test_no_two_schemas_have_one_name() -> None:
    names = [each.__name__ for each in (*ENTITIES, *(each.body for each in WITH_BODY)) if each]
    assert len(set(names)) == len(names)


def test_a_write_is_described_by_its_steps(written: dict[str, Any]) -> None:
    description = operation(written, pattern("CW-03"))["description"]
    assert description.startswith(
        "**CW-03**: GetItem User; then TransactWriteItems: Update User, Delete EmailGuard, "
    )


# --- Answers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern_id", "statuses"),
    [
        ("AP-01", ["200"]),
        ("CW-01", ["201", "200"]),
        ("CW-02", ["200"]),
        ("CW-04", ["204"]),
        ("CW-05", ["201", "200"]),
        ("CW-07", ["201", "200"]),
        ("CW-09", ["204"]),
        ("CW-11", ["200"]),
        ("UW-01", ["201", "200"]),
        ("UW-06", ["200"]),
        ("SW-02", ["201", "200"]),
        ("SW-03", ["204"]),
    ],
)
def test_what_is_new_is_201_and_what_leaves_nothing_204(
    pattern_id: str, statuses: list[str], written: dict[str, Any]
) -> None:
    listed = operation(written, pattern(pattern_id))["responses"]
    assert [status for status in listed if status.startswith("2")] == statuses


@pytest.mark.parametrize("asked", ANSWERED, ids=by_id)
def test_what_a_handler_answers_is_as_its_schema_says(
    asked: AccessPattern, written: dict[str, Any], sent: dict[str, list[sample.Response]]
) -> None:
    shared = next(each for each in ROUTED if each.id in (asked.id, asked.variant_of))
    listed = operation(written, shared)["responses"]
    assert [str(each["statusCode"]) for each in sent[asked.id]] == [
        status for status in listed if status.startswith("2")
    ]
    for answer in sent[asked.id]:
        content = response(written, shared, answer["statusCode"]).get("content")
        assert (content is None) == ("body" not in answer)
        if content is not None:
            check_body(written, content[JSON]["schema"], json.loads(answer["body"]))


def check_body(written: dict[str, Any], schema: dict[str, Any], body: dict[str, Any]) -> None:
    """The body fits its schema, and would not with a member more or less."""
    assert fits(written, schema, body)
    assert not fits(written, schema, {**body, "Unknown": 1})
    for name in body:
        if name not in OPTIONAL:
            lacking = {key: each for key, each in body.items() if key != name}
            assert not fits(written, schema, lacking), name


@pytest.mark.parametrize(
    ("pattern_id", "name", "value"),
    [
        ("CW-01", "VIP", None),
        ("CW-01", "LastCall", "x"),
        ("CW-01", "Type", "EmailGuard"),
        ("CW-06", "Status", "LOST"),
        ("CW-07", "Price", "249.00"),
        ("CW-08", "ExpiresAt", 1.5),
        ("UW-02", "Version", 0),
        ("UW-06", "changed", -1),
        ("UW-06", "next", ""),
        ("SW-02", "Since", "2025-01-05"),
    ],
)
def test_an_answer_to_a_write_that_is_nearly_right_is_not(
    pattern_id: str, name: str, value: Any, written: dict[str, Any], answers: dict[str, Any]
) -> None:
    listed = operation(written, pattern(pattern_id))["responses"]
    schema = next(iter(listed.values()))["content"][JSON]["schema"]
    assert fits(written, schema, answers[pattern_id])
    assert not fits(written, schema, answers[pattern_id] | {name: value})


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
    asked: AccessPattern, written: dict[str, Any], sent: dict[str, list[sample.Response]]
) -> None:
    shared = next(each for each in ROUTED if each.id in (asked.id, asked.variant_of))
    for answer in sent[asked.id]:
        listed = response(written, shared, answer["statusCode"])["headers"]
        assert set(listed) == set(answer["headers"]) - {"Content-Type"}
        assert {"X-DynamoDB-Requests", "X-DynamoDB-Capacity"} <= set(listed)
        for name in set(listed) & {"ETag", "Location"}:
            header = written["components"]["headers"].get(name, listed[name])
            assert fits(written, header["schema"], answer["headers"][name])
            assert not fits(written, header["schema"], f"{answer['headers'][name]}/x")


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    "pattern_id", ["CW-01", "CW-05", "CW-07", "CW-08", "CW-10", "SW-01", "SW-02"]
)
def test_where_something_new_is_said_to_be_it_can_be_read(
    pattern_id: str, written: dict[str, Any]
) -> None:
    made = send(pattern(pattern_id))
    location = made["headers"]["Location"]
    found = [(each, in_path) for each in ROUTED if (in_path := path_of(each, location))]
    read, in_path = next(each for each in found if each[0].method == "GET")
    stored = send(read, changed=in_path)
    assert json.loads(stored["body"]) == json.loads(made["body"])
    assert stored["headers"]["ETag"] == made["headers"]["ETag"]
    assert "Location" in response(written, pattern(pattern_id), 201)["headers"]


def test_what_no_route_reads_has_no_place(written: dict[str, Any]) -> None:
    for pattern_id in ("UW-01", "UW-04", "UW-05"):
        assert "Location" not in response(written, pattern(pattern_id), 201)["headers"]


def path_of(asked: AccessPattern, location: str) -> dict[str, str]:
    """The path parameters with which a pattern's route is this path, if it is."""
    template = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", asked.path)
    found = re.fullmatch(template, location)
    return found.groupdict() if found else {}


def test_the_answers_that_are_handed_in_are_examples_with_exact_numbers() -> None:
    example = {"Type": "Product", "Price": Decimal("79.90")}
    nothing: dict[str, Any] = {"items": [], "next": None}
    written = document(examples={"AP-11": {"200": example}, "AP-07": {"200": nothing}})
    product = operation(written, pattern("AP-11"))["responses"]["200"]["content"][JSON]
    assert product["examples"]["AP-11"]["value"]["Price"] == Decimal("79.90")
    orders = operation(written, pattern("AP-02"))["responses"]["200"]["content"][JSON]
    assert set(orders["examples"]) == {"AP-07"}
    user = operation(written, pattern("AP-01"))["responses"]["200"]["content"][JSON]
    assert "examples" not in user


def test_an_example_stands_at_its_own_status_with_the_place_of_what_is_new() -> None:
    new, replaced = ({"Type": "Product", "ProductId": "P-900", "Version": n} for n in (1, 2))
    written = document(examples={"CW-07": {"201": new, "200": replaced}})
    listed = operation(written, pattern("CW-07"))["responses"]
    assert listed["201"]["content"][JSON]["examples"]["CW-07"]["value"]["Version"] == 1
    assert listed["200"]["content"][JSON]["examples"]["CW-07"]["value"]["Version"] == 2
    assert listed["201"]["headers"]["Location"]["example"] == "/ecommerce/products/P-900"
    assert "Location" not in listed["200"]["headers"]


# --- Errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ROUTED, ids=by_id)
def test_each_error_that_can_come_is_there_and_no_other(
    asked: AccessPattern, written: dict[str, Any]
) -> None:
    ours, gateways = set(), set()
    for status in operation(written, asked)["responses"]:
        content = response(written, asked, int(status)).get("content", {})
        if status.startswith("2"):
            continue
        ours |= {int(status)} if PROBLEM in content else set()
        gateways |= {int(status)} if JSON in content else set()
    assert ours == set(asked.errors)
    takes_a_lot = {413} if isinstance(asked.operation, Write) and asked.body else set()
    assert gateways == {403, 429, 500, 503} | takes_a_lot


TAKEN = {"Name": "Zoë", "Email": "Alice@x.de"}
LARGE = {"Address": {"Stadt": "x" * 500_000}}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("pattern_id", "given", "status"),
    [
        ("AP-02", {"changed": {"limit": "0"}}, 400),
        ("AP-02", {"changed": {"colour": "blue", "cursor": "x"}}, 400),
        ("AP-01", {"changed": {"user_id": "U-999"}}, 404),
        ("AP-10", {"changed": {"order_id": "2024-01-16"}}, 404),
        ("CW-02", {"body": {"Colour": "blue"}}, 400),
        ("CW-01", {"headers": {"If-Match": '"1"'}}, 400),
        ("CW-02", {"changed": {"user_id": "U-999"}}, 404),
        ("CW-01", {"body": TAKEN}, 409),
        ("CW-06", {"changed": {"order_id": "2024-02-01"}}, 409),
        ("CW-02", {"headers": {"If-Match": '"7"'}}, 412),
        ("CW-02", {"body": LARGE}, 413),
    ],
)
def test_a_problem_is_as_its_schema_says(
    pattern_id: str, given: dict[str, Any], status: int, written: dict[str, Any]
) -> None:
    asked = pattern(pattern_id)
    answer = send(asked, **given)
    assert (answer["statusCode"], answer["headers"]["Content-Type"]) == (status, PROBLEM)
    problem = json.loads(answer["body"])
    content = response(written, asked, status)["content"][PROBLEM]
    assert fits(written, content["schema"], problem)
    assert not fits(written, content["schema"], problem | {"status": 418})
    assert not fits(written, content["schema"], problem | {"trace": "..."})
    assert not fits(written, content["schema"], problem | {"errors": []})
    assert not fits(written, content["schema"], {"message": "Bad Request"})
    for example in shown(content):
        assert fits(written, content["schema"], example)
        assert example["title"] == problem["title"]


def shown(content: dict[str, Any]) -> list[dict[str, Any]]:
    """All examples of a content."""
    named = [each["value"] for each in content.get("examples", {}).values()]
    return [content["example"]] if "example" in content else named


def test_a_conflict_names_the_field_or_none(written: dict[str, Any]) -> None:
    content = response(written, pattern("CW-01"), 409)["content"][PROBLEM]
    taken, busy = shown(content)
    assert [error["name"] for error in taken["errors"]] == ["Email"]
    assert "errors" not in busy


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
