"""What is kept of multi-attribute keys is what comes out today, and holds what the page says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from bench import multi_keys, results
from bench.multi_keys import CHANGES, DECLARED, DESIGNS, QUESTIONS, text, text_length, units
from bench.results import Found
from bench.units import write_units
from docs import sample
from lambdas.design.ecommerce import LIST_CATEGORY_PRODUCTS
from lambdas.design.entity import Entity
from lambdas.design.table import GSI1, GSI2, INVERTED_INDEX, TABLE
from lambdas.runtime import store


@pytest.fixture(scope="module")
def kept() -> Found:
    return results.kept()["multi_keys"]


def test_every_question_is_one_request_and_no_dearer_by_attributes(kept: Found) -> None:
    assert list(kept["questions"]) == [each.title for each in QUESTIONS]
    for costs in kept["questions"].values():
        assert costs["items"] > 0
        assert costs["natural"]["requests"] == 1
        if "declared" in costs:
            assert costs["declared"]["requests"] == 1
            assert costs["natural"]["units"] <= costs["declared"]["units"]
            assert costs["natural"]["bytes"] < costs["declared"]["bytes"]


def test_what_the_question_says_is_not_in_the_cursor(kept: Found) -> None:
    """So it is shorter the more the question says; of a composed key it is longer."""
    first, third = (kept["questions"][each.title] for each in QUESTIONS[:2])

    assert third["natural"]["cursor"] < first["natural"]["cursor"]
    assert third["declared"]["cursor"] > first["declared"]["cursor"]


def test_a_cursor_s_length_is_that_of_this_project_s_cursors() -> None:
    asked = replace(LIST_CATEGORY_PRODUCTS, example={"category": "electronics", "limit": "1"})
    with sample.table():
        page = json.loads(sample.handler(asked)(sample.event(asked), None)["body"])
        key = {name: {"S": f"PRODUCT#{page['items'][0]['ProductId']}"} for name in ("PK", "SK")}
        client: Any = store.client()
        item = client.get_item(TableName=sample.TABLE_NAME, Key=key)["Item"]

    names = [GSI1.sort_key, *TABLE.key_attributes]
    assert len(page["next"]) == text_length([text(item[name]) for name in names])


@pytest.mark.parametrize(("title", "before", "after"), CHANGES, ids=[each[0] for each in CHANGES])
def test_a_change_takes_what_is_kept_and_what_the_emulator_counted(
    kept: Found, title: str, before: Entity | None, after: Entity
) -> None:
    [found] = [each for each in kept["changes"] if each["title"] == title]
    designs = DESIGNS[found["type"]]

    assert found["indexes"].keys() == designs.keys()
    for name, counted in found["indexes"].items():
        assert counted["units"] == counted["counted"] == units(designs[name], before, after), name


@pytest.mark.parametrize(("title", "before", "after"), CHANGES, ids=[each[0] for each in CHANGES])
def test_the_table_and_the_other_indexes_take_the_same_in_each_design(
    title: str, before: Entity | None, after: Entity
) -> None:
    parts = []
    for design in DESIGNS[type(after).__name__].values():
        was, now = (design.item(each) if each else None for each in (before, after))
        others = [units(replace(design, index=index), before, after) for index in OTHERS]
        parts.append([write_units(was, now), *others])

    assert parts == [parts[0]] * len(parts), title


OTHERS = (GSI2, INVERTED_INDEX)


def test_natural_items_are_smaller_and_an_index_by_status_has_every_order(kept: Found) -> None:
    for of_entity in kept["shop"].values():
        declared = of_entity["GSI1"]
        others = [each for name, each in of_entity.items() if name != "GSI1"]
        assert all(each["bytes"] < declared["bytes"] for each in others)

    orders = kept["shop"]["Order"]
    assert orders["ByStatus"]["entries"] == orders["ByStatus"]["items"]
    assert orders["Waiting"]["entries"] == orders["GSI1"]["entries"] < orders["GSI1"]["items"]


def test_the_bytes_of_the_shop_are_as_they_were_counted(kept: Found) -> None:
    assert multi_keys.shop() == kept["shop"]


def test_the_declared_design_is_the_item_as_it_is_stored() -> None:
    for designs in DESIGNS.values():
        assert designs["GSI1"] == DECLARED


@pytest.mark.thorough  # an engine is started and loaded
def test_all_is_measured_as_it_was(kept: Found) -> None:
    assert multi_keys.measure(lambda _: None) == kept
