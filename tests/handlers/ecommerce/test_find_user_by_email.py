from __future__ import annotations

from unicodedata import normalize

import pytest

from lambdas.design.ecommerce import FIND_USER_BY_EMAIL, EmailGuard
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.ecommerce.samples import orders, user


def test_returns_the_user_with_this_address_and_only_what_callers_may_see(put: Put) -> None:
    put(user("1", Name="Ann", Email="ann@x.de"), EmailGuard(Email="ann@x.de", UserId="1"))
    put(user("2", Email="joann@x.de"), user("3", Email="ann@x.dex"), user("4", Email="an@x.de"))
    put(*orders("1", "2024-01-15"))

    answer = call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"})

    assert answer.status == 200
    assert answer.body == {
        "Type": "User",
        "UserId": "1",
        "Name": "Ann",
        "Email": "ann@x.de",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "Version": 1,
    }


@pytest.mark.parametrize(
    "email", ["ann.müller@x.de", "Ann.Müller@x.de", "ANN.MÜLLER@X.DE", "ann.müller@X.dE"]
)
@pytest.mark.parametrize("stored", ["ann.müller@x.de", "Ann.MÜLLER@X.de"])
def test_upper_and_lower_case_are_the_same(put: Put, stored: str, email: str) -> None:
    put(user("1", Email=stored), user("2", Email="ann.muller@x.de"))

    answer = call(FIND_USER_BY_EMAIL, {"email": email})

    assert answer.body["UserId"] == "1"
    assert answer.body["Email"] == stored  # shown as it was given


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_umlaut_may_be_one_character_or_two(put: Put, form: str) -> None:
    put(user("1", Email="müller@x.de"))

    sent = normalize("NFC" if form == "NFC" else "NFD", "müller@x.de")

    assert call(FIND_USER_BY_EMAIL, {"email": sent}).body["UserId"] == "1"


@pytest.mark.parametrize(
    ("email", "user_id"),
    [
        ("a+b@x.de", "plus"),
        ("ab@x.de", "nothing"),
        ("a%2bb@x.de", "percent"),
        ("a#b@x.de", "hash"),
        ("a%23b@x.de", "percent-hash"),
        ("a/b?c&d=e@x.de", "delimiters"),
    ],
)
def test_the_address_is_taken_as_the_gateway_hands_it_over(
    put: Put, email: str, user_id: str
) -> None:
    """It is decoded already: decoding again, or reading + as a space, would find another one."""
    put(
        user("plus", Email="a+b@x.de"),
        user("nothing", Email="ab@x.de"),
        user("percent", Email="a%2bb@x.de"),
        user("hash", Email="a#b@x.de"),
        user("percent-hash", Email="a%23b@x.de"),
        user("delimiters", Email="a/b?c&d=e@x.de"),
    )

    assert call(FIND_USER_BY_EMAIL, {"email": email}).body["UserId"] == user_id


@pytest.mark.parametrize("email", ["bob@x.de", "ann@x.d", "nn@x.de", "ann@x.de.example"])
def test_an_address_that_nobody_has_is_404(put: Put, email: str) -> None:
    put(user("1", Email="ann@x.de"))

    answer = call(FIND_USER_BY_EMAIL, {"email": email})

    assert answer.status == 404
    assert "ann@x.de" not in answer.text.replace(email, "")
    assert "ETag" not in answer.headers


def test_an_item_of_another_type_is_not_a_user(put: Put) -> None:
    put(to_item(user("1", Email="ann@x.de")) | {"Type": {"S": "Tombstone"}})

    assert call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"}).status == 404


def test_the_etag_is_the_version_in_quotes(put: Put) -> None:
    put(to_item(user("1", Email="ann@x.de")) | {"Version": {"N": "12"}})

    assert call(FIND_USER_BY_EMAIL, {"email": "ann@x.de"}).headers["ETag"] == '"12"'


@pytest.mark.parametrize(
    "email",
    [
        "ann",
        "@x.de",
        "ann@",
        "ann@@x.de",
        "ann@x@de",
        "an n@x.de",
        " ann@x.de",
        "ann@x.de ",
        "ann@x.de\n",
        "ann\t@x.de",
        "a" * 250 + "@x.de",
    ],
)
def test_what_is_not_an_address_is_refused(put: Put, email: str) -> None:
    put(user("1", Email="ann@x.de"))

    refused = call(FIND_USER_BY_EMAIL, {"email": email}).refused

    assert set(refused) == {"email"}
    assert "e-mail address" in refused["email"]


@pytest.mark.usefixtures("table")
def test_the_longest_address_is_taken_whatever_it_is_made_of() -> None:
    longest = "#" * 249 + "@x.de"

    assert call(FIND_USER_BY_EMAIL, {"email": longest}).status == 404


@pytest.mark.usefixtures("table")
def test_the_address_is_needed() -> None:
    assert call(FIND_USER_BY_EMAIL, {}).refused == {"email": "is missing"}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("email", ["alice@x.de", "Alice@X.de"])
def test_the_lecture_s_query_gives_alice(email: str) -> None:
    answer = call(FIND_USER_BY_EMAIL, {"email": email})

    assert answer.body["UserId"] == "U-001"
    assert answer.body["Name"] == "Alice"
