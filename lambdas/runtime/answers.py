"""Reads DynamoDB's answers in a small part of the time that botocore takes for it.

botocore walks every value of an answer along its model of the service, in Python. Here msgspec does
the same in one step, for the answers of reads. All else goes to botocore's own parser: errors, what
a write answers, and whatever is not as the model has it. Where botocore is not made as it was when
this was tested, everything does.
"""

from __future__ import annotations

from functools import lru_cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, TypedDict

from botocore.parsers import JSONParser, ResponseParserFactory
from msgspec import DecodeError
from msgspec.json import Decoder

if TYPE_CHECKING:
    from botocore.session import Session  # noqa: TID251 - its name alone


class Attribute(TypedDict, total=False):
    """An attribute's value with its type; a number is text, and a binary value comes as base64."""

    S: str
    N: str
    B: bytes
    SS: list[str]
    NS: list[str]
    BS: list[bytes]
    M: dict[str, Attribute]
    L: list[Attribute]
    NULL: bool
    BOOL: bool


class Keys(TypedDict, total=False):
    """What a batch has left unread."""

    Keys: list[dict[str, Attribute]]
    AttributesToGet: list[str]
    ConsistentRead: bool
    ProjectionExpression: str
    ExpressionAttributeNames: dict[str, str]


class Units(TypedDict, total=False):
    """What was consumed of a table or an index."""

    CapacityUnits: int | float
    ReadCapacityUnits: int | float
    WriteCapacityUnits: int | float


class Capacity(Units, total=False):
    """What an operation has consumed."""

    TableName: str
    Table: Units
    LocalSecondaryIndexes: dict[str, Units]
    GlobalSecondaryIndexes: dict[str, Units]


class ItemAnswer(TypedDict, total=False):
    """The answer of GetItem."""

    Item: dict[str, Attribute]
    ConsumedCapacity: Capacity


class ItemsAnswer(TypedDict, total=False):
    """The answer of Query and of Scan."""

    Items: list[dict[str, Attribute]]
    Count: int
    ScannedCount: int
    LastEvaluatedKey: dict[str, Attribute]
    ConsumedCapacity: Capacity


class StatementAnswer(TypedDict, total=False):
    """The answer of ExecuteStatement."""

    Items: list[dict[str, Attribute]]
    NextToken: str
    LastEvaluatedKey: dict[str, Attribute]
    ConsumedCapacity: Capacity


class BatchAnswer(TypedDict, total=False):
    """The answer of BatchGetItem."""

    Responses: dict[str, list[dict[str, Attribute]]]
    UnprocessedKeys: dict[str, Keys]
    ConsumedCapacity: list[Capacity]


READS: Final = {
    "BatchGetItemOutput": BatchAnswer,
    "ExecuteStatementOutput": StatementAnswer,
    "GetItemOutput": ItemAnswer,
    "QueryOutput": ItemsAnswer,
    "ScanOutput": ItemsAnswer,
}
"""The answers that are read here, by their names in botocore's model."""

COMPONENT: Final = "response_parser_factory"


def read_fast(session: Session) -> None:
    """Let the clients that the session makes from now on read DynamoDB's answers in this way."""
    if is_as_tested(session):
        session.register_component(COMPONENT, Parsers())


def is_as_tested(session: Session) -> bool:
    """Whether botocore makes and calls its parsers as it did in version 1.43, for which equal
    results are tested. Lambda's runtime brings a botocore that moves on without us."""
    return (
        type(session.get_component(COMPONENT)) is ResponseParserFactory
        and [*signature(ResponseParserFactory.create_parser).parameters]
        == ["self", "protocol_name"]
        and [*signature(JSONParser.parse).parameters] == ["self", "response", "shape"]
    )


class Parsers(ResponseParserFactory):
    """Gives DynamoDB's protocol one parser for all answers; botocore makes one for each."""

    def __init__(self) -> None:
        super().__init__()
        self._parser = Parser()

    def create_parser(self, protocol_name: str) -> Any:
        """Called for every answer."""
        return self._parser if protocol_name == "json" else super().create_parser(protocol_name)


class Parser(JSONParser):
    """botocore's parser, with a short way for the answers of reads."""

    def parse(self, response: Any, shape: Any) -> Any:
        """What an operation answers, or an error, as botocore's parser gives it."""
        if response["status_code"] != 200 or shape is None or shape.name not in READS:  # noqa: PLR2004
            return super().parse(response, shape)
        try:
            # From text, because of what it skips msgspec does not check that it is UTF-8.
            answer = _decoder(shape.name).decode(response["body"].decode())
        except DecodeError:
            return super().parse(response, shape)
        headers = response["headers"]
        metadata = {
            "HTTPStatusCode": response["status_code"],
            "HTTPHeaders": {name.lower(): value for name, value in headers.items()},
        }
        if "x-amzn-requestid" in headers:
            metadata["RequestId"] = headers["x-amzn-requestid"]
        answer["ResponseMetadata"] = metadata
        return answer


@lru_cache
def _decoder(name: str) -> Decoder[Any]:
    """Made when it is first needed: a function needs one or two of them."""
    return Decoder(READS[name])
