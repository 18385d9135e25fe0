"""What can be wrong with one item: a fault beside each near-miss."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

import pytest

from doctor import items as examined
from lambdas import design
from lambdas.design.entity import Entity
from lambdas.design.keys import While
from lambdas.design.table import GSI1, GSI2, TABLE
from lambdas.design.values import Count, Id, Money, Text
from lambdas.runtime.items import Item, to_item
from seed import datasets
from tests.doctor.conftest import NOW, changed, place

EXAMPLES = {place(item): item for item in datasets.items(datasets.ALL, NOW)}
ALICE = EXAMPLES["USER#U-001", "PROFILE"]
PENDING = EXAMPLES["USER#U-001", "ORDER#2024-01-15"]
PAID = EXAMPLES["USER#U-001", "ORDER#2024-12-24"]
HEADPHONES = EXAMPLES["PRODUCT#P-100", "PRODUCT#P-100"]
FINN = EXAMPLES["Student#Finn Forschgeist", "Seminar#Die Kunst des Machine Learning"]


def text(value: str) -> dict[str, Any]:
    return {"S": value}


def item(**attributes: str | int) -> Item:
    return {
        name: {"N": str(value)} if isinstance(value, int) else text(value)
        for name, value in attributes.items()
    }


GUARD = item(PK="EMAIL#e@x.de", SK="EMAIL#e@x.de", Type="EmailGuard", UserId="U-404", Version=1)
JOB = item(
    PK="JOB#j",
    SK="JOB#j",
    Type="Job",
    Status="FAILED",
    CreatedAt="2024-03-02T09:15:00.123Z",
    ErrorCode="E-1",
    Version=1,
)
TOMBSTONE = item(PK="USER#U-77", SK="PROFILE", Type="DeletedUser", Version=3)
GHOST = item(PK="USER#U-78", SK="PROFILE", Version=1)
VIP = item(GSI2PK="VIP", GSI2SK="USER#U-78")

FAULTS: dict[str, tuple[Item, list[str]]] = {
    "an order that waits has lost its place in the sparse index": (
        changed(PENDING, GSI1PK=None, GSI1SK=None),
        ["missing index key: GSI1"],
    ),
    "a paid order stayed in the sparse index": (
        changed(PAID, GSI1PK=text("STATUS#PENDING"), GSI1SK=text("2024-12-24")),
        ["unwanted index key: GSI1"],
    ),
    "an entity without a key in an index has one": (FINN | VIP, ["unwanted index key: GSI2"]),
    "a product moved to another category, and its key did not": (
        changed(HEADPHONES, Category=text("electronics/audio/cables")),
        ["stale index key: GSI1"],
    ),
    "an index key is a number": (
        changed(PENDING, GSI1SK={"N": "1"}),
        ["stale index key: GSI1"],
    ),
    "the partition key of an index was written alone": (
        changed(PENDING, GSI1SK=None),
        ["half an index key: GSI1"],
    ),
    "the sort key of an index was left alone": (
        changed(PAID, GSI1SK=text("2024-12-24")),
        ["half an index key: GSI1"],
    ),
    "a product stands under a key that is none of a product's": (
        changed(HEADPHONES, SK=text("PROFILE")),
        ["undecodable key"],
    ),
    "a key has a part too many": (
        changed(HEADPHONES, PK=text("PRODUCT#P-100#1"), SK=text("PRODUCT#P-100#1")),
        ["undecodable key"],
    ),
    "the address in a guard's key is not in lower case": (
        changed(GUARD, PK=text("EMAIL#E@x.de"), SK=text("EMAIL#E@x.de")),
        ["disagreeing key: EMAIL#{Email:lower}", "disagreeing key: EMAIL#{Email:lower}"],
    ),
    "an attribute says something else than the key": (
        changed(HEADPHONES, ProductId=text("P-999")),
        ["disagreeing key: ProductId"],
    ),
    "an attribute repeats what the key says": (
        changed(HEADPHONES, ProductId=text("P-100")),
        ["unknown attribute: ProductId"],
    ),
    "attributes that the entity does not have": (
        changed(HEADPHONES, Colour=text("red"), GSI9PK=text("X")),
        ["unknown attribute: Colour", "unknown attribute: GSI9PK"],
    ),
    "a call's mark is on an item that carries none": (
        changed(FINN, LastCall=text("call")),
        ["unknown attribute: LastCall"],
    ),
    "an attribute is lost that no key depends on": (
        changed(HEADPHONES, Currency=None),
        ["missing attribute: Currency"],
    ),
    "an attribute is lost that a key depends on, so that nothing says what the key should be": (
        changed(HEADPHONES, Category=None),
        ["missing attribute: Category"],
    ),
    "values that the entity's attributes cannot have": (
        changed(PENDING, Currency=text("euro"), Total=text("129.90"), Status=text("LOST")),
        ["invalid attribute: Currency", "invalid attribute: Status", "invalid attribute: Total"],
    ),
    "a value in the key that its field cannot have": (
        changed(TOMBSTONE | GUARD, PK=text("EMAIL#nobody"), SK=text("EMAIL#nobody")),
        ["invalid attribute: Email"],
    ),
    "an optional attribute is null": (
        changed(ALICE, Address={"NULL": True}),
        [],
    ),
    "a failed job does not say when it failed, which its key needs": (
        JOB,
        ["invalid attribute: FailedAt (for GSI1)"],
    ),
    "no type, and only a product can be all that it is": (
        changed(HEADPHONES, Type=None),
        ["missing type: Product"],
    ),
    "no type, and a product would have more": (
        changed(HEADPHONES, Type=None, Price=None),
        ["missing type"],
    ),
    "no type, and no entity has such a key": (
        item(PK="A", SK="B", Name="C", Version=1),
        ["missing type"],
    ),
    "a type that no entity has": (changed(HEADPHONES, Type=text("Gadget")), ["unknown type"]),
    "a type that is no text": (changed(HEADPHONES, Type={"N": "1"}), ["unknown type"]),
    "a deleted user is still in an index, and has a name": (
        changed(TOMBSTONE | VIP, Name=text("Eve")),
        ["unknown attribute: Name", "unwanted index key: GSI2"],
    ),
    "what was deleted cannot have been a user": (
        changed(TOMBSTONE, SK=text("ORDER#1")),
        ["undecodable key"],
    ),
    "no version": (changed(HEADPHONES, Version=None), ["missing version"]),
    "the version is 0": (changed(HEADPHONES, Version={"N": "0"}), ["bad version"]),
    "the version is 1.5": (changed(HEADPHONES, Version={"N": "1.5"}), ["bad version"]),
    "the version is text": (changed(HEADPHONES, Version=text("1")), ["bad version"]),
    "the version is true": (changed(HEADPHONES, Version={"BOOL": True}), ["bad version"]),
    "an update met an item that had been deleted": (GHOST, ["ghost"]),
    "the update also put it into an index, and left its mark": (
        GHOST | VIP | item(LastCall="call"),
        ["ghost"],
    ),
    "a session is over": (
        changed(EXAMPLES["SESSION#S-001", "SESSION#S-001"], ExpiresAt={"N": "1"}),
        ["expired", "stale index key: GSI1", "stale index key: GSI2"],
    ),
}
NEAR_MISSES: dict[str, Item] = {
    "an address changed its case alone": changed(ALICE, Email=text("Alice@X.de")),
    "a call's mark": changed(HEADPHONES, LastCall=text("call")),
    "a later version": changed(HEADPHONES, Version={"N": "77"}),
    "a whole number as the emulators write some": changed(HEADPHONES, Version={"N": "1E+1"}),
    "a price without decimals": changed(HEADPHONES, Price={"N": "80"}),
    "optional attributes are not there": changed(ALICE, Address=None),
    "what deleting a user leaves": TOMBSTONE,
    "a job that has failed": changed(
        JOB,
        FailedAt=text("2024-03-02T09:15:01.000Z"),
        GSI1PK=text("JOB#FAILED"),
        GSI1SK=text("E-1#2024-03-02T09:15:01.000Z#j"),
    ),
    "a guard, whose user is for others to look for": GUARD,
}


def found(item: Item) -> list[str]:
    cases = examined.examine(item, NOW)
    findings = [each for case in cases for each in case.findings]
    return sorted(f"{kind.name}: {detail}".removesuffix(": ") for kind, detail in findings)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_nothing_else(fault: str) -> None:
    item, expected = FAULTS[fault]
    assert found(item) == sorted(expected)


@pytest.mark.parametrize("near_miss", NEAR_MISSES)
def test_nothing_is_wrong_with(near_miss: str) -> None:
    assert found(NEAR_MISSES[near_miss]) == []


def test_nothing_is_wrong_with_the_example_data() -> None:
    assert {fault for item in EXAMPLES.values() for fault in found(item)} <= {"expired"}


# --- Attributes that had another name before


class Both(Entity):
    """The old name is still declared: items are to have both, so that any version reads them."""

    primary = TABLE.key("CONTACT#{ContactId}", "CONTACT#{ContactId}")
    formerly: ClassVar = {"Phone": "Tel"}
    ContactId: Id
    Phone: Text | None = None
    Tel: Text | None = None


class New(Entity):
    """The old name is no longer declared: items are to have the new one alone."""

    primary = TABLE.key("CONTACT#{ContactId}", "CONTACT#{ContactId}")
    by_phone = GSI1.key("PHONE#{Phone}", "{ContactId}", only_while=While("Phone"))
    formerly: ClassVar = {"Phone": "Tel"}
    ContactId: Id
    Phone: Text | None = None


CONTACT = item(PK="CONTACT#1", SK="CONTACT#1", Version=4)


def changes(item: Item) -> Any:
    """What the one update of an item does, with its names and values in place."""
    [case] = [case for case in examined.examine(item, NOW) if case.steps]
    [(action, request)] = case.steps
    assert action == "Update"
    expression = request["UpdateExpression"] + " IF " + request["ConditionExpression"]
    values = {n: next(iter(v.values())) for n, v in request["ExpressionAttributeValues"].items()}
    for name, value in {**request["ExpressionAttributeNames"], **values}.items():
        expression = expression.replace(name, value)
    return expression


@pytest.fixture
def entity(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Entity]:
    entity: type[Entity] = request.param
    monkeypatch.setitem(examined.ENTITIES, entity.__name__, entity)
    return entity


@pytest.mark.parametrize("entity", [Both], indirect=True)
def test_an_attribute_is_copied_to_its_new_name_while_the_old_is_declared(
    entity: type[Entity],
) -> None:
    old = CONTACT | item(Type=entity.__name__, Tel="1")
    assert changes(old) == "SET Phone = 1, Version = Version + 1 IF Version = 4 AND Tel = 1"
    assert found(old) == ["former name: Tel is now Phone"]
    assert found(old | item(Phone="1")) == []
    assert found(old | item(Phone="2")) == ["former name: Tel and Phone differ"]


@pytest.mark.parametrize("entity", [New], indirect=True)
def test_an_attribute_is_moved_to_its_new_name_when_the_old_is_not_declared(
    entity: type[Entity],
) -> None:
    key = item(GSI1PK="PHONE#1", GSI1SK="1")
    old = CONTACT | item(Type=entity.__name__, Tel="1")
    assert changes(old) == (
        "SET Phone = 1, GSI1PK = PHONE#1, GSI1SK = 1, Version = Version + 1 REMOVE Tel"
        " IF Version = 4 AND attribute_not_exists(Phone) AND Tel = 1"
    )
    both = old | key | item(Phone="1")
    assert changes(both) == "SET Version = Version + 1 REMOVE Tel IF Version = 4 AND Tel = 1"
    assert found(both | item(Tel="2")) == ["former name: Tel and Phone differ"]
    assert found(changed(both, Tel=None)) == []


# --- What is written


@pytest.mark.parametrize(
    ("broken", "written"),
    [
        (
            "an order that waits has lost its place in the sparse index",
            "SET GSI1PK = STATUS#PENDING, GSI1SK = 2024-01-15 IF Version = 1 AND Status = PENDING",
        ),
        (
            "a paid order stayed in the sparse index",
            "REMOVE GSI1PK, GSI1SK IF Version = 1 AND Status = PAID",
        ),
        (
            "the sort key of an index was left alone",
            "REMOVE GSI1SK IF Version = 1 AND Status = PAID",
        ),
    ],
)
def test_keys_in_indexes_are_mended_without_a_new_version(broken: str, written: str) -> None:
    assert changes(FAULTS[broken][0]) == written


def test_a_type_is_a_change_that_callers_see() -> None:
    lost = changed(HEADPHONES, Type=None)
    assert changes(lost) == "SET Type = Product, Version = Version + 1 IF Version = 1"


def test_a_version_is_begun_only_if_there_is_still_none() -> None:
    lost = changed(HEADPHONES, Version=None)
    condition = "attribute_exists(PK) AND attribute_not_exists(Version)"
    assert changes(lost) == f"SET Version = 1 IF {condition}"


def test_nothing_is_mended_where_a_version_would_not_tell_of_a_change() -> None:
    broken = changed(PENDING, GSI1PK=None, Version=text("1"))
    cases = list(examined.examine(broken, NOW))
    assert found(broken) == ["bad version", "half an index key: GSI1"]
    assert not any(case.steps for case in cases)


def test_each_item_that_an_entity_gives_is_whole() -> None:
    class Sample(Entity):
        primary = TABLE.key("SAMPLE#{Number:08d}", "{Name}")
        by_price = GSI2.key("SAMPLE", "{Name}#{Number:08d}")
        Number: Count
        Name: Text
        Price: Money
        Prices: list[Money]

    sample = Sample(Number=7, Name="50 %#1", Price=Decimal("79.90"), Prices=[Decimal(1)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(examined.ENTITIES, "Sample", Sample)
        assert found(to_item(sample)) == []
        assert found(to_item(sample) | item(Prices=1)) == ["invalid attribute: Prices"]


def test_every_entity_is_known() -> None:
    assert tuple(examined.ENTITIES.values()) == design.ENTITIES
