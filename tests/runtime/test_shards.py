"""A collection that is spread over several partition keys reads as if it were one."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lambdas.design.operations import BeginsWith, SortCondition, WholeCollection
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import cursor, keys, store
from lambdas.runtime.cursor import seal
from tests.runtime.conftest import Log
from tests.runtime.sharded import (
    IN_ORDER,
    Index,
    ask,
    list_of,
    page,
    payload,
    ticket,
    tickets,
)

DAYS = ("2024-01-01", "2024-01-02", "2024-01-31", "2024-02", "2024-02-01", "😀", "\U0010ffff" * 3)
SPREAD = tickets(4)
LIST = list_of(SPREAD)


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """The index that the functions read."""
    index = Index()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TABLE_NAME", "Table-1")
        environment.setattr(store, "client", lambda: index)
        yield index


def fresh(index: Index, most: int = 1_000) -> Index:
    """The index with nothing in it, for each example of a generated test."""
    index.items, index.asked, index.most = {}, [], most
    index.before, index.broken = lambda: None, {}
    return index


@pytest.fixture(autouse=True)
def _empty(index: Index) -> None:
    fresh(index)


def pages(pattern: AccessPattern, limit: int, **parameters: str) -> Iterator[dict[str, Any]]:
    """Every page, read when it is asked for."""
    found = page(pattern, limit=str(limit), **parameters)
    yield found
    for _ in range(100):
        if not found["next"]:
            return
        found = page(pattern, limit=str(limit), cursor=found["next"], **parameters)
        yield found
    raise AssertionError("the pages do not end")


def ids(found: dict[str, Any]) -> list[str]:
    return [each["TicketId"] for each in found["items"]]


def days(found: dict[str, Any]) -> list[str]:
    return [each["Day"] for each in found["items"]]


# --- Like a collection that is not sharded ----------------------------------------------------

filled = st.lists(st.sampled_from(DAYS), max_size=40)
steering = st.fixed_dictionaries(
    {},
    optional={
        "newest": st.sampled_from(["true", "false"]),
        "from": st.sampled_from(["2024", "2024-01-02", "2024-02"]),
        "to": st.sampled_from(["2024-01", "2024-02-01", "2025"]),
    },
).filter(lambda given: given.get("from") != "2024-02" or given.get("to") != "2024-01")


@pytest.mark.parametrize("sort", [IN_ORDER, BeginsWith(), WholeCollection()])
@given(filled=filled, shards=st.integers(1, 9), asked=st.tuples(st.integers(1, 12), steering))
def test_every_page_has_what_an_unsharded_collection_has(
    index: Index,
    sort: SortCondition,
    filled: list[str],
    shards: int,
    asked: tuple[int, dict[str, str]],
) -> None:
    limit, steering = asked
    if sort != IN_ORDER:
        steering = {name: value for name, value in steering.items() if name == "newest"}

    found: list[list[dict[str, Any]]] = []
    for count in (1, shards):
        entity = tickets(count)
        fresh(index).put(ticket(entity, f"T-{at}", day) for at, day in enumerate(filled))
        read = list(pages(list_of(entity, sort), limit, **steering))
        assert len(index.asked) == count * len(read)
        found.append(read)

    plain, spread = found
    assert [days(each) for each in spread] == [days(each) for each in plain]
    assert Counter(each for read in spread for each in ids(read)) == Counter(
        each for read in plain for each in ids(read)
    )


@given(filled=filled, limit=st.integers(1, 12), newest=st.sampled_from(["true", "false"]))
@example(filled=[DAYS[0]] * 20, limit=3, newest="true")
def test_one_day_s_tickets_are_all_there_though_the_day_is_the_whole_sort_key(
    index: Index, filled: list[str], limit: int, newest: str
) -> None:
    fresh(index).put(ticket(SPREAD, f"T-{at}", day) for at, day in enumerate(filled))

    read = list(pages(LIST, limit, newest=newest, day=DAYS[0]))

    wanted = [f"T-{at}" for at, day in enumerate(filled) if day == DAYS[0]]
    assert sorted(each for found in read for each in ids(found)) == sorted(wanted)
    assert all(len(found["items"]) == limit for found in read[:-1])


@given(filled=filled, most=st.integers(1, 4), limit=st.integers(1, 12))
def test_where_answers_end_at_their_size_nothing_is_lost_and_all_stays_in_order(
    index: Index, filled: list[str], most: int, limit: int
) -> None:
    fresh(index, most).put(ticket(SPREAD, f"T-{at}", day) for at, day in enumerate(filled))

    read = list(pages(LIST, limit))

    assert sorted(each for found in read for each in ids(found)) == sorted(
        f"T-{at}" for at in range(len(filled))
    )
    shown = [day for found in read for day in days(found)]
    assert shown == sorted(shown)
    assert all(len(found["items"]) <= limit for found in read)


# --- Between the pages ------------------------------------------------------------------------

changes = st.lists(
    st.lists(st.tuples(st.booleans(), st.integers(0, 60), st.sampled_from(DAYS)), max_size=6),
    max_size=12,
)


@given(filled=filled, changes=changes, limit=st.integers(1, 7), newest=st.booleans())
def test_what_is_there_all_the_time_is_shown_once_whatever_comes_and_goes(
    index: Index,
    filled: list[str],
    changes: list[list[tuple[bool, int, str]]],
    limit: int,
    newest: bool,
) -> None:
    fresh(index).put(ticket(SPREAD, f"T-{at}", day) for at, day in enumerate(filled))
    stays = {f"T-{at}" for at in range(len(filled))}
    to_come = iter(changes)
    shown: list[tuple[str, str]] = []
    for found in pages(LIST, limit, newest=str(newest).lower()):
        shown += zip(days(found), ids(found), strict=True)
        for comes, number, day in next(to_come, []):
            if comes:
                index.put([ticket(SPREAD, f"N-{number}", day)])
            else:
                index.items.pop((f"TICKET#T-{number}", f"TICKET#T-{number}"), None)
                stays.discard(f"T-{number}")

    names = [name for _, name in shown if name.startswith("T-")]
    assert stays <= set(names)
    assert len(names) == len(set(names))
    in_order = [day for day, _ in shown]
    assert in_order == sorted(in_order, reverse=newest)


def test_what_is_written_before_the_place_is_not_shown_and_what_is_written_after_it_is(
    index: Index,
) -> None:
    index.put(ticket(SPREAD, f"T-{at}", day) for at, day in enumerate(DAYS[1:4]))
    read = pages(LIST, limit=2)
    assert days(next(read)) == [*DAYS[1:3]]
    for shard in range(4):  # one in each shard, before and after
        names = (f"N-{at}" for at in range(100))
        name = next(n for n in names if keys.shard((f"TICKET#{n}", f"TICKET#{n}"), 4) == shard)
        index.put([ticket(SPREAD, name, DAYS[0]), ticket(SPREAD, f"{name}x", DAYS[4])])

    assert days(next(read)) == [DAYS[3], DAYS[4]]
    assert [day for found in read for day in days(found)] == [DAYS[4]] * 3


def test_the_place_is_kept_when_the_item_at_which_a_page_ended_is_removed(index: Index) -> None:
    index.put(ticket(SPREAD, f"T-{at}", DAYS[at // 5]) for at in range(20))
    read = pages(LIST, limit=3)
    shown = ids(next(read))
    del index.items[f"TICKET#{shown[-1]}", f"TICKET#{shown[-1]}"]

    shown += [name for found in read for name in ids(found)]

    assert sorted(shown) == sorted(f"T-{at}" for at in range(20))


# --- Cursors ----------------------------------------------------------------------------------


def test_a_cursor_has_one_item_in_it_however_many_shards_there_are(index: Index) -> None:
    sizes = []
    for shards in (2, 16):
        entity = tickets(shards)
        fresh(index).put(ticket(entity, f"T-{at}", f"2024-01-{at:02}") for at in range(1, 30))
        sizes.append(payload(page(list_of(entity), limit="15")["next"]))

    for sort, suffix, *primary in sizes:
        assert (sort, suffix[0], primary) == ("DAY#2024-01-15", "#", ["TICKET#T-15"] * 2)


def test_where_many_have_one_sort_key_it_has_one_primary_key_for_each_shard(index: Index) -> None:
    index.put(ticket(SPREAD, f"T-{at}", DAYS[0]) for at in range(50))

    read = [payload(found["next"]) for found in pages(LIST, limit=10) if found["next"]]

    assert [len(values) for values in read[-2:]] == [1 + 3 * shards for shards in (3, 4)]


def test_a_cursor_never_has_the_partition_key(index: Index) -> None:
    index.put(ticket(SPREAD, f"T-{at}", DAYS[0]) for at in range(5))

    assert "TICKETS" not in "".join(payload(page(LIST, limit="2")["next"]))


def arguments() -> dict[str, Any]:
    return {each.name: each.default for each in LIST.parameters}


GOOD = ["DAY#2024-01-01", "#1/4", "TICKET#T-1", "TICKET#T-1"]
LONG = "x" * 1025


@pytest.mark.parametrize(
    "values",
    [
        [],
        GOOD[:1],
        GOOD[:3],
        GOOD[:1] + GOOD[2:],
        [*GOOD, *GOOD[1:]],
        [*GOOD, "#2/4"],
        [*GOOD[:1], "#4/4", *GOOD[2:]],
        [*GOOD[:1], "", *GOOD[2:]],
        [*GOOD[:1], "#1/8", *GOOD[2:]],
        ["", *GOOD[1:]],
        [LONG, *GOOD[1:]],
        [*GOOD[:2], "", GOOD[3]],
        [*GOOD[:2], LONG, GOOD[3]],
        ["DAX#2024", *GOOD[1:]],
        ["DAY$", *GOOD[1:]],
        ["DAY#2024\ud800", *GOOD[1:]],
    ],
)
def test_a_cursor_that_somebody_has_made_is_refused(index: Index, values: list[str]) -> None:
    index.put([ticket(SPREAD, "T-1", DAYS[0]), ticket(SPREAD, "T-2", DAYS[1])])
    assert page(LIST, cursor=seal(LIST, arguments(), GOOD, ""))["items"] == [
        {"Type": "Ticket", "TicketId": "T-2", "Day": DAYS[1], "Version": 1}
    ]
    payload = json.dumps(values).encode()
    digest = cursor._digest(LIST, arguments(), payload)  # noqa: SLF001 - as anybody can
    forged = urlsafe_b64encode(digest + payload).decode().rstrip("=")

    answer = ask(LIST, cursor=forged)

    assert answer["statusCode"] == 400
    assert [each["name"] for each in json.loads(answer["body"])["errors"]] == ["cursor"]


def test_a_cursor_of_before_the_list_was_sharded_is_refused(index: Index) -> None:
    index.put(ticket(tickets(), f"T-{at}", DAYS[at]) for at in range(3))
    before = page(list_of(tickets()), limit="1")["next"]

    assert ask(LIST, cursor=before)["statusCode"] == 400
    assert ask(list_of(tickets()), cursor=before)["statusCode"] == 200


# --- What is asked, and what goes wrong -------------------------------------------------------


def test_all_shards_are_asked_for_a_page_and_what_they_cost_is_added_up(
    index: Index, log: Log
) -> None:
    index.put(ticket(SPREAD, f"T-{at}", DAYS[0]) for at in range(40))

    headers = ask(LIST, limit="2")["headers"]

    [line] = log.lines
    counted = ("requests", "read_units", "items_read", "items_returned")
    assert [line[name] for name in counted] == [4, 2.0, 12, 2]
    assert (headers["X-DynamoDB-Requests"], headers["X-DynamoDB-Capacity"]) == ("4", "2.0")
    asked = {each["ExpressionAttributeValues"][":partition"]["S"] for each in index.asked}
    assert asked == {f"TICKETS#{shard}/4" for shard in range(4)}
    assert {each["Limit"] for each in index.asked} == {3}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ProvisionedThroughputExceededException", 429),
        ("InternalServerError", 503),
        ("AccessDeniedException", 503),
    ],
)
def test_when_one_shard_fails_the_read_fails(index: Index, code: str, status: int) -> None:
    index.put(ticket(SPREAD, f"T-{at}", DAYS[0]) for at in range(9))
    index.broken = {"TICKETS#2/4": code}

    answer = ask(LIST)

    assert (answer["statusCode"], answer["headers"]["X-DynamoDB-Requests"]) == (status, "4")
    assert answer["headers"]["X-DynamoDB-Capacity"] == "1.5"
    assert "T-" not in answer["body"]


def test_no_shard_is_asked_any_more_when_the_call_has_no_time_left(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lambdas.runtime.settings.LAST_START_SECONDS", 0)

    answer = ask(LIST)

    assert (answer["statusCode"], answer["headers"]["X-DynamoDB-Requests"]) == (503, "0")
    assert index.asked == []


def test_the_second_round_is_not_begun_when_the_first_has_taken_all_the_time(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing = list_of(tickets(2, reads=(1, 2)))
    index.before = lambda: monkeypatch.setattr("time.monotonic", lambda: float("inf"))

    answer = ask(changing)

    assert (answer["statusCode"], answer["headers"]["X-DynamoDB-Requests"]) == (503, "1")


# --- While the number of shards changes -------------------------------------------------------


@pytest.mark.parametrize("numbers", [(1, 4), (4, 6), (6, 4), (4, 1)])
@settings(max_examples=20)
@given(
    filled=st.lists(st.sampled_from(DAYS[:4]), max_size=25) | st.permutations(DAYS),
    steps=st.lists(st.integers(0, 3), max_size=40),
    asked=st.tuples(st.integers(1, 9), st.sampled_from(["true", "false"])),
)
def test_while_items_move_to_their_new_shards_all_are_shown_once(
    index: Index,
    numbers: tuple[int, int],
    filled: list[str],
    steps: list[int],
    asked: tuple[int, str],
) -> None:
    (old, new), (limit, newest) = numbers, asked
    before, after = tickets(old, reads=(old, new)), tickets(new, reads=(old, new))
    fresh(index).put(ticket(before, f"T-{at}", day) for at, day in enumerate(filled))
    moved = iter([ticket(after, f"T-{at}", day) for at, day in enumerate(filled)])
    pace = iter(steps)

    def backfill() -> None:
        index.put(each for _, each in zip(range(next(pace, 0)), moved, strict=False))

    index.before = backfill
    read = list(pages(list_of(after), limit, newest=newest))

    names = [name for found in read for name in ids(found)]
    assert set(names) == {f"T-{at}" for at in range(len(filled))}
    if len(set(filled)) == len(filled):  # of those with one sort key a cursor knows the last alone
        assert len(names) == len(set(names))
    shown = [day for found in read for day in days(found)]
    assert shown == sorted(shown, reverse=newest == "true")
    assert len(index.asked) == (old + new) * len(read)


def test_the_old_number_is_read_before_the_new_one(index: Index) -> None:
    ask(list_of(tickets(2, reads=(1, 2))))

    asked = [each["ExpressionAttributeValues"][":partition"]["S"] for each in index.asked]
    assert asked[0] == "TICKETS"
    assert set(asked[1:]) == {"TICKETS#0/2", "TICKETS#1/2"}


def test_an_item_that_is_found_in_both_places_is_shown_once(index: Index) -> None:
    """Its index entry is put in the one place and not yet removed from the other."""
    both = tickets(2, reads=(1, 2))
    index.items["old", "entry"] = ticket(tickets(), "T-1", DAYS[0])
    index.items["new", "entry"] = ticket(both, "T-1", DAYS[0])
    index.put([ticket(both, "T-2", DAYS[0])])

    read = list(pages(list_of(both), limit=1))

    assert sorted(name for found in read for name in ids(found)) == ["T-1", "T-2"]


def test_nothing_of_this_is_loaded_where_no_key_is_sharded() -> None:
    """It would be a part of every cold start."""
    code = """
import importlib, sys
for name in ("ecommerce", "university", "social"):
    importlib.import_module(f"lambdas.handlers.{name}")
print({"lambdas.runtime.shards", "concurrent.futures.thread"} & sys.modules.keys())
"""
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout == "set()\n"
