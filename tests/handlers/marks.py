"""Marks the personal data of a call, so that it can be looked for."""

from __future__ import annotations

from typing import Any

from lambdas.design import values
from lambdas.design.pattern import AccessPattern
from tests.handlers.caller import example

MARK = "zq7f3k"

TEXTS = (
    values.Id,
    values.DatedId,
    values.Text,
    values.EmailAddress,
    values.CategoryPath,
    values.Code,
)
"""The types of what can name a person; a mark makes another valid value of each."""

WORDS_OF_OURS = ("Status", "Currency")
"""The members of a body that are one of a few words."""


def parameters(pattern: AccessPattern) -> dict[str, str]:
    """The parameters of the example, marked where they can be."""
    kinds = {each.name: each.type for each in pattern.parameters}
    return {
        name: value + MARK if kinds[name] in TEXTS else value
        for name, value in pattern.example.items()
    }


def body(pattern: AccessPattern) -> Any:
    """The body of the example, marked in every text."""
    return _marked(example(pattern))


def _marked(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {each: _marked(part, each) for each, part in value.items()}
    if isinstance(value, list):
        return [_marked(part) for part in value]
    if not isinstance(value, str) or name in WORDS_OF_OURS:
        return value
    return f"{value[:-1]}{MARK}'" if name == "Statement" else value + MARK
