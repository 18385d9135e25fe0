"""Measuring one size more leaves what was measured at the others."""

from __future__ import annotations

import pytest

from bench import page, results, sized
from bench.results import Found, Say

KEPT = {"growth": {"sizes": {"1000": {"found": "then"}, "100000": {"found": "then"}}}}


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "kept", lambda: KEPT)


def one(count: int, say: Say) -> Found:
    say(f"{count}")
    return {"found": "now"}


def test_the_sizes_that_are_not_measured_stay_and_all_are_in_order() -> None:
    found = sized.measured("growth", one, [20_000, 1000], lambda _: None)

    assert found == {
        "sizes": {"1000": {"found": "now"}, "20000": {"found": "now"}, "100000": {"found": "then"}}
    }
    assert list(found["sizes"]) == ["1000", "20000", "100000"]


def test_the_command_keeps_one_size_more_and_writes_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written: dict[str, Found] = {}
    monkeypatch.setattr(results, "keep", written.__setitem__)
    monkeypatch.setattr(page, "write", lambda: iter(["docs/performance.md"]))

    assert sized.main("growth", one, ["--items", "2000"]) == 0
    assert list(written["growth"]["sizes"]) == ["1000", "2000", "100000"]
    assert capsys.readouterr() == ("wrote docs/performance.md\n", "2000\n")


def test_too_few_items_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        sized.main("growth", one, ["--items", "1"])
    assert "--items must be at least" in capsys.readouterr().err
