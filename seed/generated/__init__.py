"""Made-up data of any size, for measuring how the table behaves as it grows.

It is skewed as real data is (a few products are in most orders, a few people have most followers),
it keeps every promise of the entities (an order's total is that of its items, a count of followers
is the number of those who follow), and it is the same every time for the same seed and time. It is
made item by item in constant memory, so its size has no limit but patience.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain
from typing import Final

from lambdas.design.entity import Entity
from seed.generated import ecommerce, social, university
from seed.generated.chance import Chance

Unit = list[Entity]
"""Entities that only make sense together, such as an order and its items."""

Dataset = Callable[[int, datetime, Chance], Iterator[Entity]]
"""Gives so many entities of a dataset, as of a time."""

DATASETS: Final[dict[str, Dataset]] = {
    "ecommerce": ecommerce.entities,
    "university": university.entities,
    "social": social.entities,
}

SHARES: Final = {"ecommerce": 0.7, "university": 0.15, "social": 0.15}
"""What each dataset gets of a load of all of them."""

SMALLEST: Final = 100
"""A load of fewer items has no room for what belongs together."""


def entities(dataset: str, count: int, now: datetime, seed: int = 1) -> Iterator[Entity]:
    """Exactly `count` entities of a dataset, or of all, no two with the same primary key.

    `dataset` is a name in `DATASETS` or `all`, `count` at least `SMALLEST`.
    """
    if dataset in DATASETS:
        return DATASETS[dataset](count, now, Chance(seed))
    counts = {name: int(count * share) for name, share in SHARES.items()}
    counts["ecommerce"] += count - sum(counts.values())
    return chain.from_iterable(
        DATASETS[name](of_it, now, Chance(seed)) for name, of_it in counts.items()
    )
