"""Says in words what a pattern does with the table, and which items it answers with."""

from __future__ import annotations

from lambdas.design.idempotency import Idempotency
from lambdas.design.keys import Key
from lambdas.design.operations import (
    PartiQLSelect,
    PutItem,
    Query,
    Single,
    Transaction,
    UpdateItem,
    Write,
)
from lambdas.design.pattern import AccessPattern, NewParentAndAll


def answered(pattern: AccessPattern) -> tuple[Key, ...]:
    """The keys of what a pattern answers with: of all that it reads, or of what it writes first."""
    operation = pattern.operation
    if not isinstance(operation, Write):
        return operation.keys
    written = (each.key for each in operation.singles if isinstance(each, PutItem | UpdateItem))
    return tuple(written)[: 2 if isinstance(pattern.answer, NewParentAndAll) else 1]


def steps(pattern: AccessPattern) -> list[str]:
    """The requests of DynamoDB in their order, such as `TransactWriteItems: Put User`."""
    operation = pattern.operation
    if isinstance(operation, PartiQLSelect):
        return ["ExecuteStatement"]
    if not isinstance(operation, Write):
        return [f"{type(operation).__name__} {pattern.index.name}".strip() + shards(pattern)]
    return [_step(each) for each in operation.steps]


def shards(pattern: AccessPattern) -> str:
    """What is to be said where a read is more than one request."""
    return (
        f", a request for each of {pattern.requests} partition keys" if pattern.is_sharded else ""
    )


def _step(step: Single | Transaction) -> str:
    if isinstance(step, Transaction):
        actions = (_on(type(each).__name__.removesuffix("Item"), each) for each in step.steps)
        return f"TransactWriteItems: {', '.join(actions)}"
    return _on(" ".join([type(step).__name__, step.key.index.name]).strip(), step)


def _on(action: str, single: Single) -> str:
    keys = single.keys if isinstance(single, Query) else (single.key,)
    text = f"{action} {' and '.join(key.entity.__name__ for key in keys)}"
    return f"{text} (with a key)" if single.key.entity is Idempotency else text
