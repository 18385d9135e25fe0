from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.university import GET_PROFESSOR, LIST_PROFESSOR_ARTICLES, PUBLISH_ARTICLE
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.university.samples import article, teaching

BODY = {
    "Professor": "Max",
    "Forschungsartikel": "Graphen",
    "Fachjournal": "Journal",
    "Anz. Seiten": "21",
}
KEY = ("Professor#Max", "Forschungsartikel#Graphen")
OLD = article("Max", "Graphen")

pytestmark = pytest.mark.usefixtures("table")


def publish(body: Any, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(PUBLISH_ARTICLE, {}, sent, body)


def test_a_new_article_is_201_with_the_attribute_whose_name_has_a_space(
    put: Put, stored: Stored
) -> None:
    put(teaching("Max", "Graphen"))
    before = stored.all()

    answer = publish(BODY)

    assert (answer.status, answer.etag, answer.requests) == (201, '"1"', 1)
    assert answer.body == {"Type": "ResearchArticle", **BODY, "Version": 1}
    assert stored.all() == {
        **before,
        KEY: {
            "PK": {"S": "Professor#Max"},
            "SK": {"S": "Forschungsartikel#Graphen"},
            "Type": {"S": "ResearchArticle"},
            "Version": {"N": "1"},
            "Fachjournal": {"S": "Journal"},
            "Anz. Seiten": {"S": "21"},
        },
    }
    assert call(LIST_PROFESSOR_ARTICLES, {"name": "Max"}).items == [answer.body]
    assert answer.body in call(GET_PROFESSOR, {"name": "Max"}).items


def test_one_that_was_there_is_200_and_replaced(put: Put, stored: Stored) -> None:
    put(OLD, article("Max", "Graphen 2"))

    assert publish(BODY).status == 200

    assert stored.all()[KEY] == changed(
        OLD,
        Fachjournal={"S": "Journal"},
        **{"Anz. Seiten": {"S": "21"}},
        Version={"N": "2"},
    )
    assert stored.version("Professor#Max", "Forschungsartikel#Graphen 2") == 1


@pytest.mark.parametrize(("tag", "status"), [('"1"', 200), ('"2"', 412), ('"10"', 412)])
def test_a_version_must_match(put: Put, stored: Stored, tag: str, status: int) -> None:
    put(OLD)

    assert publish(BODY, If_Match=tag).status == status
    assert stored.version(*KEY) == (2 if status == 200 else 1)


def test_one_that_does_not_exist_has_no_version(stored: Stored) -> None:
    assert publish(BODY, If_Match='"1"').status == 412
    assert stored.all() == {}


def test_a_lost_answer_is_recognised_by_the_version_that_was_named(
    put: Put, stored: Stored, wire: Wire
) -> None:
    put(OLD)
    wire.loses()

    assert publish(BODY, If_Match='"1"').etag == '"2"'
    assert stored.version(*KEY) == 2


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"Professor": "😀" * 256}, "Professor"),
        ({"Forschungsartikel": "😀" * 256}, "Forschungsartikel"),
        ({"Forschungsartikel": ""}, "Forschungsartikel"),
        ({"Fachjournal": None}, "Fachjournal"),
        ({"Anz. Seiten": 21}, "Anz. Seiten"),
        ({"Anz. Seiten": ""}, "Anz. Seiten"),
        ({"AnzSeiten": "21"}, "AnzSeiten"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, changes: dict[str, Any], name: str
) -> None:
    answer = publish({**BODY, **changes})

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == {}


@pytest.mark.parametrize("name", list(BODY))
def test_what_is_needed_may_not_be_missing(name: str) -> None:
    answer = publish({each: value for each, value in BODY.items() if each != name})

    assert answer.refused == {name: "is missing"}


@pytest.mark.usefixtures("university")
def test_felix_faktor_publishes_a_fourth_article() -> None:
    name = "Prof. Dr. Felix Faktor"
    assert publish({**BODY, "Professor": name}).status == 201
    assert len(call(LIST_PROFESSOR_ARTICLES, {"name": name}).items) == 4
