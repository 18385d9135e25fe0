"""Any sequence of the shop's writes, and no list, guard or index forgets or keeps too much."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from lambdas.design import ecommerce as shop
from tests.stateful.machine import IF_MATCH, KEYS, Machine, run, step, tag, version_of
from tests.stateful.service import Fields, Service
from tests.stateful.shop_model import (
    ADDRESSES,
    CATEGORIES,
    JOBS,
    NO_ORDER,
    NOBODY,
    PRODUCTS,
    USERS,
    Shop,
)

USER = st.sampled_from([*USERS, "ann", "ann2"])
ADDRESS = st.sampled_from(ADDRESSES)
NAME = st.sampled_from(["Ann", "Zoë"])
HOME = {"Stadt": "Köln"}
ONE_OF_THE_LAST = st.sampled_from([0, 0, 1, 2, 9])
"""Which order or session, counted from the newest; beyond the oldest there is none."""
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "Name": NAME,
        "VIP": st.sampled_from([True, False, None]),
        "Address": st.sampled_from([HOME, {}, None]),
    },
).filter(bool)
SIGN_UPS = st.fixed_dictionaries(
    {"Name": NAME, "Email": ADDRESS},
    optional={"UserId": USER, "VIP": st.booleans(), "Address": st.just(HOME)},
)
LINES = st.lists(
    st.fixed_dictionaries(
        {
            "ProductId": st.sampled_from([*PRODUCTS, PRODUCTS[0]]),
            "Quantity": st.sampled_from([1, 3]),
        }
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda line: line["ProductId"],
) | st.just([{"ProductId": "P-1", "Quantity": 1}, {"ProductId": "P-1", "Quantity": 2}])
PRODUCT = st.fixed_dictionaries(
    {
        "Name": NAME,
        "Price": st.sampled_from([Decimal("79.90"), Decimal("0.0001"), Decimal(0)]),
        "Currency": st.sampled_from(["EUR", "EUR", "EUR", "CHF"]),
        "Category": st.sampled_from(CATEGORIES),
    }
)
ONE_USER = {"user_id": "ann"}
NONSENSE: list[tuple[Any, Fields, Any, dict[str, str | None], str]] = [
    (shop.CREATE_USER, {}, {"Name": "Ann", "Email": "ann"}, {}, "Email"),
    (shop.CREATE_USER, {}, {"Name": "Ann", "Email": "a@x.de"}, {"If-Match": '"1"'}, "If-Match"),
    (shop.CREATE_USER, {}, {}, {"Idempotency-Key": "key-1"}, "Name"),
    (shop.CHANGE_USER, ONE_USER, {}, {}, "body"),
    (shop.CHANGE_USER, ONE_USER, {"Name": None}, {}, "Name"),
    (shop.CHANGE_USER, ONE_USER, {"Email": "a@x.de"}, {}, "Email"),
    (shop.CHANGE_USER, ONE_USER, {"VIP": True}, {"If-Match": "1"}, "If-Match"),
    (shop.CHANGE_EMAIL, ONE_USER, {"Email": "a@x.de "}, {}, "Email"),
    (shop.PLACE_ORDER, ONE_USER, {"Items": []}, {}, "Items"),
    (shop.CHANGE_ORDER_STATUS, {**ONE_USER, "order_id": "1"}, {"Status": "LOST"}, {}, "Status"),
    (shop.START_SESSION, ONE_USER, {"TtlSeconds": 0}, {}, "TtlSeconds"),
    (shop.END_SESSION, {"session_id": "1"}, None, {"If-Match": '"1"'}, "If-Match"),
    (shop.FINISH_JOB, {"job_id": "J-1"}, {"Status": "FAILED"}, {}, "ErrorCode"),
    (shop.FINISH_JOB, {"job_id": "J-1"}, {"Status": "QUEUED"}, {}, "Status"),
]


class ShopMachine(Machine):
    """Users, their orders and sessions, products, jobs."""

    def __init__(self, service: Service) -> None:
        self.shop = Shop(service.clock)
        super().__init__(service, self.shop)

    @initialize(vip=st.booleans(), code=st.sampled_from([None, "TIMEOUT"]))
    def there_is_something_of_everything(self, vip: bool, code: str | None) -> None:
        self.somebody_signs_up(
            {"UserId": "ann", "Name": "Ann", "Email": "ann@x.de", "VIP": vip}, "key-1"
        )
        self.somebody_signs_up({"UserId": "ann2", "Name": "Ann", "Email": "ann@x.de.org"}, None)
        goods = {"Name": "Ding", "Price": Decimal("79.90"), "Currency": "EUR"}
        for product_id, category in zip(PRODUCTS, CATEGORIES, strict=False):
            self.a_product_is_put(product_id, {**goods, "Category": category}, None)
        lines = [{"ProductId": each, "Quantity": 2} for each in PRODUCTS[:2]]
        for user in ("ann", "ann2"):
            self.an_order_is_placed(user, lines, None)
            self.a_session_starts(user, 3600, None)
        self.an_order_moves_on(0, "PAID", None)
        self.an_order_moves_on(0, "SHIPPED", None)
        self.somebody_signs_up({"UserId": "Ann", "Name": "Ann", "Email": "zoë@x.de"}, None)
        self.a_session_starts("Ann", None, None)
        self.a_user_is_deleted("Ann", None)
        self.a_job_is_submitted("J-1", None)
        self.a_job_ends("J-1", code, None)

    # --- Users ------------------------------------------------------------------------------

    @step(sent=SIGN_UPS, key=KEYS)
    def somebody_signs_up(self, sent: Fields, key: str | None) -> None:
        answer = self.service.ask(shop.CREATE_USER, {}, sent, {"Idempotency-Key": key})
        made = answer.body.get("UserId", "")
        self.agree(answer, self.shop.sign_up(sent, made, key))

    @step(3, user=USER, changes=CHANGES, if_match=IF_MATCH)
    def a_user_changes(self, user: str, changes: Fields, if_match: str | None) -> None:
        headers = self._if_match(self.shop.users, user, if_match)
        answer = self.service.ask(shop.CHANGE_USER, {"user_id": user}, changes, headers)
        self.agree(answer, self.shop.change_user(user, changes, if_match))

    @step(3, user=USER, email=ADDRESS, if_match=IF_MATCH)
    def a_user_has_a_new_address(self, user: str, email: str, if_match: str | None) -> None:
        headers = self._if_match(self.shop.users, user, if_match)
        answer = self.service.ask(shop.CHANGE_EMAIL, {"user_id": user}, {"Email": email}, headers)
        self.agree(answer, self.shop.change_email(user, email, if_match))

    @step(user=USER, if_match=IF_MATCH)
    def a_user_is_deleted(self, user: str, if_match: str | None) -> None:
        headers = self._if_match(self.shop.users, user, if_match)
        answer = self.service.ask(shop.DELETE_USER, {"user_id": user}, None, headers)
        self.agree(answer, self.shop.delete_user(user, if_match))

    def look_at(self, stored: Sequence[Fields]) -> None:
        """Each address has one guard, and each guard one user."""
        users = {(each["UserId"], each["GSI1PK"]) for each in map(_with_id, stored) if each}
        guards = {(each["UserId"], each["PK"]) for each in stored if each["Type"] == "EmailGuard"}
        assert users == guards

    # --- Orders -----------------------------------------------------------------------------

    @step(product=st.sampled_from(PRODUCTS), sent=PRODUCT, if_match=IF_MATCH)
    def a_product_is_put(self, product: str, sent: Fields, if_match: str | None) -> None:
        headers = self._if_match(self.shop.products, product, if_match)
        answer = self.service.ask(shop.PUT_PRODUCT, {"product_id": product}, sent, headers)
        self.agree(answer, self.shop.put_product(product, sent, if_match))

    @step(user=USER, lines=LINES, key=KEYS)
    def an_order_is_placed(self, user: str, lines: list[Fields], key: str | None) -> None:
        answer = self.service.ask(
            shop.PLACE_ORDER, {"user_id": user}, {"Items": lines}, {"Idempotency-Key": key}
        )
        made = answer.body["order"]["OrderId"] if answer.status in {200, 201} else ""
        self.agree(answer, self.shop.place_order(user, lines, made, key))

    @step(
        3,
        which=ONE_OF_THE_LAST,
        status=st.sampled_from(["PAID", "PAID", "PENDING", "SHIPPED", "DELIVERED", "CANCELLED"]),
        if_match=IF_MATCH,
    )
    def an_order_moves_on(self, which: int, status: str, if_match: str | None) -> None:
        order_id = _one(list(self.shop.orders), which, NO_ORDER)
        user = self.shop.orders.get(order_id, {"UserId": "ann"})["UserId"]
        answer = self.service.ask(
            shop.CHANGE_ORDER_STATUS,
            {"user_id": user, "order_id": order_id},
            {"Status": status},
            self._if_match(self.shop.orders, order_id, if_match),
        )
        self.agree(answer, self.shop.move_order(user, order_id, status, if_match))

    # --- Sessions, jobs, time ---------------------------------------------------------------

    @step(user=USER, seconds=st.sampled_from([None, 1, 3600, 31_536_000]), key=KEYS)
    def a_session_starts(self, user: str, seconds: int | None, key: str | None) -> None:
        body = {"TtlSeconds": seconds} if seconds else {}
        answer = self.service.ask(
            shop.START_SESSION, {"user_id": user}, body, {"Idempotency-Key": key}
        )
        made = answer.body.get("SessionId", "")
        self.agree(answer, self.shop.start_session(user, seconds, made, key))

    @step(which=ONE_OF_THE_LAST)
    def a_session_ends(self, which: int) -> None:
        session = _one(list(self.shop.sessions), which, NOBODY)
        answer = self.service.ask(shop.END_SESSION, {"session_id": session})
        self.agree(answer, self.shop.end_session(session))

    @step(job=st.sampled_from([*JOBS, None]), key=KEYS)
    def a_job_is_submitted(self, job: str | None, key: str | None) -> None:
        sent = {"JobId": job} if job else {}
        answer = self.service.ask(shop.SUBMIT_JOB, {}, sent, {"Idempotency-Key": key})
        made = answer.body.get("JobId", "")
        self.agree(answer, self.shop.submit_job(sent, made, key))

    @step(
        job=st.sampled_from(JOBS),
        code=st.sampled_from([None, "TIMEOUT", "TIMEOUT2"]),
        if_match=IF_MATCH,
    )
    def a_job_ends(self, job: str, code: str | None, if_match: str | None) -> None:
        sent = {"Status": "FAILED", "ErrorCode": code} if code else {"Status": "SUCCEEDED"}
        headers = self._if_match(self.shop.jobs, job, if_match)
        answer = self.service.ask(shop.FINISH_JOB, {"job_id": job}, sent, headers)
        self.agree(answer, self.shop.finish_job(job, code, if_match))

    @step(seconds=st.sampled_from([1, 3600, 90_000, 32_000_000]))
    def time_passes(self, seconds: int) -> None:
        self.service.clock.advance(seconds)

    @step()
    def dynamodb_removes_what_has_expired(self) -> None:
        now = self.service.clock.now.timestamp()
        for item in self.service.stored():
            if item.get("ExpiresAt", now) < now:
                self.service.remove(item)
        self.shop.forget_what_has_expired()

    @step(sent=st.sampled_from(NONSENSE))
    def nonsense_is_sent(self, sent: tuple[Any, Fields, Any, dict[str, str | None], str]) -> None:
        pattern, parameters, body, headers, name = sent
        answer = self.service.ask(pattern, parameters, body, headers)
        assert (answer.status, answer.headers["X-DynamoDB-Requests"]) == (400, "0")
        assert name in answer.named

    def _if_match(
        self, stored: dict[str, Fields], name: str, which: str | None
    ) -> dict[str, str | None]:
        return {"If-Match": tag(which, version_of(stored.get(name)))[0]}


def _one(names: list[str], which: int, otherwise: str) -> str:
    return names[-1 - which] if which < len(names) else otherwise


def _with_id(item: Fields) -> Fields | None:
    """A user with the id that its key has; None for what is no user."""
    return {**item, "UserId": item["PK"].removeprefix("USER#")} if item["Type"] == "User" else None


def test_whatever_happens_in_the_shop_every_question_and_every_index_agrees(
    service: Service,
) -> None:
    run(ShopMachine, service)
