"""Statements as moto runs them. It knows neither indexes nor begins_with("SK", ..) in PartiQL: that
is in `tests/e2e`, and what the guard lets through at all is in `tests/runtime/test_partiql.py`."""

from __future__ import annotations

import json
from base64 import b64encode
from decimal import Decimal
from typing import Any

import pytest

from lambdas.design.university import RUN_PARTIQL
from lambdas.runtime import store
from tests.conftest import TABLE_NAME, Put
from tests.handlers.caller import Answer, event, send
from tests.handlers.ecommerce.samples import orders, user
from tests.handlers.social.samples import follow, person
from tests.handlers.university.samples import TEXTS, article, enrolment, teaching

NORA = "Student#Nora Neugierig"
OF_NORA = """SELECT * FROM "University-Table" WHERE PK = 'Student#Nora Neugierig'"""
BY_KEY = 'SELECT * FROM "University-Table" WHERE PK = ?'


def post(body: str | None, *, encoded: bool = False) -> Answer:
    """What a caller gets for a body of any text."""
    sent = event(RUN_PARTIQL, {})
    if body is not None:
        sent["body"] = b64encode(body.encode()).decode() if encoded else body
        sent["isBase64Encoded"] = encoded
    return send(RUN_PARTIQL, sent)


def run(statement: str, **others: Any) -> Answer:
    return post(json.dumps({"Statement": statement, **others}))


def found(statement: str, **others: Any) -> list[dict[str, Any]]:
    answer = run(statement, **others)
    assert answer.status == 200, answer.text
    assert answer.requests == 1
    return list(answer.body["Items"])


# --- The article's statements ---------------------------------------------------------------


@pytest.mark.usefixtures("university")
def test_the_article_s_first_statement_gives_finn_with_his_address() -> None:
    statement = """SELECT * FROM "University-Table"
WHERE PK = 'Student#Finn Forschgeist'"""

    assert found(statement)[0] == {
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
        "Type": "Enrolment",
        "Version": 1,
    }


@pytest.mark.usefixtures("university")
def test_the_article_s_second_statement_gives_nora_s_three_seminars() -> None:
    statement = """SELECT * FROM "University-Table"
WHERE "PK" = 'Student#Nora Neugierig'"""

    answer = run(statement)

    ours = {"Type": "Enrolment", "Version": 1}
    assert answer.body == {
        "Items": [
            {
                "PK": NORA,
                "SK": "Seminar#Die Kunst des Machine Learning",
                "RaumNr": "42",
                "Semester": "2",
                "Note": "1,5",
                **ours,
            },
            {
                "PK": NORA,
                "SK": "Seminar#Moderne UI Konzepte",
                "RaumNr": "9",
                "Semester": "2",
                **ours,
            },
            {
                "PK": NORA,
                "SK": "Seminar#Rechnernetze verstehen",
                "RaumNr": "15",
                "Semester": "1",
                "Note": "2,2",
                **ours,
            },
        ],
        "NextToken": None,
    }
    assert answer.requests == 1


@pytest.mark.usefixtures("university")
def test_the_article_s_third_statement_gives_professor_faktor_s_articles() -> None:
    statement = """SELECT * FROM "University-Table"
WHERE PK = 'Professor#Prof. Dr. Felix Faktor' AND begins_with(SK, 'Forschungsartikel#')"""

    assert [(e["SK"], e["Fachjournal"], e["Anz. Seiten"]) for e in found(statement)] == [
        ("Forschungsartikel#Adaptive Lernmodelle in der KI", "Advanced Insights", "38"),
        ("Forschungsartikel#Harmonisierung von NoSQL-Lösungen", "Advanced Insights", "16"),
        ("Forschungsartikel#Paradigmen in der sozialen Informatik", "Modern IT", "27"),
    ]


# --- What else is found ---------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_a_parameter_needs_no_quoting(put: Put, name: str) -> None:
    put(*(enrolment(each, f"Seminar {number}") for number, each in enumerate(TEXTS)))
    encoded = name.replace("%", "%25").replace("#", "%23")  # as keys have it

    items = found(BY_KEY, Parameters=[f"Student#{encoded}"])

    assert [each["SK"] for each in items] == [f"Seminar#Seminar {TEXTS.index(name)}"]


