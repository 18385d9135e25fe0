"""What holds for the cursors of every list: the text that was given out is taken, and no other."""

from __future__ import annotations

import string
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import CURSOR, AccessPattern
from lambdas.design.values import Period
from lambdas.runtime import cursor, times
from lambdas.runtime.errors import BadInput
from lambdas.runtime.requests import Arguments

PAGED = [each for each in ACCESS_PATTERNS if CURSOR in each.parameters]
EACH = pytest.mark.parametrize("pattern", PAGED, ids=lambda each: each.name)

ALPHABET = string.ascii_letters + string.digits + "-_"
FOREIGN = "=+/. %~\n\0ü"
"""Characters that no cursor has."""


def arguments_of(pattern: AccessPattern) -> dict[str, Any]:
    """The arguments of the pattern's example."""
    given: dict[str, Any] = {each.name: each.default for each in pattern.parameters}
    return given | pattern.example


def taken(pattern: AccessPattern, arguments: Arguments, text: str) -> bool:
    try:
        return cursor.read(pattern, {**arguments, CURSOR.name: text}) is not None
    except BadInput:
        return False


def written(pattern: AccessPattern, padding: int = 0) -> str:
    """A cursor as the pattern gives it out; the padding makes its text end in another way."""
    index = pattern.index
    last = {name: {"S": f"{name}#ü"} for name in (index.partition_key, "PK", "SK")}
    last[index.sort_key] = {"S": "ü" + "x" * padding}
    return cursor.write(pattern, arguments_of(pattern), last, times.to_text(times.now()))


def changed(text: str) -> Iterator[str]:
    """Every text that is one change away, and some that are more."""
    for place, character in enumerate(text):
        before, after = text[:place], text[place + 1 :]
        for other in (ALPHABET + FOREIGN).replace(character, ""):
            yield before + other + after
        yield before + after  # one is left out
        yield from (before + each + character + after for each in "A_=\n")  # one is put in
        yield before  # cut off, at the end and at the beginning
        yield after
        if after and after[0] != character:
            yield before + after[0] + character + after[1:]  # two have changed places
    yield from (text + tail for tail in ("=", "==", "===", "A", "AA", "AAAA", "\n", " ", "%3D"))
    yield from (text * 2, text.upper(), text.lower(), text.swapcase(), text[::-1])


@pytest.mark.parametrize("padding", [0, 1, 2])
@EACH
def test_any_change_of_any_character_is_noticed(pattern: AccessPattern, padding: int) -> None:
    text, arguments = written(pattern, padding), arguments_of(pattern)
    assert taken(pattern, arguments, text)
    accepted = {each for each in changed(text) if taken(pattern, arguments, each)}
    assert accepted - {text} == set()


@EACH
def test_of_all_texts_that_decode_to_the_same_bytes_one_is_taken(pattern: AccessPattern) -> None:
    """The last character of a text may have bits that decode to nothing."""
    spared = 0
    for text in (written(pattern, padding) for padding in range(3)):
        twins = {text[:-1] + other for other in ALPHABET} | {text + "=" * n for n in range(3)}
        same = {each for each in twins if decoded(each) == decoded(text)}
        spared += len(same) - 1
        assert {each for each in same if taken(pattern, arguments_of(pattern), each)} == {text}
    assert spared >= 18  # 15 and 3 characters beside the right one


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text.rstrip("=") + "==")


@EACH
@given(data=st.data())
def test_any_bytes_in_any_places_are_noticed(pattern: AccessPattern, data: st.DataObject) -> None:
    text = written(pattern)
    places = st.dictionaries(st.integers(0, len(text) - 1), st.sampled_from(ALPHABET), min_size=1)
    other = list(text)
    for place, character in data.draw(places).items():
        other[place] = character
    assert taken(pattern, arguments_of(pattern), "".join(other)) == ("".join(other) == text)


def test_the_cursor_of_any_pattern_is_refused_by_every_other() -> None:
    for pattern in PAGED:
        for other in PAGED:
            is_same = (other.variant_of or other.id) == (pattern.variant_of or pattern.id)
            if not is_same:
                assert not taken(other, arguments_of(other), written(pattern)), (pattern, other)


@EACH
def test_a_cursor_is_refused_with_any_other_value_of_any_parameter(pattern: AccessPattern) -> None:
    arguments = arguments_of(pattern)
    for parameter in pattern.parameters:
        value = "2023" if parameter.type is Period else f"{arguments[parameter.name]}x"
        accepted = taken(pattern, {**arguments, parameter.name: value}, written(pattern))
        assert accepted == (parameter.name in {"limit", "cursor"})
