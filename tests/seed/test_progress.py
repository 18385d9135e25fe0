from __future__ import annotations

import re
from io import StringIO
from itertools import count

import pytest

from seed.progress import Progress


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


def test_a_load_that_fails_is_not_said_to_be_complete() -> None:
    elsewhere, terminal = StringIO(), Terminal()
    for stream in (elsewhere, terminal):
        with pytest.raises(RuntimeError), Progress(stream, "loading shop", "wrote", 50):
            raise RuntimeError
        assert "wrote" not in stream.getvalue()
    assert elsewhere.getvalue().count("\n") == 1
    assert terminal.getvalue().endswith("\n")
