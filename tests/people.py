"""People who come with a token, and the example data that is theirs."""

from __future__ import annotations

from typing import Any

from lambdas.design.access import Oneself, Owner
from lambdas.design.ecommerce import CREATE_USER
from lambdas.design.pattern import AccessPattern
from tests.handlers.caller import example

STRANGER = "U-999"
ADMIN = {"sub": STRANGER, "scope": "openid admin"}


def whose(pattern: AccessPattern) -> str:
    """Whose the example of a pattern is: the dataset says who owns what.

    Where it is nobody's, it is somebody who has no special rights.
    """
    if isinstance(pattern.people, Owner):
        return {"2024-01-15": "U-001", "S-001": "U-001", "S-003": "U-001"}[
            next(iter(pattern.example.values()))
        ]
    return (
        pattern.example.get("user_id")
        or pattern.example.get("person_id")
        or (example(pattern) or {}).get("PersonId", "U-950")
    )


def open_to_others(pattern: AccessPattern) -> Any:
    """The body of a pattern's example with what is not reserved for admins alone."""
    body = example(pattern)
    for each in pattern.people.reserved if isinstance(pattern.people, Oneself) else ():
        if each.unless is not None:
            body[each.name] = each.unless
        else:
            del body[each.name]
    return body or ({"Name": "Ann"} if pattern.body else None)


def not_the_strangers(pattern: AccessPattern) -> Any:
    """A body with which the example is about somebody else than the stranger."""
    body = open_to_others(pattern)
    # Without an id it is the caller's own.
    return {**body, "UserId": "U-950"} if pattern is CREATE_USER else body
