"""Builds the request that a read pattern makes of DynamoDB; where its key is sharded, the request
that is then made of each shard. Nothing here talks to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.design.keys import Key
from lambdas.design.operations import (
    FromNow,
    GetItem,
    Parameter,
    Query,
    WholeCollection,
    Within,
    Write,
)
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import keys, times
from lambdas.runtime.errors import BadInput

Arguments = Mapping[str, Any]
"""The value of each of a pattern's parameters by name; None where one was not given."""

Request = dict[str, Any]
"""The parameters of a DynamoDB operation, without the table's name."""

Condition = tuple[str, dict[str, str]]
"""What follows the partition key in a key condition, and the values of its placeholders."""


def read(
    pattern: AccessPattern,
    arguments: Arguments,
    limit: int | None,
    now: str,
    values: Mapping[str, Any] | None = None,
) -> Request:
    """The request of a read pattern, or the one that a write begins with.

    `limit` is the number of items that a query reads at most, `now` the time as it is stored, for
    the lists that it bounds. `values` are those of the key's fields, if the arguments lack some.

    Raises InvalidKeyValue for a value that no key can hold, and BadInput for a range whose end lies
    before its start and for parameters that exclude each other.
    """
    values = field_values(pattern, arguments) if values is None else values
    match pattern.operation:
        case GetItem(key):
            return {"Key": primary_key(key, values)}
        case Query() as query:
            return _query(query, arguments, values, limit, now)
        case Write(steps=(Query() as query, *_)):
            return _query(query, arguments, values, limit, now)
    raise TypeError(f"{pattern.id} is not a read of ours: {pattern.operation}")


def field_values(pattern: AccessPattern, arguments: Arguments) -> dict[str, Any]:
    """The fields that the arguments give a value to."""
    return {
        parameter.fills: arguments[parameter.name]
        for parameter in pattern.own_parameters
        if parameter.fills and arguments[parameter.name] is not None
    }


def partition_of(request: Request, pattern: AccessPattern) -> Request:
    """The partition key attribute of the collection that a query reads."""
    return {pattern.index.partition_key: request["ExpressionAttributeValues"][":partition"]}


def of_shard(request: Request, suffix: str) -> Request:
    """A query of one partition key of a sharded collection; `suffix` is what that one adds."""
    values = request["ExpressionAttributeValues"]
    partition = {"S": values[":partition"]["S"] + suffix}
    return {**request, "ExpressionAttributeValues": {**values, ":partition": partition}}


def from_sort_key(request: Request, key: Key, sort: str) -> Request:
    """What a query reads from this sort key on, in its direction, all that have it included.

    Raises ValueError when the query would not read this sort key.
    """
    values = dict(request["ExpressionAttributeValues"])
    low, high = _bounds({name: each["S"] for name, each in values.items()})
    if sort < low or (high is not None and sort > high):
        raise ValueError(f"{sort!r} is outside of what the query reads")
    if request.get("ScanIndexForward") is False:
        high = sort
    else:
        low = sort
    name, bounds = key.index.sort_key, {":from": low, ":to": high}
    condition = f"{name} BETWEEN :from AND :to"
    if not low:
        condition = f"{name} <= :to"
    elif high is None:
        condition = f"{name} >= :from"
    return {
        **request,
        "KeyConditionExpression": f"{key.index.partition_key} = :partition AND {condition}",
        "ExpressionAttributeValues": {
            ":partition": values[":partition"],
            **{name: {"S": text} for name, text in bounds.items() if text},
        },
    }


def _bounds(texts: Mapping[str, str]) -> tuple[str, str | None]:
    """The first and the last sort key that a query's condition lets in; None is no end."""
    if sort := texts.get(":sort"):
        return sort, sort
    if prefix := texts.get(":prefix"):
        return prefix, keys.last_with(prefix)
    return texts.get(":from", ""), texts.get(":to")


def collection(key: Key, values: Mapping[str, Any]) -> list[Request]:
    """The requests that read all items of one entity in a collection: one, or one for each shard.

    Raises InvalidKeyValue.
    """
    request = _query(Query(key), {}, values, None, "")
    return [of_shard(request, suffix) for suffix in key.suffixes]


def primary_key(key: Key, values: Mapping[str, Any]) -> Request:
    """The two attributes that name an item. Raises InvalidKeyValue."""
    return {name: {"S": text} for name, text in keys.attributes(key, values).items()}


def _query(
    query: Query, arguments: Arguments, values: Mapping[str, Any], limit: int | None, now: str
) -> Request:
    index = query.key.index
    partition = keys.encode(query.key.partition, values)
    condition, bounds = _sort_condition(query, arguments, values, now)
    request: Request = {
        "KeyConditionExpression": f"{index.partition_key} = :partition{condition}",
        "ExpressionAttributeValues": {
            name: {"S": value} for name, value in {":partition": partition, **bounds}.items()
        },
    }
    if limit is not None:
        request["Limit"] = limit
    if index.name:
        request["IndexName"] = index.name
    if _is_descending(query, arguments):
        request["ScanIndexForward"] = False
    return request


def _is_descending(query: Query, arguments: Arguments) -> bool:
    if isinstance(query.descending, Parameter):
        return bool(arguments[query.descending.name])
    return query.descending


def _sort_condition(
    query: Query, arguments: Arguments, values: Mapping[str, Any], now: str
) -> Condition:
    sort_key, template = query.key.index.sort_key, query.key.sort
    if isinstance(query.sort, WholeCollection):
        return "", {}
    if all(field in values for field in template.fields):
        return f" AND {sort_key} = :sort", {":sort": keys.encode(template, values)}
    prefix = keys.prefix(template, values)
    match query.sort:
        case Within():
            return _within(query.sort, sort_key, prefix, arguments)
        case FromNow():
            return _from_now(query.sort, sort_key, prefix, arguments, now)
        case _:
            return _begins_with(sort_key, prefix)


def _begins_with(sort_key: str, prefix: str) -> Condition:
    if not prefix:
        return "", {}
    return f" AND begins_with({sort_key}, :prefix)", {":prefix": prefix}


def _within(within: Within, sort_key: str, prefix: str, arguments: Arguments) -> Condition:
    start, end = (_period(bound, arguments) for bound in (within.start, within.end))
    period = _period(within.period, arguments) if within.period else ""
    if within.period and period and (start or end):
        given = within.start if start else within.end
        raise BadInput({within.period.name: f"cannot be combined with {given.name}"})
    if not start and not end:
        return _begins_with(sort_key, prefix + period)
    low, high = prefix + start, prefix + end + keys.LAST
    if low > high:
        raise BadInput({within.start.name: f"lies after {within.end.name}"})
    if not low:
        return f" AND {sort_key} <= :to", {":to": high}
    return f" AND {sort_key} BETWEEN :from AND :to", {":from": low, ":to": high}


def _from_now(
    ahead: FromNow, sort_key: str, prefix: str, arguments: Arguments, now: str
) -> Condition:
    low = prefix + now
    high = prefix + (_period(ahead.before, arguments) if ahead.before else keys.LAST)
    # A time that is past already gives an empty range; DynamoDB refuses one that is the wrong way.
    return f" AND {sort_key} BETWEEN :from AND :to", {":from": low, ":to": max(low, high)}


def _period(parameter: Parameter, arguments: Arguments) -> str:
    """What the sort keys of the period go on with; empty when it was not given."""
    text = arguments[parameter.name]
    try:
        return times.period_prefix(text) if text is not None else ""
    except ValueError as error:
        raise BadInput({parameter.name: "is not in the calendar"}) from error
