"""Holds answers against the OpenAPI document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any

from jsonschema import ValidationError
from jsonschema.validators import extend
from msgspec.json import Encoder
from openapi_schema_validator import OAS31Validator

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from lambdas.runtime.openapi import Auth, document

JSON = "application/json"
PROBLEM = "application/problem+json"


def openapi(auth: Auth = "iam") -> dict[str, Any]:
    """The document as a reader of its JSON has it, who takes decimal numbers for such."""
    return dict(json.loads(_written(auth), parse_float=Decimal))


@lru_cache
def _written(auth: Auth) -> bytes:
    return Encoder(decimal_format="number").encode(document(auth=auth))


def pattern(pattern_id: str) -> AccessPattern:
    """The pattern that has an id."""
    return next(each for each in ACCESS_PATTERNS if each.id == pattern_id)


def operation(written: dict[str, Any], asked: AccessPattern) -> dict[str, Any]:
    """The operation of a pattern's route."""
    return dict(written["paths"][asked.path][asked.method.lower()])


def response(written: dict[str, Any], asked: AccessPattern, status: int) -> dict[str, Any]:
    """What the document says of a status, after its reference."""
    found: dict[str, Any] = operation(written, asked)["responses"][str(status)]
    if name := found.get("$ref", "").rpartition("/")[2]:
        found = written["components"]["responses"][name]
    return found


def fits(written: dict[str, Any], schema: dict[str, Any], value: Any) -> bool:
    """Whether a value is as a schema of the document has it."""
    whole = {"allOf": [schema], "components": written["components"]}
    return bool(_Validator(whole).is_valid(value))


def _matches(
    validator: Any,  # noqa: ARG001
    pattern: str,
    value: Any,
    schema: Any,  # noqa: ARG001
) -> Iterator[ValidationError]:
    """JSON Schema has JavaScript's expressions: `$` is the end, not before a last line feed."""
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


_Validator: Any = extend(OAS31Validator, {"pattern": _matches})  # type: ignore[no-untyped-call]
