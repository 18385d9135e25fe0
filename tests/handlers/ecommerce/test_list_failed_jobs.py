from __future__ import annotations

import pytest

from lambdas.design.ecommerce import LIST_FAILED_JOBS
from tests.conftest import Put
from tests.handlers.caller import call, pages, sizes
from tests.handlers.ecommerce.samples import failed, job, order, product, session

CODES = ["DNS", "TIMEOUT", "TIMEOUT-2", "TIMEOUT.2", "TIMEOUT2", "TIMEOUT_AT_BANK", "timeout"]


def test_returns_the_jobs_that_failed_by_code_then_time_then_id(put: Put) -> None:
    put(failed("1", "B", "2024-01-01T00:00:00.000Z"), failed("9", "A", "2024-02-01T00:00:00.000Z"))
    put(failed("3", "A", "2024-01-31T23:59:59.999Z"), failed("2", "A", "2024-02-01T00:00:00.000Z"))

    answer = call(LIST_FAILED_JOBS, {})

    assert list(zip(answer.each("ErrorCode"), answer.each("JobId"), strict=True)) == [
        ("A", "3"),
        ("A", "2"),
        ("A", "9"),
        ("B", "1"),
    ]
    assert set(answer.each("Status")) == {"FAILED"}


def test_jobs_that_wait_or_succeeded_stay_out(put: Put) -> None:
    put(job("1"), job("2", "SUCCEEDED"), failed("3", "A"))

    assert call(LIST_FAILED_JOBS, {}).each("JobId") == ["3"]


def test_the_other_collections_of_the_index_stay_out(put: Put) -> None:
    put(failed("1", "A"), order("1", "A", Status="PENDING"), product("A", "FAILED/A"), session("A"))

    assert call(LIST_FAILED_JOBS, {}).each("JobId") == ["1"]


@pytest.mark.parametrize("code", CODES)
def test_a_code_gives_its_own_jobs_and_not_those_whose_code_begins_with_it(
    put: Put, code: str
) -> None:
    put(*(failed(each, each) for each in CODES))

    assert call(LIST_FAILED_JOBS, {"error_code": code}).each("JobId") == [code]


@pytest.mark.parametrize("code", ["TIME", "TIMEOUT_", "Timeout", "IMEOUT", "FAILED", "1"])
def test_a_code_that_no_job_has_gives_an_empty_list(put: Put, code: str) -> None:
    put(*(failed(str(number), each) for number, each in enumerate(CODES)))

    assert call(LIST_FAILED_JOBS, {"error_code": code}).items == []


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_jobs_with_one_code_and_time_are_all_there(put: Put, limit: int) -> None:
    put(failed("1", "A"), failed("2", "A"), failed("10", "A"), failed("3", "AB"))

    found = pages(LIST_FAILED_JOBS, {"error_code": "A"}, limit)

    assert [job_id for page in found for job_id in page.each("JobId")] == ["1", "10", "2"]
    assert [len(page.items) for page in found] == sizes(3, limit)


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ["J-007", "J-005", "J-004", "J-006"]),
        ({"error_code": "TIMEOUT"}, ["J-005", "J-004"]),
        ({"error_code": "TIMEOUT_AT_BANK"}, ["J-006"]),
    ],
)
def test_the_lecture_s_index_gives_the_shop_s_failed_jobs(
    parameters: dict[str, str], expected: list[str]
) -> None:
    assert call(LIST_FAILED_JOBS, parameters).each("JobId") == expected
