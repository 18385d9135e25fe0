"""Every write on the deployed API, sent as clients send it, and read back where it says it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from lambdas.design import ACCESS_PATTERNS, social, university
from lambdas.design import ecommerce as shop
from lambdas.design.pattern import AccessPattern
from lambdas.runtime.items import MARK
from local.cloud import Cloud
from tests.e2e.http import Answer, Api
from tests.e2e.restore import restored

WRITES = [pattern for pattern in ACCESS_PATTERNS if pattern.id[1] == "W"]


class Expected(NamedTuple):
    """What the example of a write is answered with."""

    status: int
    fields: dict[str, Any] | None = None
    """Some of the body's."""
    version: int | None = None
    location: str | None = None
    """Where it can be read, with fields of the body in braces."""


EXAMPLES = {
    "CW-01": Expected(
        201,
        {"Name": "Zoë Zander", "Email": "zoe@x.de", "VIP": True},
        1,
        "/ecommerce/users/{UserId}",
    ),
    "CW-02": Expected(200, {"UserId": "U-002", "Name": "Bob", "VIP": True}, 2),
    "CW-03": Expected(200, {"UserId": "U-002", "Email": "bob.new@x.de"}, 2),
    "CW-04": Expected(204),
    "CW-05": Expected(201, {}, 1, "/ecommerce/orders/{order[OrderId]}"),
    "CW-06": Expected(200, {"OrderId": "2024-01-15", "Status": "PAID"}, 2),
    "CW-07": Expected(
        201, {"ProductId": "P-900", "Price": 249}, 1, "/ecommerce/products/{ProductId}"
    ),
    "CW-08": Expected(201, {"UserId": "U-001"}, 1, "/ecommerce/sessions/{SessionId}"),
    "CW-09": Expected(204),
    "CW-10": Expected(201, {"JobId": "J-900", "Status": "QUEUED"}, 1, "/ecommerce/jobs/J-900"),
    "CW-11": Expected(200, {"JobId": "J-001", "Status": "FAILED", "ErrorCode": "TIMEOUT"}, 2),
    "UW-01": Expected(201, {"Student": "Mia Muster", "Seminar": "Moderne UI Konzepte"}, 1),
    "UW-02": Expected(200, {"Student": "Nora Neugierig", "Note": "1,3", "RaumNr": "9"}, 2),
    "UW-03": Expected(204),
    "UW-04": Expected(201, {"Professor": "Prof. Dr. Felix Faktor", "Jahr": "2025"}, 1),
    "UW-05": Expected(201, {"Forschungsartikel": "Graphen ohne Joins", "Anz. Seiten": "21"}, 1),
    "UW-06": Expected(200, {"changed": 2, "next": None}),
    "SW-01": Expected(201, {"PersonId": "erin", "Followers": 0}, 1, "/social/people/erin"),
    "SW-02": Expected(
        201,
        {"PersonId": "carla", "FolloweeId": "dave"},
        1,
        "/social/people/carla/following/dave",
    ),
    "SW-03": Expected(204),
}


@pytest.fixture(autouse=True)
def as_it_was(cloud: Cloud) -> Iterator[None]:
    """Other tests find the example data."""
    with restored(cloud):
        yield


@pytest.mark.parametrize("pattern", WRITES, ids=lambda pattern: pattern.id)
def test_the_example_of_a_write_does_what_it_says_and_is_read_where_it_says(
    api: Api, pattern: AccessPattern
) -> None:
    expected = EXAMPLES[pattern.id]

    answer = api.ask(pattern, **pattern.example)

    assert answer.status == expected.status, answer.text
    assert int(answer.headers["X-DynamoDB-Requests"]) > 0
    assert MARK not in answer.text
    assert "GSI" not in answer.text
    if expected.fields is None:
        assert answer.text == ""
        return
    assert answer.headers["Content-Type"] == "application/json"
    assert {name: answer.body.get(name) for name in expected.fields} == expected.fields
    assert answer.headers["ETag"] == (f'"{expected.version}"' if expected.version else None)
    location = expected.location and expected.location.format_map(answer.body)
    assert answer.headers["Location"] == location
    if location:
        read = api.send("GET", location)
        assert (read.status, read.body) == (200, answer.body)
        assert read.headers["ETag"] == answer.headers["ETag"]


@pytest.mark.parametrize(
    ("pattern", "status"),
    [
        (shop.CREATE_USER, 409),  # the address is taken now
        (shop.CHANGE_USER, 200),
        (shop.CHANGE_EMAIL, 200),
        (shop.DELETE_USER, 404),
        (shop.PLACE_ORDER, 201),
        (shop.CHANGE_ORDER_STATUS, 409),
        (shop.PUT_PRODUCT, 200),
        (shop.START_SESSION, 201),
        (shop.END_SESSION, 204),
        (shop.SUBMIT_JOB, 409),
        (shop.FINISH_JOB, 200),
        (university.ENROL, 200),
        (university.SET_GRADE, 200),
        (university.WITHDRAW, 204),
        (university.ASSIGN_SEMINAR, 200),
        (university.PUBLISH_ARTICLE, 200),
        (university.MOVE_SEMINAR, 200),
        (social.CREATE_PERSON, 409),
        (social.FOLLOW, 200),
        (social.UNFOLLOW, 204),
    ],
    ids=lambda each: each.id if isinstance(each, AccessPattern) else str(each),
)
def test_the_second_time_it_is_there_already(api: Api, pattern: AccessPattern, status: int) -> None:
    api.ask(pattern, **pattern.example)

    again = api.ask(pattern, **pattern.example)

    assert again.status == status, again.text
    if status == 409:
        assert again.body["errors"]


