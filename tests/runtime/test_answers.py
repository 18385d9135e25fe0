"""Every answer is read twice: by our parser, and by botocore's own along its model of DynamoDB."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import pytest
from botocore.model import ServiceModel
from botocore.parsers import JSONParser, ResponseParserFactory
from botocore.session import Session, get_session
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.runtime import answers
from lambdas.runtime.answers import COMPONENT, READS, Parser, Parsers

OURS, STOCK = Parser(), JSONParser()


MODEL = ServiceModel(get_session().get_service_data("dynamodb"), "dynamodb")
OPERATIONS = {
    "BatchGetItem": "Responses",
    "ExecuteStatement": "Items",
    "GetItem": "Item",
    "Query": "Items",
    "Scan": "Items",
}
HEADERS = {
    "x-amzn-RequestId": "4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQNSO5AEMVJF66Q9ASUAAJG",
    "Content-Type": "application/x-amz-json-1.0",
    "x-amz-crc32": "2745614147",
}


class Insensitive(dict[str, str]):
    """Headers as botocore has them: their names in any case."""

    def __contains__(self, name: object) -> bool:
        return any(name == each.lower() for each in self)

    def __getitem__(self, name: str) -> str:
        return next(value for each, value in self.items() if each.lower() == name.lower())


def answer(body: object, status: int = 200) -> dict[str, Any]:
    raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return {"status_code": status, "headers": Insensitive(HEADERS), "body": raw, "context": {}}


def shape_of(operation: str) -> Any:
    """What the model says of an operation's answer."""
    return MODEL.operation_model(operation).output_shape


def read(parser: JSONParser, response: Mapping[str, Any], shape: Any) -> object:
    """What a parser gives, or the error that it ends with."""
    try:
        return parser.parse(response, shape)
    except Exception as error:  # noqa: BLE001 - whatever it is, ours is to be the same
        return type(error), str(error)


def is_read_alike(response: Mapping[str, Any], operation: str) -> bool:
    shape = shape_of(operation)
    return read(OURS, response, shape) == read(STOCK, response, shape)


# --- Items of every attribute type ----------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
BINARY = st.binary(max_size=20).map(lambda raw: b64encode(raw).decode())
NUMBER = st.decimals(allow_nan=False, allow_infinity=False).map(str)
PLAIN = st.one_of(
    st.builds(lambda text: {"S": text}, TEXT),
    st.builds(lambda number: {"N": number}, NUMBER),
    st.builds(lambda raw: {"B": raw}, BINARY),
    st.builds(lambda texts: {"SS": texts}, st.lists(TEXT, min_size=1, max_size=3)),
    st.builds(lambda numbers: {"NS": numbers}, st.lists(NUMBER, min_size=1, max_size=3)),
    st.builds(lambda raws: {"BS": raws}, st.lists(BINARY, min_size=1, max_size=3)),
    st.booleans().map(lambda value: {"BOOL": value}),
    st.just({"NULL": True}),
)
ATTRIBUTE = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"L": parts}, st.lists(inner, max_size=3)),
        st.builds(lambda parts: {"M": parts}, st.dictionaries(TEXT, inner, max_size=3)),
    ),
    max_leaves=8,
)
ITEM = st.dictionaries(TEXT, ATTRIBUTE, max_size=5)
UNITS = st.one_of(st.integers(0, 100), st.floats(0, 100))
CAPACITY = st.fixed_dictionaries(
    {"TableName": TEXT, "CapacityUnits": UNITS},
    optional={
        "Table": st.fixed_dictionaries({"CapacityUnits": UNITS}),
        "GlobalSecondaryIndexes": st.dictionaries(
            TEXT, st.fixed_dictionaries({"CapacityUnits": UNITS}), max_size=2
        ),
    },
)
BODIES = {
    "GetItem": st.fixed_dictionaries({"ConsumedCapacity": CAPACITY}, optional={"Item": ITEM}),
    "Query": st.fixed_dictionaries(
        {"Items": st.lists(ITEM, max_size=3), "Count": st.integers(0), "ScannedCount": UNITS},
        optional={"LastEvaluatedKey": ITEM, "ConsumedCapacity": CAPACITY},
    ),
    "ExecuteStatement": st.fixed_dictionaries(
        {"Items": st.lists(ITEM, max_size=3)}, optional={"NextToken": TEXT}
    ),
    "BatchGetItem": st.fixed_dictionaries(
        {
            "Responses": st.dictionaries(TEXT, st.lists(ITEM, max_size=2), max_size=2),
            "UnprocessedKeys": st.dictionaries(
                TEXT, st.fixed_dictionaries({"Keys": st.lists(ITEM, max_size=2)}), max_size=1
            ),
            "ConsumedCapacity": st.lists(CAPACITY, max_size=2),
        }
    ),
}


