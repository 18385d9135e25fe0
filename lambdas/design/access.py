"""The words in which it is declared what a person may touch who comes with a token.

Who signs as an AWS principal is a service, and may call whatever its own IAM policy names.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Anyone(Struct, frozen=True):
    """Everybody who has a valid token."""

    def __str__(self) -> str:
        return "anyone"


class Admin(Struct, frozen=True):
    """Those alone whose token has the admins' scope; they may call all the others as well."""

    def __str__(self) -> str:
        return "admins"


class Reserved(Struct, frozen=True):
    """A field of the body that is for admins to give."""

    name: str
    unless: str | None = None
    """The one value that others may give it."""

    def allows(self, value: Any) -> bool:
        """Whether others may give it this value."""
        return self.unless is not None and value == self.unless

    def __str__(self) -> str:
        return self.name + (f" other than {self.unless}" if self.unless else "")


class Oneself(Struct, frozen=True):
    """The person whose id the call gives, and admins.

    Where the call may leave the id out, a person's own is taken.
    """

    field: str
    """The field of the key that must be the token's subject."""
    reserved: tuple[Reserved, ...] = ()

    def __str__(self) -> str:
        reserved = ", ".join(map(str, self.reserved))
        return f"oneself ({self.field})" + (f"; {reserved}: admins" if reserved else "")


class Owner(Struct, frozen=True):
    """The person whose items they are, and admins: the items say it, not the call."""

    attribute: str
    """The attribute of each item that must be the token's subject."""

    def __str__(self) -> str:
        return f"the owner ({self.attribute})"


People = Anyone | Admin | Oneself | Owner
