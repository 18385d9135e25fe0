"""A sharded list whose cursor could be too long to be sent back is refused."""

from __future__ import annotations

from typing import Any, cast

import pytest
from msgspec import defstruct, json

from lambdas.design import cursors
from lambdas.design.entity import Entity
from lambdas.design.keys import MAX_SHARDS, DeclarationError, suffixes_of
from lambdas.design.operations import FromNow, Query
from lambdas.design.pattern import AccessPattern, Page, Technique
from lambdas.design.table import GSI1, TABLE
from lambdas.design.values import (
    MAX_CURSOR,
    Code,
    DatedId,
    EpochSeconds,
    Id,
    OrderStatus,
    Text,
    Time,
)
from lambdas.runtime import cursor, keys, times

PRIMARY = ("USER#{UserId}", "ORDER#{OrderId}")
TYPES: dict[str, Any] = {
    "UserId": Id,
    "OrderId": DatedId,
    "Name": Text,
    "Status": OrderStatus,
    "Code": Code | None,
    "At": Time,
    "Due": EpochSeconds,
}


def order(sort: str, primary: tuple[str, str] = PRIMARY, **shards: Any) -> type[Entity]:
    """Declare an `Order` that is listed by this sort key."""
    keys = {"primary": TABLE.key(*primary), "listed": GSI1.key("ORDERS", sort, **shards)}
    fields = list(TYPES.items())
    made = defstruct("Order", fields, bases=(Entity,), namespace=keys, module=__name__)
    return cast("type[Entity]", made)


def longest(sort: str, primary: tuple[str, str] = PRIMARY, **shards: Any) -> int:
    key = GSI1.key("ORDERS", sort, **shards)
    return cursors.longest(key, TABLE.key(*primary), TYPES)


@pytest.mark.parametrize(("shards", "is_accepted"), [(8, True), (28, True), (29, False)])
def test_where_several_may_have_one_sort_key_the_cursor_bounds_the_shards(
    shards: int, is_accepted: bool
) -> None:
    assert (longest("{OrderId}", shards=shards) <= MAX_CURSOR) == is_accepted
    if is_accepted:
        order("{OrderId}", shards=shards)
        return
    with pytest.raises(DeclarationError) as refused:
        order("{OrderId}", shards=shards)
    assert str(refused.value).startswith(
        f"Order: ORDERS has 29 shards, and a cursor of the list can have "
        f"{longest('{OrderId}', shards=29)} characters, of which 6000 are taken; have fewer "
    )


def test_a_sort_key_that_tells_the_items_apart_has_any_number_of_shards() -> None:
    order("{OrderId}#{UserId}", shards=MAX_SHARDS)
    assert longest("{OrderId}#{UserId}", shards=MAX_SHARDS) < longest("{OrderId}", shards=3)


def test_a_sort_key_with_another_form_of_a_field_does_not_tell_the_items_apart() -> None:
    with pytest.raises(DeclarationError, match="has 32 shards"):
        order("{OrderId:lower}#{UserId}", shards=MAX_SHARDS)


def test_while_the_number_changes_both_count() -> None:
    order("{OrderId}", shards=16, reads=(8, 16))
    with pytest.raises(DeclarationError, match="has 36 shards"):
        order("{OrderId}", shards=24, reads=(12, 24))


def test_names_that_may_be_of_any_characters_are_longer_than_ids() -> None:
    order("{OrderId}", shards=2)
    with pytest.raises(DeclarationError, match="has 2 shards"):
        order("{OrderId}", ("USER#{Name}", "ORDER#{OrderId}"), shards=2)
    order("{OrderId}", ("USER#{Name}", "ORDER#{OrderId}"))  # not sharded


def test_the_longest_cursor_is_the_one_with_a_full_primary_key_of_each_shard() -> None:
    """Where "now" bounds the list, whose first page's it then has in it besides."""
    entity = order("{Due:time}#{Status}", shards=8)
    pattern = AccessPattern(
        id="T-01",
        name="list_orders",
        route="GET /ecommerce/orders",
        summary="The orders.",
        operation=Query(entity.keys[1], sort=FromNow("Due")),
        answer=Page(),
        shows=(Technique.SPARSE_INDEX,),
        example={},
    )
    primary = ("USER#" + "u" * 64, "ORDER#" + "o" * 64)
    values = [text for suffix in suffixes_of(8) for text in (suffix, *primary)]
    now = times.to_text(times.now())

    written = cursor.seal(pattern, {}, ["9999-12-31T23:59:59.000Z#CANCELLED", *values], now)

    assert len(written) == longest("{Due:time}#{Status}", shards=8)


@pytest.mark.parametrize(
    "name", ["a" * 256, "\x01" * 256, '"' * 256, "#" * 256, "\U0001f600" * 256, "\U0001d160" * 85]
)
def test_no_text_is_longer_in_a_cursor_than_is_reckoned_with(name: str) -> None:
    """The last is written as three characters of four bytes each: 85 of them fill a key."""
    entity = order("{Name}", ("USER#{Name}", "{OrderId}"))
    attribute = keys.encode(entity.keys[1].sort, {"Name": name})

    in_json = len(json.encode(attribute)) - len('""')

    assert in_json <= cursors.bytes_in_json(entity.keys[1].sort, TYPES)
