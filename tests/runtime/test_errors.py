import re

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.runtime import errors
from lambdas.runtime.errors import (
    LONGEST_NAME,
    BadInput,
    Broken,
    NotFound,
    Problem,
    Throttled,
    Unavailable,
)


def test_the_tree_at_the_top_of_the_file_is_that_of_the_classes() -> None:
    drawn = re.findall(r"[├└]── (\w+) +(\d+) ", errors.__doc__ or "")
    classes = [(cls.__name__, str(cls.status)) for cls in Problem.__subclasses__()]
    assert drawn == classes


def test_no_two_problems_share_a_status() -> None:
    statuses = [cls.status for cls in Problem.__subclasses__()]
    assert len(set(statuses)) == len(statuses)


def test_every_status_that_a_pattern_declares_can_be_told() -> None:
    declared = {status for pattern in ACCESS_PATTERNS for status in pattern.errors}
    assert declared <= {cls.status for cls in Problem.__subclasses__()}


@pytest.mark.parametrize(
    ("kind", "status", "title"),
    [
        (NotFound, 404, "Not Found"),
        (Throttled, 429, "Too Many Requests"),
        (Broken, 500, "Internal Server Error"),
        (Unavailable, 503, "Service Unavailable"),
    ],
)
def test_a_problem_is_told_as_rfc_9457_has_it(kind: type[Problem], status: int, title: str) -> None:
    assert kind("It is so.").body() == {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": "It is so.",
    }


def test_bad_input_also_lists_each_name_with_its_reason() -> None:
    problem = BadInput({"limit": "must be small", "cursor": "is not ours"})
    assert problem.body() == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "limit must be small; cursor is not ours.",
        "errors": [
            {"name": "limit", "reason": "must be small"},
            {"name": "cursor", "reason": "is not ours"},
        ],
    }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a" * LONGEST_NAME, "a" * LONGEST_NAME),
        ("a" * 3_000_000, "a" * LONGEST_NAME + "..."),
        ("", '""'),
        ("a\ud800", "a?"),
    ],
    ids=["the longest", "megabytes", "empty", "half a surrogate pair"],
)
def test_a_name_that_the_caller_made_up_is_told_so_that_it_can_be_read(
    name: str, told: str
) -> None:
    problem = BadInput({name: "is not known here"})

    assert problem.detail == f"{told} is not known here."
    assert list(problem.errors) == [told]


def test_only_who_is_throttled_is_told_when_to_come_again() -> None:
    assert Throttled("").headers == {"Retry-After": "1"}
    assert all(not cls.headers for cls in Problem.__subclasses__() if cls is not Throttled)


def test_a_problem_reads_as_its_detail() -> None:
    assert str(NotFound("There is no such thing.")) == "There is no such thing."
