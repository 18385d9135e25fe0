from typing import Any, cast

import pytest
from msgspec import defstruct

from lambdas.design.ecommerce import Order
from lambdas.design.entity import Entity
from lambdas.design.keys import MAX_SHARDS, DeclarationError, Index, Key, While
from lambdas.design.operations import Query
from lambdas.design.table import GSI1, GSI2, INVERTED_INDEX, TABLE
from lambdas.design.values import Code, Count, EpochSeconds, Flag, Id, Money, OrderStatus

PRIMARY = TABLE.key("THING#{ThingId}", "THING")


def declare(fields: dict[str, Any] | None = None, **keys: Key) -> type[Entity]:
    """Declare an entity `Thing` with a `ThingId`, more fields and these keys."""
    annotated = {"ThingId": Id} | (fields or {})
    thing = defstruct(
        "Thing", list(annotated.items()), bases=(Entity,), namespace=dict(keys), module=__name__
    )
    return cast("type[Entity]", thing)


def test_an_entity_has_its_keys_with_the_primary_one_first() -> None:
    thing = declare(late=GSI2.key("LATE", "{ThingId}"), primary=PRIMARY)
    assert [key.index.name for key in thing.keys] == ["", "GSI2"]
    assert {key.entity for key in thing.keys} == {thing}


def test_an_entity_has_its_primary_key_the_other_way_round() -> None:
    inverted = declare(primary=PRIMARY).inverted
    assert inverted.index == INVERTED_INDEX
    assert (str(inverted.partition), str(inverted.sort)) == ("THING", "THING#{ThingId}")


def test_an_entity_belongs_to_the_dataset_of_its_module() -> None:
    assert Order.dataset() == "ecommerce"
    assert declare(primary=PRIMARY).dataset() == "test_entity"


@pytest.mark.parametrize("text", ["THING#{Thing}", "THING#{thingId}", "THING#{Other:lower}"])
def test_a_template_that_takes_an_unknown_field_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match=r"Thing: .* unknown field '(Thing|thingId|Other)'"):
        declare(primary=TABLE.key("THING#{ThingId}", text))


def test_an_unknown_field_is_found_in_a_key_of_an_index_too() -> None:
    with pytest.raises(DeclarationError, match="of `owned` takes unknown field 'Owner'"):
        declare(primary=PRIMARY, owned=GSI1.key("OWNER#{Owner}", "{ThingId}"))
    declare({"Owner": Id}, primary=PRIMARY, owned=GSI1.key("OWNER#{Owner}", "{ThingId}"))


def test_a_field_that_is_nearly_right_is_told_and_a_strange_one_is_not_guessed() -> None:
    with pytest.raises(DeclarationError) as refused:
        declare(primary=TABLE.key("THING#{ThingID}", "THING"))
    assert str(refused.value) == (
        "Thing: the template THING#{ThingID} of `primary` takes unknown field 'ThingID'; "
        "did you mean ThingId?"
    )
    with pytest.raises(DeclarationError, match=r"unknown field 'Owner'$"):
        declare(primary=TABLE.key("OWNER#{Owner}", "THING"))


@pytest.mark.parametrize(
    "number",
    [int, Count, EpochSeconds, Count | None],
    ids=["int", "count", "epoch", "optional-count"],
)
def test_a_number_in_a_key_needs_a_fixed_width(number: Any) -> None:
    with pytest.raises(DeclarationError, match="Thing: the number 'Rank' needs a form in the key"):
        declare({"Rank": number}, primary=TABLE.key("THING#{ThingId}", "RANK#{Rank}"))


@pytest.mark.parametrize("number", [Money, Money | None], ids=["money", "optional-money"])
@pytest.mark.parametrize("sort", ["RANK#{Rank}", "RANK#{Rank:08d}"])
def test_a_decimal_in_a_key_is_refused_whatever_its_width(number: Any, sort: str) -> None:
    with pytest.raises(DeclarationError, match="Thing: the decimal 'Rank' cannot stand in a key"):
        declare({"Rank": number}, primary=TABLE.key("THING#{ThingId}", sort))


def test_a_number_with_a_width_and_text_without_one_are_accepted() -> None:
    key = TABLE.key("THING#{ThingId}", "{Rank:08d}#{Due:time}#{Note}")
    thing = declare({"Rank": Count, "Due": EpochSeconds, "Note": str}, primary=key)
    assert str(thing.primary.sort) == "{Rank:08d}#{Due:time}#{Note}"


