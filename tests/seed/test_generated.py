from __future__ import annotations

import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Decimal
from itertools import islice
from typing import Any

import msgspec
import pytest

from lambdas.design import ENTITIES
from lambdas.design.ecommerce import EmailGuard, Order, OrderItem, Product, Session, User
from lambdas.design.entity import Entity
from lambdas.design.social import Follow, Person
from lambdas.design.university import Enrolment, Teaching
from lambdas.runtime.items import to_item
from seed import generated
from seed.datasets import ALL
from seed.generated import DATASETS, SMALLEST, social, university
from seed.generated.chance import Chance
from seed.table import primary_key
from tests.seed.conftest import NOW

COUNT = 4000


def made(dataset: str = ALL, count: int = COUNT, seed: int = 1) -> list[Entity]:
    return list(generated.entities(dataset, count, NOW, seed))


@pytest.fixture(scope="module")
def load() -> dict[type, list[Any]]:
    """A load of every dataset, by entity."""
    by_type = defaultdict(list)
    for entity in made():
        by_type[type(entity)].append(entity)
    return by_type


@pytest.mark.parametrize("dataset", [*DATASETS, ALL])
@pytest.mark.parametrize("count", [SMALLEST, SMALLEST + 1, 1234])
def test_there_are_exactly_as_many_as_were_asked_for_each_with_a_key_of_its_own(
    dataset: str, count: int
) -> None:
    keys = {primary_key(to_item(entity)) for entity in made(dataset, count)}
    assert len(keys) == len(made(dataset, count)) == count


def test_every_entity_is_what_its_declaration_allows() -> None:
    for entity in made():
        assert msgspec.convert(msgspec.to_builtins(entity), type(entity)) == entity


def test_every_kind_of_entity_is_among_them(load: dict[type, list[Any]]) -> None:
    assert set(load) == {entity for entity in ENTITIES if entity.dataset() in DATASETS}


def test_the_same_seed_gives_the_same_and_another_one_another() -> None:
    assert made() == made()
    assert made(seed=2) != made()


def test_chance_is_the_same_on_every_version_of_python() -> None:
    chance = Chance(1)
    assert [chance.below(1000) for _ in range(5)] == [134, 847, 763, 255, 495]


def test_a_larger_load_of_a_shop_begins_as_a_smaller_one_does() -> None:
    """So the same user can be asked for in tables of every size."""
    small, large = made("ecommerce", 500), made("ecommerce", 1000)
    users = [entity for entity in small if isinstance(entity, User)]
    assert users
    assert users == list(islice((e for e in large if isinstance(e, User)), len(users)))


def test_memory_does_not_grow_with_the_load() -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in generated.entities(ALL, count, NOW):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(200)
    assert peak(8000) < 200_000  # one order of 97 items is the largest that is held


# --- What belongs together


def test_an_orders_total_is_that_of_its_items(load: dict[type, list[Any]]) -> None:
    totals: Counter[str] = Counter()
    for item in load[OrderItem]:
        totals[item.OrderId] += item.Quantity * item.UnitPrice
    assert {order.OrderId: order.Total for order in load[Order]} == totals
    assert all(isinstance(total, Decimal) for total in totals.values())


def test_what_was_ordered_is_a_product_with_its_name_and_price(
    load: dict[type, list[Any]],
) -> None:
    products = {each.ProductId: (each.Name, each.Price) for each in load[Product]}
    for item in load[OrderItem]:
        assert products[item.ProductId] == (item.Name, item.UnitPrice)


def test_orders_and_sessions_are_of_users_and_every_address_is_guarded(
    load: dict[type, list[Any]],
) -> None:
    users = {user.UserId: user.Email for user in load[User]}
    assert {each.UserId for each in (*load[Order], *load[Session])} <= set(users)
    assert {guard.UserId: guard.Email for guard in load[EmailGuard]} == users
    assert len({email.lower() for email in users.values()}) == len(users)


@pytest.mark.parametrize("count", [SMALLEST, SMALLEST + 7, COUNT])
def test_counts_of_followers_are_the_numbers_of_those_who_follow(count: int) -> None:
    entities = made("social", count)
    follows = [entity for entity in entities if isinstance(entity, Follow)]
    followers = Counter(follow.FolloweeId for follow in follows)
    following = Counter(follow.PersonId for follow in follows)
    people = [entity for entity in entities if isinstance(entity, Person)]
    assert set(followers) | set(following) <= {person.PersonId for person in people}
    for person in people:
        assert person.Followers == followers[person.PersonId]
        assert person.Following == following[person.PersonId]


def test_a_seminar_has_one_room_in_every_entry(load: dict[type, list[Any]]) -> None:
    rooms = {teaching.Seminar: teaching.RaumNr for teaching in load[Teaching]}
    for enrolment in load[Enrolment]:
        assert enrolment.RaumNr == rooms[enrolment.Seminar]


# --- Skew


def share_of_first_tenth(counts: Iterable[int]) -> float:
    ordered = sorted(counts, reverse=True)
    return sum(ordered[: len(ordered) // 10]) / sum(ordered)


def test_a_tenth_of_the_users_and_of_the_products_have_a_large_part_of_the_orders() -> None:
    shop = made("ecommerce", 20_000)
    orders = Counter(each.UserId for each in shop if isinstance(each, Order))
    sold = Counter(each.ProductId for each in shop if isinstance(each, OrderItem))
    assert 0.4 < share_of_first_tenth(orders.values()) < 0.9
    assert 0.4 < share_of_first_tenth(sold.values()) < 0.9


def test_the_first_star_and_the_first_seminar_are_the_largest(load: dict[type, list[Any]]) -> None:
    followers = Counter(follow.FolloweeId for follow in load[Follow])
    students = Counter(enrolment.Seminar for enrolment in load[Enrolment])
    assert followers.most_common(1)[0][0] == social.star_id(0)
    assert students.most_common(1)[0][0] == university.seminar(0)


def test_by_zipfs_law_the_second_is_about_half_as_likely_as_the_first() -> None:
    chance = Chance(1)
    drawn = Counter(chance.rank(1000) for _ in range(20_000))
    assert set(drawn) <= set(range(1000))
    assert 0.45 < drawn[1] / drawn[0] < 0.7
