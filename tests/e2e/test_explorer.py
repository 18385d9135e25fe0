"""The explorer over the local cloud: what moto cannot tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from explorer import asking, changes, reading
from explorer.asking import ask
from explorer.connection import choose, use
from explorer.rows import VIEWS, primary_key
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import store
from local.cloud import Cloud
from local.env_file import write_env
from tests.docs.schemas import pattern as pattern_of

READS = [pattern for pattern in ACCESS_PATTERNS if asking.is_read(pattern)]


@pytest.fixture(autouse=True)
def api_url(
    cloud: Cloud, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """This process is pointed at the running local cloud as `make explore` is."""
    file = tmp_path_factory.mktemp("local") / "env"
    write_env(file, cloud)
    connection = choose(None, None, None, file)
    environment: dict[str, str] = {}
    use(connection, environment)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    store.client.cache_clear()
    yield str(connection.api_url)
    store.client.cache_clear()


@pytest.mark.parametrize("pattern", READS, ids=lambda each: each.id)
def test_partiql_asks_the_same_as_the_request_beside_it(pattern: AccessPattern) -> None:
    asked = ask(pattern, asking.example(pattern))
    [exchange], [statement] = asked.exchanges, asked.statements

    with reading.watched():
        answer: Any = reading.client().execute_statement(Statement=str(statement))

    # The emulator takes its Limit before its ORDER BY, so it is taken here.
    items = answer["Items"][: exchange.request.get("Limit")]
    assert [*map(primary_key, items)] == [*map(primary_key, asked.found)]
    assert asked.found


def test_a_change_goes_through_the_api_and_is_seen_in_the_indexes(
    api_url: str, cloud: Cloud
) -> None:
    key = ("JOB#J-explorer", "JOB#J-explorer")
    try:
        made = changes.attempt(
            api_url, pattern_of("CW-10"), {"body": '{"JobId": "J-explorer"}'}, None
        )
        failed = changes.attempt(
            api_url,
            pattern_of("CW-11"),
            {"job_id": "J-explorer", "body": '{"Status": "FAILED", "ErrorCode": "TIMEOUT"}'},
            key,
        )
    finally:
        named: Any = {name: {"S": value} for name, value in zip(("PK", "SK"), key, strict=True)}
        cloud.dynamodb.delete_item(TableName=cloud.table_name, Key=named)

    assert (made.answer.status, failed.answer.status) == (201, 200)
    assert [[each.move(index) for index in VIEWS] for each in made.changes] == [
        ["entered", "absent", "absent", "entered"]
    ]
    assert [[each.move(index) for index in VIEWS] for each in failed.changes] == [
        ["changed", "entered", "absent", "same"]
    ]
