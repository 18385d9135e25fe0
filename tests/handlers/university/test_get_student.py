from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest

from lambdas.design.university import GET_PROFESSOR, GET_STUDENT
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.university.samples import TEXTS, article, enrolment, teaching

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def test_returns_every_entry_with_the_embedded_address_as_a_whole(put: Put) -> None:
    address = {"Straße": "Zauberweg", "Hausnummer": "23a", "#": "%"}
    put(enrolment("Finn", "C#", RaumNr="13", Semester="3", Note="1,5", Adresse=address))
    put(enrolment("Finn", "KI"))

    answer = call(GET_STUDENT, {"name": "Finn"})

    assert answer.items == [
        {
            "Type": "Enrolment",
            "Student": "Finn",
            "Seminar": "C#",
            "RaumNr": "13",
            "Semester": "3",
            "Note": "1,5",
            "Adresse": address,
            "Version": 1,
        },
        {
            "Type": "Enrolment",
            "Student": "Finn",
            "Seminar": "KI",
            "RaumNr": "1",
            "Semester": "2",
            "Version": 1,
        },
    ]
    assert "Straße" in answer.text


def test_a_professor_of_the_same_name_is_somebody_else(put: Put) -> None:
    put(enrolment("Kim", "KI"), teaching("Kim", "KI"), article("Kim", "Über KI"))

    assert call(GET_STUDENT, {"name": "Kim"}).each("Type") == ["Enrolment"]
    assert call(GET_PROFESSOR, {"name": "Kim"}).each("Type") == ["ResearchArticle", "Teaching"]


@pytest.mark.parametrize("name", TEXTS)
def test_a_name_may_be_any_text_and_is_taken_as_it_is(put: Put, name: str) -> None:
    put(*(enrolment(each, f"Seminar {number}") for number, each in enumerate(TEXTS)))

    items = call(GET_STUDENT, {"name": name}).items

    assert [(each["Student"], each["Seminar"]) for each in items] == [
        (name, f"Seminar {TEXTS.index(name)}")
    ]


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_both_unicode_spellings_are_one_student(put: Put, stored: str) -> None:
    composed, decomposed = "Jörg Köche", normalize("NFD", "Jörg Köche")
    put(enrolment(composed if stored == "NFC" else decomposed, "KI"))

    for name in (composed, decomposed):
        assert call(GET_STUDENT, {"name": name}).each("Student") == [composed]


@pytest.mark.parametrize("name", ["Fin", "Finn ", "Finn Forschgeist", "finn", "F", "Finn#KI"])
def test_a_student_without_any_entry_is_404(put: Put, name: str) -> None:
    put(enrolment("Finn", "KI"), teaching("Finn Forschgeist", "KI"), enrolment("Nora", "Finn"))

    answer = call(GET_STUDENT, {"name": name})

    assert answer.status == 404
    assert repr(name) in answer.body["detail"]


def test_only_the_first_page_can_be_404(put: Put, dynamodb: DynamoDBClient, table: str) -> None:
    put(enrolment("Finn", "A"), enrolment("Finn", "B"))
    first = call(GET_STUDENT, {"name": "Finn", "limit": "1"})
    for seminar in "AB":
        key = {"PK": {"S": "Student#Finn"}, "SK": {"S": f"Seminar#{seminar}"}}
        dynamodb.delete_item(TableName=table, Key=key)

    later = call(GET_STUDENT, {"name": "Finn", "cursor": str(first.next)})

    assert later.status == 200
    assert later.body == {"items": [], "next": None}
    assert call(GET_STUDENT, {"name": "Finn"}).status == 404


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("longest", "longer"),
    [("🎓" * 254, "🎓" * 255), ("ü" * 256, "ü" * 257), ("\U0001d160" * 84, "\U0001d160" * 85)],
)
def test_a_name_that_is_too_long_is_refused(longest: str, longer: str) -> None:
    assert set(call(GET_STUDENT, {"name": longer}).refused) == {"name"}
    assert call(GET_STUDENT, {"name": longest}).status == 404


@pytest.mark.usefixtures("university")
def test_the_article_s_query_gives_finn_with_his_address() -> None:
    items = call(GET_STUDENT, {"name": "Finn Forschgeist"}).items

    assert items[0] == {
        "Type": "Enrolment",
        "Version": 1,
        "Student": "Finn Forschgeist",
        "Seminar": "Datenwolken und Cybersicherheit",
        "RaumNr": "13",
        "Semester": "3",
        "Adresse": {
            "Strasse": "Zauberweg",
            "Hausnummer": "23a",
            "Postleitzahl": "12345",
            "Stadt": "Märchenstadt",
            "Land": "Deutschland",
        },
    }
    assert [each["Seminar"] for each in items[1:]] == ["Die Kunst des Machine Learning"]
