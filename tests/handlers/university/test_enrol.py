from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.university import (
    ENROL,
    GET_STUDENT,
    LIST_SEMINAR_STUDENTS,
    LIST_STUDENT_SEMINARS,
)
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.university.samples import TEXTS, enrolment

BODY = {"Student": "Mia", "Seminar": "KI", "RaumNr": "9", "Semester": "1"}
KEY = ("Student#Mia", "Seminar#KI")
FULL = enrolment("Mia", "KI", Note="1,3", Adresse={"Ort": "Köln"})

pytestmark = pytest.mark.usefixtures("table")


def enrol(body: Any, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(ENROL, {}, sent, body)


def test_a_new_enrolment_is_201_and_stored_with_the_article_s_attributes_alone(
    stored: Stored,
) -> None:
    answer = enrol({**BODY, "Note": "1,3", "Adresse": {"Straße": "Größe 1"}})

    assert (answer.status, answer.etag, answer.requests) == (201, '"1"', 1)
    assert "Location" not in answer.headers
    assert answer.body == {
        "Type": "Enrolment",
        "Student": "Mia",
        "Seminar": "KI",
        "RaumNr": "9",
        "Semester": "1",
        "Note": "1,3",
        "Adresse": {"Straße": "Größe 1"},
        "Version": 1,
    }
    assert stored.all() == {
        KEY: {
            "PK": {"S": "Student#Mia"},
            "SK": {"S": "Seminar#KI"},
            "Type": {"S": "Enrolment"},
            "Version": {"N": "1"},
            "RaumNr": {"S": "9"},
            "Semester": {"S": "1"},
            "Note": {"S": "1,3"},
            "Adresse": {"M": {"Straße": {"S": "Größe 1"}}},
        }
    }


def test_a_grade_and_an_address_that_are_not_sent_stay(put: Put, stored: Stored) -> None:
    put(FULL, enrolment("Mia", "KI 2"), enrolment("Mi", "KI"))
    before = stored.all()

    answer = enrol(BODY)

    assert (answer.status, answer.etag) == (200, '"2"')
    assert (answer.body["Note"], answer.body["Adresse"]) == ("1,3", {"Ort": "Köln"})
    assert stored.all() == {
        **before,
        KEY: changed(FULL, RaumNr={"S": "9"}, Semester={"S": "1"}, Version={"N": "2"}),
    }


def test_those_that_are_sent_are_replaced_as_a_whole(put: Put, stored: Stored) -> None:
    put(FULL)

    enrol({**BODY, "Note": "2,0", "Adresse": {"PLZ": "1"}})

    assert stored.all()[KEY] == changed(
        FULL,
        RaumNr={"S": "9"},
        Semester={"S": "1"},
        Note={"S": "2,0"},
        Adresse={"M": {"PLZ": {"S": "1"}}},
        Version={"N": "2"},
    )


@pytest.mark.parametrize("text", TEXTS)
def test_names_and_titles_may_be_any_text_and_the_reads_agree(text: str) -> None:
    for student, seminar in ((text, "KI"), ("Mia", text)):
        if len(text.encode()) < 900:
            body = enrol({**BODY, "Student": student, "Seminar": seminar}).body

            assert (body["Student"], body["Seminar"]) == (student, seminar)
            assert body in call(GET_STUDENT, {"name": student}).items
            assert body in call(LIST_STUDENT_SEMINARS, {"name": student}).items
            found = call(LIST_SEMINAR_STUDENTS, {"title": seminar}).each("Student")
            assert student in found


@pytest.mark.parametrize("name", ["Student", "Seminar"])
def test_a_name_that_is_too_long_for_a_key_is_refused_by_its_name(
    stored: Stored, name: str
) -> None:
    answer = enrol({**BODY, name: "😀" * 256})

    assert set(answer.refused) == {name}
    assert "1024" in answer.refused[name]
    assert answer.requests == 0
    assert stored.all() == {}


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"Student": ""}, "Student"),
        ({"Student": "a" * 257}, "Student"),
        ({"Seminar": None}, "Seminar"),
        ({"RaumNr": 9}, "RaumNr"),
        ({"Semester": 1}, "Semester"),
        ({"Note": None}, "Note"),
        ({"Note": 1.3}, "Note"),
        ({"Adresse": None}, "Adresse"),
        ({"Adresse": "Köln"}, "Adresse"),
        ({"Jahr": "2024"}, "Jahr"),
        ({"Version": "1"}, "Version"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, changes: dict[str, Any], name: str
) -> None:
    answer = enrol({**BODY, **changes})

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == {}


@pytest.mark.parametrize("name", list(BODY))
def test_what_is_needed_may_not_be_missing(name: str) -> None:
    answer = enrol({each: value for each, value in BODY.items() if each != name})

    assert answer.refused == {name: "is missing"}


def test_more_than_an_item_holds_is_413_with_its_size(stored: Stored) -> None:
    answer = enrol({**BODY, "Adresse": {"a": "ü" * 210_000}})

    assert answer.status == 413
    assert "4200" in answer.body["detail"]
    assert stored.all() == {}


def test_the_version_that_was_read_is_changed(put: Put) -> None:
    put(changed(FULL, Version={"N": "7"}))

    assert enrol(BODY, If_Match='"7"').etag == '"8"'


@pytest.mark.parametrize("tag", ['"1"', '"8"'])
def test_another_version_is_412_and_nothing_changes(put: Put, stored: Stored, tag: str) -> None:
    put(changed(FULL, Version={"N": "7"}))
    before = stored.all()

    assert enrol(BODY, If_Match=tag).status == 412
    assert stored.all() == before


def test_an_enrolment_that_does_not_exist_has_no_version(stored: Stored) -> None:
    assert enrol(BODY, If_Match='"1"').status == 412
    assert stored.all() == {}


def test_a_lost_answer_is_recognised_by_the_version_that_was_named(
    put: Put, stored: Stored, wire: Wire
) -> None:
    put(FULL)
    wire.loses()

    answer = enrol({**BODY, "Adresse": {"Ort": "Bonn"}}, If_Match='"1"')

    assert (answer.status, answer.etag, answer.body["RaumNr"]) == (200, '"2"', "9")
    assert wire.requests.count("UpdateItem") == 2
    assert stored.version(*KEY) == 2
    assert stored.mark(*KEY) is None


def test_another_writer_s_change_is_not_taken_for_one_s_own(put: Put, stored: Stored) -> None:
    put(changed(FULL, Version={"N": "2"}))

    assert enrol(BODY, If_Match='"1"').status == 412
    assert stored.version(*KEY) == 2


@pytest.mark.usefixtures("university")
def test_the_example_is_a_new_enrolment() -> None:
    assert enrol({**BODY, "Seminar": "Moderne UI Konzepte"}).status == 201
    students = call(LIST_SEMINAR_STUDENTS, {"title": "Moderne UI Konzepte"}).each("Student")
    assert {"Mia", "Nora Neugierig"} <= set(students)
