from __future__ import annotations

import pytest

from lambdas.design.university import LIST_SEMINAR_STUDENTS, WITHDRAW
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire
from tests.handlers.university.samples import TEXTS, enrolment, teaching


def withdraw(student: str, seminar: str) -> Answer:
    return call(WITHDRAW, {"student": student, "seminar": seminar})


def test_the_enrolment_is_gone_and_no_other_is(put: Put, stored: Stored) -> None:
    put(*(enrolment(*each) for each in (("Mia", "KI"), ("Mia", "KI 2"), ("Mi", "KI"))))
    put(teaching("Mia", "KI"))
    before = stored.all()

    answer = withdraw("Mia", "KI")

    assert (answer.status, answer.requests) == (204, 1)
    del before["Student#Mia", "Seminar#KI"]
    assert stored.all() == before
    assert call(LIST_SEMINAR_STUDENTS, {"title": "KI"}).each("Student") == ["Mi"]


def test_who_was_not_enrolled_is_204_too(put: Put, stored: Stored) -> None:
    put(enrolment("Mia", "KI"))
    before = stored.all()

    assert withdraw("Mia", "KI 2").status == 204
    assert stored.all() == before


@pytest.mark.parametrize("text", [each for each in TEXTS if len(each) < 200])
def test_names_and_titles_may_be_any_text(put: Put, stored: Stored, text: str) -> None:
    put(enrolment(text, "KI"), enrolment("Mia", text), enrolment("Mia", f"{text}."))

    withdraw(text, "KI")
    withdraw("Mia", text)

    assert len(stored.all()) == 1


def test_one_whose_answer_was_lost_has_been_made(put: Put, stored: Stored, wire: Wire) -> None:
    put(enrolment("Mia", "KI"))
    wire.loses()

    assert withdraw("Mia", "KI").status == 204
    assert stored.all() == {}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("name", ["student", "seminar"])
def test_a_name_that_is_too_long_for_a_key_is_refused_by_the_parameter_s_name(name: str) -> None:
    answer = call(WITHDRAW, {"student": "Mia", "seminar": "KI", name: "😀" * 256})

    assert set(answer.refused) == {name}
    assert answer.requests == 0


@pytest.mark.usefixtures("university")
def test_finn_leaves_a_seminar() -> None:
    assert withdraw("Finn Forschgeist", "Die Kunst des Machine Learning").status == 204
    found = call(LIST_SEMINAR_STUDENTS, {"title": "Die Kunst des Machine Learning"})
    assert found.each("Student") == ["Nora Neugierig"]
