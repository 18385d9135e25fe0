"""What holds for every list: all that belongs to it in order, pages to the end, and its cursors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import astuple

from lambdas.design import ACCESS_PATTERNS, ecommerce, social, university
from lambdas.design.entity import Entity
from lambdas.design.pattern import AccessPattern, Page
from lambdas.design.table import INVERTED_INDEX
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import Answer, call, pages, sizes
from tests.handlers.cursors import assert_refused, assert_tamper_proof, carried
from tests.handlers.ecommerce.samples import (
    failed,
    job,
    order,
    order_item,
    orders,
    product,
    session,
    user,
)
from tests.handlers.social.samples import follow, person
from tests.handlers.university.samples import article, enrolment, teaching

LATER = [datetime(2100, 1, day, tzinfo=UTC) for day in range(1, 6)]
EXPIRED = datetime(2020, 1, 1, tzinfo=UTC)


class Case(Struct, frozen=True):
    """A list with something in it, and what must not be there."""

    pattern: AccessPattern
    parameters: dict[str, str]
    listed: Sequence[Entity]
    """What the parameters give, in order."""
    beside: Sequence[Entity]
    """What lies in the same partition, in the same index, or where a careless key would lead."""
    others: Sequence[dict[str, str]] = ()
    """What makes other calls of the parameters; a cursor belongs to none of them."""
    partition: str = ""
    """What the partition key has of the parameters' values."""

    def __str__(self) -> str:
        return "-".join([self.pattern.name, *self.parameters])


