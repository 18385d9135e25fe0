"""Real sockets; that every pattern answers in time is in `tests/faults`."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from lambdas.runtime import settings
from lambdas.runtime.whole_answers import WholeAnswer

SECONDS = 0.2
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
OF_LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"

Say = Callable[..., WholeAnswer]
"""The answer to a client whose peer says these things, with a pause before each but the first."""


@pytest.fixture
def say() -> Iterator[Say]:
    here, there = socket.socketpair()
    threads: list[threading.Thread] = []

    def said(*things: bytes, pause: float = 0) -> WholeAnswer:
        def speak() -> None:
            for at, thing in enumerate(things):
                time.sleep(pause if at else 0)
                there.sendall(thing)

        threads.append(threading.Thread(target=speak))
        threads[-1].start()
        here.settimeout(SECONDS)
        return WholeAnswer(here, method="POST")

    yield said
    for thread in threads:
        thread.join()
    here.close()
    there.close()


def test_an_answer_is_read_as_it_is_whether_it_comes_at_once_or_in_pieces(say: Say) -> None:
    for things in ([HEAD + b"whole"], [HEAD[:20], HEAD[20:] + b"wh", b"ole"]):
        answer = say(*things)
        answer.begin()

        assert (answer.status, answer.read()) == (200, b"whole")
        assert answer.isclosed()


def test_the_connection_is_good_for_another_answer(say: Say) -> None:
    for text in (b"first", b"again"):
        answer = say(HEAD + text)
        answer.begin()
        assert answer.read() == text


def test_headers_that_take_longer_in_all_are_not_waited_for(say: Say) -> None:
    """Each byte by itself comes in time."""
    answer = say(*(HEAD[at : at + 1] for at in range(20)), pause=SECONDS / 10)

    with pytest.raises(TimeoutError):
        answer.begin()


def test_a_body_that_takes_longer_in_all_is_not_waited_for(say: Say) -> None:
    answer = say(OF_LENGTH % 20, *[b"x"] * 20, pause=SECONDS / 10)
    answer.begin()

    with pytest.raises(TimeoutError):
        answer.read()


def test_an_answer_of_the_largest_size_is_read_and_one_that_is_larger_is_not(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = OF_LENGTH % 1000 + b"x" * 1000
    monkeypatch.setattr(settings, "MAX_ANSWER_BYTES", len(text))
    answer = say(text)
    answer.begin()
    assert len(answer.read()) == 1000

    monkeypatch.setattr(settings, "MAX_ANSWER_BYTES", len(text) - 1)
    with pytest.raises(http.client.HTTPException, match="does not end"):
        say(text).begin()
