from __future__ import annotations

import pytest

from lambdas.design.university import LIST_SEMINAR_PROFESSORS, LIST_SEMINAR_STUDENTS
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.cursors import assert_refused
from tests.handlers.university.samples import TEXTS, article, enrolment, teaching


def test_returns_who_teaches_the_seminar_and_no_more_than_the_keys_tell(put: Put) -> None:
    put(teaching("Prof. P", "KI", RaumNr="25", Jahr="2024"), teaching("Prof. Q", "KI II"))
    put(enrolment("Finn", "KI"), article("Prof. R", "KI"))

    assert call(LIST_SEMINAR_PROFESSORS, {"title": "KI"}).items == [
        {"Professor": "Prof. P", "Seminar": "KI"}
    ]


@pytest.mark.parametrize("partition", ["Professor", "Professorin#A", "Prof#Professor#", "Q#A"])
def test_other_entities_that_share_the_sort_key_stay_out(put: Put, partition: str) -> None:
    put(teaching("Prof. P", "KI"), to_item(teaching("x", "KI")) | {"PK": {"S": partition}})

    assert call(LIST_SEMINAR_PROFESSORS, {"title": "KI"}).each("Professor") == ["Prof. P"]


@pytest.mark.parametrize("title", TEXTS)
def test_a_title_may_be_any_text_and_is_taken_as_it_is(put: Put, title: str) -> None:
    put(*(teaching(f"Prof. {number}", each) for number, each in enumerate(TEXTS)))

    assert call(LIST_SEMINAR_PROFESSORS, {"title": title}).items == [
        {"Professor": f"Prof. {TEXTS.index(title)}", "Seminar": title}
    ]


@pytest.mark.parametrize("title", ["K", "KI I", "ki", "UI"])
def test_without_professors_the_list_is_empty_not_404(put: Put, title: str) -> None:
    put(teaching("Prof. P", "KI"), enrolment("Finn", "UI"))

    assert call(LIST_SEMINAR_PROFESSORS, {"title": title}).body == {"items": [], "next": None}


def test_a_cursor_of_the_same_seminar_s_students_is_refused(put: Put) -> None:
    put(*(teaching(each, "KI") for each in "AB"), *(enrolment(each, "KI") for each in "AB"))
    of_students = call(LIST_SEMINAR_STUDENTS, {"title": "KI", "limit": "1"})
    of_professors = call(LIST_SEMINAR_PROFESSORS, {"title": "KI", "limit": "1"})

    assert_refused(LIST_SEMINAR_PROFESSORS, {"title": "KI"}, str(of_students.next))
    assert_refused(LIST_SEMINAR_STUDENTS, {"title": "KI"}, str(of_professors.next))


@pytest.mark.usefixtures("table")
def test_a_title_of_too_many_bytes_is_refused() -> None:
    assert set(call(LIST_SEMINAR_PROFESSORS, {"title": "🎓" * 255}).refused) == {"title"}


@pytest.mark.usefixtures("university")
def test_professor_codekraft_teaches_her_seminar_alone() -> None:
    title = "Vernetzte Systeme verstehen"

    assert call(LIST_SEMINAR_PROFESSORS, {"title": title}).items == [
        {"Professor": "Prof. Dr. Clara Codekraft", "Seminar": title}
    ]
