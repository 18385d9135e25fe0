from __future__ import annotations

import re
from io import StringIO
from itertools import count

import pytest

from seed.progress import Progress, duration


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _a_second_passes_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr("seed.progress.time.monotonic", lambda: float(next(seconds)))


def lines_on(screen: str) -> list[str]:
    """What a terminal shows: text after a carriage return is written over what was there."""
    shown = []
    for line in screen.split("\n"):
        cells = ""
        for text in line.split("\r"):
            cells = text + cells[len(text) :]
        shown.append(cells.rstrip())
    return shown


def test_elsewhere_than_on_a_terminal_there_is_a_line_at_the_start_and_one_at_the_end() -> None:
    stream = StringIO()
    with Progress(stream, "loading shop", "wrote", 50) as progress:
        progress.advance(25)
        progress.advance(25)
    first, second = stream.getvalue().splitlines()
    assert first == "loading shop: 50 items"
    assert re.fullmatch(r"wrote 50 items in \d+\.\d s, \d+/s", second)


def test_on_a_terminal_it_is_one_line_that_leaves_nothing_of_the_ones_before() -> None:
    stream = Terminal()
    with Progress(stream, "emptying a table with a long name", "deleted") as progress:
        progress.advance(100_000)
        assert "a long name: 100000 items" in stream.getvalue()
    [line, after] = lines_on(stream.getvalue())
    assert re.fullmatch(r"deleted 100000 items in \d+\.\d s, \d+/s", line)
    assert after == ""


def test_on_a_terminal_it_tells_of_how_many() -> None:
    stream = Terminal()
    with Progress(stream, "loading shop", "wrote", 50) as progress:
        progress.advance(25)
        assert "loading shop: 25 of 50 items, " in lines_on(stream.getvalue())[-1]


def test_on_a_terminal_it_tells_how_long_it_will_still_take_and_shows_how_much_is_done() -> None:
    stream = Terminal()
    with Progress(stream, "loading shop", "wrote", 80) as progress:
        for _ in range(4):
            progress.advance(5)
        line = lines_on(stream.getvalue())[-1]
        assert re.search(r": 20 of 80 items, \d+/s, \d+ s left \[#####\.{15}\]$", line)


def test_elsewhere_a_long_load_is_reported_now_and_then() -> None:
    stream = StringIO()
    with Progress(stream, "loading shop", "wrote", 300) as progress:
        for _ in range(30):
            progress.advance(10)
    _began, *reports, _ended = stream.getvalue().splitlines()
    assert 2 <= len(reports) <= 5
    assert all(" of 300 items, " in line and " left [" in line for line in reports)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7500, "2 h 5 min")],
)
def test_a_time_is_told_in_the_units_that_people_use(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_a_load_that_fails_is_not_said_to_be_complete() -> None:
    elsewhere, terminal = StringIO(), Terminal()
    for stream in (elsewhere, terminal):
        with pytest.raises(RuntimeError), Progress(stream, "loading shop", "wrote", 50):
            raise RuntimeError
        assert "wrote" not in stream.getvalue()
    assert elsewhere.getvalue().count("\n") == 1
    assert terminal.getvalue().endswith("\n")
