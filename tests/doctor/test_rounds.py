"""Faults of every kind in one table: all are found, mended if they can be, and then gone."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from botocore.exceptions import ClientError

from doctor.faults import KINDS
from doctor.rounds import TRIES
from tests.doctor.conftest import Doctor, Place, Stored, changed, place
from tests.doctor.test_items import GHOST, JOB, TOMBSTONE, VIP, item, text

ALICE, BOB = ("USER#U-001", "PROFILE"), ("USER#U-002", "PROFILE")
ALICES_GUARD, BOBS_GUARD = (("EMAIL#" + each,) * 2 for each in ("alice@x.de", "bob@x.de"))
PENDING, PAID = (("USER#U-001", f"ORDER#{each}") for each in ("2024-01-15", "2024-12-24"))
BOUGHT = tuple(("ORDER#2024-01-15", f"ITEM#{each}") for each in ("P-100", "P-200"))
EMPTIED = ("USER#U-001", "ORDER#2024-02-01")
HEADPHONES, CABLE = (("PRODUCT#" + each,) * 2 for each in ("P-100", "P-200"))
FINN = ("Student#Finn Forschgeist", "Seminar#Die Kunst des Machine Learning")
BOB_THE_PERSON, CARLA = (("PERSON#" + each,) * 2 for each in ("bob", "carla"))


def guard(email: str, user_id: str) -> dict[str, Any]:
    key = f"EMAIL#{email}"
    return item(PK=key, SK=key, Type="EmailGuard", UserId=user_id, Version=1)


def user(stored: Stored, number: int, email: str) -> dict[str, Any]:
    """A user like Bob, without a guard."""
    name = f"USER#U-{number}"
    keys = item(PK=name, GSI1SK=name, GSI1PK=f"EMAIL#{email}", Email=email)
    return stored[BOB] | keys


def some_items_of(stored: Stored, order: Place) -> list[Place]:
    partition = order[1]
    return [place for place in stored.all() if place[0] == partition]


@pytest.fixture
def planted(stored: Stored) -> Stored:
    """A fault of each kind and the near-misses of those that depend on other items."""
    # These are mended: keys in indexes, types, versions, ghosts
    stored.change(PAID, GSI1PK=text("STATUS#PENDING"), GSI1SK=text("2024-12-24"))
    stored.change(("USER#U-001", "ORDER#2025-01-02"), GSI1PK=None, GSI1SK=None)
    stored.change(CABLE, Category=text("electronics/audio/headphones"))
    stored.change(ALICE, GSI2SK=None)
    stored.change(HEADPHONES, Type=None)
    stored.change(CARLA, Version=None)
    stored.put(GHOST | VIP)
    stored.put(TOMBSTONE)
    # guards
    stored.delete(BOBS_GUARD)
    stored.put(guard("nobodys@x.de", "U-404"))
    stored.put(guard("given-up@x.de", "U-001"))
    stored.put(guard("of-the-deleted@x.de", "U-77"))
    stored.put(user(stored, 79, "new@x.de"))
    stored.put(guard("new@x.de", "U-001"))
    # and counts.
    stored.change(BOB_THE_PERSON, Followers={"N": "7"}, Following={"N": "0"})
    # These are left.
    stored.put(user(stored, 80, "alice@x.de"))
    for lost in some_items_of(stored, EMPTIED):
        stored.delete(lost)
    stored.delete(PENDING)
    stored.change(FINN, RaumNr=None, Semester={"N": "3"}, Farbe=text("rot"))
    stored.put(JOB)
    stored.put(item(PK="USER#U-81", SK="JOB#1", Type="User", Version=1))
    stored.put(guard("E@x.de", "U-404"))
    stored.put(item(PK="A", SK="B", Type="Gadget", Version=1))
    stored.put(item(PK="JOB#2", SK="JOB#2", Type="DeletedJob", Version=0))
    return stored


MENDED = {
    "unwanted index key": ["Order USER#U-001 / ORDER#2024-12-24: GSI1"],
    "missing index key": ["Order USER#U-001 / ORDER#2025-01-02: GSI1"],
    "stale index key": ["Product PRODUCT#P-200 / PRODUCT#P-200: GSI1"],
    "half an index key": ["User USER#U-001 / PROFILE: GSI2"],
    "missing type": ["? PRODUCT#P-100 / PRODUCT#P-100: Product"],
    "missing version": ["Person PERSON#carla / PERSON#carla"],
    "ghost": ["? USER#U-78 / PROFILE"],
    "wrong count": [
        f"Person {' / '.join(BOB_THE_PERSON)}: {n}" for n in ("Followers", "Following")
    ],
    "missing guard": [f"User USER#{each} / PROFILE: EmailGuard" for each in ("U-002", "U-79")],
}
LEFT = {
    "taken twice": ["User USER#U-80 / PROFILE: EmailGuard"],
    "no parts": ["Order USER#U-001 / ORDER#2024-02-01: OrderItem"],
    "no whole": [f"OrderItem {' / '.join(each)}: Order" for each in BOUGHT],
    "missing attribute": [f"Enrolment {' / '.join(FINN)}: RaumNr"],
    "invalid attribute": [
        f"Enrolment {' / '.join(FINN)}: Semester",
        "Job JOB#j / JOB#j: FailedAt (for GSI1)",
    ],
    "unknown attribute": [f"Enrolment {' / '.join(FINN)}: Farbe"],
    "undecodable key": ["User USER#U-81 / JOB#1"],
    "unknown type": ["? A / B"],
    "bad version": ["DeletedJob JOB#2 / JOB#2"],
}
ORPHANS = ["E@x.de", "given-up@x.de", "new@x.de", "nobodys@x.de", "of-the-deleted@x.de"]


def test_all_that_is_planted_is_found_and_nothing_else(planted: Stored, doctor: Doctor) -> None:
    before = planted.all()
    said = doctor()
    expected = {
        **MENDED,
        **LEFT,
        "disagreeing key": ["EmailGuard EMAIL#E@x.de / EMAIL#E@x.de: EMAIL#{Email:lower}"] * 2,
    }
    orphans = said.kinds["orphan guard"]
    assert {
        name: each for name, each in said.examples.items() if name != "orphan guard"
    } == expected
    assert orphans["found"] == len(ORPHANS)
    assert set(orphans["examples"]) <= {
        f"EmailGuard EMAIL#{each} / EMAIL#{each}: User" for each in ORPHANS
    }
    assert said.status == 1
    assert said.report["items"] == len(before)
    assert planted.all() == before, "looking changes nothing"
    assert set(said.kinds) | {"former name", "refused"} == {kind.name for kind in KINDS}


def test_what_can_be_mended_is_and_the_rest_is_left_as_it_is(
    planted: Stored, doctor: Doctor
) -> None:
    before = planted.all()
    mended = doctor("--fix", "--yes")
    assert mended.there.keys() == LEFT.keys() | {"disagreeing key"}
    assert mended.status == 1

    after = planted.all()
    expected = {
        **before,
        PAID: changed(before[PAID], GSI1PK=None, GSI1SK=None),
        ("USER#U-001", "ORDER#2025-01-02"): before["USER#U-001", "ORDER#2025-01-02"]
        | item(GSI1PK="STATUS#PENDING", GSI1SK="2025-01-02"),
        CABLE: before[CABLE] | item(GSI1SK="audio#headphones#P-200"),
        ALICE: before[ALICE] | item(GSI2SK="USER#U-001"),
        HEADPHONES: before[HEADPHONES] | item(Type="Product", Version=2),
        CARLA: before[CARLA] | item(Version=1),
        BOBS_GUARD: guard("bob@x.de", "U-002"),
        ("EMAIL#new@x.de",) * 2: guard("new@x.de", "U-79") | item(Version=2),
        BOB_THE_PERSON: before[BOB_THE_PERSON] | item(Followers=2, Following=1, Version=3),
    }
    gone = [place(GHOST), *((f"EMAIL#{each}",) * 2 for each in ORPHANS if each != "new@x.de")]
    assert after == {where: each for where, each in expected.items() if where not in gone}

    again = doctor("--fix", "--yes")
    assert again.there == {name: len(each) for name, each in LEFT.items()}
    assert not any(kind["mended"] or kind["mendable"] for kind in again.kinds.values())
    assert planted.all() == after


def test_an_item_that_changes_meanwhile_is_mended_as_it_is_then(
    stored: Stored, doctor: Doctor
) -> None:
    stored.change(CABLE, GSI1PK=None, GSI1SK=None)
    others = iter(["books/paper", "books/paper/new"])

    def somebody_moves_it() -> None:
        if category := next(others, None):
            version = int(stored[CABLE]["Version"]["N"]) + 1
            stored.change(CABLE, Category=text(category), Version={"N": str(version)})

    with stored.before_each("UpdateItem", somebody_moves_it):
        said = doctor("--fix", "--yes")
    assert stored[CABLE]["Category"] == text("books/paper/new")
    assert stored[CABLE]["GSI1SK"] == text("paper#new#P-200")
    assert stored[CABLE]["Version"] == {"N": "3"}
    assert (said.status, said.report["changedMeanwhile"]) == (0, 0)


def test_an_item_that_never_holds_still_is_left_and_told(stored: Stored, doctor: Doctor) -> None:
    stored.change(CABLE, GSI1PK=None, GSI1SK=None)

    def somebody_counts() -> None:
        version = int(stored[CABLE]["Version"]["N"]) + 1
        stored.change(CABLE, Version={"N": str(version)})

    with stored.before_each("UpdateItem", somebody_counts):
        said = doctor("--fix", "--yes")
    assert "GSI1PK" not in stored[CABLE]
    assert (said.status, said.report["changedMeanwhile"]) == (1, 1)


def test_an_item_that_is_deleted_meanwhile_does_not_come_back(
    stored: Stored, doctor: Doctor
) -> None:
    stored.change(CABLE, GSI1PK=None, GSI1SK=None)
    with stored.before_each("UpdateItem", lambda: stored.delete(CABLE)):
        said = doctor("--fix", "--yes", "--items-only")
    assert CABLE not in stored
    assert said.status == 0


def test_an_address_that_is_given_meanwhile_is_not_taken_away(
    stored: Stored, doctor: Doctor
) -> None:
    new = guard("new@x.de", "U-404")
    stored.put(new)

    def somebody_signs_up() -> None:
        stored.put(user(stored, 404, "new@x.de"))

    with stored.before_each("TransactWriteItems", somebody_signs_up):
        said = doctor("--fix", "--yes")
    assert stored[place(new)] == new
    assert said.there == {}


def test_a_count_is_not_believed_while_somebody_follows(stored: Stored, doctor: Doctor) -> None:
    stored.change(BOB_THE_PERSON, Following={"N": "0"})

    def somebody_follows() -> None:
        stored.put(
            item(
                PK="PERSON#bob",
                SK="FOLLOWS#dave",
                Type="Follow",
                Since="2025-01-01T00:00:00.000Z",
                Version=1,
            )
        )
        stored.change(BOB_THE_PERSON, Following={"N": "1"}, Version={"N": "2"})

    with stored.before_each("UpdateItem", somebody_follows):
        doctor("--fix", "--yes")
    assert stored[BOB_THE_PERSON]["Following"] == {"N": "2"}


def test_what_dynamodb_does_not_take_is_named_and_the_others_are_mended(
    stored: Stored, doctor: Doctor
) -> None:
    """An item as large as may be has no room for its keys."""
    large = largest(stored, changed(stored[ALICE], GSI1PK=None, GSI1SK=None))
    stored.change(PAID, GSI1PK=text("STATUS#PENDING"), GSI1SK=text("2024-12-24"))

    said = doctor("--fix", "--yes", "--items-only")

    assert said.examples["refused"] == ["User USER#U-001 / PROFILE"]
    assert said.kinds["unwanted index key"]["mended"] == 1
    assert stored[ALICE] == large
    assert said.status == 1


def largest(stored: Stored, small: dict[str, Any]) -> dict[str, Any]:
    """The item with the longest name that moto, which counts in its own way, still takes."""
    for length in range(405_000, 0, -15):
        large = small | item(Name="n" * length)
        with suppress(ClientError):
            stored.put(large)
            return large
    raise AssertionError("moto takes nothing")


def test_an_attribute_that_is_null_counts_as_none_and_what_follows_is_mended(
    stored: Stored, doctor: Doctor
) -> None:
    stored.change(ALICE, VIP={"NULL": True})

    said = doctor("--fix", "--yes", "--items-only")

    assert said.there == {}
    assert stored[ALICE] == changed(stored[ALICE], GSI2PK=None, GSI2SK=None)
    assert doctor().status == 0


def test_a_key_is_shown_without_what_a_terminal_would_obey(stored: Stored, doctor: Doctor) -> None:
    stored.put(item(PK="\x1bc#A", SK="a\nb", Type="Gadget", Version=1))

    assert doctor("--items-only").examples["unknown type"] == [r"? \x1bc#A / a\nb"]


def cancelled(*codes: str) -> ClientError:
    """A transaction that was cancelled for these reasons, one a step."""
    response: Any = {
        "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
        "CancellationReasons": [{"Code": code} for code in codes],
    }
    return ClientError(response, "TransactWriteItems")


@pytest.mark.parametrize(
    ("codes", "is_mended"),
    [
        (("None", "ThrottlingError"), True),
        (("ProvisionedThroughputExceeded", "None"), True),
        (("ConditionalCheckFailed", "ThrottlingError"), False),
        (("None", "TransactionConflict"), False),
    ],
)
def test_a_throttled_transaction_is_tried_again_and_others_have_changed_nothing(
    stored: Stored,
    doctor: Doctor,
    codes: tuple[str, ...],
    is_mended: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More often than an item is read anew that others change, and less often than is asked."""
    monkeypatch.setattr("seed.table.FIRST_PAUSE_SECONDS", 0)
    left = iter(range(TRIES + 1))
    stored.delete(ALICES_GUARD)

    def refuse() -> None:
        if next(left, None) is not None:
            raise cancelled(*codes)

    with stored.before_each("TransactWriteItems", refuse):
        said = doctor("--fix", "--yes")

    assert (ALICES_GUARD in stored) == is_mended
    assert said.report["changedMeanwhile"] == (not is_mended)