@pytest.mark.parametrize("operation", BODIES)
@given(st.data())
def test_items_of_every_attribute_type_are_read_as_botocore_reads_them(
    operation: str, data: st.DataObject
) -> None:
    assert is_read_alike(answer(data.draw(BODIES[operation])), operation)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_binary_values_are_bytes_and_numbers_stay_text(operation: str) -> None:
    """The example that the generated ones are variations of."""
    item = {
        "B": {"B": "w7w="},
        "BS": {"BS": ["AA==", ""]},
        "N": {"N": "79.90"},
        "L": {"L": [{"M": {"B": {"B": "/w=="}}}]},
    }
    expected = {
        "B": {"B": b"\xc3\xbc"},
        "BS": {"BS": [b"\0", b""]},
        "N": {"N": "79.90"},
        "L": {"L": [{"M": {"B": {"B": b"\xff"}}}]},
    }
    member = OPERATIONS[operation]
    forms: dict[str, Any] = {"Item": item, "Items": [item], "Responses": {"T": [item]}}
    wanted: dict[str, Any] = {"Item": expected, "Items": [expected], "Responses": {"T": [expected]}}
    shape = shape_of(operation)
    found = OURS.parse(answer({member: forms[member]}), shape)
    assert found[member] == wanted[member]
    assert found == STOCK.parse(answer({member: forms[member]}), shape)


def test_every_answer_that_is_read_here_is_one_of_an_operation_of_the_model() -> None:
    assert {shape_of(operation).name for operation in OPERATIONS} == set(READS)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_member_of_the_model_is_known_here(operation: str) -> None:
    shape = shape_of(operation)
    assert set(READS[shape.name].__annotations__) == set(shape.members)


# --- What is not as it should be ------------------------------------------------------------

ODD = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"{}", id="an empty object"),
    pytest.param(b"[]", id="a list"),
    pytest.param(b"null", id="null"),
    pytest.param(b"<html>hello</html>", id="a page"),
    pytest.param(b'{"Item": {"A": {"S": "a', id="one that is cut off"),
    pytest.param(b"\xef\xbb\xbf{}", id="one with a byte order mark"),
    pytest.param(b'{"Item": {"A": {"S": "\xff"}}}', id="no UTF-8"),
    pytest.param(b'{"Item": {"A": {"S": "\\ud800"}}}', id="half a surrogate pair"),
    pytest.param(b'{"Item": {"A": {"S": "a"}, "A": {"S": "b"}}}', id="a name twice"),
    pytest.param(b'{"Item": null, "ConsumedCapacity": null}', id="null members"),
    pytest.param(b'{"Items": [null], "Item": {"A": null}}', id="null items"),
    pytest.param(b'{"Item": {"A": {"S": null}}}', id="a null value"),
    pytest.param(b'{"Item": {"A": {"B": "no base64!"}}}', id="a binary value that is none"),
    pytest.param(b'{"Item": {"A": {"B": "w7w"}}}', id="a binary value that is cut off"),
    pytest.param(b'{"Item": {"A": {"N": 1}}}', id="a number that is no text"),
    pytest.param(b'{"Item": {"A": {"X": "new"}}}', id="a type of the future"),
    pytest.param(b'{"Item": {"A": {}}}', id="an attribute without a type"),
    pytest.param(b'{"Item": {"A": {"S": "a", "N": "1"}}}', id="an attribute of two types"),
    pytest.param(b'{"Item": "text", "Items": 5}', id="items of the wrong kind"),
    pytest.param(b'{"Item": {}, "New": {"S": "a"}}', id="a member of the future"),
    pytest.param(b'{"ConsumedCapacity": {"CapacityUnits": null, "New": 1}}', id="null units"),
    pytest.param(b'{"ConsumedCapacity": {"CapacityUnits": NaN}}', id="units that are no number"),
    pytest.param(b'{"ConsumedCapacity": {"CapacityUnits": 1e999}}', id="units out of range"),
]


