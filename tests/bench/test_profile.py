"""Traffic profiles: what is wrong with one is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.cost import SHOP
from bench.profile import MEMORY_MB, ProfileError, read
from lambdas.design import ACCESS_PATTERNS

GOOD = """
calls_a_month = 1000
[calls]
AP-01 = 3
AP-02 = 1
AP-03 = 0
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "profile.toml"
    path.write_text(text, "utf-8")
    return path


def test_shares_are_parts_of_all_calls_and_leave_out_what_is_not_called(tmp_path: Path) -> None:
    profile = read(written(tmp_path, GOOD))

    assert profile.shares == {"AP-01": 0.75, "AP-02": 0.25}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("calls_a_month = ", "is no TOML"),
        ("", "missing required field `calls_a_month`"),
        ("calls_a_month = 1", "missing required field `calls`"),
        ("calls_a_month = 0\n[calls]\nAP-01 = 1", "Expected `float` > 0.0 - at `$.calls_a_month`"),
        (f"{GOOD}AP-99 = 1", "calls: 'AP-99' is no access pattern; there are AP-01, AP-02"),
        (f"{GOOD}AP-04 = -1", "calls: AP-04: Expected `float` >= 0.0"),
        (f"{GOOD}AP-04 = inf", "calls: AP-04: Expected `float` <= 1"),
        (f"{GOOD}AP-04 = nan", "calls: AP-04: Expected `float` >= 0.0"),
        (f"{GOOD}[function]\nmemory_mb = 64", "Expected `int` >= 128 - at `$.function.memory_mb`"),
        (f"{GOOD}[function]\nduration_ms = 1e9", "Expected `float` <= 27000"),
        (f"{GOOD}[items]\nAP-02 = 202", "items: AP-02: Expected `int` <= 201"),
        (f"{GOOD}[values]\nUserId = {{ count = 0 }}", "values: UserId: Expected `int` >= 1"),
        (f"{GOOD}AP-04 = 'many'", "Expected `float`, got `str`"),
        ("calls_a_month = 1\n[calls]\nAP-01 = 0", "calls: nothing is called"),
        (f"colour = 1{GOOD}", "unknown field `colour`"),
        (f"{GOOD}[items]\nAP-01 = 3", "items: 'AP-01' is no pattern that is a Query"),
        (f"{GOOD}[items]\nAP-02 = 0", "Expected `int` >= 1"),
        (f"{GOOD}[with_key]\nCW-02 = 1", "with_key: 'CW-02' is no pattern that takes a key"),
        (f"{GOOD}[with_key]\nCW-01 = 2", "Expected `float` <= 1.0"),
        (f"{GOOD}[values]\nColour = {{ count = 1 }}", "values: 'Colour' is no field of a key"),
        (f"{GOOD}[function]\nmemory = 1", "unknown field `memory`"),
    ],
)
def test_what_is_wrong_with_a_profile_is_said(tmp_path: Path, text: str, reason: str) -> None:
    path = written(tmp_path, text)

    with pytest.raises(ProfileError) as refused:
        read(path)

    assert str(refused.value).startswith(f"{path}: ")
    assert reason in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"nowhere\.toml: No such file or directory"):
        read(tmp_path / "nowhere.toml")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "picture.toml").write_bytes(b"\xff\xd8\xff")

    with pytest.raises(ProfileError, match=r"picture\.toml: is no TOML"):
        read(tmp_path / "picture.toml")


def test_the_profile_that_comes_with_the_bench_is_a_good_one() -> None:
    profile = read(SHOP)

    assert profile.function.memory_mb == MEMORY_MB
    assert profile.shares.keys() < {each.id for each in ACCESS_PATTERNS}
