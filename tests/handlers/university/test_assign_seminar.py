from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.university import (
    ASSIGN_SEMINAR,
    GET_PROFESSOR,
    LIST_PROFESSOR_SEMINARS,
    LIST_SEMINAR_PROFESSORS,
)
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.university.samples import article, enrolment, teaching

BODY = {"Professor": "Max", "Seminar": "KI", "RaumNr": "9", "Jahr": "2025"}
KEY = ("Professor#Max", "Seminar#KI")
OLD = teaching("Max", "KI")

pytestmark = pytest.mark.usefixtures("table")


def assign(body: Any, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(ASSIGN_SEMINAR, {}, sent, body)


def test_a_new_one_is_201_and_stored_with_the_article_s_attributes_alone(
    put: Put, stored: Stored
) -> None:
    put(article("Max", "KI"), enrolment("Max", "KI"))
    before = stored.all()

    answer = assign(BODY)

    assert (answer.status, answer.etag, answer.requests) == (201, '"1"', 1)
    assert answer.body == {"Type": "Teaching", **BODY, "Version": 1}
    assert stored.all() == {
        **before,
        KEY: {
            "PK": {"S": "Professor#Max"},
            "SK": {"S": "Seminar#KI"},
            "Type": {"S": "Teaching"},
            "Version": {"N": "1"},
            "RaumNr": {"S": "9"},
            "Jahr": {"S": "2025"},
        },
    }
    assert call(LIST_PROFESSOR_SEMINARS, {"name": "Max"}).items == [answer.body]
    assert answer.body in call(GET_PROFESSOR, {"name": "Max"}).items
    assert call(LIST_SEMINAR_PROFESSORS, {"title": "KI"}).each("Professor") == ["Max"]


def test_one_that_was_there_is_200_and_replaced(put: Put, stored: Stored) -> None:
    put(OLD, teaching("Max", "KI 2"))

    answer = assign(BODY)

    assert (answer.status, answer.etag) == (200, '"2"')
    assert stored.all()[KEY] == changed(
        OLD, RaumNr={"S": "9"}, Jahr={"S": "2025"}, Version={"N": "2"}
    )
    assert stored.version("Professor#Max", "Seminar#KI 2") == 1


@pytest.mark.parametrize(("tag", "status"), [('"1"', 200), ('"2"', 412), ('"10"', 412)])
def test_a_version_must_match(put: Put, stored: Stored, tag: str, status: int) -> None:
    put(OLD)

    assert assign(BODY, If_Match=tag).status == status
    assert stored.version(*KEY) == (2 if status == 200 else 1)


def test_one_that_does_not_exist_has_no_version(stored: Stored) -> None:
    assert assign(BODY, If_Match='"1"').status == 412
    assert stored.all() == {}


def test_a_lost_answer_is_recognised_by_the_version_that_was_named(
    put: Put, stored: Stored, wire: Wire
) -> None:
    put(OLD)
    wire.loses()

    assert assign(BODY, If_Match='"1"').etag == '"2"'
    assert stored.version(*KEY) == 2


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"Professor": ""}, "Professor"),
        ({"Professor": "😀" * 256}, "Professor"),
        ({"Seminar": "😀" * 256}, "Seminar"),
        ({"RaumNr": 9}, "RaumNr"),
        ({"RaumNr": None}, "RaumNr"),
        ({"Jahr": 2025}, "Jahr"),
        ({"Semester": "1"}, "Semester"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, changes: dict[str, Any], name: str
) -> None:
    answer = assign({**BODY, **changes})

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == {}


@pytest.mark.parametrize("name", list(BODY))
def test_what_is_needed_may_not_be_missing(name: str) -> None:
    answer = assign({each: value for each, value in BODY.items() if each != name})

    assert answer.refused == {name: "is missing"}
