from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TypeVar

import pytest

from lambdas.design.ecommerce import EmailGuard, Job, Order, OrderItem, Product, Session, User
from lambdas.design.entity import Entity
from seed import ecommerce

NOW = datetime(2025, 1, 15, 12, 0, tzinfo=UTC)

E = TypeVar("E", bound=Entity)


def all_of(kind: type[E]) -> list[E]:
    return [entity for entity in ecommerce.items(NOW) if isinstance(entity, kind)]


def orders_of(user_id: str) -> dict[str, str]:
    return {order.OrderId: order.Status for order in all_of(Order) if order.UserId == user_id}


def items_of(order_id: str) -> list[OrderItem]:
    return [item for item in all_of(OrderItem) if item.OrderId == order_id]


def session(session_id: str) -> Session:
    [found] = [session for session in all_of(Session) if session.SessionId == session_id]
    return found


# --- Users


def test_alice_and_bob_are_those_of_the_lecture() -> None:
    alice, bob = (user for user in all_of(User) if user.UserId in {"U-001", "U-002"})
    assert (alice.Name, alice.Email, alice.VIP) == ("Alice", "alice@x.de", True)
    assert (bob.Name, bob.Email, bob.VIP) == ("Bob", "bob@x.de", None)


def test_there_are_three_more_users_of_whom_one_is_a_vip() -> None:
    others = [user for user in all_of(User) if user.UserId not in {"U-001", "U-002"}]
    assert len(others) >= 3
    assert [user.VIP for user in others].count(True) == 1


def test_vip_is_true_or_absent_and_never_false() -> None:
    assert {user.VIP for user in all_of(User)} == {True, None}


def test_every_user_has_a_guard_for_the_address_and_there_are_no_other_guards() -> None:
    assert [(guard.Email, guard.UserId) for guard in all_of(EmailGuard)] == [
        (user.Email, user.UserId) for user in all_of(User)
    ]


def test_no_two_users_have_one_address_in_whatever_case() -> None:
    addresses = [user.Email.lower() for user in all_of(User)]
    assert len(set(addresses)) == len(addresses)


def test_a_user_who_has_ordered_nothing_is_among_them() -> None:
    assert any(not orders_of(user.UserId) for user in all_of(User))


# --- Orders


def test_alice_has_the_nine_orders_of_the_contract_and_no_others() -> None:
    assert orders_of("U-001") == {
        "2023-11-20": "DELIVERED",
        "2024-01-05": "DELIVERED",
        "2024-01-15": "PENDING",
        "2024-01-31T18:45:00.000Z-JAN31X": "SHIPPED",
        "2024-02-01": "CANCELLED",
        "2024-03-12": "DELIVERED",
        "2024-06-30": "DELIVERED",
        "2024-12-24": "PAID",
        "2025-01-02": "PENDING",
    }


def test_alices_january_2024_is_three_orders_with_february_right_behind_them() -> None:
    ids = sorted(orders_of("U-001"))
    january = [order_id for order_id in ids if order_id.startswith("2024-01")]
    assert january == ["2024-01-05", "2024-01-15", "2024-01-31T18:45:00.000Z-JAN31X"]
    assert ids[ids.index(january[-1]) + 1] == "2024-02-01"


def test_the_order_of_the_lecture_is_one_pair_of_headphones_and_two_cables() -> None:
    [order] = [order for order in all_of(Order) if order.OrderId == "2024-01-15"]
    assert (order.UserId, order.Total, order.Currency) == ("U-001", Decimal("129.90"), "EUR")
    assert [(i.ProductId, i.Quantity, i.UnitPrice) for i in items_of("2024-01-15")] == [
        ("P-100", 1, Decimal("79.90")),
        ("P-200", 2, Decimal("25.00")),
    ]


def test_the_day_of_the_lectures_order_has_another_of_another_user() -> None:
    same_day = [order for order in all_of(Order) if order.OrderId.startswith("2024-01-15")]
    assert [order.UserId for order in same_day] == ["U-001", "U-002"]


def test_one_order_of_the_other_users_is_pending() -> None:
    others = [order for order in all_of(Order) if order.UserId != "U-001"]
    assert [order.Status for order in others].count("PENDING") == 1
    assert len(others) > 1


def test_the_items_of_every_order_come_to_its_total() -> None:
    for order in all_of(Order):
        items = items_of(order.OrderId)
        assert items, order.OrderId
        assert sum(i.Quantity * i.UnitPrice for i in items) == order.Total, order.OrderId


def test_every_item_belongs_to_an_order_of_the_same_user() -> None:
    owners = {order.OrderId: order.UserId for order in all_of(Order)}
    assert all(owners[item.OrderId] == item.UserId for item in all_of(OrderItem))


def test_every_order_belongs_to_a_user_who_was_there_before() -> None:
    since = {user.UserId: user.CreatedAt for user in all_of(User)}
    assert all(since[order.UserId] < order.PlacedAt for order in all_of(Order))


def test_order_ids_are_unique_across_users() -> None:
    ids = [order.OrderId for order in all_of(Order)]
    assert len(set(ids)) == len(ids)


