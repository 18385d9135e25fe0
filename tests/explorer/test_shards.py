"""A list that is spread over several partition keys, as the explorer shows it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from docs import sample
from explorer import asking, placement, reading
from explorer.asking import ask
from explorer.connection import Connection
from explorer.reading import Filter
from explorer.rows import collections, primary_key
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import GSI1
from tests.explorer.site import Site, serving
from tests.pending import pending

SHARDS = [f"STATUS#PENDING#{shard}/4" for shard in range(4)]


@pytest.fixture(scope="module")
def spread() -> Iterator[AccessPattern]:
    """AP-05 in four shards, and the example data as it is then."""
    with pending(4) as pattern, sample.table(), pytest.MonkeyPatch.context() as declared:
        others = (pattern if each.id == pattern.id else each for each in ACCESS_PATTERNS)
        declared.setattr(asking, "ACCESS_PATTERNS", tuple(others))
        yield pattern


@pytest.fixture(scope="module")
def site(spread: AccessPattern) -> Iterator[Site]:
    assert spread
    with serving(Connection(os.environ["TABLE_NAME"], "here", None, {})) as site:
        yield site


def test_the_pattern_runs_and_each_of_its_requests_is_seen(spread: AccessPattern) -> None:
    asked = ask(spread, {})

    assert asked.status == 200
    assert len(asked.exchanges) == 4
    assert sorted(asked.partitions) == SHARDS
    assert set(asked.answered) == {primary_key(item) for item in asked.found}
    assert len(asked.answered) == 3
    statements = sorted(each or "" for each in asked.statements)
    assert [each.partition(" WHERE ")[2] for each in statements] == [
        f"\"GSI1PK\" = '{shard}'" for shard in SHARDS
    ]


def test_a_later_page_runs_too(spread: AccessPattern) -> None:
    first = ask(spread, {"limit": "2"})
    second = ask(spread, first.next or {})

    assert (len(second.exchanges), second.status, second.next) == (4, 200, None)
    assert [len(first.answered), len(second.answered)] == [2, 1]


def test_nothing_but_reads_passes_in_any_of_its_threads(spread: AccessPattern) -> None:
    """The near-miss: a request that is not seen is not looked at either."""
    with reading.watched() as exchanges:
        ask(spread, {})
    assert exchanges == []  # those within have gone to the inner one, all of them
    with pytest.MonkeyPatch.context() as forbidden:
        forbidden.setattr(reading, "READS", frozenset())
        assert ask(spread, {}).status == 500


def test_each_shard_is_shown_as_a_collection(spread: AccessPattern) -> None:
    assert spread
    found, _ = reading.everything(GSI1, Filter(partition="STATUS#PENDING"), 1000)

    shown = collections(GSI1, found)

    assert {each.partition for each in shown} <= set(SHARDS)
    assert sum(len(each.rows) for each in shown) == 3


def test_of_an_item_is_said_in_which_shard_it_stands_and_which_there_are(
    spread: AccessPattern, site: Site
) -> None:
    item = next(each for each in ask(spread, {}).found if each["GSI1SK"]["S"] == "2024-01-15")
    place = next(each for each in placement.places(item) if each.index == GSI1)

    assert place.values[0].text in SHARDS
    assert place.key
    assert place.key.partitions == f"{SHARDS[0]} to {SHARDS[3]}"
    answer = site.get("/item?pk=USER%23U-001&sk=ORDER%232024-01-15")
    assert answer.status == 200


def test_the_page_of_the_pattern_lights_up_every_shard(site: Site) -> None:
    answer = site.get("/patterns/AP-05?run=1")

    assert answer.status == 200
    for order in ("2024-01-15", "2025-01-02"):
        assert order in answer.text
