"""Many callers at the same time, on the deployed API: one wins, and nothing is counted twice.

What another call gets in the way of is answered with 409 and without a field that is taken: "try
again". A caller does that, as the documents say, and so do the callers here.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from lambdas.design import ecommerce as shop
from lambdas.design import social, university
from lambdas.design.pattern import AccessPattern
from local.cloud import Cloud
from tests.e2e.http import Answer, Api
from tests.e2e.restore import restored

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CALLERS = 16
CALLS = 64
TRIES = 20

Call = Callable[[], Answer]


def at_once(calls: Sequence[Call]) -> list[Answer]:
    """The answers to calls that 16 callers make side by side, each trying again when told to."""
    gate = threading.Barrier(CALLERS)
    waiting = iter(calls)
    lock = threading.Lock()
    answers: list[Answer] = []

    def work() -> None:
        gate.wait()
        while True:
            with lock:
                call = next(waiting, None)
            if call is None:
                return
            answer = persist(call)
            with lock:
                answers.append(answer)

    with ThreadPoolExecutor(CALLERS) as callers:
        for done in [callers.submit(work) for _ in range(CALLERS)]:
            done.result()
    assert len(answers) == len(calls)
    return answers


def persist(call: Call) -> Answer:
    for _ in range(TRIES):
        answer = call()
        if answer.status != 409 or answer.body.get("errors"):
            return answer
        if "Idempotency-Key" in answer.body["detail"]:
            return answer
    raise AssertionError("it is never this caller's turn")


def statuses(answers: Sequence[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


@pytest.fixture(scope="module", autouse=True)
def as_it_was(cloud: Cloud) -> Iterator[None]:
    """Other tests find the example data."""
    with restored(cloud):
        yield


@pytest.fixture
def name() -> str:
    """A name of this test's own."""
    return f"p-{uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def dynamodb(cloud: Cloud) -> DynamoDBClient:
    return cloud.dynamodb


def of(api: Api, pattern: AccessPattern, body: Any = None, **parameters: str) -> Answer:
    return api.ask(pattern, body, **parameters)


def made(answer: Answer) -> Any:
    assert answer.status in {200, 201, 204}, answer.text
    return answer.body


def new_user(api: Api, name: str) -> None:
    made(of(api, shop.CREATE_USER, {"UserId": name, "Name": name, "Email": f"{name}@x.de"}))


def new_order(api: Api, user: str) -> str:
    line = {"ProductId": "P-100", "Quantity": 1}
    order = made(of(api, shop.PLACE_ORDER, {"Items": [line]}, user_id=user))
    return str(order["order"]["OrderId"])


def test_of_64_who_sign_up_with_one_address_one_gets_it(
    api: Api, name: str, cloud: Cloud, dynamodb: DynamoDBClient
) -> None:
    def sign_up(number: int) -> Call:
        email = f"{name}@x.de" if number % 2 else f"{name.upper()}@X.de"
        body = {"UserId": f"{name}-{number}", "Name": "N", "Email": email}
        return lambda: of(api, shop.CREATE_USER, body)

    answers = at_once([sign_up(number) for number in range(CALLS)])

    assert statuses(answers) == {201: 1, 409: CALLS - 1}
    lost = [answer.body["errors"] for answer in answers if answer.status == 409]
    assert {error["name"] for errors in lost for error in errors} == {"Email"}
    [winner] = [answer.body["UserId"] for answer in answers if answer.status == 201]
    users = [of(api, shop.GET_USER, user_id=f"{name}-{n}").status for n in range(CALLS)]
    assert Counter(users) == {200: 1, 404: CALLS - 1}
    key = {"PK": {"S": f"EMAIL#{name}@x.de"}, "SK": {"S": f"EMAIL#{name}@x.de"}}
    guard = dynamodb.get_item(TableName=cloud.table_name, Key=key)["Item"]
    assert guard["UserId"] == {"S": winner}


