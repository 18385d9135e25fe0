"""Everything that can go wrong, and what the caller is told of it.

Problem                     what the caller sees, as RFC 9457 has it
├── BadInput           400  a parameter is wrong; which one and why
├── Forbidden          403  the caller may not do this
├── NotFound           404  there is no such item
├── Conflict           409  what is stored, or another writer, stands in the way
├── VersionMismatch    412  the item has moved on from the version that was named
├── TooLarge           413  more than DynamoDB takes
├── Throttled          429  DynamoDB has no capacity left for this key, try again later
├── Unavailable        503  DynamoDB cannot be reached, or refuses us
└── Broken             500  our own fault
"""

from __future__ import annotations

from typing import ClassVar, Final

LONGEST_NAME: Final = 100
"""How many characters of a name the caller reads back: it may be one of megabytes, and the answer
would have it twice."""

RETRY_AFTER_SECONDS: Final = 1
"""What a throttled caller is told to wait: partitions are given new capacity every second."""


class Problem(Exception):
    """An answer that is not a success. The detail is a sentence for the caller."""

    status: ClassVar[int]
    title: ClassVar[str]
    headers: ClassVar[dict[str, str]] = {}

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    def body(self) -> dict[str, object]:
        """The members of the `application/problem+json` document."""
        return {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }


class BadInput(Problem):
    """The caller gave something that cannot be taken; `errors` maps names to reasons."""

    status = 400
    title = "Bad Request"

    def __init__(self, errors: dict[str, str]) -> None:
        errors = {_legible(name): why for name, why in errors.items()}
        super().__init__("; ".join(f"{name} {reason}" for name, reason in errors.items()) + ".")
        self.errors = errors

    def body(self) -> dict[str, object]:
        errors = [{"name": name, "reason": reason} for name, reason in self.errors.items()]
        return {**super().body(), "errors": errors}


def _legible(name: str) -> str:
    """A name that may be the caller's own, and then empty, endless or not even valid Unicode."""
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
    return shown.encode(errors="replace").decode() or '""'


class Forbidden(Problem):
    """The caller may not do this."""

    status = 403
    title = "Forbidden"


class NotFound(Problem):
    """There is no such item."""

    status = 404
    title = "Not Found"


class Conflict(Problem):
    """What is stored, or another writer, stands in the way; `errors` names the field, if any."""

    status = 409
    title = "Conflict"

    def __init__(self, detail: str, errors: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.errors = errors or {}

    def body(self) -> dict[str, object]:
        errors = [{"name": name, "reason": reason} for name, reason in self.errors.items()]
        return {**super().body(), **({"errors": errors} if errors else {})}


class VersionMismatch(Problem):
    """The item has moved on from the version that `If-Match` names."""

    status = 412
    title = "Precondition Failed"


class TooLarge(Problem):
    """An item or a transaction is larger than DynamoDB takes."""

    status = 413
    title = "Content Too Large"


class Throttled(Problem):
    """DynamoDB has no capacity left for this key at the moment."""

    status = 429
    title = "Too Many Requests"
    headers: ClassVar[dict[str, str]] = {"Retry-After": str(RETRY_AFTER_SECONDS)}


class Unavailable(Problem):
    """DynamoDB cannot be reached, or refuses us."""

    status = 503
    title = "Service Unavailable"


class Broken(Problem):
    """A fault of our own."""

    status = 500
    title = "Internal Server Error"
