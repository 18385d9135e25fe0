"""The datasets by name, and the items that they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from lambdas.design.entity import Entity
from lambdas.runtime.items import Item, to_item
from seed import ecommerce, generated, social, university
from seed.faults import Failure
from seed.table import label, primary_key

Dataset = Callable[[datetime], Iterator[Entity]]
"""Gives the entities of a dataset for a present time."""

DATASETS: Final[dict[str, Dataset]] = {
    "ecommerce": ecommerce.items,
    "university": university.items,
    "social": social.items,
}

ALL: Final = "all"


class Load(Protocol):
    """Items that are known by number, and can be gone through more than once."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Item]: ...


@dataclass(frozen=True)
class Generated:
    """Made-up items of a dataset, or of all: see `seed.generated`. None of them is kept."""

    name: str
    count: int
    now: datetime
    seed: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Item]:
        return map(to_item, generated.entities(self.name, self.count, self.now, self.seed))


def items(name: str, now: datetime) -> list[Item]:
    """The items of a dataset, or of all, as they are stored.

    Raises Failure when two have the same primary key: the second would replace the first, or
    DynamoDB would refuse the batch.
    """
    chosen = DATASETS.values() if name == ALL else [DATASETS[name]]
    made = [to_item(entity) for dataset in chosen for entity in dataset(now)]
    seen: dict[tuple[str, str], Item] = {}
    for item in made:
        other = seen.setdefault(primary_key(item), item)
        if other is not item:
            raise Failure(f"two items have one key: {label(other)} and {label(item)}")
    return made