def test_there_is_an_expectation_of_every_write() -> None:
    assert list(EXAMPLES) == [pattern.id for pattern in WRITES]


def put_product(api: Api, body: bytes, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return api.send("PUT", "/ecommerce/products/P-901", body=body, headers=named)


PRODUCT = {"Name": "Höhrrohr 🎧", "Price": 0.1, "Currency": "EUR", "Category": "electronics/audio"}


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "text/plain",
        "application/x-www-form-urlencoded",  # what curl says when it is told nothing
        "application/vnd.api+json",
        "application/octet-stream",
    ],
)
def test_a_body_is_json_whatever_the_client_calls_it(api: Api, media_type: str) -> None:
    answer = put_product(
        api, json.dumps(PRODUCT, ensure_ascii=False).encode(), Content_Type=media_type
    )

    assert answer.status == 201, answer.text
    assert answer.body["Name"] == PRODUCT["Name"]
    assert '"Price":0.1,' in answer.text


@pytest.mark.parametrize("media_type", ["application/json", "application/octet-stream"])
@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b"null", b" ", b'"{}"', b"\xff\xfe", b'{"Name": "\xff"}', b"Name=Ding&Price=1"],
)
def test_a_body_that_is_no_object_of_json_is_refused(
    api: Api, body: bytes, media_type: str
) -> None:
    answer = put_product(api, body, Content_Type=media_type)

    assert answer.refused
    assert answer.headers["X-DynamoDB-Requests"] == "0"


def test_a_missing_body_is_refused(api: Api) -> None:
    answer = api.send("PUT", "/ecommerce/products/P-901")

    assert "body" in answer.refused


def test_an_item_that_is_too_large_is_refused_with_its_size(api: Api) -> None:
    answer = api.ask(shop.CHANGE_USER, {"Address": {"Stadt": "ü" * 210_000}}, user_id="U-002")

    assert answer.status == 413, answer.text
    assert "420" in answer.body["detail"]
    assert api.ask(shop.GET_USER, user_id="U-002").headers["ETag"] == '"1"'


FREE_TEXT = ["O'Brien & Söhne", "C# / 50 % + x", "a+b=c", '"?#[]', "emoji 🎓", "..", " rand "]


@pytest.mark.parametrize("text", FREE_TEXT)
def test_free_text_in_a_query_string_withdraws_that_enrolment_and_no_other(
    api: Api, text: str
) -> None:
    others = {"RaumNr": "1", "Semester": "1"}
    for seminar in (text, text + "x"):
        api.ask(university.ENROL, {"Student": text, "Seminar": seminar, **others})

    answer = api.ask(university.WITHDRAW, student=text, seminar=text)

    assert (answer.status, answer.text) == (204, "")
    left = api.ask(university.LIST_STUDENT_SEMINARS, name=text).body["items"]
    assert [entry["Seminar"] for entry in left] == [text + "x"]


@pytest.mark.parametrize("name", ["If-Match", "if-match", "IF-MATCH"])
def test_an_etag_that_was_given_out_can_be_given_back_once(api: Api, name: str) -> None:
    read = api.ask(shop.GET_USER, user_id="U-003")
    headers = {name: read.headers["ETag"]}

    first = api.ask(shop.CHANGE_USER, {"Name": "Käthe"}, headers, user_id="U-003")
    second = api.ask(shop.CHANGE_USER, {"Name": "Kate"}, headers, user_id="U-003")

    assert (first.status, first.headers["ETag"]) == (200, '"2"')
    assert second.status == 412
    assert api.ask(shop.GET_USER, user_id="U-003").body["Name"] == "Käthe"


@pytest.mark.parametrize("pattern", [p for p in WRITES if p.is_idempotent], ids=lambda p: p.id)
def test_a_call_that_is_repeated_with_its_key_is_answered_as_the_first_time(
    api: Api, pattern: AccessPattern
) -> None:
    headers = {"idempotency-key": f"key-of-{pattern.id}"}

    first = api.ask(pattern, None, headers, **pattern.example)
    second = api.ask(pattern, None, headers, **pattern.example)

    assert (first.status, second.status) == (201, 200)
    assert second.text == first.text
    assert second.headers["Location"] == first.headers["Location"]


def test_a_key_that_was_used_for_another_request_is_refused(api: Api) -> None:
    headers = {"Idempotency-Key": "a-key"}
    api.ask(shop.SUBMIT_JOB, {"JobId": "J-901"}, headers)

    answer = api.ask(shop.SUBMIT_JOB, {"JobId": "J-902"}, headers)

    assert answer.status == 409
    assert api.ask(shop.GET_JOB, job_id="J-902").status == 404
