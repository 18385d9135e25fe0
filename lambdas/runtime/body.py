"""Reads a request's body as the type that its pattern declares, and says what is wrong with it."""

from __future__ import annotations

import re
from base64 import b64decode
from decimal import Decimal
from typing import Any, TypeVar, get_args

from msgspec import DecodeError, Struct, ValidationError, structs
from msgspec.json import Decoder, Encoder

from lambdas.design.values import Amount, accepted
from lambdas.runtime.arguments import Event
from lambdas.runtime.errors import BadInput

BODY = "body"

_Body = TypeVar("_Body", bound=Struct)


def read(body: type[_Body], event: Event) -> _Body:
    """The request's body; numbers of no declared type become Decimal, never a float.

    Raises BadInput that names the part of the body that is wrong.
    """
    text = event.get("body") or ""
    try:
        raw = b64decode(text, validate=True) if event.get("isBase64Encoded") else text.encode()
    except ValueError:
        raise BadInput({BODY: "is no text"}) from None
    if not raw.strip():
        raise BadInput({BODY: "is missing; it must be a JSON object"})
    try:
        return Decoder(body, dec_hook=_amount, float_hook=Decimal).decode(raw)
    except ValidationError as error:
        raise _named(body, str(error)) from None
    except (DecodeError, UnicodeError) as error:
        raise BadInput({BODY: f"is not JSON: {error}"}) from None
    except RecursionError:
        raise BadInput({BODY: "is nested too deeply"}) from None
    except ArithmeticError:
        raise BadInput({BODY: "has a number that is out of range"}) from None


def write(body: Struct) -> bytes:
    """A body as a caller sends it."""
    return Encoder(decimal_format="number", enc_hook=Decimal).encode(body)


def _amount(kind: type, value: Any) -> Any:
    """An amount of money; msgspec asks for it because it does not know the type."""
    if kind is Amount and isinstance(value, int | Decimal) and not isinstance(value, bool):
        amount = Amount(value)
        if 0 <= amount <= Amount.MAX and -int(amount.as_tuple().exponent) <= Amount.PLACES:
            return amount
    raise ValueError(f"must be {Amount.description}")


def _named(body: type[Struct], message: str) -> BadInput:
    """The error with the part of the body that it is about, out of msgspec's message."""
    field = r"Object (missing required|contains unknown) field `(.*)`"
    found = re.fullmatch(field + r" - at `\$\.(.*)`", message, re.DOTALL) or re.fullmatch(
        field, message, re.DOTALL
    )
    if found:
        kind = "is missing" if found[1].startswith("missing") else "is not known here"
        return BadInput({".".join((*found.groups()[2:], found[2])): kind})
    reason, _, path = message.partition(" - at ")
    name = path.removeprefix("`key` in ").strip("`").removeprefix("$").removeprefix(".")
    name = name.partition("[...]")[0]  # an entry of a map, which msgspec does not name
    if not name:
        return BadInput({BODY: "must be a JSON object"})
    if reason.startswith("must be"):
        return BadInput({name: reason})
    takes = _accepted(body, name)
    return BadInput({name: f"must be {takes}" if takes else f"is wrong: {reason}"})


def _accepted(body: type[Struct], path: str) -> str | None:
    """What a field takes, from the description of its type or the values that it lists; None where
    the path leads to no field."""
    element, is_deeper, rest = path.partition("].")
    name, is_element, _ = element.partition("[")
    fields = {field.encode_name: field.type for field in structs.fields(body)}
    hint: Any = fields.get(name)
    if not is_element:
        return accepted(hint)
    parts = (hint, *get_args(hint))
    of_each = [each for part in parts for each in get_args(part) if _is_struct(each)]
    if of_each and is_deeper:
        return _accepted(of_each[0], rest)
    names = [field.encode_name for each in of_each for field in structs.fields(each)]
    return f"an object with {' and '.join(names)}" if names else None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)
