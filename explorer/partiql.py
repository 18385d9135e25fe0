"""A read request of DynamoDB as the PartiQL statement that asks the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lambdas.design.keys import Index


def statement(operation: str, request: Mapping[str, Any], index: Index) -> str | None:
    """The statement; None where PartiQL cannot say it: it has no start key, only tokens of its own.

    A `Limit` is a parameter of ExecuteStatement and stands outside the statement. The table and
    index are named as they are deployed.
    """
    match operation:
        case "GetItem":
            condition = " AND ".join(
                f"{_name(name)} = {_value(value)}" for name, value in request["Key"].items()
            )
            return f"SELECT * FROM {_name(request['TableName'])} WHERE {condition}"  # noqa: S608 - shown, not run
        case "Query" if "ExclusiveStartKey" not in request:
            return _select(request, index)
        case "ExecuteStatement":
            return str(request["Statement"])
        case _:
            return None


def _select(request: Mapping[str, Any], index: Index) -> str:
    source = _name(request["TableName"])
    if "IndexName" in request:
        source += f".{_name(request['IndexName'])}"
    values = request["ExpressionAttributeValues"]
    names = "|".join(map(re.escape, index.key_attributes))
    condition = re.sub(
        rf"(?P<value>:\w+)|\b(?P<name>{names})\b",
        lambda found: _value(values[found[0]]) if found["value"] else _name(found[0]),
        request["KeyConditionExpression"],
    )
    backwards = request.get("ScanIndexForward") is False
    order = f" ORDER BY {_name(index.sort_key)} DESC" if backwards else ""
    return f"SELECT * FROM {source} WHERE {condition}{order}"  # noqa: S608 - shown, not run


def _name(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _value(value: Mapping[str, str]) -> str:
    doubled = value["S"].replace("'", "''")
    return f"'{doubled}'"
