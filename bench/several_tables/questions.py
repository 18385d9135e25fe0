"""The same questions, asked of several tables: small handlers that join what they find.

Requests that do not depend on one another go out at once; what depends on an answer waits for it.
They answer what the single table's patterns answer, as Python values.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, cast

from bench.several_tables.schema import (
    ARTICLES,
    BY_ORDER_ID,
    ENROLMENTS,
    ORDER_ITEMS,
    ORDERS,
    PENDING,
    PROFESSORS_OF,
    SEMINARS,
    STUDENTS,
    STUDENTS_OF,
    TEACHINGS,
    USERS,
    Table,
)
from lambdas.design.ecommerce import Order, OrderItem, User
from lambdas.design.entity import Entity
from lambdas.design.keys import Index
from lambdas.design.university import Enrolment, ResearchArticle, Teaching
from lambdas.runtime import store
from lambdas.runtime.items import Item, to_plain

Ask = Callable[[], list[Item]]
"""Makes one request, and gives the items that it finds."""

PAGE: Final = 50
"""As long as a page of the single table's patterns."""

BATCH: Final = 100
"""The most keys of a BatchGetItem."""

_SENDERS: Final = ThreadPoolExecutor(8)


class NotFound(Exception):
    """What is asked for does not exist."""


class Reads:
    """The requests of one call. `rounds` counts those that had to wait for one another.

    With `in_turn` each waits for the one before it, as in code that has no threads.
    """

    def __init__(self, *, in_turn: bool = False) -> None:
        self.rounds = 0
        self._in_turn = in_turn

    def at_once(self, *asked: Ask) -> list[list[Item]]:
        """The answers to requests that are sent at the same time."""
        if self._in_turn:
            self.rounds += len(asked)
            return [each() for each in asked]
        self.rounds += 1
        first, *others = asked
        sent = [_SENDERS.submit(each) for each in others]
        return [first(), *(each.result() for each in sent)]


# --- Questions ------------------------------------------------------------------------------


def get_order(reads: Reads, order_id: str) -> dict[str, Any]:
    """AP-10: an order and its items."""
    orders, items = reads.at_once(
        _query(ORDERS, order_id, BY_ORDER_ID), _query(ORDER_ITEMS, order_id)
    )
    if not orders:
        raise NotFound(order_id)
    user_id = orders[0]["UserId"]
    return {
        "order": _shown(Order, orders[0]),
        "items": [_shown(OrderItem, {**item, "UserId": user_id}) for item in items],
    }


def get_user_with_orders(reads: Reads, user_id: str) -> dict[str, Any]:
    """AP-04: a user and the newest orders."""
    users, orders = reads.at_once(
        _keys(USERS, [{"UserId": user_id}]),
        _query(ORDERS, user_id, limit=PAGE + 1, newest_first=True),
    )
    if not users:
        raise NotFound(user_id)
    return {"user": _shown(User, users[0]), "orders": _page(Order, orders)}


def list_user_orders(reads: Reads, user_id: str) -> dict[str, Any]:
    """AP-02: a user's orders."""
    [orders] = reads.at_once(_query(ORDERS, user_id, limit=PAGE + 1))
    return _page(Order, orders)


def list_pending_orders(reads: Reads) -> dict[str, Any]:
    """AP-05: the orders that wait for payment."""
    [orders] = reads.at_once(_query(ORDERS, "PENDING", PENDING, limit=PAGE + 1))
    return _page(Order, orders)


def list_seminar_students(reads: Reads, title: str) -> dict[str, Any]:
    """UN-06: the students of a seminar."""
    [found] = reads.at_once(_query(ENROLMENTS, title, STUDENTS_OF, limit=PAGE + 1))
    return _page(Enrolment, found, only_keys=True)


def get_seminar(reads: Reads, title: str) -> dict[str, list[str]]:
    """UN-06 and UN-07 in one: who is in a seminar, and who gives it."""
    students, professors = reads.at_once(
        _query(ENROLMENTS, title, STUDENTS_OF), _query(TEACHINGS, title, PROFESSORS_OF)
    )
    return {
        "students": [each["Student"]["S"] for each in students],
        "professors": [each["Professor"]["S"] for each in professors],
    }


