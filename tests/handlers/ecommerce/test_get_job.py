from __future__ import annotations

import pytest

from lambdas.design.ecommerce import GET_JOB
from lambdas.runtime.items import to_item
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.ecommerce.samples import failed, job, product, session


def test_returns_a_job_that_waits_without_what_it_does_not_have(put: Put) -> None:
    put(job("J-1"))

    assert call(GET_JOB, {"job_id": "J-1"}).body == {
        "Type": "Job",
        "JobId": "J-1",
        "Status": "QUEUED",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "Version": 1,
    }


def test_returns_a_job_that_failed_with_its_error_and_nothing_internal(put: Put) -> None:
    put(failed("J-1", "TIMEOUT", "2024-01-15T10:00:00.000Z"))

    assert call(GET_JOB, {"job_id": "J-1"}).body == {
        "Type": "Job",
        "JobId": "J-1",
        "Status": "FAILED",
        "CreatedAt": "2023-01-01T00:00:00.000Z",
        "ErrorCode": "TIMEOUT",
        "FailedAt": "2024-01-15T10:00:00.000Z",
        "Version": 1,
    }


@pytest.mark.parametrize("job_id", ["J-1", "J-10", "j-1", "~J.1_"])
def test_never_mistakes_one_id_for_another(put: Put, job_id: str) -> None:
    put(*(failed(each, each.strip("~")) for each in ("J-1", "J-10", "j-1", "~J.1_")))

    assert call(GET_JOB, {"job_id": job_id}).body["JobId"] == job_id
    assert call(GET_JOB, {"job_id": job_id}).body["ErrorCode"] == job_id.strip("~")


@pytest.mark.parametrize("absent", ["J-2", "J-", "J-01", "FAILED", "S-1", "P-1", "TIMEOUT"])
def test_a_job_that_does_not_exist_is_404(put: Put, absent: str) -> None:
    put(failed("J-1", "TIMEOUT"), session("S-1"), product("P-1"))

    answer = call(GET_JOB, {"job_id": absent})

    assert answer.status == 404
    assert absent in answer.body["detail"]
    assert "ETag" not in answer.headers


def test_an_item_of_another_type_is_not_a_job(put: Put) -> None:
    put(to_item(job("J-1")) | {"Type": {"S": "Draft"}})

    assert call(GET_JOB, {"job_id": "J-1"}).status == 404


def test_the_etag_is_the_version_in_quotes(put: Put) -> None:
    put(to_item(job("J-1")) | {"Version": {"N": "12"}})

    assert call(GET_JOB, {"job_id": "J-1"}).headers["ETag"] == '"12"'


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("job_id", "status"), [("J-001", "QUEUED"), ("J-002", "SUCCEEDED"), ("J-004", "FAILED")]
)
def test_the_shop_has_jobs_of_every_status(job_id: str, status: str) -> None:
    assert call(GET_JOB, {"job_id": job_id}).body["Status"] == status
