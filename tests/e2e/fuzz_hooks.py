"""Keeps the fuzzer's valid calls to what the OpenAPI document says in words.

A schema says what a value looks like. It cannot say what the calendar has, which cursors were given
out, or which products there are; the descriptions do. So what schemathesis makes to be valid is
amended here before it is sent, and must then succeed. What it makes to be invalid is sent as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import schemathesis
from schemathesis import Case, HookContext, Response
from schemathesis.core.failures import Failure
from schemathesis.openapi.checks import UseAfterFree

from lambdas.runtime import times

Amendment = Callable[[Case[Any]], None]
"""Changes a call; its docstring is why."""

Excuse = Callable[[Failure, Case[Any], Response], bool]
"""Whether what a check found is no fault; its docstring is why."""

PERIODS: Final = ("before", "from", "to", "period")

STATEMENTS: Final[tuple[dict[str, Any], ...]] = (
    {"Statement": """SELECT * FROM "University-Table" WHERE PK = 'Student#Finn Forschgeist'"""},
    {
        "Statement": 'SELECT * FROM "University-Table" WHERE PK = ? AND begins_with(SK, ?)',
        "Parameters": ["Professor#Prof. Dr. Felix Faktor", "Forschungsartikel#"],
    },
    {
        "Statement": 'SELECT PK FROM "University-Table"."SeminarStudentsIndex" WHERE SK IN [?, ?]',
        "Parameters": ["Seminar#Vernetzte Systeme verstehen", "Seminar#none"],
    },
)

LONGEST_LINE_BYTES: Final = 8000


def no_two_ranges(case: Case[Any]) -> None:
    """`period` excludes `from` and `to`; OpenAPI 3.1 has no words for what parameters exclude."""
    if "period" in case.query:
        _drop(case.query, "from", "to")


def in_the_calendar(case: Case[Any]) -> None:
    """A pattern lets through the 31st of February."""
    for name in PERIODS:
        if name in case.query and _period(case.query[name]) is None:
            case.query[name] = "2024-02"


def no_range_backwards(case: Case[Any]) -> None:
    """`from` does not lie after `to`."""
    start, end = _period(case.query.get("from")), _period(case.query.get("to"))
    if start and end and start > end:
        case.query |= {"from": case.query["to"], "to": case.query["from"]}


def a_cursor_that_was_given_out(case: Case[Any]) -> None:
    """A cursor cannot be invented: the list is asked for one, or the call has none."""
    if "cursor" not in case.query:
        return
    _drop(case.query, "cursor")
    if case.method == "GET":
        first = case.derive(query={**case.query, "limit": 1}).call()
        page = first.json() if first.status_code == 200 else {}
        following = page.get("orders", page).get("next")
        if following:
            case.query["cursor"] = following


def whole_numbers_without_a_fraction(case: Case[Any]) -> None:
    """For JSON Schema 2.0 is an integer; the service wants it written as 2."""
    case.body = _whole(case.body)


def a_statement_in_partiql(case: Case[Any]) -> None:
    """A schema cannot say what PartiQL is, and how many values a statement has places for."""
    if case.operation.definition.raw["operationId"] == "run_partiql":
        asked: Any = case.body
        limit = {"Limit": asked["Limit"]} if asked.get("Limit") else {}
        case.body = {**STATEMENTS[len(asked["Statement"]) % len(STATEMENTS)], **limit}


def a_product_that_there_is(case: Case[Any]) -> None:
    """An order of an unknown product is refused, and so is one in two currencies."""
    if case.operation.definition.raw["operationId"] == "place_order":
        asked: Any = case.body
        case.body = {"Items": [{**asked["Items"][0], "ProductId": "P-100"}]}


def not_oneself(case: Case[Any]) -> None:
    """Nobody follows oneself."""
    path = case.path_parameters
    if path.get("followee_id") and path["followee_id"] == path["person_id"]:
        path["followee_id"] = "dave" if path["person_id"] != "dave" else "carla"


AMENDMENTS: Final[tuple[Amendment, ...]] = (
    no_two_ranges,
    in_the_calendar,
    no_range_backwards,
    a_cursor_that_was_given_out,
    whole_numbers_without_a_fraction,
    a_statement_in_partiql,
    a_product_that_there_is,
    not_oneself,
)


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:  # noqa: ARG001
    """Make the amendments to a call that is meant to succeed."""
    if case.meta and case.meta.generation.mode.is_positive:
        for amend in AMENDMENTS:
            amend(case)


def longer_than_is_read(failure: Failure, case: Case[Any], response: Response) -> bool:  # noqa: ARG001
    """The local cloud refuses a longer line by itself, as the gateway does on AWS, in its way."""
    is_too_long = len(response.request.url or "") > LONGEST_LINE_BYTES
    return is_too_long and response.status_code in {414, 431}


def a_list_of_somebody_deleted(failure: Failure, case: Case[Any], response: Response) -> bool:  # noqa: ARG001
    """Orders outlive their user, and a list for a parent that has nothing is 200 and empty."""
    return isinstance(failure, UseAfterFree) and "items" in response.json()


EXCUSES: Final[tuple[Excuse, ...]] = (longer_than_is_read, a_list_of_somebody_deleted)


@schemathesis.hook
def filter_failure(
    context: HookContext,  # noqa: ARG001
    failure: Failure,
    case: Case[Any],
    response: Response,
) -> bool:
    """Whether a failure counts."""
    return not any(excuses(failure, case, response) for excuses in EXCUSES)


def _drop(query: dict[str, Any], *names: str) -> None:
    for name in names:
        query.pop(name, None)


def _period(text: Any) -> str | None:
    """What a period's times begin with; None where it is none."""
    try:
        return times.period_prefix(str(text)) if text is not None else None
    except ValueError:
        return None


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
