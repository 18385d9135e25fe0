"""The article's queries over HTTP: free text in every spelling, and PartiQL on a strict engine."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from unicodedata import normalize

import pytest

from lambdas.design.university import (
    GET_PROFESSOR,
    GET_STUDENT,
    LIST_SEMINAR_PROFESSORS,
    LIST_SEMINAR_STUDENTS,
    LIST_STUDENT_SEMINARS,
    Enrolment,
    Teaching,
)
from tests.e2e.conftest import Put
from tests.e2e.http import Answer, Api

TITLES = [
    "C#",
    "Was ist KI?",
    "50 % mehr",
    "a+b",
    "Für Köche",
    "R&D/2",
    "O'Brien",
    '"Quoted"',
    "100%25",
    "emoji 🎓👩🏽‍🔬",
    "x=1&y=2",
    " leading and trailing ",
    "<script>alert(1)</script>",
    "دورة",
    "#",
    "%",
    "..",
    "a" * 256,
]

MACHINE_LEARNING = "Seminar#Die Kunst des Machine Learning"
VERSION = {"Version": 1}
FINN: list[dict[str, Any]] = [
    {
        "PK": "Student#Finn Forschgeist",
        "SK": "Seminar#Datenwolken und Cybersicherheit",
        "RaumNr": "13",
        "Semester": "3",
        "Adresse": {
            "Strasse": "Zauberweg",
            "Hausnummer": "23a",
            "Postleitzahl": "12345",
            "Stadt": "Märchenstadt",
            "Land": "Deutschland",
        },
    },
    {
        "PK": "Student#Finn Forschgeist",
        "SK": MACHINE_LEARNING,
        "RaumNr": "42",
        "Semester": "3",
    },
]
NORA = [
    {
        "PK": "Student#Nora Neugierig",
        "SK": MACHINE_LEARNING,
        "RaumNr": "42",
        "Semester": "2",
        "Note": "1,5",
    },
    {
        "PK": "Student#Nora Neugierig",
        "SK": "Seminar#Moderne UI Konzepte",
        "RaumNr": "9",
        "Semester": "2",
    },
    {
        "PK": "Student#Nora Neugierig",
        "SK": "Seminar#Rechnernetze verstehen",
        "RaumNr": "15",
        "Semester": "1",
        "Note": "2,2",
    },
]
FAKTOR = [
    {
        "PK": "Professor#Prof. Dr. Felix Faktor",
        "SK": "Forschungsartikel#Adaptive Lernmodelle in der KI",
        "Fachjournal": "Advanced Insights",
        "Anz. Seiten": "38",
    },
    {
        "PK": "Professor#Prof. Dr. Felix Faktor",
        "SK": "Forschungsartikel#Harmonisierung von NoSQL-Lösungen",
        "Fachjournal": "Advanced Insights",
        "Anz. Seiten": "16",
    },
    {
        "PK": "Professor#Prof. Dr. Felix Faktor",
        "SK": "Forschungsartikel#Paradigmen in der sozialen Informatik",
        "Fachjournal": "Modern IT",
        "Anz. Seiten": "27",
    },
]
CODEKRAFT = [
    {
        "PK": "Professor#Prof. Dr. Clara Codekraft",
        "SK": "Seminar#Vernetzte Systeme verstehen",
        "RaumNr": "25",
        "Jahr": "2024",
    }
]
KEYS_OF_MACHINE_LEARNING = [
    {"PK": "Student#Finn Forschgeist", "SK": MACHINE_LEARNING},
    {"PK": "Student#Nora Neugierig", "SK": MACHINE_LEARNING},
]


def enrolled(student: str, seminar: str) -> Enrolment:
    return Enrolment(Student=student, Seminar=seminar, RaumNr="1", Semester="1")


def run(api: Api, statement: str, **others: Any) -> Answer:
    return api.send("POST", "/university/partiql", body={"Statement": statement, **others})


def found(api: Api, statement: str, **others: Any) -> list[dict[str, Any]]:
    answer = run(api, statement, **others)
    assert answer.status == 200, answer.text
    return list(answer.body["Items"])


@pytest.mark.parametrize("title", TITLES)
def test_free_text_travels_there_and_back(api: Api, put: Put, title: str) -> None:
    put(enrolled(title, title), enrolled(title + "x", title + "x"))

    by_student = api.ask(GET_STUDENT, name=title)
    by_seminar = api.ask(LIST_SEMINAR_STUDENTS, title=title)

    assert [(i["Student"], i["Seminar"]) for i in by_student.body["items"]] == [(title, title)]
    assert by_seminar.body["items"] == [{"Student": title, "Seminar": title}]


def test_both_unicode_spellings_are_one_seminar(api: Api, put: Put) -> None:
    put(enrolled("Köchin", normalize("NFD", "Für Köche")))

    for spelling in ("NFC", "NFD"):
        title = normalize(spelling, "Für Köche")
        students = api.ask(LIST_SEMINAR_STUDENTS, title=title).body["items"]
        assert [student["Student"] for student in students] == ["Köchin"]


@pytest.mark.parametrize("name", ["", "a" * 257])
def test_text_of_another_length_is_refused(api: Api, name: str) -> None:
    assert "name" in api.ask(GET_STUDENT, name=name).refused


def test_text_of_too_many_bytes_is_refused_before_dynamodb_is_asked(api: Api) -> None:
    answer = api.ask(LIST_SEMINAR_STUDENTS, title="🎓" * 256)

    assert "1024" in answer.refused["title"]
    assert answer.headers["X-DynamoDB-Requests"] == "0"


def test_a_professor_and_a_student_of_one_seminar_are_told_apart(api: Api, put: Put) -> None:
    seminar = "Vernetzte Systeme verstehen"
    put(enrolled("Finn Forschgeist II", seminar), enrolled("Vor", seminar + " II"))
    put(Teaching(Professor="Prof. P", Seminar=seminar + " II", RaumNr="1", Jahr="2024"))

    students = api.ask(LIST_SEMINAR_STUDENTS, title=seminar).body["items"]
    professors = api.ask(LIST_SEMINAR_PROFESSORS, title=seminar).body["items"]

    assert [student["Student"] for student in students] == ["Finn Forschgeist II"]
    assert [each["Professor"] for each in professors] == ["Prof. Dr. Clara Codekraft"]


def test_pages_of_the_inverted_index_have_every_student_once(api: Api, put: Put) -> None:
    put(*(enrolled(f"Student {number}", "Volle Vorlesung") for number in range(7)))

    pages = list(api.pages(LIST_SEMINAR_STUDENTS, title="Volle Vorlesung", limit="3"))

    assert [len(page.body["items"]) for page in pages] == [3, 3, 1]
    assert len({each["Student"] for page in pages for each in page.body["items"]}) == 7


def test_somebody_of_whom_there_is_no_entry_is_not_found(api: Api) -> None:
    assert api.ask(GET_STUDENT, name="Finn").status == 404
    assert api.ask(GET_PROFESSOR, name="Prof. Dr. Felix").status == 404
    assert api.ask(LIST_STUDENT_SEMINARS, name="Finn").body == {"items": [], "next": None}


@pytest.mark.parametrize(
    ("statement", "items"),
    [
        (
            """SELECT * FROM "University-Table"
