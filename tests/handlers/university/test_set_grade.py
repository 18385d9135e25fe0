from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.university import GET_STUDENT, SET_GRADE
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.university.samples import enrolment, teaching

MIA = enrolment("Mia", "KI", Adresse={"Ort": "Köln"})
KEY = ("Student#Mia", "Seminar#KI")


@pytest.fixture(autouse=True)
def enrolments(put: Put) -> None:
    put(MIA, enrolment("Mia", "KI 2"), enrolment("Mi", "KI"), teaching("Max", "KI"))


def grade(note: Any = "1,3", student: str = "Mia", seminar: str = "KI", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(SET_GRADE, {}, sent, {"Student": student, "Seminar": seminar, "Note": note})


def test_the_enrolment_has_the_grade_and_is_otherwise_as_it_was(stored: Stored) -> None:
    before = stored.all()

    answer = grade()

    assert (answer.status, answer.etag, answer.requests) == (200, '"2"', 1)
    assert answer.body == {
        "Type": "Enrolment",
        "Student": "Mia",
        "Seminar": "KI",
        "RaumNr": "1",
        "Semester": "2",
        "Note": "1,3",
        "Adresse": {"Ort": "Köln"},
        "Version": 2,
    }
    assert stored.all() == {**before, KEY: changed(MIA, Note={"S": "1,3"}, Version={"N": "2"})}
    assert answer.body in call(GET_STUDENT, {"name": "Mia"}).items


def test_a_grade_can_be_set_again() -> None:
    grade("2,0")

    answer = grade("1,0")

    assert (answer.body["Note"], answer.etag) == ("1,0", '"3"')


@pytest.mark.parametrize(
    ("student", "seminar"), [("Mia", "KI 3"), ("mia", "KI"), ("Max", "KI"), ("M", "KI")]
)
def test_who_is_not_enrolled_is_404_and_is_not_enrolled_by_it(
    stored: Stored, student: str, seminar: str
) -> None:
    before = stored.all()

    answer = grade("1,3", student, seminar)

    assert answer.status == 404
    assert student in answer.body["detail"]
    assert seminar in answer.body["detail"]
    assert stored.all() == before


@pytest.mark.parametrize(("tag", "status"), [('"1"', 200), ('"2"', 412), ('"10"', 412)])
def test_a_version_must_match(stored: Stored, tag: str, status: int) -> None:
    assert grade(If_Match=tag).status == status
    assert stored.version(*KEY) == (2 if status == 200 else 1)


@pytest.mark.parametrize("tag", ['"1"', '"2"'])
def test_a_version_of_what_does_not_exist_is_404(tag: str) -> None:
    assert grade(seminar="KI 3", If_Match=tag).status == 404


def test_a_lost_answer_is_recognised_by_the_version_that_was_named(
    stored: Stored, wire: Wire
) -> None:
    wire.loses()

    answer = grade(If_Match='"1"')

    assert (answer.status, answer.etag) == (200, '"2"')
    assert stored.all()[KEY] == changed(MIA, Note={"S": "1,3"}, Version={"N": "2"})


def test_the_same_version_with_another_grade_is_another_writer_s(put: Put) -> None:
    put(changed(MIA, Note={"S": "5,0"}, Version={"N": "2"}))

    assert grade("1,3", If_Match='"1"').status == 412


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"Student": "Mia", "Seminar": "KI"}, "Note"),
        ({"Student": "Mia", "Note": "1"}, "Seminar"),
        ({"Seminar": "KI", "Note": "1"}, "Student"),
        ({"Student": "Mia", "Seminar": "KI", "Note": None}, "Note"),
        ({"Student": "Mia", "Seminar": "KI", "Note": ""}, "Note"),
        ({"Student": "Mia", "Seminar": "KI", "Note": 1.3}, "Note"),
        ({"Student": "Mia", "Seminar": "KI", "Note": "1", "RaumNr": "2"}, "RaumNr"),
        ({"Student": "😀" * 256, "Seminar": "KI", "Note": "1"}, "Student"),
        ({"Student": "Mia", "Seminar": "%" * 256, "Note": ""}, "Note"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, body: Any, name: str
) -> None:
    before = stored.all()

    answer = call(SET_GRADE, {}, None, body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == before


@pytest.mark.usefixtures("university")
def test_nora_is_given_a_grade() -> None:
    assert grade("1,3", "Nora Neugierig", "Moderne UI Konzepte").body["Note"] == "1,3"
