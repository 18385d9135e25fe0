from typing import Any

import pytest
from msgspec.structs import replace

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import (
    CHANGE_USER,
    CREATE_USER,
    FIND_USER_BY_EMAIL,
    GET_USER,
    LIST_ORDER_ITEMS,
    LIST_PENDING_ORDERS,
    LIST_USER_ORDERS,
    NEWEST,
    USER_ID,
)
from lambdas.design.operations import Parameter, Query, WholeCollection
from lambdas.design.pattern import CURSOR, LIMIT, AccessPattern, OneItem, Technique
from lambdas.design.values import JobStatus, Text
from lambdas.runtime import arguments
from lambdas.runtime.arguments import Event
from lambdas.runtime.errors import BadInput
from tests.runtime.samples import event

USER = {"user_id": "U-001"}

FIND_BY_TEXT = AccessPattern(
    id="XX-06",
    name="find_by_text",
    route="GET /ecommerce/user-by-text",
    summary="A pattern that takes free text.",
    operation=Query(FIND_USER_BY_EMAIL.operation.keys[0], sort=WholeCollection()),
    answer=OneItem(),
    own_parameters=(Parameter("name", Text, "Any text.", fills="Email", required=True),),
    shows=(Technique.INDEX_OVERLOADING,),
    example={"name": "Ann"},
)


def refusal(pattern: AccessPattern, called: Event) -> dict[str, str]:
    with pytest.raises(BadInput) as refused:
        arguments.read(pattern, called)
    return refused.value.errors


def limited(limit: str) -> Event:
    return event(USER, limit=limit)


# --- Values ---------------------------------------------------------------------------------


def test_parameters_have_their_values_and_the_others_their_defaults() -> None:
    read = arguments.read(LIST_USER_ORDERS, event(USER, newest="true", limit="5"))
    assert read == {
        "user_id": "U-001",
        "from": None,
        "to": None,
        "period": None,
        "newest": True,
        "limit": 5,
        "cursor": None,
    }


def test_without_a_limit_a_page_has_50_items() -> None:
    assert arguments.read(LIST_USER_ORDERS, event(USER))["limit"] == 50


@pytest.mark.parametrize("limit", ["1", "2", "199", "200"])
def test_a_limit_from_1_to_200_is_taken(limit: str) -> None:
    assert arguments.read(LIST_USER_ORDERS, limited(limit))["limit"] == int(limit)


@pytest.mark.parametrize(
    "limit",
    ["0", "-1", "201", "abc", "1e9", "1.5", "", " 5", "5 ", "+5", "0x10", "5,5", "NaN", "null"],
)
def test_any_other_limit_is_refused(limit: str) -> None:
    assert refusal(LIST_USER_ORDERS, limited(limit)) == {
        "limit": "must be a whole number from 1 to 200"
    }


def test_a_limit_of_thousands_of_digits_is_refused_like_any_other() -> None:
    assert list(refusal(LIST_USER_ORDERS, limited("9" * 5000))) == ["limit"]


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_a_flag_is_true_or_false(text: str, value: bool) -> None:
    assert arguments.read(LIST_USER_ORDERS, event(USER, newest=text))["newest"] is value


@pytest.mark.parametrize("text", ["", "yes", "2", "null", "truefalse"])
def test_a_flag_that_is_neither_is_refused(text: str) -> None:
    assert refusal(LIST_USER_ORDERS, event(USER, newest=text)) == {
        "newest": "must be true or false"
    }


@pytest.mark.parametrize("name", ["from", "to", "period", "cursor"])
def test_an_empty_value_is_not_an_absent_one(name: str) -> None:
    assert list(refusal(LIST_USER_ORDERS, event(USER, **{name: ""}))) == [name]


# --- Already decoded ------------------------------------------------------------------------


def test_a_path_value_is_not_decoded_a_second_time() -> None:
    for user in ("a%2Fb", "a%20b", "U%2D001", "a+b"):
        assert list(refusal(GET_USER, event({"user_id": user}))) == ["user_id"]
    assert arguments.read(GET_USER, event({"user_id": "U-001"}))["user_id"] == "U-001"


@pytest.mark.parametrize("text", ["a+b", "a%2Bb", "100%", "%", "a b", "Käse & Brot", "a=b", "a,b"])
def test_free_text_stays_as_the_gateway_gave_it(text: str) -> None:
    called = event(name=text) | {"rawQueryString": "name=anything"}
    assert arguments.read(FIND_BY_TEXT, called)["name"] == text


