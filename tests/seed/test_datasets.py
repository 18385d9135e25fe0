from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from unicodedata import is_normalized

import msgspec
import pytest

from lambdas.design import ENTITIES
from lambdas.design.ecommerce import Job
from lambdas.design.entity import Entity
from lambdas.runtime import keys
from lambdas.runtime.items import attributes, to_item
from seed import datasets
from seed.datasets import ALL, DATASETS
from seed.faults import Failure
from tests.seed.conftest import NOW

EVERYTHING = [
    pytest.param(entity, id=f"{type(entity).__name__}-{'-'.join(map(str, where))}")
    for dataset in DATASETS.values()
    for entity in dataset(NOW)
    for where in [[getattr(entity, field) for field in entity.primary.fields]]
]


def folded(entity: Entity) -> dict[str, Any]:
    """The values of an entity, an address as keys have it."""
    values = attributes(entity)
    return values | ({"Email": values["Email"].lower()} if "Email" in values else {})


@pytest.mark.parametrize("entity", EVERYTHING)
def test_every_entity_is_what_its_declaration_allows(entity: Entity) -> None:
    plain = msgspec.to_builtins(entity)
    assert msgspec.convert(plain, type(entity)) == entity
    assert type(entity) in ENTITIES


def test_an_entity_that_its_declaration_forbids_would_be_noticed() -> None:
    wrong = Job(JobId="not an id", Status="QUEUED", CreatedAt="2025-01-05T06:00:00.000Z")
    with pytest.raises(msgspec.ValidationError, match="JobId"):
        msgspec.convert(msgspec.to_builtins(wrong), Job)


@pytest.mark.parametrize("entity", EVERYTHING)
def test_every_key_decodes_back_to_what_it_was_made_of(entity: Entity) -> None:
    item = to_item(entity)
    for key in entity.keys:
        partition, sort = key.index.key_attributes
        if partition in item:
            read = keys.decode(key, item[partition]["S"], item[sort]["S"])
            expected = folded(entity)
            assert read == {field: expected.get(field) for field in read}


@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_has_every_entity_that_is_declared_for_it_and_no_others(name: str) -> None:
    declared = {entity for entity in ENTITIES if entity.dataset() == name}
    assert {type(entity) for entity in DATASETS[name](NOW)} == declared


@pytest.mark.parametrize("name", [*DATASETS, ALL])
def test_every_item_is_new_and_says_what_it_is(name: str, now: datetime) -> None:
    items = datasets.items(name, now)
    assert items
    assert {item["Version"]["N"] for item in items} == {"1"}
    assert {item["Type"]["S"] for item in items} <= {entity.__name__ for entity in ENTITIES}


@pytest.mark.parametrize("name", [*DATASETS, ALL])
def test_text_is_in_the_unicode_form_that_keys_have(name: str, now: datetime) -> None:
    assert is_normalized("NFC", msgspec.json.encode(datasets.items(name, now)).decode())


def test_all_is_every_dataset_one_after_the_other(now: datetime) -> None:
    assert datasets.items(ALL, now) == [
        item for name in DATASETS for item in datasets.items(name, now)
    ]


def test_two_items_with_one_key_are_refused_and_named(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(_now: datetime) -> Iterator[Entity]:
        yield Job(JobId="J-1", Status="QUEUED", CreatedAt="2025-01-05T06:00:00.000Z")
        yield Job(JobId="J-10", Status="QUEUED", CreatedAt="2025-01-05T06:00:00.000Z")
        yield Job(JobId="J-1", Status="SUCCEEDED", CreatedAt="2025-01-05T07:00:00.000Z")

    monkeypatch.setitem(DATASETS, "twice", twice)
    with pytest.raises(Failure, match="two items have one key: Job JOB#J-1 / JOB#J-1 and Job"):
        datasets.items("twice", now)


def test_two_items_whose_keys_only_look_alike_are_taken(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def alike(_now: datetime) -> Iterator[Entity]:
        yield Job(JobId="J-1", Status="QUEUED", CreatedAt="2025-01-05T06:00:00.000Z")
        yield Job(JobId="j-1", Status="QUEUED", CreatedAt="2025-01-05T06:00:00.000Z")

    monkeypatch.setitem(DATASETS, "alike", alike)
    assert len(datasets.items("alike", now)) == 2
