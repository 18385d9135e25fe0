"""The shop as plain dictionaries: what each write does to them, and what each read finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any
from unicodedata import normalize

from lambdas.design import ecommerce as shop
from lambdas.design.ecommerce import EmailGuard, Job, Order, OrderItem, Product, Session, User
from lambdas.design.entity import Entity
from tests.stateful.machine import Read, found, listed, tag, version_of
from tests.stateful.memory import Memory
from tests.stateful.service import Clock, Fields, Outcome

USERS = ("ann", "Ann", "ann2")
PRODUCTS = ("P-1", "P-10", "P-2")
JOBS = ("J-1", "J-10")
ADDRESSES = (
    "ann@x.de",
    "Ann@X.de",
    "ann@x.de.org",
    "zoë@x.de",
    normalize("NFD", "Zoë@x.de"),
)
"""The first two are one address, and so are the last two."""
CATEGORIES = (
    "electronics",
    "electronics/audio",
    "electronics/audio/cables",
    "electronics/audiobooks",
)
NOBODY = "nobody"
NO_ORDER = "2024-01-15"

ROUTE = ("PENDING", "PAID", "SHIPPED", "DELIVERED")
MAY_BE_CANCELLED = ("PENDING", "PAID")
END_OF_TIME = 10**12


class Shop:
    """Everything that the shop knows, as callers see it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.users: dict[str, Fields] = {}
        self.deleted: dict[str, int] = {}
        """Who has been deleted, with the version of what is left."""
        self.products: dict[str, Fields] = {}
        self.orders: dict[str, Fields] = {}
        self.lines: dict[str, list[Fields]] = {}
        self.sessions: dict[str, Fields] = {}
        self.jobs: dict[str, Fields] = {}
        self.memory = Memory(clock)

    # --- Users ------------------------------------------------------------------------------

    def sign_up(self, sent: Fields, made: str, key: str | None) -> Outcome:
        user_id, email = sent.get("UserId", made), sent["Email"]

        def outcome() -> Outcome:
            taken = {"UserId"} if user_id in self.users or user_id in self.deleted else set()
            if self.who_has(email):
                taken.add("Email")
            if taken:
                return Outcome(409, named=taken)
            optional = {"VIP": sent.get("VIP") or None, "Address": sent.get("Address")}
            user = {"UserId": user_id, "Name": sent["Name"], "Email": email, **_given(optional)}
            user |= {"Type": "User", "CreatedAt": self.clock.text, "Version": 1}
            self.users[user_id] = user
            return Outcome(201, dict(user), 1, f"/ecommerce/users/{user_id}")

        return self.memory.once(shop.CREATE_USER.id, key, sent, outcome)

    def change_user(self, user_id: str, changes: Fields, if_match: str | None) -> Outcome:
        def become(user: Fields) -> None:
            user |= {name: value or None for name, value in changes.items() if name == "VIP"}
            user |= {name: value for name, value in changes.items() if name != "VIP"}

        return _change(self.users, user_id, if_match, become)

    def change_email(self, user_id: str, email: str, if_match: str | None) -> Outcome:
        user = self.users.get(user_id)
        if user is None:
            return Outcome(404)
        if not tag(if_match, user["Version"])[1]:
            return Outcome(412)
        if user["Email"] == email:
            return Outcome(200, dict(user), user["Version"])
        if self.who_has(email) not in (None, user_id):
            return Outcome(409, named={"Email"})
        return _change(self.users, user_id, None, lambda user: user.update(Email=email))

    def delete_user(self, user_id: str, if_match: str | None) -> Outcome:
        user = self.users.get(user_id)
        if user is None:
            return Outcome(404)
        if not tag(if_match, user["Version"])[1]:
            return Outcome(412)
        self.deleted[user_id] = user["Version"] + 1
        del self.users[user_id]
        self.sessions = {k: v for k, v in self.sessions.items() if v["UserId"] != user_id}
        return Outcome(204)

    def who_has(self, email: str) -> str | None:
        """The user with an address, in whatever case and spelling."""
        return next(
            (one for one, user in self.users.items() if _same(user["Email"]) == _same(email)), None
        )

    # --- Orders -----------------------------------------------------------------------------

    def put_product(self, product_id: str, sent: Fields, if_match: str | None) -> Outcome:
        before = self.products.get(product_id)
        if not tag(if_match, version_of(before))[1]:
            return Outcome(412)
        version = before["Version"] + 1 if before else 1
        product = {"Type": "Product", "ProductId": product_id, **sent, "Version": version}
        self.products[product_id] = product
        if before:
            return Outcome(200, dict(product), version)
        return Outcome(201, dict(product), version, f"/ecommerce/products/{product_id}")

    def place_order(
        self, user_id: str, lines: Sequence[Fields], made: str, key: str | None
    ) -> Outcome:
        ids = [line["ProductId"] for line in lines]
        twice = {f"Items[{at}].ProductId" for at, each in enumerate(ids) if each in ids[:at]}
        if twice:  # wrong in itself, whatever was asked with its key before
            return Outcome(400, named=twice)

        def outcome() -> Outcome:
            wrong = self._wrong_products(ids)
            if wrong:
                return Outcome(400, named=wrong)
            if user_id not in self.users:
                return Outcome(404)
            items = sorted(
                (self._line(user_id, made, line) for line in lines),
                key=lambda item: str(item["ProductId"]),
            )
            total = sum((i["Quantity"] * i["UnitPrice"] for i in items), Decimal(0))
            currency = self.products[items[0]["ProductId"]]["Currency"]
            order: Fields = {
                "Type": "Order",
                "UserId": user_id,
                "OrderId": made,
                "Status": "PENDING",
            }
            order |= {"Total": total, "Currency": currency, "PlacedAt": self.clock.text}
            self.orders[made], self.lines[made] = {**order, "Version": 1}, items
            body = {"order": dict(self.orders[made]), "items": items}
            return Outcome(201, body, 1, f"/ecommerce/orders/{made}")

        return self.memory.once(shop.PLACE_ORDER.id, key, (user_id, lines), outcome)

    def _wrong_products(self, ids: Sequence[str]) -> set[str]:
        unknown = {f"Items[{at}].ProductId" for at, x in enumerate(ids) if x not in self.products}
        if unknown:
            return unknown
        several = len({self.products[each]["Currency"] for each in ids}) > 1
        return {"Items"} if several else set()

    def _line(self, user_id: str, order_id: str, line: Fields) -> Fields:
        product = self.products[line["ProductId"]]
        return {
            "Type": "OrderItem",
            "OrderId": order_id,
            "ProductId": line["ProductId"],
            "UserId": user_id,
            "Name": product["Name"],
            "Quantity": line["Quantity"],
            "UnitPrice": product["Price"],
            "Version": 1,
        }

    def move_order(self, user_id: str, order_id: str, status: str, if_match: str | None) -> Outcome:
        order = self.orders.get(order_id)
        if order is None or order["UserId"] != user_id:
            return Outcome(404)
        if not tag(if_match, order["Version"])[1]:
            return Outcome(412)
        if not _may_become(order["Status"], status):
            return Outcome(409, named={"Status"})
        return _change(self.orders, order_id, None, lambda order: order.update(Status=status))

    # --- Sessions and jobs ------------------------------------------------------------------

    def start_session(
        self, user_id: str, seconds: int | None, made: str, key: str | None
    ) -> Outcome:
        def outcome() -> Outcome:
            if user_id not in self.users:
                return Outcome(404)
            ends = int(self.clock.now.timestamp()) + seconds if seconds else None
            session: Fields = {"Type": "Session", "SessionId": made, "UserId": user_id}
            session |= {"CreatedAt": self.clock.text, **_given({"ExpiresAt": ends}), "Version": 1}
            self.sessions[made] = session
            return Outcome(201, dict(session), 1, f"/ecommerce/sessions/{made}")

        return self.memory.once(shop.START_SESSION.id, key, (user_id, seconds), outcome)

    def end_session(self, session_id: str) -> Outcome:
        self.sessions.pop(session_id, None)
        return Outcome(204)

    def submit_job(self, sent: Fields, made: str, key: str | None) -> Outcome:
        job_id = sent.get("JobId", made)

        def outcome() -> Outcome:
            if job_id in self.jobs:
                return Outcome(409, named={"JobId"})
            job = {"Type": "Job", "JobId": job_id, "Status": "QUEUED", "Version": 1}
            self.jobs[job_id] = {**job, "CreatedAt": self.clock.text}
            return Outcome(201, dict(self.jobs[job_id]), 1, f"/ecommerce/jobs/{job_id}")

        return self.memory.once(shop.SUBMIT_JOB.id, key, sent, outcome)

    def finish_job(self, job_id: str, code: str | None, if_match: str | None) -> Outcome:
        def become(job: Fields) -> None:
            job["Status"] = "FAILED" if code else "SUCCEEDED"
            job |= {"ErrorCode": code, "FailedAt": self.clock.text if code else None}

        return _change(self.jobs, job_id, if_match, become)

    # --- What there is ----------------------------------------------------------------------

    def is_live(self, session: Fields) -> bool:
        return self.ends(session) >= self.clock.now.timestamp()

    def ends(self, session: Fields) -> int:
        """When a session ends; one that never does is the last of all."""
        ends: int = session.get("ExpiresAt", END_OF_TIME)
        return ends

    def forget_what_has_expired(self) -> None:
        """What DynamoDB's time to live does, some time."""
        self.sessions = {k: v for k, v in self.sessions.items() if self.is_live(v)}
        self.memory.forget_what_has_expired()

    def stored(self) -> Iterator[tuple[Entity, int] | Fields]:
        for user in self.users.values():
            yield _entity(User, user)
            yield EmailGuard(Email=user["Email"], UserId=user["UserId"]), 1
        for user_id, version in self.deleted.items():
            key = {"PK": f"USER#{user_id}", "SK": "PROFILE"}
            yield {**key, "Type": "DeletedUser", "Version": version}
        for entity, kept in (
            (Product, self.products),
            (Order, self.orders),
            (Session, self.sessions),
            (Job, self.jobs),
        ):
            yield from (_entity(entity, fields) for fields in kept.values())
        for lines in self.lines.values():
            yield from (_entity(OrderItem, line) for line in lines)
        yield from self.memory.stored()

    def reads(self) -> Iterator[Read]:
        for user_id in USERS:
            yield from self._reads_of_a_user(user_id)
        for email in ADDRESSES:
            user = self.users.get(self.who_has(email) or NOBODY)
            yield shop.FIND_USER_BY_EMAIL, {"email": email}, found(user)
        for order_id in (*self.orders, NO_ORDER):
            yield from self._reads_of_an_order(order_id)
        for product_id in PRODUCTS:
            yield from self._reads_of_a_product(product_id)
        for job_id in JOBS:
            yield shop.GET_JOB, {"job_id": job_id}, found(self.jobs.get(job_id))
        for session_id in (*self.sessions, NOBODY):
            session = self.sessions.get(session_id)
            live = session if session and self.is_live(session) else None
            yield shop.GET_SESSION, {"session_id": session_id}, found(live)
        yield from self._sparse_lists()

    def _reads_of_a_user(self, user_id: str) -> Iterator[Read]:
        of, user = {"user_id": user_id}, self.users.get(user_id)
        orders = [self.orders[each] for each in sorted(self.orders)]
        orders = [order for order in orders if order["UserId"] == user_id]
        sessions = [each for each in self.sessions.values() if each["UserId"] == user_id]
        month = self.clock.text[:7]
        this_month = [order for order in orders if order["OrderId"].startswith(month)]
        overview = {"user": user, "orders": {"items": orders[::-1], "next": None}}
        yield shop.GET_USER, of, found(user)
        yield shop.LIST_USER_ORDERS, of, listed(orders)
        yield shop.LIST_USER_ORDERS_IN_RANGE, {**of, "from": month, "to": month}, listed(this_month)
        yield shop.LIST_USER_ORDERS_OF_PERIOD, {**of, "period": month}, listed(this_month)
        yield shop.LIST_NEWEST_USER_ORDERS, {**of, "newest": "true"}, listed(orders[::-1])
        yield shop.GET_USER_WITH_ORDERS, of, Outcome(200, overview) if user else Outcome(404)
        yield shop.LIST_USER_SESSIONS, of, listed(self._live(sessions))

    def _reads_of_an_order(self, order_id: str) -> Iterator[Read]:
        of, order, lines = (
            {"order_id": order_id},
            self.orders.get(order_id),
            self.lines.get(order_id),
        )
        yield shop.LIST_ORDER_ITEMS, of, listed(lines or [])
        both = Outcome(404)
        if order:
            both = Outcome(200, {"order": order, "items": lines}, order["Version"])
        yield shop.GET_ORDER, of, both

    def _reads_of_a_product(self, product_id: str) -> Iterator[Read]:
        of = {"product_id": product_id}
        ids = sorted(
            order_id
            for order_id, lines in self.lines.items()
            if product_id in {line["ProductId"] for line in lines}
        )
        orders = [{"OrderId": order_id, "ProductId": product_id} for order_id in ids]
        yield shop.GET_PRODUCT, of, found(self.products.get(product_id))
        yield shop.LIST_PRODUCT_ORDERS, of, listed(orders)

    def _sparse_lists(self) -> Iterator[Read]:
        vips = [self.users[each] for each in sorted(self.users) if self.users[each].get("VIP")]
        orders = [self.orders[each] for each in sorted(self.orders)]
        pending = [order for order in orders if order["Status"] == "PENDING"]
        today = self.clock.text[:10]
        todays = [order for order in pending if order["OrderId"] >= today]
        expiring = [each for each in self.sessions.values() if "ExpiresAt" in each]
        yield shop.LIST_VIP_USERS, {}, listed(vips)
        yield shop.LIST_PENDING_ORDERS, {}, listed(pending)
        yield shop.LIST_PENDING_ORDERS, {"from": today}, listed(todays)
        yield shop.LIST_EXPIRING_SESSIONS, {"before": "9999"}, listed(self._live(expiring))
        yield shop.LIST_EXPIRING_SESSIONS, {"before": "2024"}, listed([])
        failed = sorted((job for job in self.jobs.values() if "ErrorCode" in job), key=_of_failed)
        timeouts = [job for job in failed if job["ErrorCode"] == "TIMEOUT"]
        yield shop.LIST_FAILED_JOBS, {}, listed(failed)
        yield shop.LIST_FAILED_JOBS, {"error_code": "TIMEOUT"}, listed(timeouts)
        for category in CATEGORIES:
            below = [
                product
                for product in self.products.values()
                if f"{product['Category']}/".startswith(f"{category}/")
            ]
            products = sorted(below, key=_in_the_hierarchy)
            yield shop.LIST_CATEGORY_PRODUCTS, {"category": category}, listed(products)

    def _live(self, sessions: Sequence[Fields]) -> list[Fields]:
        live = [each for each in sessions if self.is_live(each)]
        return sorted(live, key=lambda each: (self.ends(each), each["SessionId"]))


