"""The bill of a traffic profile, and the command that prints it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench import bill, cost
from bench.bill import aligned, gateway, lines, rows, storage
from bench.profile import LOG_BYTES, Profile, read
from bench.results import Found
from stacks.pattern_function import MEMORY_MB
from stacks.prices import PRICES, Gateway

MILLION = 1_000_000


def test_by_hand_a_month_of_a_million_reads(kept: Found) -> None:
    profile = Profile(calls_a_month=MILLION, calls={"AP-01": 1})

    [line] = lines(profile, kept)

    assert line.calls == MILLION
    assert line.reads == pytest.approx(0.5 * PRICES.dynamodb.million_read_units)
    assert (line.writes, line.indexes) == (0, 0)
    assert line.gateway == pytest.approx(PRICES.gateway.million_requests)
    seconds = MILLION * 0.020 * 512 / 1024
    assert line.functions == pytest.approx(0.20 + seconds * PRICES.functions.gb_second)
    assert line.logs == pytest.approx(1.2 * PRICES.cloudwatch.logs_gb)
    assert line.total == pytest.approx(sum(line[2:8]))


def test_by_hand_a_month_of_a_million_writes_with_their_indexes(kept: Found) -> None:
    profile = Profile(calls_a_month=2 * MILLION, calls={"AP-01": 1, "CW-06": 1})

    line = lines(profile, kept)[1]

    assert line.pattern == "CW-06"
    assert line.writes == pytest.approx(1 * PRICES.dynamodb.million_write_units)
    assert line.indexes == pytest.approx(2 * PRICES.dynamodb.million_write_units)


def test_of_the_storage_the_first_part_is_free_and_its_recovery_is_not() -> None:
    def of(size: float) -> float:
        return storage(Profile(calls_a_month=1, calls={}, storage_gb=size))

    free = PRICES.dynamodb.free_storage_gb
    recovery = PRICES.dynamodb.recovery_gb_month
    assert of(0) == 0
    assert of(free) == pytest.approx(free * recovery)
    assert of(free + 1) - of(free) == pytest.approx(recovery + PRICES.dynamodb.storage_gb_month)


def test_the_gateway_s_price_falls_after_the_first_so_many_requests() -> None:
    prices = Gateway(million_requests=1.0, first_million_requests=300, further_million_requests=0.9)

    assert gateway(prices, 300 * MILLION) == 300
    assert gateway(prices, 400 * MILLION) == 390


def test_the_dearest_pattern_is_first_and_the_sums_are_those_of_the_rows(kept: Found) -> None:
    shop = read(cost.SHOP)
    billed = lines(shop, kept)
    table = rows(billed, storage(shop))

    totals = [float(row[-2].replace(",", "")) for row in table[:-2]]
    assert totals == sorted(totals, reverse=True)
    assert len(table) == len(shop.shares) + 2
    exact = sum(line.total for line in billed) + storage(shop)
    assert table[-1][-2] == f"{exact:,.2f}"
    assert sum(line.calls for line in billed) == pytest.approx(shop.calls_a_month)
    assert [row[0] for row in table[-2:]] == ["Storage", "Total"]


def test_what_is_cheap_is_one_row_together_and_the_sums_stay(kept: Found) -> None:
    shop = read(cost.SHOP)
    billed = lines(shop, kept)
    whole, short = rows(billed, storage(shop)), rows(billed, storage(shop), bill.SMALL)

    *listed, others = short[:-2]
    small = [line for line in billed if line.total < bill.SMALL]
    assert others[0] == f"{len(small)} others"
    assert others[-2] == f"{sum(line.total for line in small):,.2f}"
    assert listed == whole[: len(listed)]
    assert short[-2:] == whole[-2:]
    assert all(float(row[-2]) >= bill.SMALL for row in listed)


def test_a_million_calls_of_a_pattern_cost_the_same_however_many_there_are(kept: Found) -> None:
    def of(calls: float) -> str:
        return rows(lines(Profile(calls_a_month=calls, calls={"AP-01": 1}), kept), 0)[0][-1]

    assert of(MILLION) == of(20 * MILLION)
    read_units = 0.5 * PRICES.dynamodb.million_read_units
    seconds = MILLION * 0.020 * 512 / 1024
    functions = PRICES.functions.million_requests + seconds * PRICES.functions.gb_second
    logs = LOG_BYTES / 1000 * PRICES.cloudwatch.logs_gb
    assert float(of(1)) == pytest.approx(
        read_units + functions + PRICES.gateway.million_requests + logs, abs=0.005
    )


def test_figures_stand_below_one_another() -> None:
    text = aligned([["Name", "Sum"], ["a", "1.00"], ["Total", "12.00"]])

    assert text.split("\n") == [
        "Name     Sum",
        "------------",
        "a       1.00",
        "------------",
        "Total  12.00",
    ]


def test_the_functions_memory_is_that_of_the_stack() -> None:
    assert Profile(calls_a_month=1, calls={}).function.memory_mb == MEMORY_MB


def test_the_command_prints_the_bill(capsys: pytest.CaptureFixture[str]) -> None:
    status = cost.main(["--profile", str(cost.SHOP)])

    printed = capsys.readouterr()
    assert (status, printed.err) == (0, "")
    header, *body = printed.out.split("\n\n")[1].splitlines()
    assert header.split("  ")[0] == "Pattern"
    assert " ".join(header.split()) == " ".join(bill.HEADER)
    assert len(body) == len(read(cost.SHOP).shares) + 4
    assert f"{PRICES.region}, {PRICES.date}" in printed.out


def test_a_reader_who_stops_reading_gets_no_traceback() -> None:
    command = [sys.executable, "-m", "bench.cost", "--profile", str(cost.SHOP)]
    with subprocess.Popen(  # noqa: S603 - our own module
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_the_command_names_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = cost.main(["--profile", str(tmp_path / "nowhere.toml")])

    printed = capsys.readouterr()
    assert (status, printed.out) == (1, "")
    assert printed.err == f"error: {tmp_path / 'nowhere.toml'}: No such file or directory\n"


def test_the_readme_s_prices_are_those_of_the_file() -> None:
    readme = (Path(cost.__file__).parent.parent / "README.md").read_text("utf-8")
    prices = PRICES.dynamodb

    assert f"{prices.storage_gb_month:.2f} USD per GB and month, the first 25 GB" in readme
    assert f"recovery ({prices.recovery_gb_month:.2f} USD per GB and month)" in " ".join(
        readme.split()
    )
    assert f"{PRICES.region},\n{PRICES.date:%B %Y}" in readme


def test_the_command_names_a_pattern_that_is_not_measured_yet(
    kept: Found, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    others = {name: found for name, found in kept.items() if name != "AP-02"}
    monkeypatch.setattr("bench.results.kept", lambda: {"cost": {"ledger": others}})

    assert cost.main(["--profile", str(cost.SHOP)]) == 1
    assert capsys.readouterr().err == "error: AP-02 is not measured: `make bench ARGS=cost`\n"


def test_the_page_leaves_out_what_is_not_measured_yet(kept: Found) -> None:
    others = {name: found for name, found in kept.items() if name != "SW-03"}

    assert "SW-03 unfollow" in cost._writes(kept)  # noqa: SLF001
    assert "SW-03 unfollow" not in cost._writes(others)  # noqa: SLF001
