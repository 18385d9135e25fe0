from __future__ import annotations

import pytest

from lambdas.design.ecommerce import GET_USER
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.ecommerce.samples import order, user


def test_returns_the_user_and_only_what_callers_may_see(put: Put) -> None:
    put(user("1", Name="Ann", Email="Ann@x.de", VIP=True, Address={"Stadt": "Köln"}))

    answer = call(GET_USER, {"user_id": "1"})

    assert answer.status == 200
    assert answer.body == {
        "Type": "User",
        "UserId": "1",
        "Name": "Ann",
        "Email": "Ann@x.de",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "VIP": True,
        "Address": {"Stadt": "Köln"},
        "Version": 1,
    }


def test_leaves_out_what_the_user_does_not_have(put: Put) -> None:
    put(user("1"))

    body = call(GET_USER, {"user_id": "1"}).body

    assert "VIP" not in body
    assert "Address" not in body


@pytest.mark.parametrize("user_id", ["1", "10", "100", "u-1", "U-1", "~.-_", "..."])
def test_never_mistakes_one_id_for_another(put: Put, user_id: str) -> None:
    put(*(user(each) for each in ("1", "10", "100", "u-1", "U-1", "~.-_", "...")))

    assert call(GET_USER, {"user_id": user_id}).body["Name"] == f"User {user_id}"


@pytest.mark.parametrize("absent", ["01", "1000", "1.", "a-1"])
def test_a_user_that_does_not_exist_is_404(put: Put, absent: str) -> None:
    put(user("1"), user("10"), user("A-1"), order("1000", "2024-01-15"))

    answer = call(GET_USER, {"user_id": absent})

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert "ETag" not in answer.headers


@pytest.mark.parametrize("version", ["1", "7", "1200"])
def test_the_etag_is_the_version_in_quotes(put: Put, version: str) -> None:
    put(to_item(user("1")) | {"Version": {"N": version}})

    answer = call(GET_USER, {"user_id": "1"})

    assert answer.headers["ETag"] == f'"{version}"'
    assert answer.body["Version"] == int(version)


def test_what_is_left_of_a_deleted_user_is_not_a_user(put: Put) -> None:
    tombstone = to_item(user("1", Name="Ann")) | {"Type": {"S": "Tombstone"}}
    put(tombstone)

    answer = call(GET_USER, {"user_id": "1"})

    assert answer.status == 404
    assert "Ann" not in answer.text


def test_umlauts_stay_umlauts(put: Put) -> None:
    put(user("1", Name='Jörg "Weiß" \\ Ōmu 😀', Address={"Straße": "Größe 1"}))

    answer = call(GET_USER, {"user_id": "1"})

    assert answer.body["Name"] == 'Jörg "Weiß" \\ Ōmu 😀'
    assert "Jörg" in answer.text
    assert "Ōmu 😀" in answer.text
    assert '"Straße":"Größe 1"' in answer.text


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_query_gives_alice() -> None:
    answer = call(GET_USER, {"user_id": "U-001"})

    assert answer.status == 200
    assert answer.body["Name"] == "Alice"
    assert answer.body["Email"] == "alice@x.de"
    assert answer.body["VIP"] is True