@pytest.mark.parametrize("operation", [*OPERATIONS, "UpdateItem", "TransactWriteItems"])
@pytest.mark.parametrize("body", ODD)
def test_whatever_else_is_answered_is_read_as_botocore_reads_it(
    body: bytes, operation: str
) -> None:
    assert is_read_alike(answer(body), operation)


ERRORS = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"<html>503</html>", id="a page"),
    pytest.param(b'{"message": "no code"}', id="one without a code"),
    pytest.param(
        b'{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"m"}',
        id="one of the model",
    ),
    pytest.param(b'{"__type":"com.amazon.coral.service#Other","Message":"m"}', id="another one"),
    pytest.param(
        json.dumps(
            {
                "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
                "message": "The conditional request failed",
                "Item": {"PK": {"S": "ü"}, "B": {"B": "w7w="}, "Version": {"N": "3"}},
            }
        ).encode(),
        id="one with the item that is there",
    ),
    pytest.param(
        json.dumps(
            {
                "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
                "Message": "Transaction cancelled",
                "CancellationReasons": [
                    {"Code": "None"},
                    {
                        "Code": "ConditionalCheckFailed",
                        "Message": "m",
                        "Item": {"PK": {"S": "a"}, "BS": {"BS": ["AA=="]}, "N": {"N": "1.50"}},
                    },
                    {"Code": "TransactionConflict", "Message": None},
                ],
            }
        ).encode(),
        id="one with the reasons of a transaction",
    ),
]


@pytest.mark.parametrize("operation", ["GetItem", "Query", "UpdateItem", "TransactWriteItems"])
@pytest.mark.parametrize("status", [301, 400, 413, 500, 503])
@pytest.mark.parametrize("body", ERRORS)
def test_errors_are_read_as_botocore_reads_them(body: bytes, status: int, operation: str) -> None:
    """As botocore does it: once for the error itself, and once for what the model says of it."""
    response = answer(body, status)
    assert is_read_alike(response, operation)
    for shape in MODEL.error_shapes:
        assert read(OURS, response, shape) == read(STOCK, response, shape)


@given(st.binary(max_size=30), st.sampled_from([200, 204, 300, 400, 500]))
@example(b"{}", 300)
def test_bytes_of_any_kind_are_read_as_botocore_reads_them(body: bytes, status: int) -> None:
    assert is_read_alike(answer(body, status), "GetItem")


# --- The place in botocore ------------------------------------------------------------------


def made(session: Session) -> object:
    factory = session.get_component(COMPONENT)
    return type(factory.create_parser("json"))


def test_a_session_reads_dynamodbs_answers_in_this_way_and_other_protocols_as_before() -> None:
    session = get_session()
    answers.read_fast(session)
    assert made(session) is Parser
    factory = session.get_component(COMPONENT)
    stock = ResponseParserFactory()
    for protocol in ("rest-json", "rest-xml", "query"):
        assert type(factory.create_parser(protocol)) is type(stock.create_parser(protocol))


def test_where_botocores_parsers_are_called_otherwise_its_own_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def parse(self: JSONParser, response: Any, shape: Any, operation_model: Any) -> None:
        """As a later botocore might have it."""

    monkeypatch.setattr(JSONParser, "parse", parse)
    session = get_session()
    answers.read_fast(session)
    assert made(session) is JSONParser


def test_where_botocore_makes_its_parsers_otherwise_its_own_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stock = ResponseParserFactory.create_parser

    def create_parser(self: ResponseParserFactory, protocol_name: str, version: str = "") -> Any:
        return stock(self, protocol_name + version)

    monkeypatch.setattr(ResponseParserFactory, "create_parser", create_parser)
    session = get_session()
    answers.read_fast(session)
    assert made(session) is JSONParser


def test_where_another_factory_stands_in_its_place_it_is_left_there() -> None:
    class Other(ResponseParserFactory):
        """One that somebody has put there, such as a tracer."""

    session = get_session()
    session.register_component(COMPONENT, Other())
    answers.read_fast(session)
    assert type(session.get_component(COMPONENT)) is Other


def test_one_parser_serves_all_answers() -> None:
    parsers = Parsers()
    assert parsers.create_parser("json") is parsers.create_parser("json")
