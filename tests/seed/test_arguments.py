from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from seed import arguments
from seed.datasets import DATASETS
from seed.faults import Failure


def now_of(text: str) -> datetime:
    return arguments.read(["--table", "shop", "--now", text]).now


def test_the_table_is_enough_and_means_everything_as_of_the_present() -> None:
    read = arguments.read(["--table", "shop"])
    assert (read.dataset, read.table, read.endpoint_url, read.reset) == ("all", "shop", None, False)
    assert timedelta() <= datetime.now(UTC) - read.now < timedelta(seconds=10)


def test_everything_can_be_said() -> None:
    words = "--table shop --endpoint-url http://localhost:1 --now 2025-01-15T12:00:00Z --reset"
    assert arguments.read(["ecommerce", *words.split()]) == arguments.Arguments(
        dataset="ecommerce",
        table="shop",
        endpoint_url="http://localhost:1",
        now=datetime(2025, 1, 15, 12, tzinfo=UTC),
        reset=True,
    )


@pytest.mark.parametrize("name", [*DATASETS, "all"])
def test_each_dataset_can_be_chosen(name: str) -> None:
    assert arguments.read([name, "--table", "shop"]).dataset == name


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2025-01-15T12:00:00Z", datetime(2025, 1, 15, 12, tzinfo=UTC)),
        ("2025-01-15t12:00:00z", datetime(2025, 1, 15, 12, tzinfo=UTC)),
        ("2025-01-15 12:00:00Z", datetime(2025, 1, 15, 12, tzinfo=UTC)),
        ("2025-01-15T12:00:00.5Z", datetime(2025, 1, 15, 12, 0, 0, 500_000, tzinfo=UTC)),
        ("2025-01-15T12:00:00.123456789Z", datetime(2025, 1, 15, 12, 0, 0, 123_456, tzinfo=UTC)),
        ("2025-01-15T01:00:00+02:00", datetime(2025, 1, 14, 23, tzinfo=UTC)),
        ("2024-02-29T23:00:00-05:00", datetime(2024, 3, 1, 4, tzinfo=UTC)),
        ("1971-01-01T00:00:00Z", datetime(1971, 1, 1, tzinfo=UTC)),
        ("9998-12-31T23:59:59Z", datetime(9998, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_time_of_rfc_3339_is_read_in_utc(text: str, time: datetime) -> None:
    assert now_of(text) == time
    assert now_of(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "",
        "2025-01-15",
        "2025-01-15T12:00:00",
        "2025-01-15T12:00Z",
        "2025-W03-3T12:00:00Z",
        "20250115T120000Z",
        "2025-02-29T12:00:00Z",
        "2025-01-15T24:00:00Z",
        "2025-01-15T12:00:00+25:00",
        "2025-01-15T12:00:00Z\n",
        "٢٠٢٥-01-15T12:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-01:00",
        "1970-12-31T23:59:59Z",
        "9999-01-01T00:00:00Z",
    ],
)
def test_anything_else_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(Failure, match="--now") as failure:
        now_of(text)
    assert repr(text) in str(failure.value)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--table"),
        (["shop", "--table", "shop"], "'shop'"),
        (["--table", ""], "''"),
        (["--table", "ab"], "'ab'"),
        (["--table", "a b c"], "'a b c'"),
        (["--table", "shop", "--endpoint-url", "localhost:4566"], "'localhost:4566'"),
        (["--tab", "shop"], "--help"),
        (["--table", "shop", "--res"], "--res"),
        (["--table", "shop", "--generate", "99"], "'99' is not a whole number from 100"),
        (["--table", "shop", "--generate", "1e6"], "'1e6'"),
        (["--table", "shop", "--format", "dynamodb-json"], "either --table or --format"),
        (["--format", "csv"], "'csv'"),
        (["--format", "dynamodb-json", "--reset"], "--reset empties a table"),
    ],
)
def test_a_command_line_that_is_wrong_is_refused_in_one_line(words: list[str], told: str) -> None:
    with pytest.raises(Failure) as failure:
        arguments.read(words)
    assert told in str(failure.value)
    assert "\n" not in str(failure.value)


def test_made_up_items_are_asked_for_by_number_and_may_go_to_lines_in_place_of_a_table() -> None:
    read = arguments.read(["--generate", "100", "--random-seed", "7", "--format", "dynamodb-json"])
    assert (read.generate, read.random_seed, read.table) == (100, 7, None)
    assert arguments.read(["--table", "shop"]).generate is None


def test_help_tells_every_choice_and_gives_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        arguments.read(["--help"])
    text = capsys.readouterr().out
    assert end.value.code == 0
    for word in ("--table", "--endpoint-url", "--now", "--reset", "all", *DATASETS):
        assert word in text
    assert "python -m seed ecommerce --table" in text
