from __future__ import annotations

import pytest

from lambdas.design.university import LIST_STUDENT_SEMINARS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.university.samples import TEXTS, enrolment, teaching


def test_returns_the_student_s_seminars_with_what_belongs_to_each(put: Put) -> None:
    put(enrolment("Nora", "KI", RaumNr="42", Semester="2", Note="1,5"), enrolment("Finn", "KI"))

    assert call(LIST_STUDENT_SEMINARS, {"name": "Nora"}).items == [
        {
            "Type": "Enrolment",
            "Student": "Nora",
            "Seminar": "KI",
            "RaumNr": "42",
            "Semester": "2",
            "Note": "1,5",
            "Version": 1,
        }
    ]


@pytest.mark.parametrize(
    "neighbour", ["Seminar", "Seminararbeit#KI", "Seminar$", "Praktikum#KI", "Vorlesung#Seminar#"]
)
def test_other_entities_of_the_partition_stay_out(put: Put, neighbour: str) -> None:
    put(enrolment("Nora", "KI"), to_item(enrolment("Nora", "x")) | {"SK": {"S": neighbour}})

    assert call(LIST_STUDENT_SEMINARS, {"name": "Nora"}).each("Seminar") == ["KI"]


def test_titles_of_any_text_come_back_as_they_are(put: Put) -> None:
    put(*(enrolment("Nora", each) for each in TEXTS))

    found = call(LIST_STUDENT_SEMINARS, {"name": "Nora"}).each("Seminar")

    assert sorted(found) == sorted(TEXTS)


@pytest.mark.parametrize("name", ["Nor", "Nora Neugierig", "nora", "Prof. P"])
def test_a_student_without_seminars_has_an_empty_list_as_has_nobody(put: Put, name: str) -> None:
    put(enrolment("Nora", "KI"), teaching("Prof. P", "KI"))

    assert call(LIST_STUDENT_SEMINARS, {"name": name}).body == {"items": [], "next": None}


@pytest.mark.usefixtures("table")
def test_a_name_of_too_many_bytes_is_refused() -> None:
    refused = call(LIST_STUDENT_SEMINARS, {"name": "🎓" * 255}).refused

    assert set(refused) == {"name"}
    assert "1028 bytes" in refused["name"]


@pytest.mark.usefixtures("university")
def test_the_article_s_query_gives_nora_s_three_seminars() -> None:
    items = call(LIST_STUDENT_SEMINARS, {"name": "Nora Neugierig"}).items

    assert [(e["Seminar"], e["RaumNr"], e["Semester"], e.get("Note")) for e in items] == [
        ("Die Kunst des Machine Learning", "42", "2", "1,5"),
        ("Moderne UI Konzepte", "9", "2", None),
        ("Rechnernetze verstehen", "15", "1", "2,2"),
    ]
