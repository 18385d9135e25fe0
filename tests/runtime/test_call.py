from typing import Any

import pytest

from lambdas.design.ecommerce import (
    CHANGE_EMAIL,
    CHANGE_USER,
    CREATE_USER,
    LIST_USER_ORDERS,
    ChangedUser,
    NewEmail,
    NewUser,
)
from lambdas.design.university import ENROL, PUBLISH_ARTICLE, ArticleAsPut, EnrolmentAsPut
from tests.runtime.samples import a_call

USER = {"user_id": "1"}


def test_what_was_sent_does_not_have_what_was_not() -> None:
    assert a_call(CHANGE_USER, USER, ChangedUser()).sent == {}
    assert a_call(CHANGE_USER, USER, ChangedUser(VIP=None)).sent == {"VIP": None}
    assert a_call(CHANGE_USER, USER, ChangedUser(Name="A", VIP=False)).sent == {
        "Name": "A",
        "VIP": False,
    }


def test_what_was_sent_has_the_names_under_which_it_is_stored() -> None:
    sent = a_call(PUBLISH_ARTICLE, {}, ArticleAsPut("Max", "KI", "J", "8")).sent
    assert sent == {
        "Professor": "Max",
        "Forschungsartikel": "KI",
        "Fachjournal": "J",
        "Anz. Seiten": "8",
    }


def test_without_a_body_nothing_was_sent() -> None:
    call = a_call(LIST_USER_ORDERS, USER)
    assert call.sent == {}
    assert call.asked == call.arguments


def test_the_values_of_key_fields_come_from_the_parameters_and_the_body() -> None:
    assert a_call(CHANGE_EMAIL, USER, NewEmail("a@x.de")).values == {
        "Email": "a@x.de",
        "UserId": "1",
    }
    enrolment = EnrolmentAsPut(Student="Mia", Seminar="KI", RaumNr="1", Semester="2")
    assert a_call(ENROL, {}, enrolment).values == {"Student": "Mia", "Seminar": "KI"}
    assert a_call(LIST_USER_ORDERS, USER, newest="true").values == {"UserId": "1"}


def test_everything_that_is_asked_is_the_parameters_and_the_body() -> None:
    asked = a_call(CHANGE_USER, USER, ChangedUser(Name="A"), {"If-Match": '"3"'}).asked
    assert asked == {"user_id": "1", "If-Match": '"3"', "Name": "A"}


@pytest.mark.parametrize(("tag", "version"), [('"1"', 1), ('"1200"', 1200)])
def test_the_version_that_is_expected_is_a_number(tag: str, version: int) -> None:
    assert a_call(CHANGE_USER, USER, None, {"if-match": tag}).expected_version == version


def test_without_the_headers_there_is_no_version_and_no_key() -> None:
    calls: list[Any] = [a_call(CHANGE_USER, USER), a_call(LIST_USER_ORDERS, USER)]
    assert [call.expected_version for call in calls] == [None, None]
    assert [call.idempotency_key for call in calls] == [None, None]


def test_the_idempotency_key_is_the_header() -> None:
    body = NewUser(Name="A", Email="a@x.de")
    assert a_call(CREATE_USER, {}, body, {"IDEMPOTENCY-KEY": "k"}).idempotency_key == "k"


def test_now_is_written_as_times_are_stored() -> None:
    assert a_call(LIST_USER_ORDERS, USER).time == "2026-11-30T12:00:00.000Z"
