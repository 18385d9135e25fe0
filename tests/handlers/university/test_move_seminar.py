from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.university import GET_STUDENT, MOVE_SEMINAR
from lambdas.runtime.items import to_item
from lambdas.runtime.store import Store
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.university.samples import article, enrolment, teaching


def move(room: Any = "43", seminar: str = "KI", cursor: str | None = None) -> Answer:
    query = {} if cursor is None else {"cursor": cursor}
    return call(MOVE_SEMINAR, query, None, {"Seminar": seminar, "RaumNr": room})


def test_every_entry_of_the_seminar_has_the_new_room_and_nothing_else_changes(
    put: Put, stored: Stored
) -> None:
    moved = [enrolment("Mia", "KI", Note="1,0"), enrolment("Nora", "KI"), teaching("Max", "KI")]
    put(*moved, enrolment("Mia", "KI 2"), enrolment("Mia", "K"), article("Max", "KI"))
    before = stored.all()

    answer = move()

    assert (answer.status, answer.body) == (200, {"changed": 3, "next": None})
    assert answer.requests == 4  # one for the page, and one for each entry
    keys = [(item["PK"]["S"], item["SK"]["S"]) for item in map(to_item, moved)]
    assert stored.all() == {
        **before,
        **{key: changed(before[key], RaumNr={"S": "43"}, Version={"N": "2"}) for key in keys},
    }
    assert call(GET_STUDENT, {"name": "Mia"}).each("RaumNr") == ["1", "43", "1"]


@pytest.mark.parametrize("partition", ["Student#a#b", "Student#", "Weird#1"])
def test_what_was_not_written_by_us_stays_and_does_not_stand_in_the_way(
    put: Put, stored: Stored, partition: str
) -> None:
    odd = to_item(enrolment("Mia", "KI")) | {"PK": {"S": partition}}
    put(odd, enrolment("Nora", "KI"))

    assert move("7").body["changed"] == 1
    assert stored.item(partition, odd["SK"]["S"]) == odd


def test_to_repeat_it_is_safe(put: Put, stored: Stored) -> None:
    put(enrolment("Mia", "KI"), teaching("Max", "KI"))
    move()
    put(enrolment("Nora", "KI"))
    before = stored.all()

    answer = move()

    assert answer.body == {"changed": 1, "next": None}
    assert stored.version("Student#Nora", "Seminar#KI") == 2
    del before["Student#Nora", "Seminar#KI"]
    assert before.items() <= stored.all().items()


def test_a_call_moves_100_entries_at_most_and_says_where_to_go_on(put: Put, stored: Stored) -> None:
    put(*(enrolment(f"S-{n:03d}", "KI") for n in range(204)), teaching("Max", "KI"))

    answers = [move()]
    while cursor := answers[-1].body["next"]:
        answers.append(move(cursor=cursor))

    assert [each.body["changed"] for each in answers] == [100, 100, 5]
    assert {item["RaumNr"]["S"] for item in stored.all().values()} == {"43"}
    assert {item["Version"]["N"] for item in stored.all().values()} == {"2"}
    assert_cursor_of_another_move_is_refused(answers[0].body["next"])
    again = move(cursor=answers[0].body["next"])
    assert again.body == {"changed": 0, "next": answers[1].body["next"]}


def assert_cursor_of_another_move_is_refused(cursor: str) -> None:
    for room, seminar in (("44", "KI"), ("43", "KI 2")):
        answer = move(room, seminar, cursor)
        assert set(answer.refused) == {"cursor"}
        assert answer.requests == 0


def test_when_the_time_runs_out_the_call_ends_between_two_entries_and_says_where_to_go_on(
    put: Put, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(*(enrolment(f"S-{n}", "KI") for n in range(5)), teaching("Max", "KI"))
    monkeypatch.setattr(Store, "has_time", property(lambda store: store.requests < 4))

    answers = [move()]
    while cursor := answers[-1].body["next"]:
        answers.append(move(cursor=cursor))

    assert [each.status for each in answers] == [200, 200]
    assert [each.body["changed"] for each in answers] == [3, 3]
    assert [each.requests for each in answers] == [4, 4]
    assert {item["RaumNr"]["S"] for item in stored.all().values()} == {"43"}


def test_exactly_100_entries_are_one_call(put: Put) -> None:
    put(*(enrolment(f"S-{n:03d}", "KI") for n in range(100)))

    assert move().body == {"changed": 100, "next": None}


@pytest.mark.usefixtures("table")
def test_a_seminar_without_entries_is_moved_at_once(stored: Stored) -> None:
    assert move().body == {"changed": 0, "next": None}
    assert stored.all() == {}


@pytest.mark.parametrize("seminar", ["C#", "Was ist KI?", "50 % mehr", "Für Köche"])
def test_a_title_may_be_any_text(put: Put, stored: Stored, seminar: str) -> None:
    put(enrolment("C#%23", seminar), enrolment("C#%23", f"{seminar}."))

    assert move(seminar=seminar).body["changed"] == 1
    rooms = [item["RaumNr"]["S"] for item in stored.all().values()]
    assert sorted(rooms) == ["1", "43"]


def test_a_lost_answer_changes_an_entry_once(put: Put, stored: Stored, wire: Wire) -> None:
    put(enrolment("Mia", "KI"))
    wire.loses(2)  # of the page, and of the update

    assert move().status == 200
    assert stored.all()["Student#Mia", "Seminar#KI"] == changed(
        enrolment("Mia", "KI"), RaumNr={"S": "43"}, Version={"N": "2"}
    )


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"Seminar": "KI"}, "RaumNr"),
        ({"RaumNr": "1"}, "Seminar"),
        ({"Seminar": "", "RaumNr": "1"}, "Seminar"),
        ({"Seminar": "😀" * 256, "RaumNr": "1"}, "Seminar"),
        ({"Seminar": "KI", "RaumNr": ""}, "RaumNr"),
        ({"Seminar": "KI", "RaumNr": 1}, "RaumNr"),
        ({"Seminar": "KI", "RaumNr": None}, "RaumNr"),
        ({"Seminar": "KI", "RaumNr": "1", "Jahr": "2024"}, "Jahr"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(body: Any, name: str) -> None:
    answer = call(MOVE_SEMINAR, {}, None, body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("cursor", ["AAAA", "e30", "x", "W10"])
def test_a_cursor_that_was_never_given_out_is_refused(cursor: str) -> None:
    answer = move(cursor=cursor)

    assert set(answer.refused) == {"cursor"}
    assert answer.requests == 0


@pytest.mark.usefixtures("table")
def test_a_page_takes_no_limit() -> None:
    answer = call(MOVE_SEMINAR, {"limit": "5"}, None, {"Seminar": "KI", "RaumNr": "1"})

    assert set(answer.refused) == {"limit"}


@pytest.mark.usefixtures("university")
def test_the_article_s_seminar_moves_with_both_students() -> None:
    assert move("43", "Die Kunst des Machine Learning").body["changed"] == 2
    found = call(GET_STUDENT, {"name": "Finn Forschgeist"}).items
    rooms = {each["Seminar"]: each["RaumNr"] for each in found}
    assert rooms["Die Kunst des Machine Learning"] == "43"
    assert rooms["Datenwolken und Cybersicherheit"] == "13"
