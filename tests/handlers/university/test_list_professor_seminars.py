from __future__ import annotations

import pytest

from lambdas.design.university import LIST_PROFESSOR_SEMINARS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.university.samples import TEXTS, article, enrolment, teaching


def test_returns_the_professor_s_seminars_and_not_the_articles(put: Put) -> None:
    put(teaching("Prof. P", "KI", RaumNr="25", Jahr="2024"), article("Prof. P", "Über KI"))
    put(teaching("Prof. Pi", "UI"), enrolment("Prof. P", "Didaktik"))

    assert call(LIST_PROFESSOR_SEMINARS, {"name": "Prof. P"}).items == [
        {
            "Type": "Teaching",
            "Professor": "Prof. P",
            "Seminar": "KI",
            "RaumNr": "25",
            "Jahr": "2024",
            "Version": 1,
        }
    ]


@pytest.mark.parametrize("neighbour", ["Seminar", "Seminare#A", "Seminarraum#A", "Vorlesung#A"])
def test_other_entities_of_the_partition_stay_out(put: Put, neighbour: str) -> None:
    put(teaching("Prof. P", "KI"), to_item(teaching("Prof. P", "x")) | {"SK": {"S": neighbour}})

    assert call(LIST_PROFESSOR_SEMINARS, {"name": "Prof. P"}).each("Seminar") == ["KI"]


def test_titles_of_any_text_come_back_as_they_are(put: Put) -> None:
    put(*(teaching("Prof. P", each) for each in TEXTS))

    found = call(LIST_PROFESSOR_SEMINARS, {"name": "Prof. P"}).each("Seminar")

    assert sorted(found) == sorted(TEXTS)


@pytest.mark.parametrize("name", ["Prof. P", "Prof. Q", "Finn"])
def test_without_seminars_the_list_is_empty_not_404(put: Put, name: str) -> None:
    put(article("Prof. P", "KI"), enrolment("Finn", "KI"), teaching("Prof. PQ", "KI"))

    assert call(LIST_PROFESSOR_SEMINARS, {"name": name}).body == {"items": [], "next": None}


@pytest.mark.usefixtures("table")
def test_a_name_of_too_many_bytes_is_refused() -> None:
    assert set(call(LIST_PROFESSOR_SEMINARS, {"name": "🎓" * 254}).refused) == {"name"}


@pytest.mark.usefixtures("university")
def test_the_article_s_query_gives_professor_codekraft_s_seminar_alone() -> None:
    assert call(LIST_PROFESSOR_SEMINARS, {"name": "Prof. Dr. Clara Codekraft"}).items == [
        {
            "Type": "Teaching",
            "Professor": "Prof. Dr. Clara Codekraft",
            "Seminar": "Vernetzte Systeme verstehen",
            "RaumNr": "25",
            "Jahr": "2024",
            "Version": 1,
        }
    ]