def test_two_keys_in_one_index_are_refused() -> None:
    one, other = GSI1.key("ONE", "{ThingId}"), GSI1.key("OTHER", "{ThingId}")
    said = "Thing: `one` and `other` are two keys in one index, GSI1; an entity has one in each"
    with pytest.raises(DeclarationError, match=said):
        declare(primary=PRIMARY, one=one, other=other)
    declare(primary=PRIMARY, one=one, other=GSI2.key("OTHER", "{ThingId}"))


def test_a_second_key_in_the_table_is_refused() -> None:
    said = "Thing: `primary` and `secondary` are two keys in one index, the table itself"
    with pytest.raises(DeclarationError, match=said):
        declare(primary=PRIMARY, secondary=TABLE.key("THING#{ThingId}", "SECOND"))


def test_an_entity_without_a_primary_key_is_refused() -> None:
    with pytest.raises(DeclarationError, match="Thing: no key of the table named `primary`"):
        declare(by_id=GSI1.key("THING", "{ThingId}"))


def test_a_key_of_the_table_under_another_name_is_not_the_primary_one() -> None:
    with pytest.raises(DeclarationError, match="Thing: no key of the table named `primary`"):
        declare(main=PRIMARY)


def test_a_primary_key_that_lies_in_an_index_is_refused() -> None:
    with pytest.raises(DeclarationError, match="Thing: no key of the table named `primary`"):
        declare(primary=GSI1.key("THING", "{ThingId}"))


def test_a_key_in_an_index_that_the_table_does_not_have_is_refused() -> None:
    gsi9 = Index("GSI9", "GSI9PK", "GSI9SK", "ALL", "Not in the table.")
    with pytest.raises(DeclarationError, match="Thing: unknown index 'GSI9'"):
        declare(primary=PRIMARY, extra=gsi9.key("THING", "{ThingId}"))


def test_an_index_of_a_known_name_with_other_attributes_is_unknown() -> None:
    namesake = Index("GSI1", "PK1", "SK1", "ALL", "Not the one in the table.")
    with pytest.raises(DeclarationError, match="Thing: unknown index 'GSI1'"):
        declare(primary=PRIMARY, extra=namesake.key("THING", "{ThingId}"))


def test_a_sparse_key_that_depends_on_an_unknown_field_is_refused() -> None:
    late = GSI1.key("LATE", "{ThingId}", only_while=While("Status", "PENDING"))
    with pytest.raises(
        DeclarationError, match=r"Thing: sparse key `late` .* unknown field 'Status'"
    ):
        declare(primary=PRIMARY, late=late)
    declare({"Status": OrderStatus}, primary=PRIMARY, late=late)
    misspelt = GSI1.key("LATE", "{ThingId}", only_while=While("Statsu"))
    with pytest.raises(DeclarationError, match=r"field 'Statsu'; did you mean Status\?"):
        declare({"Status": OrderStatus}, primary=PRIMARY, late=misspelt)


@pytest.mark.parametrize(
    ("kind", "never", "can_be"),
    [
        (OrderStatus, "PENDNG", "one of PENDING, PAID, SHIPPED, DELIVERED, CANCELLED"),
        (OrderStatus | None, "pending", "one of PENDING, PAID, SHIPPED, DELIVERED, CANCELLED"),
        (Flag, "true", "true or false"),
        (Flag | None, "PENDING", "true or false"),
        (OrderStatus, True, "one of PENDING, PAID, SHIPPED, DELIVERED, CANCELLED"),
        (Code, "NO SPACE", "1 to 64 of the characters A-Z a-z 0-9 . _ -"),
        (int, "1", "of another type"),
    ],
)
def test_a_sparse_key_that_waits_for_a_value_that_never_comes_is_refused(
    kind: Any, never: str | bool, can_be: str
) -> None:
    """The index would stay empty without a word."""
    late = GSI1.key("LATE", "{ThingId}", only_while=While("State", never))
    with pytest.raises(DeclarationError) as refused:
        declare({"State": kind}, primary=PRIMARY, late=late)
    said = f"Thing: sparse key `late` waits for State to be {never!r}, which must be {can_be}"
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("kind", "value"),
    [(OrderStatus, "PAID"), (OrderStatus | None, "PAID"), (Flag | None, False), (Code, "A.1")],
)
def test_a_sparse_key_may_wait_for_any_value_that_the_attribute_can_have(
    kind: Any, value: str | bool
) -> None:
    late = GSI1.key("LATE", "{ThingId}", only_while=While("State", value))
    assert (
        declare({"State": kind}, primary=PRIMARY, late=late).keys[1].only_while == late.only_while
    )


