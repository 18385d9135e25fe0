"""One call of an access pattern: what was asked, by whom, when, and what to answer with."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import UNSET, Struct

from lambdas.design.pattern import IDEMPOTENCY_KEY, IF_MATCH, AccessPattern
from lambdas.runtime import times
from lambdas.runtime.access import Caller
from lambdas.runtime.requests import Arguments, field_values
from lambdas.runtime.store import Store


class Answer(NamedTuple):
    """What a successful call gives: the body before it becomes JSON, headers, and the status."""

    body: Any
    headers: dict[str, str]
    status: int = 200


NOTHING = Answer(None, {}, 204)


class Call(Struct, frozen=True):
    """What an entry point is given."""

    pattern: AccessPattern
    arguments: Arguments
    """The value of each parameter and header by name; None where one was not given."""
    body: Any
    """The request's body as the type that the pattern declares; None where it takes none."""
    caller: Caller
    token: str
    """Names this call in DynamoDB, so that a write that was sent again is not made again."""
    now: datetime
    store: Store

    @property
    def values(self) -> dict[str, Any]:
        """The values of key fields that the call gives, in its parameters or in its body."""
        fields = {field for key in self.pattern.operation.keys for field in key.fields}
        given = {name: value for name, value in self.sent.items() if name in fields}
        return {**given, **field_values(self.pattern, self.arguments)}

    @property
    def sent(self) -> dict[str, Any]:
        """What the body says, by name; nothing where there is none."""
        if self.body is None:
            return {}
        names = zip(self.body.__struct_encode_fields__, self.body.__struct_fields__, strict=True)
        values = {name: getattr(self.body, field) for name, field in names}
        return {name: value for name, value in values.items() if value is not UNSET}

    @property
    def asked(self) -> Arguments:
        """Everything that is asked: the parameters, and what the body says."""
        return {**self.arguments, **self.sent}

    @property
    def time(self) -> str:
        """Now, as times are stored."""
        return times.to_text(self.now)

    @property
    def expected_version(self) -> int | None:
        """The version that `If-Match` names; None where it was not sent."""
        tag = self.arguments.get(IF_MATCH.name)
        return int(tag.strip('"')) if tag else None

    @property
    def idempotency_key(self) -> str | None:
        key = self.arguments.get(IDEMPOTENCY_KEY.name)
        return str(key) if key is not None else None