CASES = [
    Case(
        ecommerce.LIST_USER_ORDERS,
        {"user_id": "ann"},
        orders("ann", "2023-12-31", "2024-01-05", "2024-01-15", "2024-02-01"),
        [user("ann"), *orders("anna", "2024-01-06"), order_item("ann", "P-1")],
        [{"user_id": "anna"}, {"from": "2020"}, {"to": "2025"}, {"newest": "true"}],
        "ann",
    ),
    Case(
        ecommerce.LIST_ORDER_ITEMS,
        {"order_id": "2024-01-15"},
        [order_item("2024-01-15", each) for each in ("P-1", "P-10", "P-2", "p-1")],
        [order("1", "2024-01-15"), order_item("2024-01-1", "P-1"), order_item("2024-01-155", "P")],
        [{"order_id": "2024-01-1"}],
        "2024-01-15",
    ),
    Case(
        ecommerce.LIST_PENDING_ORDERS,
        {},
        [order(each, f"2024-01-{each}", Status="PENDING") for each in ("11", "12", "13", "14")],
        [user("11"), order("11", "2024-01-10"), session("1", LATER[0])],
        [{"from": "2020"}, {"to": "2025"}],
        "PENDING",
    ),
    Case(
        ecommerce.LIST_PRODUCT_ORDERS,
        {"product_id": "P-1"},
        [order_item(each, "P-1") for each in ("2023-12-31", "2024-01-15", "2024-01-15T", "2025")],
        [product("P-1"), order_item("2024-01-16", "P-10"), order_item("2024-01-17", "p-1")],
        [{"product_id": "P-10"}],
        "P-1",
    ),
    Case(
        ecommerce.LIST_CATEGORY_PRODUCTS,
        {"category": "toys/balls"},
        [
            product("P-9", "toys/balls"),
            product("P-2", "toys/balls/large"),
            product("P-3", "toys/balls/large/red"),
            product("P-1", "toys/balls/small"),
        ],
        [
            product("balls", "toys"),
            product("P-4", "toys/ballsgames"),
            product("P-5", "toys/large"),
            product("P-6", "sport/balls"),
            product("P-7", "balls"),
        ],
        [{"category": "toys"}, {"category": "toys/balls/large"}, {"category": "sport/balls"}],
        "toys",
    ),
    Case(
        ecommerce.LIST_VIP_USERS,
        {},
        [user(each, VIP=True) for each in ("1", "10", "2", "a")],
        [user("3"), user("4", VIP=False), order("1", "VIP"), session("VIP", user_id="VIP")],
        [],
        "VIP",
    ),
    Case(
        ecommerce.LIST_EXPIRING_SESSIONS,
        {"before": "2100-01-05"},
        [session(str(9 - n), LATER[n], user_id=str(n % 2)) for n in range(4)],
        [session("a", EXPIRED), session("b"), session("c", LATER[4]), failed("d", "E")],
        [{"before": "2100-01-06"}, {"before": "2100-01"}],
        "EXPIRING",
    ),
    Case(
        ecommerce.LIST_USER_SESSIONS,
        {"user_id": "ann"},
        [*(session(str(9 - n), LATER[n], "ann") for n in range(3)), session("1", None, "ann")],
        [
            user("ann", VIP=True),
            order("ann", "1"),
            session("a", EXPIRED, "ann"),
            session("b", LATER[0], "anna"),
        ],
        [{"user_id": "anna"}],
        "ann",
    ),
    Case(
        ecommerce.LIST_FAILED_JOBS,
        {},
        [failed("4", "A"), failed("1", "A-B"), failed("2", "B"), failed("3", "b")],
        [job("5"), job("6", "SUCCEEDED"), session("7", LATER[0])],
        [{"error_code": "A"}, {"error_code": "B"}],
        "FAILED",
    ),
    Case(
        ecommerce.LIST_FAILED_JOBS,
        {"error_code": "TIMEOUT"},
        [failed(str(9 - day), "TIMEOUT", f"2024-01-0{day}T00:00:00.000Z") for day in range(1, 5)],
        [
            failed("1", "TIMEOUT_AT_BANK"),
            failed("2", "TIMEOU"),
            failed("3", "timeout"),
            job("4", "SUCCEEDED"),
        ],
        [{"error_code": "TIMEOUT_AT_BANK"}, {"error_code": "timeout"}],
        "FAILED",
    ),
    Case(
        university.GET_STUDENT,
        {"name": "Finn"},
        [enrolment("Finn", each) for each in ("A", "C#", "Für Köche", "a")],
        [enrolment("Finn F", "A"), enrolment("finn", "A"), teaching("Finn", "B")],
        [{"name": "Finn F"}],
        "Finn",
    ),
    Case(
        university.LIST_STUDENT_SEMINARS,
        {"name": "Finn"},
        [enrolment("Finn", each) for each in ("A", "C#", "Für Köche", "a")],
        [enrolment("Finn F", "A"), enrolment("finn", "A"), teaching("Finn", "B")],
        [{"name": "Finn F"}],
        "Finn",
    ),
    Case(
        university.GET_PROFESSOR,
        {"name": "Prof. Ö"},
        [
            article("Prof. Ö", "A"),
            article("Prof. Ö", "B", AnzSeiten="1"),
            teaching("Prof. Ö", "A"),
            teaching("Prof. Ö", "B"),
        ],
        [article("Prof. Öl", "A"), teaching("Prof. O", "A"), enrolment("Prof. Ö", "B")],
        [{"name": "Prof. Öl"}],
        "Ö",
    ),
    Case(
        university.LIST_PROFESSOR_ARTICLES,
        {"name": "Prof. F"},
        [article("Prof. F", each) for each in ("A", "B", "C#", "Ü")],
        [teaching("Prof. F", "A"), article("Prof. Fa", "A"), enrolment("Prof. F", "B")],
        [{"name": "Prof. Fa"}],
        "Prof. F",
    ),
    Case(
        university.LIST_PROFESSOR_SEMINARS,
        {"name": "Prof. F"},
        [teaching("Prof. F", each) for each in ("A", "B", "C#", "Ü")],
        [article("Prof. F", "A"), teaching("Prof. Fa", "A"), enrolment("Prof. F", "B")],
        [{"name": "Prof. Fa"}],
        "Prof. F",
    ),
    Case(
        university.LIST_SEMINAR_STUDENTS,
        {"title": "KI"},
        [enrolment(each, "KI") for each in ("Ann", "Anna", "O'Brien", "Özil")],
        [
            enrolment("Bo", "KI II"),
            enrolment("Cy", "ki"),
            teaching("Ann", "KI"),
            article("D", "KI"),
        ],
        [{"title": "KI II"}],
        "KI",
    ),
    Case(
        university.LIST_SEMINAR_PROFESSORS,
        {"title": "KI"},
        [teaching(each, "KI") for each in ("Ann", "Anna", "O'Brien", "Özil")],
        [teaching("Bo", "KI II"), teaching("Cy", "ki"), enrolment("Ann", "KI"), article("D", "KI")],
        [{"title": "KI II"}],
        "KI",
    ),
    Case(
        social.LIST_FOLLOWING,
        {"person_id": "ann"},
        [follow("ann", each) for each in ("Bob", "bob", "bobby", "carla")],
        [person("ann"), follow("anna", "dave"), follow("bob", "ann")],
        [{"person_id": "anna"}],
        "ann",
    ),
    Case(
        social.LIST_FOLLOWERS,
        {"person_id": "ann"},
        [follow(each, "ann") for each in ("Bob", "bob", "bobby", "carla")],
        [person("ann"), follow("dave", "anna"), follow("ann", "bob")],
        [{"person_id": "anna"}],
        "ann",
    ),
]
LIST = pytest.mark.parametrize("case", CASES, ids=str)
WHOLE = pytest.mark.parametrize(
    "case", [case for case in CASES if case.pattern.index != INVERTED_INDEX], ids=str
)


