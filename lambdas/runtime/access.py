"""Who calls, and whether a person may touch what the call is about, as the pattern declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, ValidationError, convert

from lambdas.design.access import Admin, Oneself, Owner
from lambdas.design.values import Id
from lambdas.runtime import settings
from lambdas.runtime.errors import Forbidden

if TYPE_CHECKING:
    from lambdas.runtime.call import Call


class Caller(Struct, frozen=True):
    """Who calls, as the route's authorizer says it."""

    name: str
    """The subject of a token, the ARN of a principal; the same for all where nobody is asked."""
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
    return Caller(str(principal)) if principal else ANYBODY


def check(call: Call) -> None:
    """Whether a call is its caller's to make, from what it says. Raises Forbidden."""
    person = call.caller.person
    if person is None or call.caller.is_admin:
        return
    match call.pattern.people:
        case Admin():
            raise Forbidden("This is for admins alone.")
        case Oneself(field, reserved):
            _check_self(person, field, call.values.get(field))
            for each in reserved:
                if each.name in call.sent and not each.allows(call.sent[each.name]):
                    raise Forbidden(f"{each} is for admins to give.")


def _check_self(person: str, field: str, given: str | None) -> None:
    if given is not None and given != person:
        raise Forbidden(f"{field} must be your own: the subject of your token.")
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
    """Whether all that is about to be shown is the caller's. Raises Forbidden."""
    owned = owned_by(call)
    if any(fields.get(name) != value for fields in shown for name, value in owned.items()):
        raise somebody_elses()


def somebody_elses() -> Forbidden:
    """That what the call is about is another person's."""
    return Forbidden("This belongs to somebody else.")


def _scopes(claims: dict[str, Any]) -> set[str]:
    """The scopes of a token, which issuers call `scope` (RFC 9068) or `scp`: a text with spaces, or
    a list, which the gateway hands over as `[a b]`."""
    found: set[str] = set()
    for said in (claims.get(name, "") for name in ("scope", "scp")):
        found |= set(said if isinstance(said, list) else str(said).strip("[]").split())
    return found


def _is_id(text: str) -> bool:
    try:
        convert(text, Id)
    except ValidationError:
        return False
    return True
