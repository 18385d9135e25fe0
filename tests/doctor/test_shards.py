"""A change of the number of shards: what readers see of it, and the doctor as its backfill."""

from __future__ import annotations

import pytest

from doctor.items import examine
from lambdas.design.ecommerce import Order
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import keys
from lambdas.runtime.items import to_item
from tests.doctor.conftest import NOW, Doctor, Stored, changed, place
from tests.handlers.caller import pages
from tests.handlers.ecommerce.samples import order
from tests.pending import pending


def listed(pattern: AccessPattern) -> list[str]:
    """The ids of the orders that AP-05 lists, page by page."""
    return [each for page in pages(pattern, {}, 9) for each in page.each("OrderId")]


def fill(stored: Stored) -> list[str]:
    """More pending orders, as the declaration now has them; the ids of all that are pending."""
    for day in range(1, 11):
        item = to_item(order("U-001", f"2024-05-{day:02}", Status="PENDING"))
        stored.put(item)
    found = stored.all().values()
    waiting = [each for each in found if each.get("Status") == {"S": "PENDING"}]
    return sorted(each["SK"]["S"].removeprefix("ORDER#") for each in waiting)


def partition_keys(stored: Stored) -> set[str]:
    found = stored.all().values()
    return {each["GSI1PK"]["S"] for each in found if each.get("Status") == {"S": "PENDING"}}


@pytest.mark.parametrize(
    ("old", "new"),
    [(1, 4), (4, 6), *(pytest.param(4, n, marks=pytest.mark.thorough) for n in (2, 1))],
)
def test_the_doctor_brings_all_to_their_new_shards_and_no_list_has_a_gap(
    stored: Stored, doctor: Doctor, old: int, new: int
) -> None:
    with pending(old):
        waiting = fill(stored)
        doctor("--items-only", "--fix", "--yes")
        assert doctor("--items-only").there == {}
    both = (old, new)
    with pending(old, both) as first:  # readers read both, writers still write the old one
        assert listed(first) == waiting
        assert doctor("--items-only").there == {}
    with pending(new, both) as second:  # writers write the new one
        assert listed(second) == waiting
        [stale] = doctor("--items-only").examples.items()
        assert stale[0] == "stale index key"
        before = stored.all()
        for at, each in enumerate(before.values()):  # as if it had been stopped on its way
            if at % 2 and each.get("Status") == {"S": "PENDING"}:
                values = keys.decode(Order.primary, *place(each))
                own = {**values, "Status": "PENDING"}
                moved = keys.attributes(Order.pending, own)
                stored.change(place(each), **{name: {"S": text} for name, text in moved.items()})
        assert listed(second) == waiting
        said = doctor("--items-only", "--fix", "--yes")
        assert (said.status, said.there) == (0, {})
        assert listed(second) == waiting
    with pending(new) as last:
        assert listed(last) == waiting
        assert doctor("--items-only").there == {}
    suffixes = {each.removeprefix("STATUS#PENDING") for each in partition_keys(stored)}
    assert suffixes <= set(last.operation.keys[0].suffixes)
    assert {p: changed(i, GSI1PK=None) for p, i in stored.all().items()} == {
        p: changed(i, GSI1PK=None) for p, i in before.items()
    }


def test_readers_of_the_new_number_alone_miss_what_is_not_backfilled(
    stored: Stored, doctor: Doctor
) -> None:
    """The near-miss of the steps: all at once, and the old orders are gone until the backfill."""
    waiting = fill(stored)
    with pending(4) as pattern:
        assert listed(pattern) == []
        doctor("--items-only", "--fix", "--yes")
        assert listed(pattern) == waiting


@pytest.mark.parametrize(
    ("suffixes", "wrong"),
    [(("",), 1), (("#0/8",), 1), ((f"#{shard}/4" for shard in range(4)), 3)],
)
def test_an_item_in_another_shard_than_its_own_is_found(
    stored: Stored, suffixes: tuple[str, ...], wrong: int
) -> None:
    item = stored["USER#U-001", "ORDER#2024-01-15"]
    with pending(4):
        placed = [item | {"GSI1PK": {"S": f"STATUS#PENDING{each}"}} for each in suffixes]
        cases = [case for each in placed for case in examine(each, NOW)]

    found = [(kind.name, detail) for case in cases for kind, detail in case.findings]
    assert found == [("stale index key", "GSI1")] * wrong
