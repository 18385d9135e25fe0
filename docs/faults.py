"""What callers are told when DynamoDB has a fault, and within which time."""

from __future__ import annotations

from typing import Final

from docs.markdown import code, table
from lambdas.runtime import settings
from tests.faults.cases import FAULTS, SECRET, Fault, summary

_TEXT: Final = """\
# Faults

<!-- Generated from `tests/faults/cases.py` and `lambdas/runtime/settings.py`: `make docs`. -->

What a caller is told when DynamoDB, or the way to it, has a fault. The tests inject each fault into
each operation of each access pattern, over a real socket, and from there on into all that follow:
a fifth of the cases in `make test`, all in `make fuzz`. `python -m tests.faults` prints this list.

{summary}.

{faults}

Requests are HTTP requests for one operation, botocore's own attempts included. Whatever the fault:

- The status is one that the pattern declares; the body is `application/problem+json` and says
  nothing of DynamoDB's message, the table, or the code. The log has the fault's code, never its
  message.
- All of a write is stored or nothing. Two patterns go in steps and say so: CW-04 removes the user
  in a transaction and then the sessions, UW-06 moves a seminar's entries one by one. The same call
  again, once the fault is over, leaves the table as one call without a fault would have left it,
  but for the versions, which count every write.
- After a 503 nobody knows whether a write was carried out. To repeat it is safe: with an
  `Idempotency-Key` the first answer comes again; a change or a deletion leaves what the first one
  left; without a key, what is created under a given name is 409 the second time.
- When an answer is lost and the request is sent again, the caller is told that its change was made.
  Only when another writer has changed the same item in between is the answer 412, 409 or 404
  although it was: an item knows the last call that changed it, and no other.

## Time

Every call is answered within {longest_call:g} s, below the function's own timeout of {function} s,
and that below the 30 s that an HTTP API waits.

{times}

To look up the name of a host takes the resolver's time, and each further address that a host has
takes another second to connect to; neither is in these figures.
"""


def faults() -> str:
    """The page about faults."""
    return _TEXT.format(
        summary=summary().capitalize(),
        faults=table(("fault", "what happens", "answer", "requests"), map(_row, FAULTS)),
        times=table(("what", "seconds"), _times()),
        longest_call=settings.longest_call(),
        function=settings.FUNCTION_TIMEOUT_SECONDS,
    )


def _row(fault: Fault) -> tuple[str, str, str, str]:
    where = f" ({', '.join(sorted(fault.operations))})" if fault.operations else ""
    name = code(fault.name) if SECRET in fault.body and " " not in fault.name else fault.name
    return name, fault.happens + where, fault.answer, str(fault.requests)


def _times() -> list[tuple[str, str]]:
    attempts = f"{settings.ATTEMPTS} attempts, and pauses of {settings.PAUSES_SECONDS:g} s"
    steps = f"{settings.CONNECT_TIMEOUT_SECONDS:g}"
    return [
        ("to connect, to agree on the encryption, to send the request: each", steps),
        ("until the answer is there whole", f"{settings.READ_TIMEOUT_SECONDS:g}"),
        (f"an operation: {attempts}", f"{settings.longest_operation():g}"),
        ("after which a call begins no other operation", f"{settings.LAST_START_SECONDS:g}"),
        ("a call: an operation that begins at the last moment", f"{settings.longest_call():g}"),
        ("the function's timeout", str(settings.FUNCTION_TIMEOUT_SECONDS)),
    ]
