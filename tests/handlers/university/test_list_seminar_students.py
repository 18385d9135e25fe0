from __future__ import annotations

from unicodedata import normalize

import pytest

from lambdas.design.university import LIST_SEMINAR_PROFESSORS, LIST_SEMINAR_STUDENTS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call, pages
from tests.handlers.university.samples import TEXTS, article, enrolment, teaching


def test_returns_who_is_in_the_seminar_and_no_more_than_the_keys_tell(put: Put) -> None:
    put(enrolment("Finn", "KI", RaumNr="42", Note="1,5", Adresse={"Stadt": "Köln"}))
    put(enrolment("Nora", "KI"), enrolment("Nora", "KI II"), enrolment("Udo", "UI"))

    assert call(LIST_SEMINAR_STUDENTS, {"title": "KI"}).items == [
        {"Student": "Finn", "Seminar": "KI"},
        {"Student": "Nora", "Seminar": "KI"},
    ]


def test_a_professor_and_a_student_of_one_seminar_are_told_apart(put: Put) -> None:
    put(enrolment("Kim", "KI"), teaching("Kim", "KI"), teaching("Prof. P", "KI"))

    students = call(LIST_SEMINAR_STUDENTS, {"title": "KI"}).items
    professors = call(LIST_SEMINAR_PROFESSORS, {"title": "KI"}).items

    assert students == [{"Student": "Kim", "Seminar": "KI"}]
    assert professors == [
        {"Professor": "Kim", "Seminar": "KI"},
        {"Professor": "Prof. P", "Seminar": "KI"},
    ]


@pytest.mark.parametrize("partition", ["Student", "Studentin#Ann", "Studenten#x", "Tutor#Student#"])
def test_other_entities_that_share_the_sort_key_stay_out(put: Put, partition: str) -> None:
    put(enrolment("Finn", "KI"), to_item(enrolment("x", "KI")) | {"PK": {"S": partition}})

    assert call(LIST_SEMINAR_STUDENTS, {"title": "KI"}).each("Student") == ["Finn"]


@pytest.mark.parametrize("title", TEXTS)
def test_a_title_may_be_any_text_and_is_taken_as_it_is(put: Put, title: str) -> None:
    put(*(enrolment(f"Student {number}", each) for number, each in enumerate(TEXTS)))

    assert call(LIST_SEMINAR_STUDENTS, {"title": title}).items == [
        {"Student": f"Student {TEXTS.index(title)}", "Seminar": title}
    ]


def test_names_of_any_text_come_back_as_they_are(put: Put) -> None:
    put(*(enrolment(each, "KI") for each in TEXTS))

    assert sorted(call(LIST_SEMINAR_STUDENTS, {"title": "KI"}).each("Student")) == sorted(TEXTS)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_both_unicode_spellings_are_one_seminar(put: Put, limit: int) -> None:
    put(enrolment("Ann", normalize("NFC", "Für Köche")))
    put(enrolment("Bo", normalize("NFD", "Für Köche")))

    for title in ("Für Köche", normalize("NFD", "Für Köche")):
        found = pages(LIST_SEMINAR_STUDENTS, {"title": title}, limit)
        assert [item for page in found for item in page.items] == [
            {"Student": "Ann", "Seminar": "Für Köche"},
            {"Student": "Bo", "Seminar": "Für Köche"},
        ]


@pytest.mark.parametrize("title", ["K", "KI I", "KI III", "ki", "UI", "Über KI"])
def test_without_students_the_list_is_empty_not_404(put: Put, title: str) -> None:
    put(enrolment("Finn", "KI"), enrolment("Finn", "KI II"), teaching("Prof. P", "UI"))
    put(article("Finn", "Über KI"))

    assert call(LIST_SEMINAR_STUDENTS, {"title": title}).body == {"items": [], "next": None}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(("longest", "longer"), [("🎓" * 254, "🎓" * 255), ("ü" * 256, "ü" * 257)])
def test_a_title_that_is_too_long_is_refused(longest: str, longer: str) -> None:
    assert set(call(LIST_SEMINAR_STUDENTS, {"title": longer}).refused) == {"title"}
    assert call(LIST_SEMINAR_STUDENTS, {"title": longest}).items == []


@pytest.mark.usefixtures("university")
@pytest.mark.parametrize("limit", [1, 2])
def test_the_article_s_inverted_index_gives_finn_and_nora(limit: int) -> None:
    title = "Die Kunst des Machine Learning"

    found = pages(LIST_SEMINAR_STUDENTS, {"title": title}, limit)

    assert [item for page in found for item in page.items] == [
        {"Student": "Finn Forschgeist", "Seminar": title},
        {"Student": "Nora Neugierig", "Seminar": title},
    ]