def test_an_address_keeps_its_plus() -> None:
    called = {
        "rawQueryString": "email=a%2Bb@x.de",
        "queryStringParameters": {"email": "a+b@x.de"},
    }
    assert arguments.read(FIND_USER_BY_EMAIL, called)["email"] == "a+b@x.de"


@pytest.mark.parametrize("order", ["2024-03-02T09:15:00.123Z-7F3K9Q", "2024-01-15"])
def test_an_order_id_may_hold_colons_and_a_users_may_not(order: str) -> None:
    assert arguments.read(LIST_ORDER_ITEMS, event({"order_id": order}))["order_id"] == order
    assert list(refusal(GET_USER, event({"user_id": "09:15"}))) == ["user_id"]


# --- The shapes in which the gateway sends nothing --------------------------------------------


@pytest.mark.parametrize("name", ["queryStringParameters", "headers", "rawQueryString"])
def test_what_the_event_leaves_out_or_sends_as_null_counts_as_nothing(name: str) -> None:
    complete: dict[str, Any] = {
        "queryStringParameters": {},
        "headers": {},
        "rawQueryString": "",
        "pathParameters": USER,
    }
    without = {key: value for key, value in complete.items() if key != name}
    wanted = arguments.read(LIST_USER_ORDERS, complete)
    assert arguments.read(LIST_USER_ORDERS, without) == wanted
    assert arguments.read(LIST_USER_ORDERS, without | {name: None}) == wanted


@pytest.mark.parametrize("called", [{}, {"pathParameters": None}, {"pathParameters": {}}])
def test_a_path_without_parameters_is_nothing_where_none_is_required(called: Event) -> None:
    assert arguments.read(LIST_PENDING_ORDERS, called)["limit"] == 50
    assert refusal(GET_USER, called) == {"user_id": "is missing"}


# --- Names ----------------------------------------------------------------------------------


def test_a_required_parameter_that_is_missing_is_named() -> None:
    assert refusal(FIND_USER_BY_EMAIL, event()) == {"email": "is missing"}


def test_an_unknown_parameter_is_named_with_those_that_there_are() -> None:
    assert refusal(LIST_ORDER_ITEMS, event({"order_id": "1"}, limt="5")) == {
        "limt": "is not a query parameter of this route, which takes cursor, limit"
    }


def test_a_route_that_takes_no_query_parameter_says_so() -> None:
    assert refusal(GET_USER, event(USER, limit="5")) == {
        "limit": "is not a query parameter of this route, which takes none"
    }


def test_names_are_taken_as_they_are_written() -> None:
    assert list(refusal(LIST_USER_ORDERS, event(USER, Limit="5"))) == ["Limit"]


def test_a_path_parameter_is_not_taken_from_the_query_string() -> None:
    assert list(refusal(GET_USER, event(USER, user_id="U-002"))) == ["user_id"]
    errors = refusal(GET_USER, event(user_id="U-002"))
    assert list(errors) == ["user_id"]


@pytest.mark.parametrize(
    "raw", ["limit=5&limit=6", "limit=5&limit=5", "limit&limit=5", "limit=&limit"]
)
def test_a_parameter_that_is_given_more_than_once_is_refused(raw: str) -> None:
    # The gateway joins the values with a comma.
    called = event(USER, limit="5,6") | {"rawQueryString": raw}
    assert refusal(LIST_USER_ORDERS, called) == {"limit": "is given more than once"}


def test_a_repeated_text_is_not_taken_for_one_with_a_comma() -> None:
    called = event(name="Ann,Bob") | {"rawQueryString": "name=Ann&name=Bob"}
    assert refusal(FIND_BY_TEXT, called) == {"name": "is given more than once"}
    comma = event(name="Ann,Bob") | {"rawQueryString": "name=Ann,Bob"}
    assert arguments.read(FIND_BY_TEXT, comma)["name"] == "Ann,Bob"


def test_a_repeated_name_is_noticed_though_it_is_spelled_with_escapes() -> None:
    called = event(name="Ann,Bob") | {"rawQueryString": "name=Ann&%6Eame=Bob"}
    assert refusal(FIND_BY_TEXT, called) == {"name": "is given more than once"}


def test_a_name_that_ends_like_another_or_stands_in_a_value_is_no_repetition() -> None:
    raw = "from=2024&to=2024&cursor=xfrom"
    called = event(USER, **{"from": "2024", "to": "2024", "cursor": "xfrom"})
    assert arguments.read(LIST_USER_ORDERS, called | {"rawQueryString": raw})["from"] == "2024"


# --- Headers --------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["if-match", "If-Match", "IF-MATCH"])
def test_if_match_is_refused_on_a_read_in_whatever_case(header: str) -> None:
    called = event(USER) | {"headers": {header: '"1"'}}
    assert refusal(GET_USER, called) == {"If-Match": "is not taken by this route"}


