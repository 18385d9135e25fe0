"""Reads DynamoDB's answers in a small part of the time that botocore takes for it.

botocore walks every value of an answer along its model of the service, in Python. Here msgspec does
the same in one step, for the answers of reads. All else goes to botocore's own parser: errors, what
a write answers, and whatever is not as the model has it. Where botocore is not made as it was when
this was tested, everything does.
"""

from __future__ import annotations

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


class Answer(TypedDict, total=False):
    """What the answers of all the reads have."""

    Item: dict[str, Attribute]
    Items: list[dict[str, Attribute]]
    Responses: dict[str, list[dict[str, Attribute]]]
    LastEvaluatedKey: dict[str, Attribute]
    UnprocessedKeys: dict[str, Keys]
    NextToken: str
    Count: int
    ScannedCount: int
    ConsumedCapacity: Capacity | list[Capacity]


READS: Final = frozenset(
    {
        "BatchGetItemOutput",
        "ExecuteStatementOutput",
        "GetItemOutput",
        "QueryOutput",
        "ScanOutput",
    }
)
"""What botocore's model calls the answers that are read here."""

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

    def __init__(self) -> None:
        super().__init__()
        self._decode = Decoder(Answer).decode

    def parse(self, response: Any, shape: Any) -> Any:
        """What an operation answers, or an error, as botocore's parser gives it."""
        if response["status_code"] != 200 or shape is None or shape.name not in READS:  # noqa: PLR2004
            return super().parse(response, shape)
        try:
            answer: Any = self._decode(response["body"])
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
