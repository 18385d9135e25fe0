"""The requests of a sharded list on an engine that refuses what DynamoDB refuses: places that no
item has, conditions that were narrowed, bounds as long as a key can be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.engines import dynalite
from docs import sample
from lambdas.design.operations import BeginsWith, SortCondition, WholeCollection
from lambdas.runtime import store
from tests.runtime.sharded import IN_ORDER, list_of, page, ticket, tickets

pytestmark = pytest.mark.emulator

SPREAD = tickets(4)
DAYS = [f"2024-01-{1 + at // 3:02}" for at in range(24)]
"""Three tickets a day."""


@pytest.fixture(scope="module", autouse=True)
def _stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with dynalite(tmp_path_factory.mktemp("dynalite")) as url, sample.table(url):
        for at, day in enumerate(DAYS):
            store.client().put_item(
                TableName=sample.TABLE_NAME, Item=ticket(SPREAD, f"T-{at:02}", day)
            )
        yield


@pytest.mark.parametrize("newest", ["false", "true"])
@pytest.mark.parametrize("limit", [1, 4, 24])
@pytest.mark.parametrize(
    ("sort", "given", "days"),
    [
        (WholeCollection(), {}, DAYS),
        (BeginsWith(), {}, DAYS),
        (BeginsWith(), {"day": DAYS[5]}, DAYS[3:6]),
        (IN_ORDER, {"from": "2024-01-03"}, DAYS[6:]),
        (IN_ORDER, {"to": "2024-01-03"}, DAYS[:9]),
        (IN_ORDER, {"from": "2024-01-02", "to": "2024-01-07"}, DAYS[3:21]),
    ],
)
def test_all_that_is_asked_is_answered_page_by_page(
    sort: SortCondition, given: dict[str, str], days: list[str], limit: int, newest: str
) -> None:
    asked = {**given, "limit": str(limit), "newest": newest}
    read = [page(list_of(SPREAD, sort), **asked)]
    while read[-1]["next"]:
        read.append(page(list_of(SPREAD, sort), **asked, cursor=read[-1]["next"]))

    shown = [each for found in read for each in found["items"]]
    assert [each["Day"] for each in shown] == sorted(days, reverse=newest == "true")
    assert len({each["TicketId"] for each in shown}) == len(shown)
    assert [len(found["items"]) for found in read[:-1]] == [limit] * (len(read) - 1)
    assert read[-1]["items"]


def test_a_page_goes_on_when_the_item_at_which_it_ended_is_gone() -> None:
    first = page(list_of(SPREAD), limit="4")
    last = first["items"][-1]["TicketId"]
    key = {name: {"S": f"TICKET#{last}"} for name in ("PK", "SK")}
    store.client().delete_item(TableName=sample.TABLE_NAME, Key=key)

    second = page(list_of(SPREAD), cursor=first["next"])

    shown = {each["TicketId"] for found in (first, second) for each in found["items"]}
    assert len(shown) == len(DAYS)
