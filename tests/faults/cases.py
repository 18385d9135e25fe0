"""The faults that every access pattern is put through, and what its caller has to be told.

Plain data, so that the documents can be made from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import (
    BatchGetItem,
    DeleteItem,
    GetItem,
    PartiQLSelect,
    Query,
    Transaction,
    UpdateItem,
    Write,
)
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import settings

TRANSACTION: Final = "TransactWriteItems"
BATCH: Final = "BatchGetItem"
WRITES: Final = frozenset({TRANSACTION, "UpdateItem", "DeleteItem"})

NO_LONGER: Final = 1
AGAIN: Final = settings.ATTEMPTS


class Way(Enum):
    """What becomes of a request."""

    ANSWERED = auto()
    """It is answered with the fault's status and body."""
    CANCELLED = auto()
    """Its transaction is cancelled for the fault's reasons."""
    UNPROCESSED = auto()
    """None of the batch is processed."""
    SILENT = auto()
    """It is never answered."""
    RESET = auto()
    """The connection is reset."""
    CLOSED = auto()
    """The connection is closed."""
    SLOW_HEAD = auto()
    """The headers come byte by byte, for longer than is waited."""
    SLOW_BODY = auto()
    """The body comes byte by byte, for longer than is waited."""
    ENDLESS = auto()
    """The body comes in large pieces, for longer than is waited."""
    CUT_OFF = auto()
    """The body ends before the length that was announced."""
    REFUSED = auto()
    """Nobody listens."""
    NOT_SIGNED = auto()
    """There are no credentials to sign it with."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong with an operation, however often it is asked for."""

    name: str
    happens: str
    """What happens, as a clause."""
    status: int | None
    """What the caller is told; None where it depends on what the pattern writes."""
    way: Way
    requests: int
    """How many HTTP requests are made before the operation is given up."""
    is_applied: bool = False
    """Whether what was to be written is written all the same."""
    answer_status: int = 200
    body: str = ""
    reasons: tuple[str, ...] = ()
    """Of a cancelled transaction, for its last steps."""
    operations: frozenset[str] = frozenset()
    """The operations that it can happen to; empty: all."""

    @property
    def answer(self) -> str:
        """The status that callers get, in words where it is not one."""
        if self is DENIED:
            return "503, UN-08 403"
        return str(self.status or "404 or 409")

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


class Case(NamedTuple):
    """A fault of an access pattern."""

    pattern: AccessPattern
    fault: Fault

    @property
    def status(self) -> int | None:
        """What the caller is told; None where it depends on what the pattern writes."""
        if self.fault is DENIED and isinstance(self.pattern.operation, PartiQLSelect):
            return 403  # the caller's own statement asks for it
        return self.fault.status

    def __str__(self) -> str:
        return f"{self.pattern.id}-{self.fault}"


def _error(
    code: str, status: int, requests: int, happens: str, *, http: int = 400, of: str = ""
) -> Fault:
    """An error that DynamoDB itself answers with."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": SECRET}
    operations = frozenset(of.split())
    return Fault(
        code,
        happens,
        status,
        Way.ANSWERED,
        requests,
        answer_status=http,
        body=json.dumps(body),
        operations=operations,
    )


def _cancelled(name: str, status: int | None, requests: int, happens: str, *reasons: str) -> Fault:
    return Fault(
        name,
        happens,
        status,
        Way.CANCELLED,
        requests,
        reasons=reasons,
        operations=frozenset({TRANSACTION}),
    )


SECRET: Final = "arn:aws:dynamodb:eu-central-1:123456789012:table/single-table of secret@x.de"
"""What DynamoDB's messages may tell, and no caller may see."""

_CONTENDED: Final = settings.ATTEMPTS_AT_A_CONFLICT

DENIED: Final = _error(
    "AccessDeniedException", 503, NO_LONGER, "IAM does not let the function do this"
)