def test_numbers_are_numbers_and_umlauts_stay_umlauts(put: Put) -> None:
    put(enrolment("Jörg", "Für Köche"))

    answer = run(BY_KEY, Parameters=["Student#Jörg"])

    assert answer.body["Items"][0]["Version"] == 1
    assert "Für Köche" in answer.text


def test_a_partition_that_has_nothing_is_an_empty_list(put: Put) -> None:
    put(enrolment("Nora", "KI"))

    answer = run("""SELECT * FROM "University-Table" WHERE PK = 'Student#Nor'""")

    assert answer.body == {"Items": [], "NextToken": None}


def test_only_what_is_selected_is_shown(put: Put) -> None:
    put(enrolment("Nora", "KI", Note="1,0"), teaching("Nora", "KI"), article("Nora", "KI"))

    statement = """SELECT Note, RaumNr FROM "University-Table" WHERE PK = 'Student#Nora'"""
    assert found(statement) == [{"Note": "1,0", "RaumNr": "1"}]


@pytest.mark.usefixtures("university")
def test_other_conditions_may_stand_beside_the_key() -> None:
    for condition in (
        " AND Semester = '2'",
        " AND (Note = '1,5' OR RaumNr = '9')",
        " AND Semester = ?",
    ):
        given = {"Parameters": ["2"]} if "?" in condition else {}
        assert [each["RaumNr"] for each in found(OF_NORA + condition, **given)] == ["42", "9"]


# --- What is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        """SELECT * FROM "University-Table" WHERE PK = 'USER#1'""",
        """SELECT * FROM "University-Table" WHERE PK = 'PERSON#ann'""",
        """SELECT * FROM "University-Table" WHERE PK IN ['Student#Nora', 'USER#1']""",
        """SELECT * FROM "University-Table" WHERE PK = 'Student#Nora' OR PK = 'USER#1'""",
        """SELECT * FROM "University-Table" WHERE SK = 'PROFILE'""",
        """SELECT * FROM "University-Table" WHERE Name = 'Secret'""",
        """SELECT * FROM "University-Table" WHERE begins_with(PK, 'USER#')""",
        """SELECT * FROM "University-Table" WHERE NOT PK = 'Student#Nora'""",
        """SELECT * FROM "University-Table" WHERE PK <> 'Student#Nora'""",
        """SELECT * FROM "University-Table" WHERE (PK = 'Student#Nora' OR Name = 'Secret')""",
        """SELECT * FROM "University-Table"."GSI1" WHERE GSI1PK = 'EMAIL#user-1@x.de'""",
        """SELECT * FROM "single-table" WHERE PK = 'Student#Nora'""",
        """SELECT * FROM "University-Table" """,
    ],
)
def test_no_item_of_another_dataset_is_ever_seen(put: Put, statement: str) -> None:
    assert TABLE_NAME == "single-table"
    put(user("1", Name="Secret"), *orders("1", "2024-01-15"), person("ann"), follow("ann", "bob"))
    put(enrolment("Nora", "KI"))

    answer = run(statement)

    assert set(answer.refused) == {"Statement"}
    assert answer.requests == 0
    assert "Secret" not in answer.text.replace(statement, "")


@pytest.mark.parametrize("condition", ["a = '1' OR Name = 'Secret'", "a = '1' OR PK = 'USER#1'"])
def test_no_or_leads_out_of_the_partition(put: Put, condition: str) -> None:
    """AND binds more closely than OR, so the right side reads the whole table."""
    put(user("1", Name="Secret"), enrolment("Nora", "KI"))

    answer = run(f"{OF_NORA} AND {condition}")

    assert set(answer.refused) == {"Statement"}
    assert answer.requests == 0


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO \"University-Table\" VALUE {'PK': 'Student#x', 'SK': 'Seminar#y'}",
        "UPDATE \"University-Table\" SET Note='1' WHERE PK='Student#Nora' AND SK='Seminar#KI'",
        "DELETE FROM \"University-Table\" WHERE PK='Student#Nora' AND SK='Seminar#KI'",
        """SELECT * FROM "University-Table" WHERE PK='Student#Nora'; DELETE FROM "T" WHERE PK=''""",
    ],
)
def test_nothing_is_ever_written(put: Put, statement: str) -> None:
    put(enrolment("Nora", "KI"))
    before = found(BY_KEY, Parameters=["Student#Nora"])

    assert set(run(statement).refused) == {"Statement"}

    assert found(BY_KEY, Parameters=["Student#Nora"]) == before
    assert found(BY_KEY, Parameters=["Student#x"]) == []


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    "text", ["", "'", '"', "SELECT", "Was ist KI?", "a" * 8192, "('" * 4096, "\0"]
)
def test_no_text_is_more_than_a_wrong_statement(text: str) -> None:
    assert set(run(text).refused) == {"Statement"}