def test_every_list_is_among_the_cases() -> None:
    lists = [p for p in ACCESS_PATTERNS if isinstance(p.answer, Page) and not p.variant_of]

    assert {case.pattern.id for case in CASES} == {each.id for each in lists}


@LIST
def test_a_list_has_all_that_belongs_to_it_in_order_and_nothing_else(put: Put, case: Case) -> None:
    put(*case.beside, *reversed(case.listed))

    answer = call(case.pattern, case.parameters)

    assert answer.body == {"items": shown(case), "next": None}
    assert "ETag" not in answer.headers


@LIST
def test_of_nothing_the_list_is_empty_or_there_is_no_such_thing(put: Put, case: Case) -> None:
    put(*case.beside)

    answer = call(case.pattern, case.parameters)

    if case.pattern.answer == Page(must_exist=True):
        assert answer.status == 404
        assert all(repr(value) in answer.body["detail"] for value in case.parameters.values())
    else:
        assert answer.body == {"items": [], "next": None}


@WHOLE
def test_an_item_of_a_type_that_is_not_declared_is_not_shown(put: Put, case: Case) -> None:
    put(*case.listed, to_item(case.listed[1]) | {"Type": {"S": "Draft"}})

    items = call(case.pattern, case.parameters).items

    assert items == [each for n, each in enumerate(shown(case)) if n != 1]


@LIST
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_pages_have_everything_once_and_none_is_empty(put: Put, case: Case, limit: int) -> None:
    put(*case.listed, *case.beside)

    found = pages(case.pattern, case.parameters, limit)

    assert [item for page in found for item in page.items] == shown(case)
    assert [len(page.items) for page in found] == sizes(len(case.listed), limit)


@LIST
def test_the_limit_may_change_between_pages(put: Put, case: Case) -> None:
    put(*case.listed, *case.beside)

    rest = call(case.pattern, {**case.parameters, "limit": "200", "cursor": cursor(case)})

    assert rest.body == {"items": shown(case)[1:], "next": None}


@LIST
def test_a_cursor_is_taken_as_it_was_given_and_not_otherwise(put: Put, case: Case) -> None:
    put(*case.listed)

    assert_tamper_proof(case.pattern, case.parameters, cursor(case))


@LIST
def test_a_cursor_does_not_tell_the_partition_key(put: Put, case: Case) -> None:
    put(*case.listed)

    text = carried(cursor(case)).encode("latin-1").decode(errors="replace")

    assert case.partition
    assert [part for part in _parts(text) if part == case.partition] == []


@LIST
def test_a_cursor_is_refused_with_other_parameters(put: Put, case: Case) -> None:
    put(*case.listed, *case.beside)
    given = cursor(case)

    for other in case.others:
        assert_refused(case.pattern, {**case.parameters, **other}, given)


def test_the_cursor_of_one_list_is_refused_for_every_other(put: Put) -> None:
    put(*(entity for case in CASES for entity in case.listed))
    cursors = {str(case): cursor(case) for case in CASES}

    for case in CASES:
        for name, given in cursors.items():
            if name != str(case):
                assert_refused(case.pattern, case.parameters, given)


def cursor(case: Case) -> str:
    """The cursor of the second item."""
    answer: Answer = call(case.pattern, {**case.parameters, "limit": "1"})
    assert answer.next is not None
    return answer.next


def shown(case: Case) -> list[dict[str, Any]]:
    """What callers see of the listed: all, or what the keys tell where the index has no more."""
    if case.pattern.index == INVERTED_INDEX:
        fields = [type(each).primary.fields for each in case.listed]
        return [
            {name: dict(_values(each))[name] for name in names}
            for each, names in zip(case.listed, fields, strict=True)
        ]
    return [
        {"Type": type(each).__name__, "Version": 1, **dict(_values(each))} for each in case.listed
    ]


def _values(entity: Entity) -> Iterator[tuple[str, Any]]:
    """The attributes that an entity has, by the names that callers see."""
    for name, value in zip(type(entity).__struct_encode_fields__, astuple(entity), strict=True):
        if value is not None:
            yield name, value


def _parts(text: str) -> list[str]:
    """What stands between the quotes and separators of a cursor's content."""
    return text.replace('"', "#").split("#")
