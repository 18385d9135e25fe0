from __future__ import annotations

from typing import Any

import pytest

from lambdas.design.ecommerce import FINISH_JOB, GET_JOB, LIST_FAILED_JOBS
from tests.conftest import Put
from tests.handlers.caller import Answer, call
from tests.handlers.conftest import Stored, Wire, changed
from tests.handlers.ecommerce.samples import failed, job

NOW = "2026-11-30T12:00:00.000Z"
FAILED = {"Status": "FAILED", "ErrorCode": "TIMEOUT"}

pytestmark = pytest.mark.usefixtures("clock", "table")


def finish(body: Any, job_id: str = "J-1", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(FINISH_JOB, {"job_id": job_id}, sent, body)


def test_a_job_that_fails_enters_the_sparse_index_with_both_keys(put: Put, stored: Stored) -> None:
    put(job("J-1"), job("J-10"))

    answer = finish(FAILED)

    assert (answer.status, answer.etag, answer.requests) == (200, '"2"', 1)
    assert answer.body == {
        "Type": "Job",
        "JobId": "J-1",
        "Status": "FAILED",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "ErrorCode": "TIMEOUT",
        "FailedAt": NOW,
        "Version": 2,
    }
    assert stored.item("JOB#J-1") == {
        "PK": {"S": "JOB#J-1"},
        "SK": {"S": "JOB#J-1"},
        "GSI1PK": {"S": "JOB#FAILED"},
        "GSI1SK": {"S": f"TIMEOUT#{NOW}#J-1"},
        "Type": {"S": "Job"},
        "Version": {"N": "2"},
        "Status": {"S": "FAILED"},
        "CreatedAt": {"S": "2023-01-01T00:00:00.000Z"},
        "ErrorCode": {"S": "TIMEOUT"},
        "FailedAt": {"S": NOW},
    }
    assert call(GET_JOB, {"job_id": "J-1"}).body == answer.body
    assert call(LIST_FAILED_JOBS, {"error_code": "TIMEOUT"}).items == [answer.body]
    assert call(LIST_FAILED_JOBS, {"error_code": "TIME"}).items == []


@pytest.mark.parametrize("without", [{}, {"ErrorCode": None}])
def test_a_job_that_succeeds_leaves_the_sparse_index_with_both_keys(
    put: Put, stored: Stored, without: dict[str, None]
) -> None:
    put(failed("J-1", "TIMEOUT"), failed("J-2", "TIMEOUT"))

    answer = finish({"Status": "SUCCEEDED", **without})

    assert (answer.status, answer.body["Status"]) == (200, "SUCCEEDED")
    assert stored.item("JOB#J-1") == changed(job("J-1", "SUCCEEDED"), Version={"N": "2"})
    assert call(LIST_FAILED_JOBS, {}).each("JobId") == ["J-2"]


def test_a_job_that_succeeds_at_once_was_never_in_it(put: Put, stored: Stored) -> None:
    put(job("J-1"))

    assert finish({"Status": "SUCCEEDED"}).status == 200
    assert stored.item("JOB#J-1") == changed(job("J-1", "SUCCEEDED"), Version={"N": "2"})


def test_another_code_moves_it_within_the_index(put: Put, stored: Stored) -> None:
    put(failed("J-1", "TIMEOUT"))

    finish({"Status": "FAILED", "ErrorCode": "OOM"})

    assert stored.item("JOB#J-1") == changed(failed("J-1", "OOM", NOW), Version={"N": "2"})
    assert call(LIST_FAILED_JOBS, {"error_code": "TIMEOUT"}).items == []
    assert call(LIST_FAILED_JOBS, {"error_code": "OOM"}).each("JobId") == ["J-1"]


@pytest.mark.parametrize("absent", ["J-2", "J-10", "j-1"])
def test_a_job_that_does_not_exist_is_404_and_is_not_made(
    put: Put, stored: Stored, absent: str
) -> None:
    put(job("J-1"))
    before = stored.all()

    answer = finish(FAILED, absent)

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert stored.all() == before


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "Status"),
        ({"Status": "QUEUED"}, "Status"),
        ({"Status": "failed"}, "Status"),
        ({"Status": None}, "Status"),
        ({"Status": 1}, "Status"),
        ({"Status": "FAILED"}, "ErrorCode"),
        ({"Status": "FAILED", "ErrorCode": None}, "ErrorCode"),
        ({"Status": "FAILED", "ErrorCode": ""}, "ErrorCode"),
        ({"Status": "FAILED", "ErrorCode": "a b"}, "ErrorCode"),
        ({"Status": "FAILED", "ErrorCode": "a#b"}, "ErrorCode"),
        ({"Status": "FAILED", "ErrorCode": "a" * 65}, "ErrorCode"),
        ({"Status": "FAILED", "ErrorCode": 7}, "ErrorCode"),
        ({"Status": "SUCCEEDED", "ErrorCode": "TIMEOUT"}, "ErrorCode"),
        ({**FAILED, "FailedAt": NOW}, "FailedAt"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_by_name(
    put: Put, stored: Stored, body: Any, name: str
) -> None:
    put(job("J-1"))
    before = stored.all()

    answer = finish(body)

    assert set(answer.refused) == {name}
    assert answer.requests == 0
    assert stored.all() == before


def test_the_version_that_was_read_is_changed(put: Put) -> None:
    put(changed(job("J-1"), Version={"N": "7"}))

    assert finish(FAILED, If_Match='"7"').etag == '"8"'


@pytest.mark.parametrize("tag", ['"1"', '"8"', '"70"'])
def test_another_version_is_412_and_nothing_changes(put: Put, stored: Stored, tag: str) -> None:
    put(changed(job("J-1"), Version={"N": "7"}))
    before = stored.all()

    assert finish(FAILED, If_Match=tag).status == 412
    assert stored.all() == before


@pytest.mark.parametrize("tag", [{}, {"If_Match": '"1"'}])
def test_a_result_whose_answer_was_lost_is_the_success_it_was_and_counts_once(
    put: Put, stored: Stored, wire: Wire, tag: dict[str, str]
) -> None:
    put(job("J-1"))
    wire.loses()

    answer = finish(FAILED, **tag)

    assert (answer.status, answer.etag, answer.body["ErrorCode"]) == (200, '"2"', "TIMEOUT")
    assert wire.requests == ["UpdateItem"] * 2
    assert stored.version("JOB#J-1") == 2


@pytest.mark.usefixtures("shop")
def test_a_job_of_the_dataset_fails() -> None:
    assert finish(FAILED, "J-001").status == 200
    assert "J-001" in call(LIST_FAILED_JOBS, {"error_code": "TIMEOUT"}).each("JobId")
