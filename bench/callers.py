"""Callers that put the same two questions to DynamoDB, each in its own way.

`item` is GetItem of one item of 0.8 KB, `page` is Query of 100 of them. Each gives the JSON text
that an API would answer with, so that all do the same work; `bare` gives what the client does.

`python -m bench.callers CALLER QUESTION` asks once, as a fresh process; with a third word it waits
for numbers on its standard input, asks so often, and prints the milliseconds of CPU that it took.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

TABLE: Final = "Table"
REGION: Final = "eu-central-1"
KEY: Final = {"PK": "USER#U-001", "SK": "PROFILE"}
CONDITION: Final = "PK = :partition AND begins_with(SK, :prefix)"
VALUES: Final = {":partition": "USER#U-001", ":prefix": "ORDER#"}

Ask = Callable[[], Any]


def handler(question: str) -> Ask:
    """The entry point of this project, as Lambda calls it: its log line and all."""
    from lambdas.handlers import ecommerce  # noqa: PLC0415

    event: dict[str, Any] = {"pathParameters": {"user_id": "U-001"}, "headers": {}}
    if question == "item":
        return lambda: ecommerce.get_user(event, None)["body"]
    event |= {"queryStringParameters": {"limit": "200"}, "rawQueryString": "limit=200"}
    return lambda: ecommerce.list_user_orders(event, None)["body"]


def bare(question: str) -> Ask:
    """boto3's client, and nothing done with its answer."""
    client = _client()
    if question == "item":
        key: Any = _typed(KEY)
        return lambda: client.get_item(TableName=TABLE, Key=key, ReturnConsumedCapacity="TOTAL")
    query: Any = {"KeyConditionExpression": CONDITION, "ExpressionAttributeValues": _typed(VALUES)}
    return lambda: client.query(TableName=TABLE, ReturnConsumedCapacity="TOTAL", **query)


def deserializer(question: str) -> Ask:
    """boto3's client with boto3's TypeDeserializer."""
    from boto3.dynamodb.types import TypeDeserializer  # noqa: PLC0415

    ask, read = bare(question), TypeDeserializer().deserialize

    def plain(item: dict[str, Any]) -> dict[str, Any]:
        return {name: read(value) for name, value in item.items()}

    if question == "item":
        return lambda: _json(plain(ask()["Item"]))
    return lambda: _json([plain(item) for item in ask()["Items"]])


def boto3_resource(question: str) -> Ask:
    """boto3's resource."""
    import boto3  # noqa: PLC0415

    table = boto3.resource("dynamodb", region_name=REGION).Table(TABLE)
    if question == "item":
        return lambda: _json(table.get_item(Key=KEY, ReturnConsumedCapacity="TOTAL")["Item"])
    query: Any = {"KeyConditionExpression": CONDITION, "ExpressionAttributeValues": VALUES}
    return lambda: _json(table.query(ReturnConsumedCapacity="TOTAL", **query)["Items"])


def pynamodb(question: str) -> Ask:
    """PynamoDB's models."""
    from pynamodb import attributes as of  # noqa: PLC0415
    from pynamodb.models import Model  # noqa: PLC0415

    class Stored(Model):
        class Meta:
            table_name = TABLE
            region = REGION
            host = os.environ["AWS_ENDPOINT_URL"]

        PK = of.UnicodeAttribute(hash_key=True)
        SK = of.UnicodeAttribute(range_key=True)
        GSI1PK = of.UnicodeAttribute(null=True)
        GSI1SK = of.UnicodeAttribute(null=True)
        GSI2PK = of.UnicodeAttribute(null=True)
        GSI2SK = of.UnicodeAttribute(null=True)
        Type = of.UnicodeAttribute(null=True)
        Version = of.NumberAttribute(null=True)
        Name = of.UnicodeAttribute(null=True)
        Email = of.UnicodeAttribute(null=True)
        CreatedAt = of.UnicodeAttribute(null=True)
        Address: Any = of.MapAttribute(null=True)  # type: ignore[no-untyped-call]
        Status = of.UnicodeAttribute(null=True)
        Total = of.NumberAttribute(null=True)
        Currency = of.UnicodeAttribute(null=True)
        PlacedAt = of.UnicodeAttribute(null=True)
        Delivery: Any = of.MapAttribute(null=True)  # type: ignore[no-untyped-call]
        Note = of.UnicodeAttribute(null=True)

    if question == "item":
        return lambda: _json(Stored.get(KEY["PK"], KEY["SK"]).to_simple_dict())
    prefix = Stored.SK.startswith(VALUES[":prefix"])
    return lambda: _json(
        [
            item.to_simple_dict()
            for item in Stored.query(KEY["PK"], prefix, page_size=100, limit=100)
        ]
    )


