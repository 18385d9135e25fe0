"""Heat: when a partition reaches its limits, by hand and under the bench's profile."""

from __future__ import annotations

import pytest

from bench import heat, results
from bench.heat import LIMITS, RATES, Load, hot, limit_reached_at, units
from bench.profile import Profile, Values
from bench.results import Found

TRAFFIC = Profile(
    calls_a_month=1,
    calls={},
    values={
        "ProductId": Values(count=4, exponent=1),
        "UserId": Values(count=1000, exponent=0),
    },
)
CONSTANT = Load("GSI1", "STATUS#PENDING", "write", {None: 0.01})
PRODUCT = Load("", "PRODUCT#{ProductId}", "read", {"ProductId": 0.5})
USER = Load("", "USER#{UserId}", "read", {"UserId": 1})
EVER_NEW = Load("", "SESSION#{SessionId}", "write", {"SessionId": 1})


def test_a_key_without_a_field_is_one_partition_for_all() -> None:
    assert limit_reached_at(CONSTANT, TRAFFIC) == pytest.approx(LIMITS["write"] / 0.01)
    assert hot(CONSTANT, TRAFFIC, 100_000) == 0  # just what a partition gives
    assert hot(CONSTANT, TRAFFIC, 100_001) == 1


def test_a_value_has_the_part_of_the_calls_that_zipf_s_law_gives_it() -> None:
    all_four = 1 + 1 / 2 + 1 / 3 + 1 / 4

    shares = [units(PRODUCT, TRAFFIC, rank) for rank in range(1, 6)]

    assert shares[:4] == pytest.approx([0.5 / rank / all_four for rank in range(1, 5)])
    assert shares[4] == 0
    assert sum(shares) == pytest.approx(0.5)
    assert limit_reached_at(PRODUCT, TRAFFIC) == pytest.approx(LIMITS["read"] / (0.5 / all_four))


def test_the_more_calls_the_more_keys_are_hot() -> None:
    first = limit_reached_at(PRODUCT, TRAFFIC) or 0

    counts = [hot(PRODUCT, TRAFFIC, first * times) for times in (0.99, 1.01, 2.01, 3.01, 4.01, 99)]

    assert counts == [0, 1, 2, 3, 4, 4]


def test_where_all_values_are_alike_all_get_hot_at_once() -> None:
    assert hot(USER, TRAFFIC, 2_999_999) == 0
    assert hot(USER, TRAFFIC, 3_000_001) == 1000


def test_a_key_that_is_another_one_in_every_call_never_gets_hot() -> None:
    assert limit_reached_at(EVER_NEW, TRAFFIC) is None
    assert hot(EVER_NEW, TRAFFIC, 1e9) == 0


def test_one_partition_may_be_named_by_several_fields() -> None:
    both = Load("", "PERSON#{PersonId}", "write", {"UserId": 1, "ProductId": 0.5})

    expected = units(USER, TRAFFIC, 1) + units(PRODUCT, TRAFFIC, 1)
    assert units(both, TRAFFIC, 1) == pytest.approx(expected)


@pytest.fixture(scope="module")
def found() -> Found:
    """What was found when the measurement was last run."""
    return results.kept()["heat"]


def test_what_is_kept_follows_from_the_ledger_and_the_profile_as_they_are(found: Found) -> None:
    assert found == heat.measure(lambda _: None), "`make snapshots` renews it"


def partition(found: Found, index: str, template: str, kind: str) -> Found:
    [one] = [
        each
        for each in found["partitions"]
        if (each["index"], each["template"], each["kind"]) == (index, template, kind)
    ]
    return dict(one)


@pytest.mark.parametrize(
    ("index", "template", "kind"),
    [
        ("GSI1", "STATUS#PENDING", "write"),
        ("GSI1", "SESSION#EXPIRING", "write"),
        ("GSI2", "VIP", "write"),
        ("InvertedIndex", "PROFILE", "write"),
        ("InvertedIndex", "FOLLOWS#{FolloweeId}", "write"),
    ],
)
def test_the_keys_that_a_reader_would_suspect_are_shown(
    found: Found, index: str, template: str, kind: str
) -> None:
    one = partition(found, index, template, kind)

    assert one["limit_at"] > RATES[0]
    assert f"| {index} | `{template}` | {kind} |" in heat.section(found)


def test_what_is_spread_is_not_shown(found: Found) -> None:
    assert partition(found, "", "SESSION#{SessionId}", "read")["limit_at"] is None
    assert "SESSION#{SessionId}" not in heat.section(found)


def test_of_a_new_key_is_said_what_helps_in_general(found: Found) -> None:
    one = partition(found, "GSI1", "STATUS#PENDING", "write")
    new = [{**one, "template": template} for template in ("JOB#QUEUED", "TEAM#{TeamId}")]

    shown = heat.section({**found, "partitions": new})

    assert f"- `JOB#QUEUED`: {heat.OF_ALL}" in shown
    assert f"- `TEAM#{{TeamId}}`: {heat.OF_ONE_VALUE}" in shown


def test_all_that_is_shown_has_a_remedy_and_no_remedy_is_left_over(found: Found) -> None:
    shown = heat.section(found)

    assert all(f"- `{template}`: " in shown for template in heat.REMEDIES)