WHERE PK = 'Student#Finn Forschgeist'""",
            [{**item, "Type": "Enrolment", **VERSION} for item in FINN],
        ),
        (
            """SELECT * FROM "University-Table"
WHERE "PK" = 'Student#Nora Neugierig'""",
            [{**item, "Type": "Enrolment", **VERSION} for item in NORA],
        ),
        (
            """SELECT * FROM "University-Table"
WHERE PK = 'Professor#Prof. Dr. Felix Faktor' AND begins_with(SK, 'Forschungsartikel#')""",
            [{**item, "Type": "ResearchArticle", **VERSION} for item in FAKTOR],
        ),
        (
            """SELECT * FROM "University-Table"
WHERE "PK" = 'Professor#Prof. Dr. Clara Codekraft' AND begins_with("SK", 'Seminar#')""",
            [{**item, "Type": "Teaching", **VERSION} for item in CODEKRAFT],
        ),
        (
            """SELECT * FROM "University-Table.SeminarStudentsIndex"
WHERE "SK" = 'Seminar#Die Kunst des Machine Learning'""",
            KEYS_OF_MACHINE_LEARNING,
        ),
        (
            """SELECT * FROM "University-Table"."SeminarStudentsIndex"
WHERE "SK" = 'Seminar#Die Kunst des Machine Learning'""",
            KEYS_OF_MACHINE_LEARNING,
        ),
    ],
)
def test_the_articles_statement_gives_the_articles_result(
    api: Api, statement: str, items: list[dict[str, Any]]
) -> None:
    answer = run(api, statement)

    assert answer.body == {"Items": items, "NextToken": None}
    assert answer.headers["X-DynamoDB-Requests"] == "1"


def test_a_parameter_needs_no_quoting(api: Api, put: Put) -> None:
    put(enrolled("O'Brien", "C#"), enrolled("O", "C#"))
    statement = 'SELECT "Semester" FROM "University-Table" WHERE PK = ? AND SK = ?'

    assert found(api, statement, Parameters=["Student#O'Brien", "Seminar#C%23"]) == [
        {"Semester": "1"}
    ]
    assert "Statement" in run(api, statement, Parameters=["User#O'Brien", "x"]).refused


def test_a_statement_goes_on_where_its_token_says(api: Api) -> None:
    # On the index, since the emulator pays no heed to Limit where a statement reads the table.
    statement = """SELECT * FROM "University-Table"."SeminarStudentsIndex" WHERE SK = ?"""
    asked: dict[str, Any] = {"Parameters": [MACHINE_LEARNING], "Limit": 1}
    first = run(api, statement, **asked)
    token = first.body["NextToken"]
    second = run(api, statement, **asked, NextToken=token)

    assert first.body["Items"] + second.body["Items"] == KEYS_OF_MACHINE_LEARNING
    assert second.body["NextToken"] is None
    assert run(api, statement, **asked, NextToken="x").refused["NextToken"]


@pytest.mark.parametrize(
    "statement",
    [
        """INSERT INTO "University-Table" VALUE {'PK': 'Student#x', 'SK': 'Seminar#y'}""",
        """UPDATE "University-Table" SET RaumNr = '1' WHERE PK = 'Student#x' AND SK = 'Seminar#'""",
        """DELETE FROM "University-Table" WHERE PK = 'Student#x' AND SK = 'Seminar#y'""",
        """SELECT * FROM "University-Table" WHERE PK = 'Student#x'; DELETE FROM "T" WHERE PK=''""",
        """SELECT * FROM "University-Table" """,
        """SELECT * FROM "University-Table" WHERE RaumNr = '13'""",
        """SELECT * FROM "University-Table" WHERE PK = 'Student#x' OR RaumNr = '13'""",
        """SELECT * FROM "University-Table" WHERE begins_with(PK, 'Student#')""",
        """SELECT * FROM "University-Table" WHERE PK = 'USER#U-001'""",
        """SELECT * FROM "University-Table" WHERE PK IN ['Student#x', 'USER#U-001']""",
        """SELECT * FROM "University-Table"."SeminarStudentsIndex" WHERE SK = 'PROFILE'""",
        """SELECT * FROM "University-Table"."GSI1" WHERE GSI1PK = 'STATUS#PENDING'""",
        """SELECT * FROM "SingleTable" WHERE PK = 'Student#x'""",
        """SELECT * FROM "University-Table" WHERE PK = 'Student#x' AND""",
        """SELECT nothing()() FROM "University-Table" WHERE PK = 'Student#x'""",
        "SELECT",
        "",
        "'",
    ],
)
def test_any_other_statement_is_refused_and_says_why(api: Api, statement: str) -> None:
    assert run(api, statement).refused["Statement"]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "Statement"),
        ({"Statement": 1}, "Statement"),
        ({"Statement": "SELECT", "Table": "T"}, "Table"),
        ({"Statement": "SELECT", "Limit": 0}, "Limit"),
        ({"Statement": "SELECT", "Limit": "5"}, "Limit"),
        ({"Statement": "SELECT", "Parameters": []}, "Parameters"),
        ([], "body"),
        (None, "body"),
    ],
)
def test_a_wrong_body_is_refused_by_name(api: Api, body: Any, name: str) -> None:
    answer = api.send("POST", "/university/partiql", body=body)

    assert name in answer.refused
    assert Decimal(answer.headers["X-DynamoDB-Capacity"]) == 0