def test_types_that_a_module_has_as_text_are_checked_as_well() -> None:
    """`from __future__ import annotations` makes them so."""
    key = TABLE.key("THING#{ThingId}", "RANK#{Rank}")
    with pytest.raises(DeclarationError, match="the number 'Rank' needs a form in the key"):
        declare({"Rank": "Count"}, primary=key)
    assert declare({"Rank": "Id"}, primary=key).primary.fields == ("ThingId", "Rank")


# --- Shards -----------------------------------------------------------------------------------


def test_a_key_has_one_partition_key_for_a_collection_unless_it_says_more() -> None:
    plain, spread = GSI1.key("A", "{ThingId}"), GSI1.key("A", "{ThingId}", shards=3)
    assert (plain.suffixes, plain.requests, plain.is_sharded) == (("",), 1, False)
    assert (spread.suffixes, spread.requests) == (("#0/3", "#1/3", "#2/3"), 3)
    assert (plain.partitions, spread.partitions) == ("A", "A#0/3 to A#2/3")
    assert plain == GSI1.key("A", "{ThingId}", shards=1)


def test_while_the_number_changes_the_old_one_is_read_first_and_none_twice() -> None:
    changing = GSI1.key("A", "{ThingId}", shards=1, reads=(1, 2))
    assert changing.rounds == (("",), ("#0/2", "#1/2"))
    assert (changing.requests, changing.is_sharded) == (3, True)
    assert len(set(GSI1.key("A", "{ThingId}", shards=4, reads=(2, 4)).suffixes)) == 6


@pytest.mark.parametrize("shards", [1, 2, MAX_SHARDS])
def test_up_to_so_many_shards_are_accepted(shards: int) -> None:
    declare(primary=PRIMARY, spread=GSI1.key("A", "{ThingId}", shards=shards))


@pytest.mark.parametrize(
    ("shards", "reads", "reason"),
    [
        (0, (), "has 1 to 32 shards"),
        (-1, (), "has 1 to 32 shards"),
        (MAX_SHARDS + 1, (), "has 1 to 32 shards"),
        (2, (0, 2), "has 1 to 32 shards"),
        (2, (2,), "reads two numbers of shards while they change, the old and the new"),
        (2, (2, 2), "reads two numbers of shards while they change, the old and the new"),
        (2, (1, 2, 4), "reads two numbers of shards while they change, the old and the new"),
        (2, (1, 4), "does not read the number of shards that is written, 2"),
    ],
)
def test_any_other_sharding_is_refused(shards: int, reads: tuple[int, ...], reason: str) -> None:
    spread = GSI1.key("A", "{ThingId}", shards=shards, reads=reads)
    with pytest.raises(DeclarationError, match=f"Thing: A {reason}"):
        declare(primary=PRIMARY, spread=spread)


def test_a_key_of_the_table_has_no_shards() -> None:
    """Who asks for an item must know its address."""
    spread = TABLE.key("THING#{ThingId}", "THING", shards=2)
    with pytest.raises(DeclarationError, match=r"Thing: THING#{ThingId} is of the table"):
        declare(primary=spread)
    inverted = INVERTED_INDEX.key("THING", "THING#{ThingId}", shards=2)
    with pytest.raises(DeclarationError, match="Thing: THING is of the table"):
        declare(primary=PRIMARY, other_way=inverted)


def test_two_entities_are_read_together_only_with_the_same_shards() -> None:
    keys = [GSI1.key("A", "{ThingId}", shards=shards) for shards in (2, 2, 3)]
    one, same, other = (declare(primary=PRIMARY, spread=key).keys[1] for key in keys)
    assert Query(one, also=same).keys == (one, same)
    with pytest.raises(DeclarationError, match="Thing is not in the item collection A of Thing"):
        Query(one, also=other)