@pytest.mark.parametrize("header", ["if-none-match", "x-if-match", "accept", "idempotency"])
def test_other_headers_are_let_be(header: str) -> None:
    assert arguments.read(GET_USER, event(USER) | {"headers": {header: '"1"'}}) == USER


# --- All at once ----------------------------------------------------------------------------


def test_everything_that_is_wrong_is_said_at_once() -> None:
    called = event({"user_id": ".."}, limit="0", newest="perhaps", period="24", colour="red")
    called |= {"headers": {"if-match": '"1"'}}
    assert refusal(LIST_USER_ORDERS, called) == {
        "user_id": "must be 1 to 64 of the characters A-Z a-z 0-9 . _ ~ - and not . or .. alone",
        "limit": "must be a whole number from 1 to 200",
        "newest": "must be true or false",
        "period": "must be a year, month or day, such as 2024, 2024-01 or 2024-01-31",
        "colour": "is not a query parameter of this route, which takes "
        "cursor, from, limit, newest, period, to",
        "If-Match": "is not taken by this route",
    }


def test_no_reason_repeats_what_the_caller_sent() -> None:
    called = event({"user_id": "<script>"}, limit="<script>")
    assert not any("<script>" in reason for reason in refusal(LIST_USER_ORDERS, called).values())


def test_every_declared_parameter_can_say_what_it_takes() -> None:
    for pattern in ACCESS_PATTERNS:
        for parameter in pattern.parameters:
            assert arguments.accepted(parameter)
    assert arguments.accepted(LIMIT) == "a whole number from 1 to 200"
    assert arguments.accepted(NEWEST) == "true or false"
    assert arguments.accepted(USER_ID) != arguments.accepted(CURSOR)


def test_a_parameter_that_is_one_of_some_words_says_which() -> None:
    word = Parameter("name", JobStatus, "The word.", fills="Email", required=True)
    find_by_word = replace(FIND_BY_TEXT, own_parameters=(word,), example={"name": "QUEUED"})

    assert arguments.read(find_by_word, event(name="FAILED")) == {"name": "FAILED"}
    assert refusal(find_by_word, event(name="failed")) == {
        "name": "must be one of QUEUED, SUCCEEDED, FAILED"
    }


def test_a_type_that_does_not_say_what_it_takes_is_an_error_of_the_declaration() -> None:
    with pytest.raises(TypeError, match="colour: the type says nothing"):
        arguments.accepted(Parameter("colour", str, "The colour."))


@pytest.mark.parametrize("pattern", ACCESS_PATTERNS, ids=lambda pattern: pattern.id)
def test_every_declared_example_is_taken(pattern: AccessPattern) -> None:
    path = {name: pattern.example[name] for name in pattern.path_parameters}
    query = {name: value for name, value in pattern.example.items() if name not in path}
    read = arguments.read(pattern, event(path, **query))
    assert all(read[name] is not None for name in pattern.example)


# --- Headers --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["If-Match", "if-match", "IF-MATCH"])
def test_a_header_is_read_whatever_its_case(name: str) -> None:
    called = event({"user_id": "1"})
    called["headers"][name] = '"7"'
    assert arguments.read(CHANGE_USER, called)["If-Match"] == '"7"'


def test_a_header_that_is_not_sent_is_none() -> None:
    assert arguments.read(CHANGE_USER, event({"user_id": "1"}))["If-Match"] is None
    assert arguments.read(CREATE_USER, {"headers": None})["Idempotency-Key"] is None


def test_a_header_is_not_taken_from_the_query() -> None:
    with pytest.raises(BadInput) as refused:
        arguments.read(CHANGE_USER, event({"user_id": "1"}, **{"If-Match": '"7"'}))
    assert set(refused.value.errors) == {"If-Match"}


def test_a_wrong_header_is_named_with_what_else_is_wrong() -> None:
    called = event({"user_id": ".."}, colour="red")
    called["headers"]["If-Match"] = "7"
    with pytest.raises(BadInput) as refused:
        arguments.read(CHANGE_USER, called)
    assert set(refused.value.errors) == {"user_id", "colour", "If-Match"}


def test_if_match_is_refused_where_it_means_nothing() -> None:
    for pattern in (CREATE_USER, LIST_USER_ORDERS):
        called = event(dict.fromkeys(pattern.path_parameters, "1"))
        called["headers"]["if-match"] = '"1"'
        with pytest.raises(BadInput) as refused:
            arguments.read(pattern, called)
        assert refused.value.errors == {"If-Match": "is not taken by this route"}
