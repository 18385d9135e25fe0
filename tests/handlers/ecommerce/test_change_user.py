from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.ecommerce import CHANGE_USER, FIND_USER_BY_EMAIL, GET_USER, LIST_VIP_USERS
from lambdas.runtime.items import to_item, tombstone
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.ecommerce.samples import order, user

ANN = user("1", Name="Ann", Address={"Stadt": "Köln"})
VIP = user("1", Name="Ann", VIP=True)


def change(body: Any, user_id: str = "1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(CHANGE_USER, {"user_id": user_id}, sent, body)


def test_changes_what_was_sent_and_nothing_else(put: Put, stored: Stored) -> None:
    put(ANN, user("10"), order("1", "2024-01-15"))
    before = stored.all()

    answer = change({"Name": "Anna"})

    assert answer.status == 200
    assert answer.body == {
        "Type": "User",
        "UserId": "1",
        "Name": "Anna",
        "Email": "user-1@x.de",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "Address": {"Stadt": "Köln"},
        "Version": 2,
    }
    assert answer.etag == '"2"'
    assert answer.requests == 1
    assert stored.item("USER#1", "PROFILE") == changed(ANN, Name={"S": "Anna"}, Version={"N": "2"})
    others = {key: item for key, item in before.items() if key != ("USER#1", "PROFILE")}
    assert others.items() <= stored.all().items()
    assert call(GET_USER, {"user_id": "1"}).body == answer.body


def test_who_becomes_a_vip_enters_the_index_with_both_keys(put: Put, stored: Stored) -> None:
    put(ANN)

    assert change({"VIP": True}).body["VIP"] is True

    assert stored.item("USER#1", "PROFILE") == changed(
        ANN,
        VIP={"BOOL": True},
        GSI2PK={"S": "VIP"},
        GSI2SK={"S": "USER#1"},
        Version={"N": "2"},
    )
    assert call(LIST_VIP_USERS, {}).each("UserId") == ["1"]


@pytest.mark.parametrize("value", [False, None])
def test_who_is_no_vip_any_more_leaves_the_index_with_both_keys(
    put: Put, stored: Stored, value: bool | None
) -> None:
    put(VIP, user("2", VIP=True))

    assert "VIP" not in change({"VIP": value}).body

    assert stored.item("USER#1", "PROFILE") == changed(
        VIP, VIP=None, GSI2PK=None, GSI2SK=None, Version={"N": "2"}
    )
    assert call(LIST_VIP_USERS, {}).each("UserId") == ["2"]


@pytest.mark.parametrize("before", [ANN, VIP], ids=["not", "vip"])
@pytest.mark.parametrize("body", [{"Name": "Anna"}, {"Address": {"Ort": "Bonn"}}])
def test_another_change_leaves_the_index_as_it_is(
    put: Put, stored: Stored, before: Any, body: Any
) -> None:
    put(before)

    change(body)

    keys = [name for name in to_item(before) if name.startswith("GSI")]
    item = stored.item("USER#1", "PROFILE")
    assert item is not None
    assert {n: v for n, v in item.items() if n.startswith("GSI")} == {
        name: to_item(before)[name] for name in keys
    }


@pytest.mark.parametrize("value", [True, False])
def test_what_is_as_it_was_is_a_change_all_the_same(put: Put, stored: Stored, value: bool) -> None:
    before = VIP if value else ANN
    put(before)

    assert change({"VIP": value}).etag == '"2"'

    assert stored.item("USER#1", "PROFILE") == changed(before, Version={"N": "2"})


def test_null_removes_the_address_and_an_empty_one_stays_empty(put: Put, stored: Stored) -> None:
    put(ANN)

    assert change({"Address": {}}).body["Address"] == {}
    lines = {"Wo": "hinten\tlinks\r\nzweimal klingeln\n", "leer": ""}
    assert change({"Address": lines}).body["Address"] == lines
    assert "Address" not in change({"Address": None}).body

    assert stored.item("USER#1", "PROFILE") == changed(ANN, Address=None, Version={"N": "4"})


def test_names_of_attributes_and_values_may_be_anything(put: Put) -> None:
    put(ANN)
    address = {"Status": "#n0", ":v0": "SET Name", "UserId": "2", "Größe": "ü😀"}

    with_all = change({"Name": "#n0 = :v1", "Address": address, "VIP": True})

    assert with_all.body["Name"] == "#n0 = :v1"
    assert change({"Name": "A"}).body["Address"] == address


def test_the_user_is_found_by_the_same_address(put: Put) -> None:
    put(ANN)

    body = change({"Name": "Anna", "VIP": True}).body

    assert call(FIND_USER_BY_EMAIL, {"email": "USER-1@x.de"}).body == body


@pytest.mark.parametrize("absent", ["2", "10", "01"])
def test_a_user_who_does_not_exist_is_404_and_is_not_made(
    put: Put, stored: Stored, absent: str
) -> None:
    put(ANN, order("2", "2024-01-15"))
    before = stored.all()

    answer = change({"VIP": True}, absent)

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert stored.all() == before


@pytest.mark.parametrize("tag", [{}, {"If_Match": '"2"'}])
def test_a_deleted_user_is_404_and_stays_deleted(
    put: Put, stored: Stored, tag: dict[str, str]
) -> None:
    put(tombstone(to_item(ANN)))
    before = stored.all()

    assert change({"Name": "Ann"}, **tag).status == 404
    assert stored.all() == before


def test_the_version_that_was_read_is_changed(put: Put) -> None:
    put(changed(ANN, Version={"N": "7"}))

    answer = change({"Name": "Anna"}, If_Match='"7"')

    assert (answer.status, answer.etag) == (200, '"8"')


@pytest.mark.parametrize("tag", ['"1"', '"6"', '"8"', '"70"'])
def test_another_version_is_412_and_nothing_changes(put: Put, stored: Stored, tag: str) -> None:
    put(changed(ANN, Version={"N": "7"}))
    before = stored.all()

    assert change({"Name": "Anna"}, If_Match=tag).status == 412
    assert stored.all() == before


def test_of_two_writers_from_the_same_read_one_is_told_that_it_lost(put: Put) -> None:
    put(ANN)

    first = change({"Name": "A"}, If_Match='"1"')
    second = change({"Name": "B"}, If_Match='"1"')

    assert (first.status, second.status) == (200, 412)
    assert call(GET_USER, {"user_id": "1"}).body["Name"] == "A"


def test_without_a_version_both_writers_win_on_what_they_send(put: Put) -> None:
    put(ANN)

    change({"Name": "A"})
    change({"VIP": True})

    body = call(GET_USER, {"user_id": "1"}).body
    assert (body["Name"], body["VIP"], body["Version"]) == ("A", True, 3)


@pytest.mark.parametrize("tag", [{}, {"If_Match": '"1"'}])
def test_a_change_whose_answer_was_lost_is_the_success_it_was_and_counts_once(
    put: Put, stored: Stored, wire: Wire, tag: dict[str, str]
) -> None:
    put(ANN)
    wire.loses()

    answer = change({"Name": "Anna", "VIP": True}, **tag)

    assert (answer.status, answer.etag, answer.body["Name"]) == (200, '"2"', "Anna")
    assert wire.requests == ["UpdateItem"] * 2
    assert answer.requests == 1
    assert stored.version("USER#1", "PROFILE") == 2


def test_each_call_leaves_its_own_mark(put: Put, stored: Stored) -> None:
    put(ANN)
    marks = []
    for _ in range(2):
        change({"Name": "Anna"})
        marks.append(stored.mark("USER#1", "PROFILE"))

    assert all(marks)
    assert marks[0] != marks[1]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({}, {"body"}),
        ({"Name": None}, {"Name"}),
        ({"Name": ""}, {"Name"}),
        ({"Name": "a" * 257}, {"Name"}),
        ({"Name": 1}, {"Name"}),
        ({"VIP": "true"}, {"VIP"}),
        ({"VIP": 1}, {"VIP"}),
        ({"Address": "Köln"}, {"Address"}),
        ({"Address": []}, {"Address"}),
        ({"Address": {"Stadt": "Köln\x01"}}, {"Address"}),
        ({"Address": {"Stadt\x01": "Köln"}}, {"Address"}),
        ({"Address": {"": "Köln"}}, {"Address"}),
        ({"Email": "ann@x.de"}, {"Email"}),
        ({"Name": "Ann", "UserId": "2"}, {"UserId"}),
        ({"Name": "Ann", "Version": 5}, {"Version"}),
        ({"Name": "Ann", "GSI2PK": "VIP"}, {"GSI2PK"}),
        ({"name": "Ann"}, {"name"}),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    put: Put, stored: Stored, body: Any, names: set[str]
) -> None:
    put(ANN)
    before = stored.all()

    answer = change(body)

    assert set(answer.refused) == names
    assert answer.requests == 0
    assert stored.all() == before


@pytest.mark.parametrize("size", [401 * 1024, 210_000 * 2])
def test_more_than_an_item_holds_is_413_with_its_size(put: Put, stored: Stored, size: int) -> None:
    """Umlauts count twice."""
    put(ANN)
    before = stored.all()

    answer = change({"Address": {"a": "ü" * (size // 2)}})

    assert answer.status == 413
    assert str(size)[:3] in answer.body["detail"]
    assert answer.requests == 0
    assert stored.all() == before


@pytest.mark.usefixtures("shop")
def test_the_example_makes_bob_a_vip() -> None:
    assert change({"VIP": True}, "U-002").body["Name"] == "Bob"
    assert "U-002" in call(LIST_VIP_USERS, {}).each("UserId")
