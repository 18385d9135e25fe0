from __future__ import annotations

from explorer import rows
from explorer.rows import VIEWS, attribute, collections, entity_of, index_of, name_of
from lambdas.design import ENTITIES
from lambdas.design.ecommerce import Order, OrderItem, User
from lambdas.design.keys import Index
from lambdas.design.table import GSI1, GSI2, INDEXES, INVERTED_INDEX, TABLE
from lambdas.runtime.items import Item, to_item, tombstone
from tests.explorer.views import KNOWN_VIEWS
from tests.handlers.ecommerce.samples import order, order_item, orders, user


def test_a_partition_key_stands_once_and_its_items_in_the_order_of_the_sort_key() -> None:
    mixed = [*orders("1", "2024-03", "2024-01"), user("1"), user("2"), *orders("1", "2024-02")]

    first, second = collections(TABLE, map(to_item, mixed))

    assert (first.partition, second.partition) == ("USER#1", "USER#2")
    assert [row.sort for row in first.rows] == [
        "ORDER#2024-01",
        "ORDER#2024-02",
        "ORDER#2024-03",
        "PROFILE",
    ]


def test_text_is_sorted_by_its_bytes_as_dynamodb_sorts_it() -> None:
    """By code units of UTF-16, as a browser sorts, the emoji would come first."""
    items: list[Item] = [
        {"PK": {"S": "X"}, "SK": {"S": sort}} for sort in ("\U0001f600", "\uffff", "z")
    ]

    [collection] = collections(TABLE, items)

    assert [row.sort for row in collection.rows] == ["z", "\uffff", "\U0001f600"]


def test_an_index_has_the_items_that_have_both_its_keys() -> None:
    pending, paid = order("1", "2024-01", Status="PENDING"), order("1", "2024-02", Status="PAID")

    [collection] = collections(GSI1, map(to_item, (pending, paid)))

    assert collection.partition == "STATUS#PENDING"
    assert [row.key for row in collection.rows] == [("USER#1", "ORDER#2024-01")]


def test_each_item_shows_the_attributes_of_its_own_schema_in_the_order_of_the_declaration() -> None:
    [collection] = collections(TABLE, map(to_item, (user("1", VIP=True), order("1", "2024-01"))))
    first, second = collection.rows

    assert [each.name for each in first.attributes] == [
        "Status",
        "Total",
        "Currency",
        "PlacedAt",
        "Version",
    ]
    assert [each.name for each in second.attributes] == [
        "Name",
        "Email",
        "CreatedAt",
        "VIP",
        "Version",
    ]


def test_the_keys_of_the_other_indexes_are_set_apart() -> None:
    item = to_item(order("1", "2024-01", Status="PENDING"))

    def apart(index: Index) -> dict[str, list[str]]:
        return {
            name: [each.text for each in found]
            for name, found in rows.row(index, item).other_keys
            if index_of(name) in KNOWN_VIEWS
        }

    assert apart(TABLE) == {
        "GSI1": ["STATUS#PENDING", "2024-01"],
        "GSI2": ["ORDER#2024-01", "ORDER"],
    }
    assert apart(GSI1) == {
        "table": ["USER#1", "ORDER#2024-01"],
        "GSI2": ["ORDER#2024-01", "ORDER"],
    }


def test_in_the_inverted_index_the_key_tells_what_an_item_is() -> None:
    whole = to_item(order_item("2024-01", "P-1"))
    keys_only = {name: whole[name] for name in ("PK", "SK")}

    [collection] = collections(INVERTED_INDEX, [keys_only])
    [row] = collection.rows

    assert (collection.partition, row.sort) == ("ITEM#P-1", "ORDER#2024-01")
    assert (row.entity, row.attributes, row.other_keys) == ("OrderItem", [], [])
    assert entity_of(keys_only) is OrderItem


def test_what_is_not_declared_is_shown_too_without_a_colour() -> None:
    [collection] = collections(TABLE, [tombstone(to_item(user("1")))])
    [row] = collection.rows

    assert (row.entity, row.colour) == ("DeletedUser", 0)
    assert rows.colour_of(User) != rows.colour_of(Order) != 0


def test_each_entity_of_a_dataset_has_a_colour_of_its_own() -> None:
    for dataset in {entity.dataset() for entity in ENTITIES}:
        colours = [rows.colour_of(each) for each in ENTITIES if each.dataset() == dataset]
        assert len(set(colours)) == len(colours)
        assert set(colours) <= set(range(1, rows.COLOURS + 1))


def test_a_long_value_is_cut_in_a_view_and_whole_on_the_item_s_page() -> None:
    value = {"S": "ä" * 1000}

    cut, whole = attribute("Name", value), attribute("Name", value, None)

    assert (len(cut.text), cut.is_cut) == (rows.LONGEST_SHOWN, True)
    assert (len(whole.text), whole.is_cut) == (1000, False)
    assert not attribute("Name", {"S": "ä" * rows.LONGEST_SHOWN}).is_cut


def test_every_type_of_an_attribute_is_shown_as_text() -> None:
    shown = {
        attribute("A", value).text: next(iter(value))
        for value in (
            {"S": "text"},
            {"N": "79.90"},
            {"BOOL": True},
            {"NULL": True},
            {"B": b"\x00\xff"},
            {"M": {"Ort": {"S": "Köln"}, "Nr": {"N": "1.10"}, "Bild": {"B": b"\x01"}}},
            {"L": [{"N": "1"}, {"S": "zwei"}]},
            {"SS": {"b", "a"}},
            {"NS": {"1", "2.50"}},
            {"BS": {b"\x02"}},
        )
    }

    assert shown == {
        "text": "S",
        "79.90": "N",
        "true": "BOOL",
        "null": "NULL",
        "AP8=": "B",
        '{"Ort":"Köln","Nr":1.10,"Bild":"AQ=="}': "M",
        '[1,"zwei"]': "L",
        '["a","b"]': "SS",
        "[1,2.50]": "NS",
        '["Ag=="]': "BS",
    }


def test_an_index_is_called_by_its_name_and_the_table_by_a_word() -> None:
    assert [name_of(index) for index in VIEWS] == ["table", *(index.name for index in INDEXES)]
    assert index_of("GSI2") == GSI2
    assert index_of("table") == TABLE
    assert index_of("") is None
