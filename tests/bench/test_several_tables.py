"""Several tables give the same answers as the single table, on the same data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from bench import tables
from bench.meter import metered
from bench.several_tables import load, questions
from bench.several_tables.questions import NotFound, Reads
from bench.several_tables.schema import (
    ENROLMENTS,
    ORDER_ITEMS,
    SEMINARS,
    STUDENTS,
    TABLES,
    Rows,
    rows,
)
from docs import sample
from lambdas.design.ecommerce import (
    GET_ORDER,
    GET_USER_WITH_ORDERS,
    LIST_PENDING_ORDERS,
    LIST_USER_ORDERS,
)
from lambdas.design.pattern import AccessPattern
from lambdas.design.university import (
    GET_PROFESSOR,
    GET_STUDENT,
    LIST_SEMINAR_PROFESSORS,
    LIST_SEMINAR_STUDENTS,
)
from seed.datasets import DATASETS

Answer = dict[str, Any]


@pytest.fixture(scope="module")
def stored() -> Iterator[Rows]:
    """Both designs, filled with the example data, in one engine."""
    entities = chain(DATASETS["ecommerce"](sample.NOW), DATASETS["university"](sample.NOW))
    filled = rows(entities)
    with sample.table():
        load.create()
        assert sum(load.put(filled)) == sum(len(by_key) for by_key in filled.values())
        yield filled


def single(pattern: AccessPattern, **example: str) -> Answer:
    """What the single table's own handler answers."""
    asked = replace(pattern, example=example)
    response = sample.handler(pattern)(sample.event(asked), None)
    assert response["statusCode"] == 200, response
    return plain(response["body"])


def several(question: Callable[..., Answer], *asked: str) -> Answer:
    """What the several tables answer."""
    return plain(msgspec.json.encode(question(Reads(), *asked)))


def plain(text: str | bytes) -> Answer:
    found: Answer = json.loads(text, parse_float=exact, parse_int=exact)
    return found


def exact(text: str) -> Decimal:
    """moto keeps the zeros at the end of 79.90, DynamoDB does not."""
    return Decimal(text).normalize()


def without_next(answer: Answer) -> Answer:
    """The answer, of whose cursor only is left whether there is one."""
    return answer | {"next": answer["next"] is not None}


USERS = ["U-001", "U-002", "U-003"]
STUDENT_NAMES = ["Finn Forschgeist", "Nora Neugierig"]
PROFESSOR_NAMES = ["Prof. Dr. Felix Faktor", "Prof. Dr. Clara Codekraft"]
TITLES = ["Die Kunst des Machine Learning", "Vernetzte Systeme verstehen", "Nie gehalten"]


