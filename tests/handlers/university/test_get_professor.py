from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lambdas.design.university import GET_PROFESSOR
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages
from tests.handlers.university.samples import TEXTS, article, enrolment, teaching

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def test_returns_articles_and_seminars_in_one_list_each_in_its_own_schema(put: Put) -> None:
    put(teaching("Prof. P", "KI", RaumNr="25", Jahr="2024"), enrolment("Finn", "KI"))
    put(article("Prof. P", "Über KI", Fachjournal="Modern IT", AnzSeiten="38"))

    assert call(GET_PROFESSOR, {"name": "Prof. P"}).items == [
        {
            "Type": "ResearchArticle",
            "Professor": "Prof. P",
            "Forschungsartikel": "Über KI",
            "Fachjournal": "Modern IT",
            "Anz. Seiten": "38",
            "Version": 1,
        },
        {
            "Type": "Teaching",
            "Professor": "Prof. P",
            "Seminar": "KI",
            "RaumNr": "25",
            "Jahr": "2024",
            "Version": 1,
        },
    ]


def test_an_article_and_a_seminar_of_one_title_are_two(put: Put) -> None:
    put(teaching("Prof. P", "KI"), article("Prof. P", "KI"))

    assert call(GET_PROFESSOR, {"name": "Prof. P"}).each("Type") == ["ResearchArticle", "Teaching"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_a_page_may_end_within_one_schema_or_between_two(put: Put, limit: int) -> None:
    put(*(article("Prof. P", each) for each in "AB"), *(teaching("Prof. P", each) for each in "AB"))

    found = pages(GET_PROFESSOR, {"name": "Prof. P"}, limit)

    assert [each for page in found for each in page.each("Type")] == [
        "ResearchArticle",
        "ResearchArticle",
        "Teaching",
        "Teaching",
    ]


def test_an_entry_of_another_type_is_not_shown(put: Put) -> None:
    put(teaching("Prof. P", "KI"), to_item(teaching("Prof. P", "UI")) | {"Type": {"S": "Draft"}})

    assert call(GET_PROFESSOR, {"name": "Prof. P"}).each("Seminar") == ["KI"]


@pytest.mark.parametrize("name", TEXTS)
def test_a_name_may_be_any_text_and_is_taken_as_it_is(put: Put, name: str) -> None:
    put(*(teaching(each, f"Seminar {number}") for number, each in enumerate(TEXTS)))

    items = call(GET_PROFESSOR, {"name": name}).items

    assert [(each["Professor"], each["Seminar"]) for each in items] == [
        (name, f"Seminar {TEXTS.index(name)}")
    ]


@pytest.mark.parametrize("name", ["Prof. ", "Prof. P P", "prof. p", "Finn"])
def test_a_professor_without_any_entry_is_404(put: Put, name: str) -> None:
    put(teaching("Prof. P", "KI"), enrolment("Finn", "KI"), enrolment("Prof. P P", "KI"))

    answer = call(GET_PROFESSOR, {"name": name})

    assert answer.status == 404
    assert repr(name) in answer.body["detail"]


def test_only_the_first_page_can_be_404(put: Put, dynamodb: DynamoDBClient, table: str) -> None:
    put(article("Prof. P", "A"), teaching("Prof. P", "B"))
    first = call(GET_PROFESSOR, {"name": "Prof. P", "limit": "1"})
    for sort in ("Forschungsartikel#A", "Seminar#B"):
        dynamodb.delete_item(
            TableName=table, Key={"PK": {"S": "Professor#Prof. P"}, "SK": {"S": sort}}
        )

    later = call(GET_PROFESSOR, {"name": "Prof. P", "cursor": str(first.next)})

    assert later.body == {"items": [], "next": None}
    assert call(GET_PROFESSOR, {"name": "Prof. P"}).status == 404


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(("longest", "longer"), [("🎓" * 253, "🎓" * 254), ("ü" * 256, "ü" * 257)])
def test_a_name_that_is_too_long_is_refused(longest: str, longer: str) -> None:
    assert set(call(GET_PROFESSOR, {"name": longer}).refused) == {"name"}
    assert call(GET_PROFESSOR, {"name": longest}).status == 404


@pytest.mark.usefixtures("university")
def test_professor_codekraft_has_an_article_and_a_seminar() -> None:
    items = call(GET_PROFESSOR, {"name": "Prof. Dr. Clara Codekraft"}).items

    assert [each["Type"] for each in items] == ["ResearchArticle", "Teaching"]
    assert items[1]["Seminar"] == "Vernetzte Systeme verstehen"
