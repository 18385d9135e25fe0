"""The example calls that the documents show are made on data that nobody has touched."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from docs import sample
from docs.sample import BadExample
from tests.docs.schemas import pattern


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    return sample.answers()


def test_ids_times_and_random_parts_are_the_same_every_time() -> None:
    first, second = ask("CW-05"), ask("CW-05")
    assert first == second
    assert first["order"]["OrderId"].startswith("2025-01-05T12:00:00.000Z-")
    assert ask("CW-01")["UserId"] == ask("CW-01")["UserId"]


def test_two_ids_of_one_table_are_not_the_same() -> None:
    with sample.table():
        first, second = (call("CW-08") for _ in range(2))
    assert first["SessionId"] != second["SessionId"]


def test_a_write_leaves_the_examples_of_the_others_as_they_were(
    answers: dict[str, dict[str, Any]],
) -> None:
    orders = ask("AP-02")
    assert answers["AP-02"]["200"] == orders
    placed = answers["CW-05"]["201"]["order"]
    assert placed["UserId"] == orders["items"][0]["UserId"]
    assert placed["OrderId"] not in {order["OrderId"] for order in orders["items"]}


def test_what_makes_something_is_asked_a_second_time(answers: dict[str, dict[str, Any]]) -> None:
    assert answers["CW-01"]["200"] == answers["CW-01"]["201"]
    assert (answers["CW-07"]["201"]["Version"], answers["CW-07"]["200"]["Version"]) == (1, 2)
    assert set(answers["CW-02"]) == {"200"}
    assert "CW-09" not in answers


def test_an_example_with_another_answer_than_declared_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown = replace(pattern("CW-02"), example={"user_id": "U-999"})
    monkeypatch.setattr(sample, "ACCESS_PATTERNS", (unknown,))
    with pytest.raises(BadExample, match="CW-02"):
        sample.answers()


def ask(pattern_id: str) -> Any:
    """What a pattern answers to its example on fresh data."""
    with sample.table():
        return call(pattern_id)


def call(pattern_id: str) -> Any:
    asked = pattern(pattern_id)
    return json.loads(
        sample.handler(asked)(sample.event(asked), None)["body"],
        parse_float=sample._as_dynamodb_has_it,  # noqa: SLF001
    )