def _change(stored: dict[str, Fields], name: str, if_match: str | None, become: Any) -> Outcome:
    """A change of what exists; what becomes None is gone."""
    if name not in stored:
        return Outcome(404)
    if not tag(if_match, stored[name]["Version"])[1]:
        return Outcome(412)
    changed = dict(stored[name])
    become(changed)
    stored[name] = {**_given(changed), "Version": changed["Version"] + 1}
    return Outcome(200, dict(stored[name]), stored[name]["Version"])


def _given(fields: Mapping[str, Any]) -> Fields:
    return {name: value for name, value in fields.items() if value is not None}


def _same(email: str) -> str:
    return normalize("NFC", email.lower())


def _may_become(before: str, status: str) -> bool:
    if status == "CANCELLED":
        return before in MAY_BE_CANCELLED
    return (before, status) in pairwise(ROUTE)


def _of_failed(job: Fields) -> str:
    return f"{job['ErrorCode']}#{job['FailedAt']}#{job['JobId']}"


def _in_the_hierarchy(product: Fields) -> list[str]:
    return [*product["Category"].split("/")[1:], product["ProductId"]]


def _entity(entity: type[Entity], fields: Fields) -> tuple[Entity, int]:
    attributes = {k: v for k, v in fields.items() if k not in {"Type", "Version"}}
    return entity(**attributes), fields["Version"]
