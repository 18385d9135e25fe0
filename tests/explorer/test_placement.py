from __future__ import annotations

from collections.abc import Iterator

import pytest

from docs import sample
from explorer import asking, placement, reading
from explorer.asking import ask
from explorer.reading import Filter
from explorer.rows import name_of, primary_key
from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INVERTED_INDEX, TABLE
from lambdas.runtime.items import Item, to_item
from tests.explorer.views import KNOWN_VIEWS
from tests.handlers.ecommerce.samples import order_item, user

READS = [each for each in ACCESS_PATTERNS if asking.is_read(each) and not each.variant_of]


@pytest.fixture(scope="module", autouse=True)
def stored() -> Iterator[list[Item]]:
    with sample.table():
        everything, _ = reading.everything(TABLE, Filter(), 1000)
        yield everything


def _item(stored: list[Item], partition: str, sort: str) -> Item:
    [found] = [item for item in stored if primary_key(item) == (partition, sort)]
    return found


def _places(item: Item) -> dict[str, list[str]]:
    return {
        name_of(place.index): [each.text for each in place.values]
        for place in placement.places(item)
        if place.index in KNOWN_VIEWS
    }


def test_an_item_stands_where_it_has_both_keys_of_the_index(stored: list[Item]) -> None:
    pending = _item(stored, "USER#U-001", "ORDER#2024-01-15")
    delivered = _item(stored, "USER#U-001", "ORDER#2024-01-05")

    assert _places(pending) == {
        "table": ["USER#U-001", "ORDER#2024-01-15"],
        "GSI1": ["STATUS#PENDING", "2024-01-15"],
        "GSI2": ["ORDER#2024-01-15", "ORDER"],
        "InvertedIndex": ["ORDER#2024-01-15", "USER#U-001"],
    }
    assert _places(delivered)["GSI1"] == []


def test_why_it_stands_there_is_said_by_the_templates_and_the_condition(
    stored: list[Item],
) -> None:
    places = placement.places(_item(stored, "USER#U-001", "ORDER#2024-01-05"))

    sparse = next(place for place in places if place.index.name == "GSI1")
    assert sparse.key
    assert (str(sparse.key.partition), str(sparse.key.sort)) == ("STATUS#PENDING", "{OrderId}")
    assert str(sparse.key.only_while) == "only while `Status` is PENDING"
    inverted = next(place.key for place in places if place.index == INVERTED_INDEX)
    assert inverted
    assert str(inverted.partition) == "ORDER#{OrderId}"


def test_the_patterns_that_are_named_do_return_the_item(stored: list[Item]) -> None:
    named = 0
    for item in _one_of_each_kind(stored):
        for question in placement.readers(item):
            more = {"limit": "200"} if question.pattern.is_paged else {}
            asked = ask(question.pattern, {**question.given, **more})
            assert primary_key(item) in asked.answered, (question, item)
            named += 1

    assert named > 30


def _one_of_each_kind(stored: list[Item]) -> list[Item]:
    """Of each type one item, and another one for each set of indexes that it stands in."""
    kinds = {(item["Type"]["S"], *(n for n in item if n.endswith("PK"))): item for item in stored}
    return list(kinds.values())


@pytest.mark.parametrize("pattern", READS, ids=lambda each: each.id)
def test_a_pattern_is_named_by_each_item_that_its_example_returns(
    pattern: AccessPattern, stored: list[Item]
) -> None:
    for key in ask(pattern, asking.example(pattern)).answered:
        names = [each.pattern.id for each in placement.readers(_item(stored, *key))]
        assert pattern.id in names


def test_a_pattern_of_a_sparse_index_is_named_only_by_what_is_in_it(stored: list[Item]) -> None:
    def ids(sort: str) -> list[str]:
        item = _item(stored, "USER#U-001", sort)
        return [question.pattern.id for question in placement.readers(item)]

    pending, delivered = ids("ORDER#2024-01-15"), ids("ORDER#2024-01-05")
    assert [id_ for id_ in pending if id_ != "AP-05"] == delivered
    assert "AP-05" in pending
    assert {"AP-02", "AP-04", "AP-10"} <= set(delivered)


def test_what_has_expired_is_returned_by_nothing(stored: list[Item]) -> None:
    def ids(session: str) -> list[str]:
        item = _item(stored, f"SESSION#{session}", f"SESSION#{session}")
        return [question.pattern.id for question in placement.readers(item)]

    assert ids("S-001") == ["AP-15", "AP-16", "AP-17"]
    assert ids("S-004") == []


def test_the_writes_that_are_named_have_the_item_filled_in(stored: list[Item]) -> None:
    item = _item(stored, "USER#U-001", "ORDER#2024-01-15")

    given = {each.pattern.id: each.given for each in placement.writers(item)}

    assert given["CW-06"] == {
        "user_id": "U-001",
        "order_id": "2024-01-15",
        "If-Match": '"1"',
        "body": '{\n  "Status": "PAID"\n}',
    }


def test_the_key_in_a_body_is_the_item_s_and_the_rest_the_example_s(stored: list[Item]) -> None:
    item = _item(stored, "Student#Finn Forschgeist", "Seminar#Die Kunst des Machine Learning")

    given = {each.pattern.id: each.given for each in placement.writers(item)}

    assert '"Student": "Finn Forschgeist"' in given["UW-02"]["body"]
    assert '"Seminar": "Die Kunst des Machine Learning"' in given["UW-02"]["body"]
    assert '"Note": "1,3"' in given["UW-02"]["body"]
    assert given["UW-03"] == {
        "student": "Finn Forschgeist",
        "seminar": "Die Kunst des Machine Learning",
    }


def test_a_write_that_only_looks_at_an_item_is_not_named_by_it(stored: list[Item]) -> None:
    """Placing an order holds the user to existing, and changes nothing of it."""
    ids = [e.pattern.id for e in placement.writers(_item(stored, "USER#U-002", "PROFILE"))]

    assert {"CW-02", "CW-03", "CW-04"} <= set(ids)
    assert "CW-05" not in ids


def test_what_is_not_declared_has_places_and_no_patterns() -> None:
    item: Item = {"PK": {"S": "X#1"}, "SK": {"S": "Y"}, "Type": {"S": "Thing"}}

    assert _places(item) == {
        "table": ["X#1", "Y"],
        "GSI1": [],
        "GSI2": [],
        "InvertedIndex": ["Y", "X#1"],
    }
    assert placement.readers(item) == placement.writers(item) == []


def test_a_write_costs_a_unit_for_each_kilobyte_in_each_place() -> None:
    assert placement.write_units(to_item(order_item("2024-01", "P-1"))) == {
        "table": 1,
        "GSI2": 1,
        "InvertedIndex": 1,
    }
    large = to_item(user("1", Address={"Ort": "x" * 2000}))
    assert placement.write_units(large) == {"table": 3, "GSI1": 3, "InvertedIndex": 1}