def test_an_order_was_placed_at_the_time_that_its_id_begins_with() -> None:
    for order in all_of(Order):
        dated = re.fullmatch(r"(\d{4}-\d\d-\d\d)", order.OrderId)
        timed = re.fullmatch(r"(\d{4}-\d\d-\d\dT.+Z)-[0-9A-Z]{6}", order.OrderId)
        assert bool(dated) != bool(timed), order.OrderId
        if dated:
            assert order.PlacedAt[:10] == dated[1]
        if timed:
            assert order.PlacedAt == timed[1]


def test_the_other_users_orders_are_named_as_new_ones_are() -> None:
    assert all("T" in order.OrderId for order in all_of(Order) if order.UserId != "U-001")


# --- Products


def test_every_item_has_its_products_name_and_but_for_two_older_ones_its_price() -> None:
    products = {product.ProductId: product for product in all_of(Product)}
    dearer_now = []
    for item in all_of(OrderItem):
        product = products[item.ProductId]
        assert item.Name == product.Name
        if item.UnitPrice != product.Price:
            assert item.UnitPrice < product.Price
            dearer_now.append((item.OrderId, item.ProductId))
    assert dearer_now == [("2023-11-20", "P-100"), ("2024-03-12", "P-201")]


def test_the_named_products_are_in_their_categories() -> None:
    categories = {product.ProductId: product.Category for product in all_of(Product)}
    assert categories["P-100"] == "electronics/audio/headphones"
    assert categories["P-200"] == "electronics/audio/cables"


def test_the_hierarchy_has_several_levels_and_neighbours_that_only_look_alike() -> None:
    by_category: dict[str, list[str]] = defaultdict(list)
    for product in all_of(Product):
        by_category[product.Category].append(product.ProductId)
    assert by_category.keys() >= {
        "electronics",
        "electronics/audio",
        "electronics/audio/cables",
        "electronics/audio/headphones",
        "electronics/audio/headphones-accessories",
        "electronics/audiobooks",
    }
    depths = {category.count("/") for category in by_category if category.startswith("books/")}
    assert len(depths) > 1


def test_everything_costs_whole_cents_in_euros() -> None:
    amounts = [(product.Price, product.Currency) for product in all_of(Product)]
    amounts += [(order.Total, order.Currency) for order in all_of(Order)]
    for amount, currency in amounts:
        assert amount > 0
        assert amount.as_tuple().exponent == -2
        assert currency == "EUR"


# --- Sessions


def test_one_session_ends_thirty_days_after_loading_and_one_in_an_hour() -> None:
    ends = [found.ExpiresAt - int(NOW.timestamp()) for found in all_of(Session) if found.ExpiresAt]
    assert ends.count(30 * 24 * 3600) == 1
    assert ends.count(3600) == 1


def test_one_session_is_over_when_it_is_loaded() -> None:
    over = [
        found for found in all_of(Session) if (found.ExpiresAt or NOW.timestamp()) < NOW.timestamp()
    ]
    assert [found.SessionId for found in over] == ["S-004"]


def test_a_session_without_an_end_is_among_alices_and_others_have_sessions_too() -> None:
    assert session("S-003").UserId == "U-001"
    assert session("S-003").ExpiresAt is None
    assert len({found.UserId for found in all_of(Session)}) > 1


@pytest.mark.parametrize(
    "now",
    [
        datetime(1971, 1, 1, tzinfo=UTC),
        datetime(2025, 3, 30, 0, 59, 59, 999_999, tzinfo=UTC),
        datetime(9998, 12, 31, 23, 59, 59, tzinfo=UTC),
    ],
)
def test_a_session_ends_after_it_began_whatever_the_time_of_loading(now: datetime) -> None:
    for found in ecommerce.sessions(now):
        if found.ExpiresAt is not None:
            assert datetime.fromisoformat(found.CreatedAt).timestamp() < found.ExpiresAt


def test_only_sessions_depend_on_the_time_of_loading() -> None:
    later = list(ecommerce.items(NOW + timedelta(days=400)))
    changed = [
        type(entity)
        for entity, other in zip(ecommerce.items(NOW), later, strict=True)
        if entity != other
    ]
    assert set(changed) == {Session}


# --- Jobs


def test_a_job_has_an_error_and_its_time_if_and_only_if_it_has_failed() -> None:
    for job in all_of(Job):
        has_failed = job.Status == "FAILED"
        assert (job.ErrorCode is not None, job.FailedAt is not None) == (has_failed, has_failed)
    assert {job.Status for job in all_of(Job)} == {"QUEUED", "SUCCEEDED", "FAILED"}


def test_no_job_fails_before_it_is_created() -> None:
    assert all(job.CreatedAt < job.FailedAt for job in all_of(Job) if job.FailedAt)


def test_one_error_code_begins_as_another_and_two_jobs_share_one() -> None:
    codes = [job.ErrorCode for job in all_of(Job) if job.ErrorCode]
    assert len(set(codes)) >= 3
    assert codes.count("TIMEOUT") == 2
    assert any(code.startswith("TIMEOUT") and code != "TIMEOUT" for code in codes)