FAULTS: Final = (
    _error("ThrottlingException", 429, AGAIN, "DynamoDB throttles"),
    _error(
        "ProvisionedThroughputExceededException", 429, AGAIN, "the partition has no capacity left"
    ),
    _error("RequestLimitExceeded", 429, AGAIN, "the account has no capacity left"),
    _error("InternalServerError", 503, AGAIN, "DynamoDB answers 500", http=500),
    _error("ServiceUnavailable", 503, AGAIN, "DynamoDB answers 503", http=503),
    Fault(
        "an error page",
        "somebody in between answers 503 with HTML",
        503,
        Way.ANSWERED,
        AGAIN,
        answer_status=503,
        body=f"<html><body>{SECRET}</body></html>",
    ),
    _error("ResourceNotFoundException", 503, NO_LONGER, "the table does not exist"),
    DENIED,
    _error("ExpiredTokenException", 503, NO_LONGER, "the credentials have expired"),
    _error("UnrecognizedClientException", 503, NO_LONGER, "the credentials are not known"),
    Fault("no credentials", "there are no credentials", 503, Way.NOT_SIGNED, 0),
    Fault("refused", "the connection is refused", 503, Way.REFUSED, AGAIN),
    Fault("reset", "the connection is reset before the request is read", 503, Way.RESET, AGAIN),
    Fault(
        "closed",
        "the request is carried out, and the connection closed without an answer",
        503,
        Way.CLOSED,
        AGAIN,
        is_applied=True,
    ),
    Fault("silence", "no answer comes, and nothing is done", 503, Way.SILENT, AGAIN),
    Fault(
        "silence after",
        "the request is carried out, and no answer comes",
        503,
        Way.SILENT,
        AGAIN,
        is_applied=True,
        operations=WRITES,
    ),
    Fault(
        "slow headers",
        "the request is carried out, and the answer's headers come a byte at a time",
        503,
        Way.SLOW_HEAD,
        AGAIN,
        is_applied=True,
    ),
    Fault(
        "slow body",
        "the request is carried out, and the answer's body comes a byte at a time",
        503,
        Way.SLOW_BODY,
        AGAIN,
        is_applied=True,
    ),
    Fault(
        "endless",
        "the request is carried out, and the answer does not end",
        503,
        Way.ENDLESS,
        AGAIN,
        is_applied=True,
    ),
    Fault("cut off", "the answer ends too early", 503, Way.CUT_OFF, AGAIN, body='{"Items": ['),
    Fault(
        "not JSON",
        "the request is carried out, and the answer is no JSON",
        503,
        Way.ANSWERED,
        NO_LONGER,
        is_applied=True,
        body=SECRET,
    ),
    Fault("null", "the answer is `null`", 503, Way.ANSWERED, NO_LONGER, body="null"),
    Fault("a list", "the answer is `[]`", 503, Way.ANSWERED, NO_LONGER, body="[]"),
    Fault("nothing", "the answer is `{}`", 503, Way.ANSWERED, NO_LONGER, body="{}"),
    Fault(
        "other types",
        "the answer has numbers where lists and maps should be",
        503,
        Way.ANSWERED,
        NO_LONGER,
        body='{"Item": 1, "Items": 1, "Attributes": 1, "Responses": 1, "ConsumedCapacity": 1}',
    ),
    Fault(
        "an error that is null",
        "the answer is 400 with `null`",
        503,
        Way.ANSWERED,
        NO_LONGER,
        answer_status=400,
        body="null",
    ),
    _error(
        "TransactionConflictException",
        409,
        _CONTENDED,
        "a transaction is at the same item",
        of="UpdateItem DeleteItem",
    ),
    _error(
        "TransactionInProgressException",
        409,
        _CONTENDED * AGAIN,
        "the same transaction is still carried out",
        of=TRANSACTION,
    ),
    _cancelled(
        "conflict", 409, _CONTENDED, "another write is at the same items", "TransactionConflict"
    ),
    _cancelled(
        "conflict and throttling",
        409,
        _CONTENDED,
        "another write is at the same items, and there is no capacity",
        "ThrottlingError",
        "TransactionConflict",
    ),
    _cancelled(
        "condition and conflict",
        None,
        NO_LONGER,
        "a condition does not hold, and another write is at the same items",
        "TransactionConflict",
        "ConditionalCheckFailed",
    ),
    _cancelled(
        "no capacity for a transaction",
        429,
        NO_LONGER,
        "a transaction is cancelled for lack of capacity",
        "ProvisionedThroughputExceeded",
    ),
    _cancelled(
        "a reason that is new",
        503,
        NO_LONGER,
        "a transaction is cancelled for a reason that nobody knows",
        "SomethingNew",
    ),
    Fault(
        "unprocessed keys",
        "nothing of a batch is read, and asked for again, for ever",
        429,
        Way.UNPROCESSED,
        settings.ATTEMPTS_AT_A_BATCH,
        operations=frozenset({BATCH}),
    ),
)


def operations(pattern: AccessPattern) -> tuple[str, ...]:
    """The operations that a pattern may call, each once."""
    match pattern.operation:
        case Write(steps):
            return tuple(dict.fromkeys(_name(step) for step in steps))
        case PartiQLSelect():
            return ("ExecuteStatement",)
    return (_name(pattern.operation),)


def _name(operation: object) -> str:
    match operation:
        case Transaction():
            return TRANSACTION
        case GetItem() | Query() | BatchGetItem() | UpdateItem() | DeleteItem():
            return type(operation).__name__
    raise TypeError(f"no operation of its own: {operation}")


def cases() -> Iterator[Case]:
    """Every access pattern with every fault that can happen to it."""
    for pattern in ACCESS_PATTERNS:
        for fault in FAULTS:
            if not fault.operations or fault.operations & set(operations(pattern)):
                yield Case(pattern, fault)


def summary() -> str:
    """How many faults are injected, in a line."""
    return (
        f"faults injected: {len(list(cases()))} "
        f"({len(FAULTS)} kinds, each into those of the {len(ACCESS_PATTERNS)} access patterns "
        "that it can happen to)"
    )
