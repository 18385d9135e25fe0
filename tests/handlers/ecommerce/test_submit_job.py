from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.ecommerce import GET_JOB, LIST_FAILED_JOBS, SUBMIT_JOB
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored
from tests.handlers.ecommerce.samples import failed, job

pytestmark = pytest.mark.usefixtures("table")


def submit(body: Any, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(SUBMIT_JOB, {}, sent, body)


@pytest.mark.usefixtures("clock")
def test_a_new_job_is_queued_and_stays_out_of_the_sparse_index(stored: Stored) -> None:
    answer = submit({"JobId": "J-1"})

    assert (answer.status, answer.etag, answer.requests) == (201, '"1"', 1)
    assert answer.headers["Location"] == "/ecommerce/jobs/J-1"
    assert answer.body == {
        "Type": "Job",
        "JobId": "J-1",
        "Status": "QUEUED",
        "CreatedAt": "2026-11-30T12:00:00.000Z",
        "Version": 1,
    }
    assert stored.all() == {
        ("JOB#J-1", "JOB#J-1"): {
            "PK": {"S": "JOB#J-1"},
            "SK": {"S": "JOB#J-1"},
            "Type": {"S": "Job"},
            "Version": {"N": "1"},
            "Status": {"S": "QUEUED"},
            "CreatedAt": {"S": "2026-11-30T12:00:00.000Z"},
        }
    }
    assert call(GET_JOB, {"job_id": "J-1"}).body == answer.body
    assert call(LIST_FAILED_JOBS, {}).items == []


@pytest.mark.parametrize("body", [{}, {"JobId": None}])
def test_an_id_is_made_when_none_is_given(body: Any) -> None:
    made = {submit(body).body["JobId"] for _ in range(3)}

    assert len(made) == 3
    assert all(call(GET_JOB, {"job_id": each}).status == 200 for each in made)


def test_an_id_that_is_taken_is_409_and_named_and_the_job_stays(put: Put, stored: Stored) -> None:
    put(failed("J-1", "TIMEOUT"))
    before = stored.all()

    answer = submit({"JobId": "J-1"})

    assert (answer.status, answer.errors) == (409, {"JobId": "J-1 is taken"})
    assert stored.all() == before


@pytest.mark.parametrize("job_id", ["J-10", "j-1", "J-", "1"])
def test_an_id_that_is_nearly_the_same_is_not_taken(put: Put, job_id: str) -> None:
    put(job("J-1"))

    assert submit({"JobId": job_id}).status == 201


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"JobId": ""}, "JobId"),
        ({"JobId": "."}, "JobId"),
        ({"JobId": "a#b"}, "JobId"),
        ({"JobId": "a:b"}, "JobId"),
        ({"JobId": "a" * 65}, "JobId"),
        ({"JobId": 1}, "JobId"),
        ({"Status": "FAILED"}, "Status"),
        ({"ErrorCode": "X"}, "ErrorCode"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    stored: Stored, body: Any, name: str
) -> None:
    answer = submit(body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == {}


def test_the_same_call_with_its_key_submits_one_job(stored: Stored) -> None:
    first = submit({}, Idempotency_Key="k")
    before = stored.all()

    again = submit({}, Idempotency_Key="k")

    assert (first.status, again.status, again.text) == (201, 200, first.text)
    assert stored.all() == before
    assert submit({"JobId": "J-1"}, Idempotency_Key="k").status == 409
    assert submit({}, Idempotency_Key="K").status == 201


@pytest.mark.usefixtures("shop")
def test_the_example_is_a_new_job() -> None:
    assert submit({"JobId": "J-900"}).status == 201
    assert submit({"JobId": "J-001"}).status == 409
