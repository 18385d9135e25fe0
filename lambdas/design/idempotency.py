"""The item that remembers the first answer to a call, for whatever pattern takes a key."""

from lambdas.design.entity import Entity
from lambdas.design.operations import GetItem, PutItem
from lambdas.design.table import TABLE
from lambdas.design.values import EpochSeconds, Text

SECONDS_KEPT = 24 * 60 * 60


class Idempotency(Entity):
    """A call that was carried out: who made it, what it asked, and what it was answered.

    It is written in the same transaction as what the call writes, so there is both or neither.
    """

    primary = TABLE.key(
        "IDEMPOTENCY#{Pattern}#{Caller}#{Key}", "IDEMPOTENCY#{Pattern}#{Caller}#{Key}"
    )

    Pattern: Text
    Caller: Text
    Key: Text
    Digest: Text
    """Of the request, so that the same key with another request is noticed."""
    Answer: str
    """The body of the first answer, as it was sent."""
    Headers: dict[str, str]
    ExpiresAt: EpochSeconds


RECALL = GetItem(Idempotency.primary)
REMEMBER = PutItem(Idempotency.primary)

ENTITIES: tuple[type[Entity], ...] = (Idempotency,)
