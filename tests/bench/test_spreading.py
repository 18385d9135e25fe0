"""Spreading: how many shards the profile asks for, what they take away and what they cost."""

from __future__ import annotations

import pytest

from bench import results, spreading
from bench.heat import LIMITS, RATES
from bench.results import Found
from bench.spreading import FILLED, shards_for


@pytest.mark.parametrize(
    ("units", "shards"), [(0, 1), (499, 1), (500, 1), (501, 2), (1000, 2), (1001, 3), (16_000, 32)]
)
def test_no_shard_is_filled_more_than_half(units: float, shards: int) -> None:
    assert shards_for(units, 1000) == shards


@pytest.fixture(scope="module")
def found() -> Found:
    """What was found when the measurement was last run."""
    return dict(results.kept()["heat"]["spread"])


def test_before_it_is_too_much_for_a_partition_and_after_it_is_not(found: Found) -> None:
    limit = LIMITS["write"]
    assert found["rate"] == RATES[-1]
    assert found["before"] > limit
    assert max(found["after"]) < limit
    assert sum(found["after"]) == found["before"]


def test_one_shard_less_would_be_filled_more_than_half(found: Found) -> None:
    limit, shards = LIMITS["write"], found["shards"]
    assert found["before"] / shards <= FILLED * limit < found["before"] / (shards - 1)


def test_the_runtime_s_own_digest_fills_the_shards_evenly(found: Found) -> None:
    mean = found["before"] / found["shards"]
    assert all(0.85 * mean < each < 1.15 * mean for each in found["after"])


def test_readers_pay_for_every_shard(found: Found) -> None:
    for each in found["pages"].values():
        assert each["after"] == each["before"] * found["shards"]
    assert f"| Requests for a page | 1 | {found['shards']} |" in spreading.section(found)