def get_professor(reads: Reads, name: str) -> dict[str, Any]:
    """UN-03: what a professor does, articles and then seminars, in one list.

    Either table may have a whole page, so a page is read of each. The rooms are the seminars', so
    they are asked for when the seminars are known.
    """
    articles, teachings = reads.at_once(
        _query(ARTICLES, name, limit=PAGE + 1), _query(TEACHINGS, name, limit=PAGE + 1)
    )
    if not articles and not teachings:
        raise NotFound(name)
    shown = [_shown(ResearchArticle, each) for each in articles]
    shown += _with_rooms(reads, Teaching, teachings[: max(0, PAGE - len(articles))])
    is_last = len(articles) + len(teachings) <= PAGE
    return {"items": shown[:PAGE], "next": None if is_last else shown[PAGE - 1]}


def get_student(reads: Reads, name: str) -> dict[str, Any]:
    """UN-01: every entry of a student. The address is the student's, and stands beside them."""
    found, students = reads.at_once(
        _query(ENROLMENTS, name, limit=PAGE + 1), _keys(STUDENTS, [{"Student": name}])
    )
    if not students:
        raise NotFound(name)
    shown = _with_rooms(reads, Enrolment, found[:PAGE])
    address = students[0].get("Adresse")
    return {
        "items": shown,
        "next": shown[-1] if len(found) > PAGE else None,
        "Adresse": to_plain(address) if address else None,
    }


# --- Pieces ---------------------------------------------------------------------------------


def _with_rooms(reads: Reads, entity: type[Entity], found: list[Item]) -> list[dict[str, Any]]:
    """The entries with the rooms of their seminars: a join."""
    if not found:
        return []
    titles = [{"Seminar": each["Seminar"]["S"]} for each in found]
    [seminars] = reads.at_once(_keys(SEMINARS, titles))
    rooms = {each["Seminar"]["S"]: each["RaumNr"] for each in seminars}
    return [_shown(entity, {**each, "RaumNr": rooms[each["Seminar"]["S"]]}) for each in found]


def _page(entity: type[Entity], found: list[Item], *, only_keys: bool = False) -> dict[str, Any]:
    """A page; what follows it is told by its last item."""
    shown = [_shown(entity, each) for each in found[:PAGE]]
    if only_keys:
        names = entity.primary.fields
        shown = [{name: each[name] for name in names} for each in shown]
    return {"items": shown, "next": shown[-1] if len(found) > PAGE else None}


def _shown(entity: type[Entity], row: Item) -> dict[str, Any]:
    """A row as callers see it: as the single table shows its entity."""
    names = [name for name in (*entity.__struct_encode_fields__, "Version") if name in row]
    return {"Type": entity.__name__, **{name: to_plain(row[name]) for name in names}}


def _query(
    table: Table,
    value: str,
    index: Index | None = None,
    *,
    limit: int | None = None,
    newest_first: bool = False,
) -> Ask:
    """A Query of one partition of a table, or of an index of it."""
    asked: dict[str, Any] = {
        "TableName": table.name,
        "KeyConditionExpression": "#partition = :value",
        "ExpressionAttributeNames": {"#partition": (index or table).partition_key},
        "ExpressionAttributeValues": {":value": {"S": value}},
        "ScanIndexForward": not newest_first,
        "ReturnConsumedCapacity": "TOTAL",
    }
    if index:
        asked["IndexName"] = index.name
    if limit:
        asked["Limit"] = limit
    return lambda: cast("list[Item]", store.client().query(**asked)["Items"])


def _keys(table: Table, keys: list[dict[str, str]]) -> Ask:
    """The rows with these keys, in no order: a GetItem for one, a BatchGetItem for more."""
    typed = [{name: {"S": value} for name, value in key.items()} for key in keys]
    return partial(_get if len(keys) == 1 else _batch, table.name, typed)


def _get(table: str, keys: list[Item]) -> list[Item]:
    [key] = keys
    answer: Any = store.client().get_item(TableName=table, Key=key, ReturnConsumedCapacity="TOTAL")
    return [answer["Item"]] if "Item" in answer else []


def _batch(table: str, keys: list[Item]) -> list[Item]:
    asked: Any = {table: {"Keys": keys[:BATCH]}}
    ask: Any = store.client().batch_get_item
    answer = ask(RequestItems=asked, ReturnConsumedCapacity="TOTAL")
    if answer["UnprocessedKeys"]:
        raise RuntimeError("a part of the batch was left out")
    found: list[Item] = answer["Responses"][table]
    return found
