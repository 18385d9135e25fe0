"""Who calls, and whether a person may touch what the call is about, as the pattern declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, ValidationError, convert

from lambdas.design.access import Admin, Oneself, Owner
from lambdas.design.pattern import CURSOR
from lambdas.design.values import Id
from lambdas.runtime import settings
from lambdas.runtime.errors import Forbidden

if TYPE_CHECKING:
    from lambdas.runtime.call import Call


class Caller(Struct, frozen=True):
    """Who calls, as the route's authorizer says it."""

    name: str
    """The subject of a token, the ARN of a user or role; the same for all where nobody is asked."""
    person: str | None = None
    """The subject of a token; None for a service, which IAM has let in."""
    is_admin: bool = False


ANYBODY = Caller("anybody")


def caller(event: dict[str, Any]) -> Caller:
    """Who calls. Raises Forbidden when that must be a person and the event names none."""
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    if claims := (authorizer.get("jwt") or {}).get("claims"):
        subject = str(claims.get("sub") or "")
        if not subject:
            raise Forbidden("The token names no subject (`sub`).")
        return Caller(subject, subject, settings.admin_scope() in _scopes(claims))
    if settings.callers_are_people():  # the authorizer has been taken off the route by mistake
        raise Forbidden("This API is for people with a token.")
    principal = (authorizer.get("iam") or {}).get("userArn")
    return Caller(_without_session(str(principal))) if principal else ANYBODY


def _without_session(arn: str) -> str:
    """A principal as it stays. A role's ARN ends in the name of its session
    (`arn:aws:sts::...:assumed-role/shop/session`), and a client that starts anew has another: its
    repeated call must still be known by its idempotency key."""
    return arn.rpartition("/")[0] if ":assumed-role/" in arn else arn


def check(call: Call) -> None:
    """Whether a call is its caller's to make, from what it says. Raises Forbidden."""
    person, people = call.caller.person, call.pattern.people
    if person is None:
        return
    if isinstance(people, Oneself):
        _check_subject(person, people.field, call.values.get(people.field))
    if call.caller.is_admin:
        return
    match people:
        case Admin():
            raise Forbidden("This is for admins alone.")
        case Oneself(field, reserved):
            if call.values.get(field) not in (None, person):
                raise Forbidden(f"{field} must be your own: the subject of your token.")
            for each in reserved:
                if each.name in call.sent and not each.allows(call.sent[each.name]):
                    raise Forbidden(f"{each} is for admins to give.")


def _check_subject(person: str, field: str, given: str | None) -> None:
    """Where the call leaves the id out, the subject becomes it, an admin's too."""
    if given is None and not _is_id(person):
        raise Forbidden(f"The subject of your token cannot be a {field} here.")


def owned_by(call: Call) -> dict[str, str]:
    """What each item must say that the call touches, by attribute; nothing where all are open to
    the caller."""
    person, people = call.caller.person, call.pattern.people
    if person is None or call.caller.is_admin or not isinstance(people, Owner):
        return {}
    return {people.attribute: person}


def check_shown(call: Call, shown: Iterable[Mapping[str, Any]]) -> None:
    """Whether all that is about to be shown is the caller's. Raises Forbidden.

    A cursor needs no secret, so anybody can write one for somebody else's list. A page after it
    with nothing in it would tell where that list ends, and so what its last item is.
    """
    owned = owned_by(call)
    if not owned:
        return
    shown = list(shown)
    if not shown and call.arguments.get(CURSOR.name) is not None:
        raise somebody_elses()
    if any(fields.get(name) != value for fields in shown for name, value in owned.items()):
        raise somebody_elses()


def somebody_elses() -> Forbidden:
    """That what the call is about is another person's."""
    return Forbidden("This belongs to somebody else.")


def _scopes(claims: dict[str, Any]) -> set[str]:
    """The scopes of a token, which issuers call `scope` (RFC 9068) or `scp`: a text with spaces, or
    a list, which the gateway hands over as `[a b]`. A bracket alone is part of a scope's name, and
    nothing but the space parts two (RFC 6749, section 3.3)."""
    found: set[str] = set()
    for said in (claims.get(name) or "" for name in ("scope", "scp")):
        if isinstance(said, list):
            found |= set(map(str, said))
        else:
            text = str(said)
            is_list = text.startswith("[") and text.endswith("]")
            found |= set((text[1:-1] if is_list else text).split(" "))
    return found


def _is_id(text: str) -> bool:
    try:
        convert(text, Id)
    except ValidationError:
        return False
    return True
