"""The page of the measurements, and the command that writes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import MEASUREMENTS, __main__, page, results

TEXT = (page.ROOT / page.PAGE).read_text("utf-8")


def test_every_measurement_has_results_and_a_part_of_the_page_in_order() -> None:
    assert tuple(results.kept()) == MEASUREMENTS
    titles = [
        results.module(name).section(found).split("\n")[0] for name, found in results.kept().items()
    ]

    assert re.findall(r"(?m)^## .*$", TEXT) == titles


def test_every_plot_of_the_page_is_there_and_says_what_it_shows() -> None:
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", TEXT)

    assert pictures
    for alt, path in pictures:
        assert len(alt) > 40
        assert (page.ROOT / "docs" / path).read_text("utf-8").startswith("<?xml")


def test_there_is_no_plot_that_the_page_does_not_show() -> None:
    shown = set(re.findall(r"\]\((plots/[^)]+)\)", TEXT))

    assert {f"plots/{file.name}" for file in (page.ROOT / page.PLOTS).iterdir()} == shown


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (page.ROOT / "docs" / target).exists(), target


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return page.plots()


@pytest.mark.emulator  # draws with matplotlib, which requirements-dev.txt installs
def test_the_plots_are_up_to_date_and_come_out_the_same_each_time(drawn: dict[str, str]) -> None:
    for name, svg in drawn.items():
        assert (page.ROOT / name).read_text("utf-8") == svg, "`python -m bench --render` renews it"


@pytest.mark.emulator
def test_what_is_up_to_date_is_not_written_again(
    drawn: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page, "plots", lambda: drawn)
    first = list(page.write(tmp_path))

    assert page.PAGE in first
    assert list(page.write(tmp_path)) == []


def test_a_measurement_that_is_unknown_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        __main__.main(["costs"])

    assert ended.value.code == 2
    assert f"no measurement 'costs'; there are {', '.join(MEASUREMENTS)}" in capsys.readouterr().err


def test_an_interruption_is_no_traceback_and_keeps_what_was_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept: list[str] = []

    def measure(name: str, label: str) -> None:  # noqa: ARG001 - as it is called
        if name == "warm":
            raise KeyboardInterrupt
        kept.append(name)

    monkeypatch.setattr(__main__, "_measure", measure)

    assert __main__.main(["cold", "warm", "loading"]) == 130
    assert kept == ["cold"]
    assert capsys.readouterr().err == "interrupted; what was measured before is kept\n"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring takes no time, finds what is kept already, and changes the page."""
    monkeypatch.setattr(__main__, "_measure", lambda *_: None)
    monkeypatch.setattr(page, "write", lambda: iter((page.PAGE,)))


@pytest.mark.usefixtures("measured")
def test_it_says_what_it_wrote_and_where_to_read_what_was_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    __main__.main(["loading", "cold"])

    assert capsys.readouterr().out == (
        'wrote docs/performance.md\nthe results: docs/performance.md, "Loading", "A cold start"\n'
    )


@pytest.mark.usefixtures("measured")
def test_what_is_named_is_printed_if_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    __main__.main(["loading", "--show"])

    shown = capsys.readouterr().out
    assert shown.startswith("## Loading\n")
    assert "## A cold start" not in shown
    assert shown.endswith('the results: docs/performance.md, "Loading"\n')


def test_the_page_begins_with_what_most_want_to_know_and_each_row_leads_to_more() -> None:
    summary = TEXT[: TEXT.index("\n## ")]
    links = re.findall(r"\]\(#([^)]+)\) \|", summary)

    anchors = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"(?m)^#{2,3} (.*)$", TEXT)
    }
    assert len(links) == 8
    assert set(links) <= anchors


def test_the_summary_s_figures_are_those_of_the_tables() -> None:
    found = results.kept()
    start = found["cold"]["starts"]["handler"]["ratio"][1]
    assert f"| {start:.2f} of the CPU time that boto3's client alone takes |" in TEXT
    assert f"{start:.2f} (" in TEXT[TEXT.index("## A cold start") :]


def test_loading_is_said_for_both_endpoints_not_for_the_better_one_alone() -> None:
    [row] = re.findall(r"(?m)^\| Loading \|.*$", TEXT)
    for each in results.kept()["loading"].values():
        ratio = each["writers"]["batch_writer"]["ratio"][1]
        assert re.search(rf"\b({ratio:.1f}|{ratio:.2f}) times", row)


def test_what_make_bench_does_not_measure_is_named_with_its_command() -> None:
    introduction = " ".join(TEXT[: TEXT.index("| In short")].split())
    for name in ("growth", "rounds"):
        assert "1000000" in results.kept()[name]["sizes"]
        assert f"python -m bench.{name} --items 1000000" in introduction


def test_it_says_on_what_the_times_were_measured() -> None:
    for name in ("cold", "warm"):
        machine = results.kept()[name]["machine"]
        section = results.module(name).section(results.kept()[name])
        assert f"with Python {machine['python']}, boto3 {machine['packages']['boto3']}" in section
