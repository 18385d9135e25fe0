"""Reads a pattern's parameters from the gateway's event, and refuses what they cannot be."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_plus

from msgspec import convert

from lambdas.design import values
from lambdas.design.operations import Parameter
from lambdas.design.pattern import IF_MATCH, AccessPattern
from lambdas.runtime.errors import BadInput
from lambdas.runtime.requests import Arguments

Event = dict[str, Any]
"""An HTTP API's event, payload format 2.0. Path and query string arrive decoded already."""


def read(pattern: AccessPattern, event: Event) -> Arguments:
    """The value of each parameter by name; its default where it was not given.

    Raises BadInput that names every parameter that is missing, unknown, given twice or wrong.
    """
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    given = {
        **(event.get("queryStringParameters") or {}),
        **(event.get("pathParameters") or {}),
        **{p.name: headers.get(p.name.lower()) for p in pattern.headers},
    }
    errors = _misuse(pattern, event)
    arguments: dict[str, Any] = {}
    for parameter in pattern.parameters + pattern.headers:
        text = given.get(parameter.name)
        if text is None:
            arguments[parameter.name] = parameter.default
            if parameter.required:
                errors[parameter.name] = "is missing"
        elif parameter.name not in errors:
            try:
                arguments[parameter.name] = _value(parameter, text)
            except ValueError:
                errors[parameter.name] = f"must be {accepted(parameter)}"
    if errors:
        raise BadInput(errors)
    return arguments


def _value(parameter: Parameter, text: str) -> Any:
    """Raises ValueError, of which msgspec's ValidationError and the errors of Unicode are kinds."""
    text.encode()  # half of a surrogate pair is no text
    value = convert(text, parameter.type, strict=False)
    if isinstance(value, int) and str(value).lower() != text:
        raise ValueError("1e1, 1.0 and TRUE are not how whole numbers and flags are written")
    return value


def accepted(parameter: Parameter) -> str:
    """What the parameter takes, in words. Raises TypeError when its type does not say."""
    takes = values.accepted(parameter.type)
    if takes is None:
        raise TypeError(f"{parameter.name}: the type says nothing of what it takes")
    return takes


def _misuse(pattern: AccessPattern, event: Event) -> dict[str, str]:
    """The errors that lie in the names, not in the values."""
    errors: dict[str, str] = {}
    known = {parameter.name for parameter in pattern.parameters} - set(pattern.path_parameters)
    for name in event.get("queryStringParameters") or {}:
        if name not in known:
            takes = f"takes {', '.join(sorted(known))}" if known else "takes none"
            errors[name] = f"is not a query parameter of this route, which {takes}"
    # The gateway joins the values of a repeated name with commas, so only the raw text tells.
    pairs = (event.get("rawQueryString") or "").split("&")
    names = [unquote_plus(pair.partition("=")[0]) for pair in pairs]
    for name in known:
        if names.count(name) > 1:
            errors[name] = "is given more than once"
    sent = {name.lower() for name in event.get("headers") or {}}
    if IF_MATCH not in pattern.headers and IF_MATCH.name.lower() in sent:
        errors[IF_MATCH.name] = "is not taken by this route"
    return errors