@pytest.mark.usefixtures("table")
def test_the_deployed_table_s_name_is_not_told() -> None:
    assert TABLE_NAME not in run("SELECT * FROM x WHERE PK = 'Student#x'").text
    assert TABLE_NAME not in run("""SELECT * FROM "University-Table" WHERE PK = 'x'""").text


# --- The body -------------------------------------------------------------------------------


@pytest.mark.usefixtures("university")
def test_an_encoded_body_is_read_as_well() -> None:
    body = json.dumps({"Statement": OF_NORA})

    assert post(body, encoded=True).body == post(body).body
    assert len(post(body, encoded=True).body["Items"]) == 3


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("body", "name"),
    [
        (None, "body"),
        ("", "body"),
        ("{", "body"),
        ("[]", "body"),
        ("Statement=x", "body"),
        ("{}", "Statement"),
        ('{"Statement": null}', "Statement"),
        ('{"Statement": "SELECT", "Table": "T"}', "Table"),
        ('{"Statement": "SELECT", "Limit": 0}', "Limit"),
        ('{"Statement": "SELECT", "Limit": 201}', "Limit"),
        ('{"Statement": "SELECT", "Limit": NaN}', "body"),
        ('{"Statement": "SELECT", "Parameters": []}', "Parameters"),
        ('{"Statement": "SELECT", "NextToken": ""}', "NextToken"),
    ],
)
def test_what_is_wrong_with_a_body_is_named(body: str | None, name: str) -> None:
    for encoded in (False, True):
        answer = post(body, encoded=encoded)
        assert set(answer.refused) == {name}
        assert answer.requests == 0


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("depth", [300, 900, 5000])
def test_a_parameter_that_is_nested_too_deeply_is_refused(depth: int) -> None:
    """DynamoDB takes 32 levels; the sender's own limit is of no concern to the caller."""
    nested = "[" * depth + "1" + "]" * depth
    statement = json.dumps(OF_NORA + " AND a = ?")

    answer = post(f'{{"Statement": {statement}, "Parameters": [{nested}]}}')

    assert set(answer.refused) <= {"Parameters", "body"}


@pytest.mark.usefixtures("university")
@pytest.mark.parametrize("number", ["79.90", "1e2", "12345678901234567890.123456789012345678"])
def test_a_parameter_that_is_a_number_is_exact(number: str) -> None:
    statement = json.dumps(OF_NORA + " AND a = ?")
    sent: list[Any] = []

    def record(params: dict[str, Any], **_: Any) -> None:
        sent.extend(params["Parameters"])

    events = store.client().meta.events
    events.register("before-parameter-build.dynamodb.ExecuteStatement", record)
    try:
        answer = post(f'{{"Statement": {statement}, "Parameters": [{number}]}}')
    finally:
        events.unregister("before-parameter-build.dynamodb.ExecuteStatement", record)

    assert answer.status == 200
    [parameter] = sent
    assert Decimal(parameter["N"]).as_tuple() == Decimal(number).as_tuple()


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("name", ["limit", "cursor", "name", "Statement"])
def test_nothing_is_taken_from_the_query_string(name: str) -> None:
    sent = event(RUN_PARTIQL, {name: "1"})
    sent["body"] = json.dumps({"Statement": OF_NORA})

    assert set(send(RUN_PARTIQL, sent).refused) == {name}
