from __future__ import annotations

import pytest

from doctor.pace import Pace, units


class Time:
    """A clock that goes on while somebody sleeps, and not otherwise."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


def test_the_rate_is_kept_to_over_time(time: Time) -> None:
    pace = Pace(50, time, time.sleep)
    begin = time.now
    for cost in (1, 256, 3, 0.5, 40) * 10:
        pace.wait()
        pace.spend(cost)
    pace.wait()
    assert pace.spent == 3005
    assert pace.spent / (time.now - begin) == pytest.approx(50, rel=0.001)


def test_what_was_not_used_is_kept_for_a_second_and_no_longer(time: Time) -> None:
    pace = Pace(50, time, time.sleep)
    time.now += 3600
    pace.spend(50)
    pace.wait()
    assert time.now == 3700
    pace.spend(25)
    pace.wait()
    assert time.now == pytest.approx(3700.5, abs=0.002)


def test_without_a_rate_nobody_waits_and_what_is_spent_is_known(time: Time) -> None:
    pace = Pace(None, time, time.sleep)
    pace.spend(1e9)
    pace.wait()
    assert (time.now, pace.spent) == (100, 1e9)


@pytest.mark.parametrize(("read", "cost"), [(0, 1), (1, 1), (4096, 1), (4097, 2), (2**20, 256)])
def test_a_consistent_read_costs_a_unit_for_each_4_kb_that_it_begins(read: int, cost: int) -> None:
    assert units(read) == cost