@pytest.mark.thorough
def test_64_orders_with_one_key_are_one_order_and_one_answer(api: Api, name: str) -> None:
    new_user(api, name)
    body = {"Items": [{"ProductId": "P-100", "Quantity": 1}, {"ProductId": "P-200", "Quantity": 2}]}

    def place() -> Answer:
        headers = {"Idempotency-Key": name}
        return api.ask(shop.PLACE_ORDER, body, headers, user_id=name)

    answers = at_once([place] * CALLS)

    assert statuses(answers) == {201: 1, 200: CALLS - 1}
    assert len({answer.text for answer in answers}) == 1
    orders = of(api, shop.LIST_USER_ORDERS, user_id=name).body["items"]
    assert [order["OrderId"] for order in orders] == [answers[0].body["order"]["OrderId"]]
    [order_id] = [order["OrderId"] for order in orders]
    assert of(api, shop.GET_ORDER, order_id=order_id).body == answers[0].body


@pytest.mark.thorough
def test_of_64_who_pay_or_cancel_an_order_one_does(api: Api, name: str) -> None:
    new_user(api, name)
    order = {"user_id": name, "order_id": new_order(api, name)}

    def become(status: str) -> Call:
        return lambda: of(api, shop.CHANGE_ORDER_STATUS, {"Status": status}, **order)

    # PAID may still become CANCELLED, and nothing else; so one or two of them can succeed.
    answers = at_once([become(status) for status in ("PAID", "CANCELLED") * (CALLS // 2)])

    won = [answer.body["Status"] for answer in answers if answer.status == 200]
    assert Counter(won) in ({"CANCELLED": 1}, {"PAID": 1, "CANCELLED": 1})
    assert statuses(answers) == {200: len(won), 409: CALLS - len(won)}
    stored = of(api, shop.GET_ORDER, order_id=order["order_id"]).body["order"]
    assert (stored["Status"], stored["Version"]) == ("CANCELLED", 1 + len(won))
    pending = of(api, shop.LIST_PENDING_ORDERS, limit="200").body["items"]
    assert order["order_id"] not in {each["OrderId"] for each in pending}


@pytest.mark.thorough
def test_of_64_who_pay_an_order_one_does(api: Api, name: str) -> None:
    new_user(api, name)
    order = {"user_id": name, "order_id": new_order(api, name)}

    answers = at_once(
        [lambda: of(api, shop.CHANGE_ORDER_STATUS, {"Status": "PAID"}, **order)] * CALLS
    )

    assert statuses(answers) == {200: 1, 409: CALLS - 1}


@pytest.mark.thorough
def test_of_64_who_change_one_version_one_does(api: Api, name: str) -> None:
    new_user(api, name)

    def rename(number: int) -> Call:
        body, headers = {"Name": f"Name {number}"}, {"If-Match": '"1"'}
        return lambda: api.ask(shop.CHANGE_USER, body, headers, user_id=name)

    answers = at_once([rename(number) for number in range(CALLS)])

    assert statuses(answers) == {200: 1, 412: CALLS - 1}
    [winner] = [answer.body for answer in answers if answer.status == 200]
    assert of(api, shop.GET_USER, user_id=name).body == winner


@pytest.mark.thorough
def test_64_changes_without_a_version_are_all_made_and_counted(api: Api, name: str) -> None:
    new_user(api, name)

    answers = at_once([lambda: of(api, shop.CHANGE_USER, {"VIP": True}, user_id=name)] * CALLS)

    assert statuses(answers) == {200: CALLS}
    assert sorted(answer.body["Version"] for answer in answers) == list(range(2, CALLS + 2))


@pytest.mark.thorough
def test_however_many_follow_and_unfollow_both_counts_are_those_of_the_relations(
    api: Api, name: str
) -> None:
    people = [f"{name}-{number}" for number in range(4)]
    for person in people:
        made(of(api, social.CREATE_PERSON, {"PersonId": person, "Name": person}))

    def turn(number: int) -> Call:
        pattern = social.UNFOLLOW if number % 3 == 2 else social.FOLLOW
        follower, followee = people[number % 4], people[(number + 1 + number // 4 % 3) % 4]
        return lambda: of(api, pattern, person_id=follower, followee_id=followee)

    answers = at_once([turn(number) for number in range(CALLS * 2)])

    assert set(statuses(answers)) <= {200, 201, 204}
    followers = {p: of(api, social.LIST_FOLLOWERS, person_id=p).body["items"] for p in people}
    following = {p: of(api, social.LIST_FOLLOWING, person_id=p).body["items"] for p in people}
    for person in people:
        counted = of(api, social.GET_PERSON, person_id=person).body
        assert counted["Followers"] == len(followers[person])
        assert counted["Following"] == len(following[person])
    assert sorted((f["PersonId"], p) for p in people for f in followers[p]) == sorted(
        (p, f["FolloweeId"]) for p in people for f in following[p]
    )


@pytest.mark.thorough
def test_a_seminar_that_moves_brings_nobody_back_who_withdraws_meanwhile(
    api: Api, name: str
) -> None:
    students = [f"{name} {number}" for number in range(24)]

    def enrolment(student: str) -> dict[str, str]:
        return {"Student": student, "Seminar": name, "RaumNr": "1", "Semester": "1"}

    for student in students[:16]:
        made(of(api, university.ENROL, enrolment(student)))
    enrol = [lambda s=s: of(api, university.ENROL, enrolment(s)) for s in students[16:]]
    withdraw = [
        lambda s=s: of(api, university.WITHDRAW, student=s, seminar=name) for s in students[:8]
    ]
    move = [
        lambda room=room: of(api, university.MOVE_SEMINAR, {"Seminar": name, "RaumNr": room})
        for room in ("2", "3", "2", "3")
    ]

    answers = at_once(
        [each for three in zip(enrol, withdraw, move * 2, strict=True) for each in three]
    )

    assert set(statuses(answers)) <= {200, 201, 204}
    left = of(api, university.LIST_SEMINAR_STUDENTS, title=name).body["items"]
    assert sorted(each["Student"] for each in left) == sorted(students[8:])
    for student in students[8:]:
        [entry] = of(api, university.GET_STUDENT, name=student).body["items"]
        assert set(entry) == {"Type", "Student", "Seminar", "RaumNr", "Semester", "Version"}
    moved = made(of(api, university.MOVE_SEMINAR, {"Seminar": name, "RaumNr": "4"}))
    assert moved == {"changed": len(left), "next": None}


@pytest.mark.thorough
def test_a_user_who_is_deleted_while_the_address_changes_leaves_no_guard(
    api: Api, name: str, cloud: Cloud, dynamodb: DynamoDBClient
) -> None:
    users = [f"{name}-{number}" for number in range(8)]
    for user in users:
        new_user(api, user)
        made(of(api, shop.START_SESSION, {}, user_id=user))

    def new_address(user: str, number: int) -> Call:
        body = {"Email": f"{user}.{number}@y.de"}
        return lambda: of(api, shop.CHANGE_EMAIL, body, user_id=user)

    def delete(user: str) -> Call:
        return lambda: of(api, shop.DELETE_USER, user_id=user)

    calls = [
        call
        for user in users
        for call in (new_address(user, 1), delete(user), new_address(user, 2), delete(user))
    ]
    answers = at_once(calls)

    assert set(statuses(answers)) <= {200, 204, 404}
    assert statuses(answers)[204] == len(users)
    pages = dynamodb.get_paginator("scan").paginate(TableName=cloud.table_name)
    left = [item for page in pages for item in page["Items"] if name in item["PK"]["S"]]
    assert {item["Type"]["S"] for item in left} == {"DeletedUser"}
    assert len(left) == len(users)
    for user in users:
        assert of(api, shop.GET_USER, user_id=user).status == 404
        assert of(api, shop.LIST_USER_SESSIONS, user_id=user).body["items"] == []