@pytest.mark.usefixtures("stored")
class TestTheSameAnswers:
    def test_an_order_has_the_same_items(self) -> None:
        found = several(questions.get_order, "2024-01-15")

        assert found == single(GET_ORDER, order_id="2024-01-15")
        assert [item["ProductId"] for item in found["items"]] == ["P-100", "P-200"]

    @pytest.mark.parametrize("user_id", USERS)
    def test_a_user_has_the_same_orders_newest_first(self, user_id: str) -> None:
        found = several(questions.get_user_with_orders, user_id)
        expected = single(GET_USER_WITH_ORDERS, user_id=user_id)

        assert found["user"] == expected["user"]
        assert without_next(found["orders"]) == without_next(expected["orders"])

    @pytest.mark.parametrize("user_id", [*USERS, "U-nobody"])
    def test_a_users_orders_are_the_same_oldest_first(self, user_id: str) -> None:
        assert several(questions.list_user_orders, user_id) == single(
            LIST_USER_ORDERS, user_id=user_id
        )

    def test_the_same_orders_are_pending(self) -> None:
        found = several(questions.list_pending_orders)

        assert found == single(LIST_PENDING_ORDERS)
        assert {order["Status"] for order in found["items"]} == {"PENDING"}

    @pytest.mark.parametrize("title", TITLES)
    def test_a_seminar_has_the_same_students_and_professors(self, title: str) -> None:
        students = single(LIST_SEMINAR_STUDENTS, title=title)
        professors = single(LIST_SEMINAR_PROFESSORS, title=title)

        assert several(questions.list_seminar_students, title) == students
        assert several(questions.get_seminar, title) == {
            "students": [each["Student"] for each in students["items"]],
            "professors": [each["Professor"] for each in professors["items"]],
        }

    @pytest.mark.parametrize("name", PROFESSOR_NAMES)
    def test_a_professor_has_the_same_articles_and_seminars(self, name: str) -> None:
        assert several(questions.get_professor, name) == single(GET_PROFESSOR, name=name)

    @pytest.mark.parametrize("name", STUDENT_NAMES)
    def test_a_student_has_the_same_seminars_and_address(self, name: str) -> None:
        found, expected = several(questions.get_student, name), single(GET_STUDENT, name=name)
        addresses = [each.pop("Adresse") for each in expected["items"] if "Adresse" in each]

        assert found.pop("Adresse") == (addresses[0] if addresses else None)
        assert found == expected

    def test_a_page_ends_at_the_same_item(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(questions, "PAGE", 2)
        felix, user = PROFESSOR_NAMES[0], "U-001"

        for found, expected in [
            (
                several(questions.list_user_orders, user),
                single(LIST_USER_ORDERS, user_id=user, limit="2"),
            ),
            (
                several(questions.get_professor, felix),
                single(GET_PROFESSOR, name=felix, limit="2"),
            ),
        ]:
            assert without_next(found) == without_next(expected)
            assert found["next"] is not None

    def test_what_does_not_exist_is_not_found(self) -> None:
        for question in (
            questions.get_order,
            questions.get_user_with_orders,
            questions.get_professor,
            questions.get_student,
        ):
            with pytest.raises(NotFound):
                question(Reads(), "nobody")


def test_a_fact_is_stored_once(stored: Rows) -> None:
    rooms = [row for row in stored[SEMINARS].values() if row["RaumNr"]]

    assert len(rooms) == len(stored[SEMINARS])
    assert not any("RaumNr" in row for row in stored[ENROLMENTS].values())
    assert "Adresse" in stored[STUDENTS]["Finn Forschgeist",]
    assert not any("UserId" in row for row in stored[ORDER_ITEMS].values())


def test_every_table_has_rows_of_the_example_data(stored: Rows) -> None:
    assert [table.name for table in TABLES if not stored[table]] == []


def test_requests_that_need_no_other_go_out_in_one_round(stored: Rows) -> None:
    assert stored
    rounds = {}
    for question, asked in [
        (questions.get_order, "2024-01-15"),
        (questions.get_professor, PROFESSOR_NAMES[1]),
        (questions.get_professor, PROFESSOR_NAMES[0]),
    ]:
        reads = Reads()
        question(reads, asked)
        rounds[asked] = reads.rounds

    assert rounds == {
        "2024-01-15": 1,
        PROFESSOR_NAMES[1]: 2,  # a seminar, whose room is asked for when it is known
        PROFESSOR_NAMES[0]: 1,  # articles alone, which have none
    }


@pytest.mark.usefixtures("stored")
def test_the_single_table_gives_a_seminar_in_one_request_too() -> None:
    for title in TITLES:
        with metered() as meter:
            found = tables.seminar_at_once(title)

        assert meter.requests == 1
        assert found == questions.get_seminar(Reads(), title)


def test_code_without_threads_asks_the_same_and_waits_for_each(stored: Rows) -> None:
    assert stored
    at_once, in_turn = Reads(), Reads(in_turn=True)

    assert questions.get_order(at_once, "2024-01-15") == questions.get_order(in_turn, "2024-01-15")
    assert (at_once.rounds, in_turn.rounds) == (1, 2)