def powertools(question: str) -> Ask:
    """Powertools' HTTP resolver with pydantic's validation, and boto3's client."""
    from bench import powertools_app  # noqa: PLC0415

    return powertools_app.asked(deserializer(question))


def by_hand(question: str) -> Ask:
    """The limit: a request signed and sent with Python's own means, and msgspec for JSON. It has no
    retries, takes credentials from the environment alone, and refuses nothing."""
    from bench.by_hand import Client  # noqa: PLC0415

    client = Client(os.environ["AWS_ENDPOINT_URL"], REGION)
    if question == "item":
        get = {"TableName": TABLE, "Key": _typed(KEY), "ReturnConsumedCapacity": "TOTAL"}
        return lambda: client.item("GetItem", get)
    query = {
        "TableName": TABLE,
        "KeyConditionExpression": CONDITION,
        "ExpressionAttributeValues": _typed(VALUES),
        "ReturnConsumedCapacity": "TOTAL",
    }
    return lambda: client.items("Query", query)


def _without_parser() -> None:
    from lambdas.runtime import answers  # noqa: PLC0415

    answers.is_as_tested = lambda session: False  # noqa: ARG005


def _without_models() -> None:
    from lambdas.runtime import models  # noqa: PLC0415

    models.is_as_tested = lambda: False


def _without_botocore_alone() -> None:
    """boto3.client makes botocore's client after it has brought the rest of boto3 in."""
    import boto3  # noqa: F401, PLC0415


def _without_signature() -> None:
    from lambdas.runtime import signatures  # noqa: PLC0415

    signatures.is_as_tested = lambda: False


def _without_garbage() -> None:
    """Python looks for it from the start on, as it does of itself."""
    import gc  # noqa: PLC0415

    from lambdas.runtime import garbage  # noqa: PLC0415

    gc.enable()
    garbage.look_again = lambda: None


def _without_validation() -> None:
    _without_option("parameter_validation")


def _without_user_agent() -> None:
    _without_option("user_agent")


def _without_option(name: str) -> None:
    """What botocore does where a client is not told."""
    from botocore import config  # noqa: PLC0415

    class Config(config.Config):
        def __init__(self, **options: Any) -> None:
            super().__init__(**{k: v for k, v in options.items() if k != name})

    config.Config = Config  # type: ignore[assignment, misc]


def _without_logger() -> None:
    from aws_lambda_powertools import Logger  # noqa: PLC0415

    from lambdas.runtime import logs  # noqa: PLC0415

    logs.logger = Logger(service=logs.SERVICE)  # type: ignore[assignment, misc]


def _without_any() -> None:
    for name, take_away in WITHOUT.items():
        if name != "any":
            take_away()


WITHOUT: Final[dict[str, Callable[[], None]]] = {
    "parser": _without_parser,
    "signature": _without_signature,
    "garbage": _without_garbage,
    "validation": _without_validation,
    "models": _without_models,
    "botocore_alone": _without_botocore_alone,
    "user_agent": _without_user_agent,
    "logger": _without_logger,
    "any": _without_any,
}
"""What `handler-NAME` takes away from the handler: it then is as it would be without."""

CALLERS: Final[dict[str, Callable[[str], Ask]]] = {
    caller.__name__: caller
    for caller in (handler, bare, deserializer, boto3_resource, pynamodb, powertools, by_hand)
}


def _client() -> Any:
    import boto3  # noqa: PLC0415

    return boto3.client("dynamodb", region_name=REGION)


def _typed(values: dict[str, str]) -> dict[str, dict[str, str]]:
    return {name: {"S": value} for name, value in values.items()}


def _json(plain: Any) -> str:
    return json.dumps(plain, default=_number, ensure_ascii=False)


def _number(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(type(value).__name__)


def cpu_ms() -> float:
    """The CPU time of this process so far, its own and the kernel's for it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1000


def main() -> None:
    """See the module."""
    sys.stdout, answers = sys.stderr, sys.stdout  # the log goes elsewhere than the figures
    name, question, *often = sys.argv[1:]
    name, _, without = name.partition("-")
    if without:
        WITHOUT[without]()
    ask = CALLERS[name](question)
    ask()
    for line in sys.stdin if often else ():
        before = cpu_ms()
        for _ in range(int(line)):
            ask()
        print(cpu_ms() - before, file=answers, flush=True)


if __name__ == "__main__":
    main()
