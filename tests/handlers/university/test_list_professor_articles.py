from __future__ import annotations

import pytest

from lambdas.design.university import LIST_PROFESSOR_ARTICLES
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.university.samples import TEXTS, article, enrolment, teaching


def test_returns_the_professor_s_articles_and_not_the_seminars(put: Put) -> None:
    put(article("Prof. P", "Über KI", AnzSeiten="16"), teaching("Prof. P", "KI"))
    put(article("Prof. Pi", "Über UI"))

    assert call(LIST_PROFESSOR_ARTICLES, {"name": "Prof. P"}).items == [
        {
            "Type": "ResearchArticle",
            "Professor": "Prof. P",
            "Forschungsartikel": "Über KI",
            "Fachjournal": "Modern IT",
            "Anz. Seiten": "16",
            "Version": 1,
        }
    ]


@pytest.mark.parametrize(
    "neighbour", ["Forschungsartikel", "Forschungsartikelentwurf#A", "Forschung#A", "Buch#A"]
)
def test_other_entities_of_the_partition_stay_out(put: Put, neighbour: str) -> None:
    put(article("Prof. P", "KI"), to_item(article("Prof. P", "x")) | {"SK": {"S": neighbour}})

    found = call(LIST_PROFESSOR_ARTICLES, {"name": "Prof. P"})

    assert found.each("Forschungsartikel") == ["KI"]


def test_titles_of_any_text_come_back_as_they_are(put: Put) -> None:
    put(*(article("Prof. P", each) for each in TEXTS))

    found = call(LIST_PROFESSOR_ARTICLES, {"name": "Prof. P"}).each("Forschungsartikel")

    assert sorted(found) == sorted(TEXTS)


@pytest.mark.parametrize("name", ["Prof. P", "Prof. Q", "Finn"])
def test_without_articles_the_list_is_empty_not_404(put: Put, name: str) -> None:
    put(teaching("Prof. P", "KI"), enrolment("Finn", "KI"), article("Prof. PQ", "KI"))

    assert call(LIST_PROFESSOR_ARTICLES, {"name": name}).body == {"items": [], "next": None}


@pytest.mark.usefixtures("table")
def test_a_name_of_too_many_bytes_is_refused() -> None:
    assert set(call(LIST_PROFESSOR_ARTICLES, {"name": "🎓" * 254}).refused) == {"name"}


@pytest.mark.usefixtures("university")
def test_the_article_s_query_gives_professor_faktor_s_three_articles() -> None:
    items = call(LIST_PROFESSOR_ARTICLES, {"name": "Prof. Dr. Felix Faktor"}).items

    assert [(e["Forschungsartikel"], e["Fachjournal"], e["Anz. Seiten"]) for e in items] == [
        ("Adaptive Lernmodelle in der KI", "Advanced Insights", "38"),
        ("Harmonisierung von NoSQL-Lösungen", "Advanced Insights", "16"),
        ("Paradigmen in der sozialen Informatik", "Modern IT", "27"),
    ]
