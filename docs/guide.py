"""The parts of the guide that follow from the code: calls, their requests, answers and items.

Each call is made on the example data. What is shown of its request is what the client of DynamoDB
was given, in the lecture's notation.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from msgspec import Struct, json
from msgspec.structs import replace

from bench.units import read_units
from docs import sample
from docs.markdown import code, table
from lambdas.design import ecommerce, social, university
from lambdas.design.keys import Index, Template
from lambdas.design.operations import Statement, Write
from lambdas.design.pattern import IDEMPOTENCY_KEY, IF_MATCH, LIMIT, AccessPattern
from lambdas.design.table import GSI1, GSI2, INDEXES, INVERTED_INDEX, TABLE
from lambdas.runtime import body, keys, store
from lambdas.runtime.items import MARK, Item, size, to_plain
from seed.datasets import DATASETS

MARKED: Final = re.compile(r"<!-- ([a-z-]+):begin -->.*?<!-- \1:end -->", re.DOTALL)

ELLIPSIS: Final = "..."
"""Stands for what is left out of an answer."""

Request = dict[str, Any]


class Picture(NamedTuple):
    """Some item collections of an index, and which attributes of their items to show."""

    of: Index
    partitions: tuple[str, ...]
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    """The sort keys to show; empty: all."""


class Step(NamedTuple):
    """A call, and how much of it to show."""

    pattern: AccessPattern
    given: dict[str, str] | None = None
    """The parameters, where they are not those of the pattern's example."""
    fields: tuple[str, ...] = ()
    """The members to show of each item; empty: all."""
    first: int = 2
    """How many items to show of a list."""
    items: Picture | None = None
    after: str = ""
    """The step whose next page this one asks for."""
    body: Struct | None = None
    """The body that is sent, where it is not that of the pattern's example."""
    headers: Mapping[str, str] = MappingProxyType({})
    requests: bool = True
    """Whether to show them; they may be those of the step before."""
    changed: tuple[str, ...] = ()
    """Of a write: the attributes to show, besides the primary key, of each item it changes."""


class Made(NamedTuple):
    """A call that has been made."""

    pattern: AccessPattern
    """The pattern, with the call's parameters and body as its example."""
    headers: Mapping[str, str]
    requests: list[tuple[str, Request]]
    """What DynamoDB was asked, by operation; nothing when the call was refused before."""
    status: int
    tag: str
    """The `ETag` of the answer; empty where it has none."""
    body: Any
    read: list[Item]
    """What a read made DynamoDB read."""
    before: list[Item]
    """All items of the table before the call."""
    after: list[Item]

    @property
    def operation(self) -> str:
        return self.requests[0][0] if self.requests else ""

    @property
    def request(self) -> Request:
        return self.requests[0][1] if self.requests else {}

    @property
    def is_write(self) -> bool:
        return isinstance(self.pattern.operation, Write)


PROBLEM: Final = ("title", "status", "detail")
IN_GSI1: Final = ("Status", "Version", "GSI1PK", "GSI1SK")
IN_GSI2: Final = ("VIP", "Version", "GSI2PK", "GSI2SK")
TWO: Final = ecommerce.NewOrder(Items=[ecommerce.Line(ProductId="P-200", Quantity=2)])
THREE: Final = ecommerce.NewOrder(Items=[ecommerce.Line(ProductId="P-200", Quantity=3)])
BUYER: Final = {"user_id": "U-004"}
THIS_ORDER: Final = {IDEMPOTENCY_KEY.name: "cart-17"}
AROUND_JANUARY: Final = (
    "ORDER#2023-11-20",
    "ORDER#2024-01-05",
    "ORDER#2024-01-15",
    "ORDER#2024-01-31T18:45:00.000Z-JAN31X",
    "ORDER#2024-02-01",
    "PROFILE",
)
PARTIQL: Final = """SELECT * FROM "University-Table" WHERE PK = 'Student#Nora Neugierig'"""

STEPS: Final[dict[str, Step]] = {
    "one-item": Step(
        ecommerce.GET_USER,
        fields=("Type", "UserId", "Name", "Email", "VIP"),
        items=Picture(TABLE, ("USER#U-001", "USER#U-002"), ("Type", "Name"), ("PROFILE",)),
    ),
    "orders": Step(
        ecommerce.LIST_USER_ORDERS,
        fields=("Type", "UserId", "OrderId", "Status"),
        items=Picture(TABLE, ("USER#U-001",), ("Type", "Name", "Status", "Total"), AROUND_JANUARY),
    ),
    "order-items": Step(
        ecommerce.LIST_ORDER_ITEMS,
        fields=("OrderId", "ProductId", "Quantity", "UnitPrice"),
        items=Picture(TABLE, ("ORDER#2024-01-15",), ("Type", "Name", "Quantity", "UnitPrice")),
    ),
    "overview": Step(
        ecommerce.GET_USER_WITH_ORDERS,
        fields=("Type", "UserId", "Name", "OrderId", "Status"),
    ),
    "escaped": Step(
        ecommerce.LIST_CATEGORY_PRODUCTS,
        {"category": "books/non-fiction/programming/C#"},
        fields=("ProductId", "Category"),
    ),
    "january": Step(
        ecommerce.LIST_USER_ORDERS_IN_RANGE,
        fields=("OrderId", "PlacedAt"),
        first=3,
        items=Picture(TABLE, ("USER#U-001",), ("PlacedAt",), AROUND_JANUARY),
    ),
    "year": Step(ecommerce.LIST_USER_ORDERS_OF_PERIOD, fields=("OrderId", "Status")),
    "newest": Step(
        ecommerce.LIST_NEWEST_USER_ORDERS,
        {"user_id": "U-001", "newest": "true", "limit": "2"},
        fields=("OrderId", "Status"),
    ),
    "email": Step(
        ecommerce.FIND_USER_BY_EMAIL,
        {"email": "Alice@X.de"},
        fields=("Type", "UserId", "Email"),
        items=Picture(GSI1, ("EMAIL#alice@x.de", "STATUS#PENDING"), ("Type",)),
    ),
    "whole-order": Step(
        ecommerce.GET_ORDER,
        fields=("Type", "OrderId", "ProductId", "Status", "Quantity"),
        items=Picture(GSI2, ("ORDER#2024-01-15", "VIP"), ("Type",)),
    ),
    "pending": Step(
        ecommerce.LIST_PENDING_ORDERS,
        fields=("UserId", "OrderId", "Status"),
        first=3,
        items=Picture(TABLE, ("USER#U-001",), ("Status", "GSI1PK", "GSI1SK"), AROUND_JANUARY),
    ),
    "vips": Step(ecommerce.LIST_VIP_USERS, fields=("Type", "UserId", "Name", "VIP")),
    "session": Step(ecommerce.GET_SESSION, {"session_id": "S-004"}, PROBLEM),
    "sessions": Step(
        ecommerce.LIST_USER_SESSIONS,
        fields=("Type", "SessionId", "UserId"),
        first=3,
        items=Picture(GSI2, ("USER#U-001",), ("ExpiresAt",)),
    ),
    "category": Step(
        ecommerce.LIST_CATEGORY_PRODUCTS,
        fields=("ProductId", "Category"),
        items=Picture(GSI1, ("CATEGORY#electronics",), ("Name",)),
    ),
    "error-code": Step(
        ecommerce.LIST_FAILED_JOBS,
        {"error_code": "TIMEOUT"},
        fields=("JobId", "ErrorCode", "FailedAt"),
        items=Picture(GSI1, ("JOB#FAILED",), ("PK",)),
    ),
    "following": Step(
        social.LIST_FOLLOWING,
        fields=("PersonId", "FolloweeId", "Since"),
        items=Picture(TABLE, ("PERSON#alice", "PERSON#bob", "PERSON#dave"), ("Type", "Since")),
    ),
    "followers": Step(
        social.LIST_FOLLOWERS,
        items=Picture(INVERTED_INDEX, ("FOLLOWS#bob", "FOLLOWS#alice")),
    ),
    "students": Step(
        university.LIST_SEMINAR_STUDENTS,
        items=Picture(INVERTED_INDEX, ("Seminar#Die Kunst des Machine Learning",)),
    ),
    "student": Step(
        university.GET_STUDENT,
        fields=("Seminar", "RaumNr", "Adresse"),
    ),
    "professor": Step(
        university.GET_PROFESSOR,
        fields=("Type", "Forschungsartikel", "Seminar"),
        items=Picture(
            TABLE,
            ("Professor#Prof. Dr. Clara Codekraft",),
            ("RaumNr", "Jahr", "Fachjournal", "Anz. Seiten"),
        ),
    ),
    "articles": Step(
        university.LIST_PROFESSOR_ARTICLES,
        fields=("Forschungsartikel", "Anz. Seiten"),
    ),
    "partiql": Step(
        replace(university.RUN_PARTIQL, example_body=Statement(Statement=PARTIQL)),
        fields=("PK", "SK", "Note"),
    ),
    "first-page": Step(
        ecommerce.LIST_USER_ORDERS,
        {"user_id": "U-001", "period": "2024", "limit": "4"},
        fields=("OrderId", "Status"),
    ),
    "second-page": Step(
        ecommerce.LIST_USER_ORDERS,
        {"user_id": "U-001", "period": "2024", "limit": "4"},
        fields=("OrderId", "Status"),
        after="first-page",
    ),
    "foreign-cursor": Step(
        ecommerce.LIST_USER_ORDERS, {"user_id": "U-002"}, PROBLEM, after="first-page"
    ),
    # From here on the table changes.
    "paid": Step(
        ecommerce.CHANGE_ORDER_STATUS, fields=("OrderId", "Status", "Version"), changed=IN_GSI1
    ),
    "becomes-vip": Step(
        ecommerce.CHANGE_USER, fields=("UserId", "VIP", "Version"), changed=IN_GSI2
    ),
    "sign-up": Step(
        ecommerce.CREATE_USER,
        fields=("UserId", "Email", "Version"),
        body=ecommerce.NewUser(UserId="U-900", Name="Zoë Zander", Email="zoe@x.de"),
    ),
    "second-sign-up": Step(
        ecommerce.CREATE_USER,
        fields=PROBLEM,
        body=ecommerce.NewUser(UserId="U-901", Name="Zoe Zweig", Email="Zoe@x.de"),
        requests=False,
    ),
    "first-clerk": Step(
        ecommerce.CHANGE_USER,
        fields=("UserId", "Name", "Version"),
        body=ecommerce.ChangedUser(Name="Robert"),
        headers={IF_MATCH.name: '"2"'},
    ),
    "second-clerk": Step(
        ecommerce.CHANGE_USER,
        fields=PROBLEM,
        body=ecommerce.ChangedUser(Name="Bobby"),
        headers={IF_MATCH.name: '"2"'},
        requests=False,
    ),
    "place-order": Step(
        ecommerce.PLACE_ORDER,
        BUYER,
        ("UserId", "ProductId", "Quantity", "Status", "Total"),
        body=TWO,
        headers=THIS_ORDER,
    ),
    "same-order": Step(
        ecommerce.PLACE_ORDER,
        BUYER,
        ("UserId", "ProductId", "Quantity", "Status", "Total"),
        body=TWO,
        headers=THIS_ORDER,
        requests=False,
    ),
    "other-order": Step(
        ecommerce.PLACE_ORDER,
        BUYER,
        PROBLEM,
        body=THREE,
        headers=THIS_ORDER,
        requests=False,
    ),
    "follow": Step(social.FOLLOW, fields=("PersonId", "FolloweeId")),
    "move": Step(university.MOVE_SEMINAR),
    "delete-user": Step(
        ecommerce.DELETE_USER, requests=False, changed=("Type", "Email", "Version")
    ),
}

COSTS: Final = ("one-item", "email", "overview", "pending", "followers")
"""The steps whose consumption is shown."""

PRODUCT_PLACE: Final = {"Category": "books/non-fiction/programming/C#", "ProductId": "P-420"}
WRITTEN: Final[tuple[tuple[Template, dict[str, Any]], ...]] = (
    (ecommerce.Order.primary.partition, {"UserId": "U-001"}),
    (ecommerce.Order.primary.sort, {"OrderId": "2024-01-15"}),
    (ecommerce.User.by_email.partition, {"Email": "Alice@X.de"}),
    (ecommerce.Session.expiring.sort, {"ExpiresAt": 1736082000, "SessionId": "S-002"}),
    (ecommerce.Product.by_category.sort, PRODUCT_PLACE),
    (university.Enrolment.primary.sort, {"Seminar": "50 % KI#2"}),
)
"""Templates of keys, with values easy and hard."""


def with_parts(text: str) -> str:
    """The text with each generated part between its markers.

    Raises KeyError for a marker of no part.
    """
    generated = parts()

    def renewed(found: re.Match[str]) -> str:
        name = found[1]
        return f"<!-- {name}:begin -->\n{generated[name]}\n<!-- {name}:end -->"

    return MARKED.sub(renewed, text)


@lru_cache(maxsize=1)
def parts() -> dict[str, str]:
    """Each generated part by its name."""
    with sample.table():
        calls = made()
        shown = {name: _step(STEPS[name], call) for name, call in calls.items()}
        costs = _costs(calls)
    first = calls["orders"].request
    return {**shown, "as-sent": _as_sent(first), "written-keys": _written_keys(), "costs": costs}


def made() -> dict[str, Made]:
    """Every step, called in order on the table of the example data."""
    calls: dict[str, Made] = {}
    for name, step in STEPS.items():
        given = step.pattern.example if step.given is None else step.given
        if step.after:
            given = {**given, "cursor": calls[step.after].body["next"]}
        body = step.pattern.example_body if step.body is None else step.body
        pattern = replace(step.pattern, example=given, example_body=body)
        calls[name] = call(pattern, step.headers)
    return calls


def call(pattern: AccessPattern, headers: Mapping[str, str] = MappingProxyType({})) -> Made:
    """Calls a pattern with its example, within the table of the example data."""
    before = _in_table()
    with _recorded() as requests:
        response = sample.handler(pattern)(sample.event(pattern, headers), None)
    text = response.get("body")
    is_write = isinstance(pattern.operation, Write)
    return Made(
        pattern=pattern,
        headers=headers,
        requests=requests,
        status=response["statusCode"],
        tag=response["headers"].get("ETag", ""),
        body=json.Decoder(float_hook=Decimal).decode(text) if text else None,
        read=[] if is_write else _read(requests),
        before=before,
        after=_in_table() if is_write else before,
    )


@contextmanager
def _recorded() -> Iterator[list[tuple[str, Request]]]:
    """The requests that DynamoDB's client is given meanwhile, each with its operation's name."""
    requests: list[tuple[str, Request]] = []

    def record(params: Request, model: Any, **_: Any) -> None:
        requests.append((model.name, dict(params)))

    events = store.client().meta.events
    events.register("provide-client-params.dynamodb", record)
    try:
        yield requests
    finally:
        events.unregister("provide-client-params.dynamodb", record)


# --- A step ---------------------------------------------------------------------------------


def _step(step: Step, made: Made) -> str:
    parts = [_block("bash", curl(made.pattern, made.headers))]
    if made.requests and step.requests:
        parts.append(_block("text", as_in_the_lecture(made)))
    parts.append(_answer(step, made))
    if step.changed:
        parts.append(f"\n{_changes(step.changed, made)}")
    if step.items:
        parts.append(f"\n{_picture(step.items, made)}")
    return "\n".join(parts)


def _answer(step: Step, made: Made) -> str:
    """The body; of a write the status and the `ETag` above it."""
    body = [] if made.body is None else [shortened(made.body, step.fields, step.first)]
    if not made.is_write:
        return _block("json", *body)
    tag = [f"ETag: {made.tag}"] if made.tag else []
    empty = [""] if body else []
    head = f"HTTP/1.1 {made.status} {HTTPStatus(made.status).phrase}"
    return _block("http", "\n".join([head, *tag, *empty, *body]))


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def curl(pattern: AccessPattern, headers: Mapping[str, str] = MappingProxyType({})) -> str:
    """The call of a pattern with its example, on the local run."""
    path = pattern.path.format_map(pattern.example)
    query = sample.query(pattern)
    if isinstance(pattern.operation, Write):
        return _curl_of_write(pattern, headers)
    if pattern.body:
        sent = f"-H \"Content-Type: application/json\" -d @- <<'END'\n{_json(pattern.example_body)}"
        return f'curl -s "$API_URL{path}" {sent}\nEND'
    if all(re.fullmatch(r"[\w@./:-]+", value) for value in query.values()):
        given = "&".join(f"{name}={value}" for name, value in query.items())
        return f'curl -s "$API_URL{path}{"?" if given else ""}{given}"'
    given = " ".join(f"--data-urlencode {shlex.quote(f'{n}={v}')}" for n, v in query.items())
    return f'curl -sG "$API_URL{path}" {given}'


def _curl_of_write(pattern: AccessPattern, headers: Mapping[str, str]) -> str:
    """The call of a write, which shows the status and the headers of its answer."""
    url = f'"$API_URL{pattern.path.format_map(pattern.example)}"'
    more = [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in headers.items()]
    if pattern.example_body:
        sent = json.decode(body.write(pattern.example_body))
        more.append(f'-H "Content-Type: application/json" -d {shlex.quote(_json(sent))}')
    return " \\\n  ".join([f"curl -si -X {pattern.method} {url}", *filter(None, [" ".join(more)])])


def as_in_the_lecture(made: Made) -> str:
    """The requests of a call as the lecture writes them.

    The limit of a page is left out where the caller gives none, and so is what every request has.
    """
    return "\n".join(_as_in_the_lecture(made, *request) for request in made.requests)


def _as_in_the_lecture(made: Made, operation: str, request: Request) -> str:
    name = f"{operation} {request.get('IndexName', '')}".strip() + ": "
    if operation == "TransactWriteItems":
        return "\n  ".join([name.strip(), *_actions(request)])
    return name + f"\n{' ' * len(name)}".join(_request_parts(made, request))


def _actions(request: Request) -> Iterator[str]:
    """The parts of a transaction, each with what must hold for it."""
    for each in request["TransactItems"]:
        [(action, parts)] = each.items()
        yield f"{action} {_place(parts.get('Key') or parts['Item'])}"
        yield from (f"    {line}" for line in _expressions(parts))


def _place(item: Item) -> str:
    return ", ".join(f"{name} = {_quoted(item[name])}" for name in TABLE.key_attributes)


def _expressions(request: Request) -> Iterator[str]:
    """What must hold for a write, a condition a line, and what becomes of the item."""
    filled = {
        name: _filled(request[name], request)
        for name in ("ConditionExpression", "UpdateExpression")
        if name in request
    }
    if conditions := filled.get("ConditionExpression", "")[1:-1]:
        each = conditions.split(") AND (")
        simple = " AND ".join(it for it in each if " OR " not in it)
        first, *others = filter(None, [simple, *(it for it in each if " OR " in it)])
        yield f"only if {first}"
        yield from (f"    AND ({either})" for either in others)
    if update := filled.get("UpdateExpression"):
        yield from update.replace(" REMOVE ", "\nREMOVE ").split("\n")


def _filled(expression: str, request: Request) -> str:
    """An expression with the names and the values that its placeholders stand for."""
    names = request["ExpressionAttributeNames"]
    values = request.get("ExpressionAttributeValues", {})
    marks = [placeholder for placeholder, name in names.items() if name == MARK]
    for mark in marks:  # an id that is another for each call
        expression = re.sub(rf"({mark} = ):\w+", rf'\1"{ELLIPSIS}"', expression)
    named = re.sub(r"#\w+", lambda name: str(names[name[0]]), expression)
    return re.sub(r":v\d+", lambda value: _json(to_plain(values[value[0]])), named)


def _request_parts(made: Made, request: Request) -> Iterator[str]:
    for batch in request.get("RequestItems", {}).values():
        yield from sorted(map(_place, batch["Keys"]))
    yield from _key_parts(made, request)
    yield from _expressions(request)


def _key_parts(made: Made, request: Request) -> Iterator[str]:
    if "Statement" in request:
        yield request["Statement"]
    for name, value in request.get("Key", {}).items():
        yield f"{name} = {_quoted(value)}"
    conditions = re.split(r" AND (?!:)", request.get("KeyConditionExpression", ""))
    for condition in filter(None, conditions):
        yield from _condition(condition, request["ExpressionAttributeValues"])
    if request.get("ScanIndexForward") is False:
        yield "ScanIndexForward = false"
    if "Limit" in request and (LIMIT.name in made.pattern.example or not made.pattern.is_paged):
        yield f"Limit = {request['Limit']}"
    if start := request.get("ExclusiveStartKey"):
        written = ", ".join(f"{name} = {_quoted(start[name])}" for name in sorted(start))
        yield f"ExclusiveStartKey: {written}"


def _condition(condition: str, values: Mapping[str, dict[str, str]]) -> Iterator[str]:
    """A part of a key condition; the bounds of a range stand one below the other."""
    text = re.sub(r"begins_with\((\w+), (:\w+)\)", r"\1 begins_with \2", condition)
    lower, _, upper = text.partition(" AND ")
    for indent, part in (("", lower), (" " * lower.index(":"), upper)):
        if part:
            filled = re.sub(r":\w+", lambda name: _quoted(values[name[0]]), part)
            yield f"{indent[4:]}AND {filled}" if indent else filled


def _quoted(value: Mapping[str, str]) -> str:
    return f'"{value["S"].replace(keys.LAST, chr(92) + "uffff")}"'


def _as_sent(request: Request) -> str:
    """A request as boto3 takes it, less what is only about its cost."""
    shown = {name: value for name, value in request.items() if name != "ReturnConsumedCapacity"}
    lines = (f"    {name}={_json(value)}," for name, value in shown.items())
    return _block("python", "\n".join(["client.query(", *lines, ")"]))


# --- Answers --------------------------------------------------------------------------------


def shortened(body: Any, fields: Iterable[str], first: int) -> str:
    """An answer with some members of each item, and the first items of each list.

    `...` stands for what is left out: for the other members at the end of an item, and with a
    number for the other items at the end of a list.
    """
    return _written(body, tuple(fields), first)


def _written(value: Any, fields: tuple[str, ...], first: int) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = [f"  {_one_line(each, fields)}" for each in value[:first]]
        if len(value) > first:
            lines.append(f"  {ELLIPSIS} {len(value) - first} more")
        return "[\n" + ",\n".join(lines) + "\n]"
    if isinstance(value, dict) and not set(fields) & set(value):
        members = (f"{_json(n)}: {_written(v, fields, first)}" for n, v in value.items())
        return f"{{{', '.join(members)}}}"
    return _one_line(value, fields)


def _one_line(value: Any, fields: tuple[str, ...]) -> str:
    """A value with some of its members, and with the first of each map within it."""
    if not isinstance(value, dict) or not fields:
        return _json(value)
    shown = (
        f"{_json(n)}: {_one_line(v, tuple(v)[:1] if isinstance(v, dict) else ())}"
        for n, v in value.items()
        if n in fields
    )
    left_out = [ELLIPSIS] if any(name not in fields for name in value) else []
    return f"{{{', '.join([*shown, *left_out])}}}"


def _json(value: Any) -> str:
    written = json.Encoder(decimal_format="number").encode(value)
    return json.format(written, indent=0).decode()


# --- Items ----------------------------------------------------------------------------------


def _changes(columns: tuple[str, ...], made: Made) -> str:
    """A table of the items that a write changed, as they were and as they are."""
    before, after = (
        {_primary(each): each for each in items} for items in (made.before, made.after)
    )
    header = ("", *TABLE.key_attributes, *columns)
    rows: list[list[str]] = []
    for key in sorted({*before, *after}):
        was, now = before.get(key), after.get(key)
        if was == now:
            continue
        marks = ("before", "after") if was and now else ("removed", "new")
        shown = [(mark, item) for mark, item in zip(marks, (was, now), strict=True) if item]
        rows += [[mark, *(_cell(name, item) for name in header[1:])] for mark, item in shown]
    return table(header, rows)


def _in_table() -> list[Item]:
    """Every item of the table within this process."""
    answer: Any = store.client().scan(TableName=sample.TABLE_NAME)
    return list(answer["Items"])


def _picture(picture: Picture, made: Made) -> str:
    """A table of the items, in the order of the index, that says which of them the request read."""
    index, partitions, columns, chosen = picture
    stored = [
        item
        for item in _stored()
        if index.partition_key in item and item[index.partition_key]["S"] in partitions
    ]
    stored.sort(key=lambda item: (partitions.index(_partition(index, item)), _sort(index, item)))
    read = {_primary(item) for item in made.read}
    marks = ["Read"] if _index_of(made.request) == index else []
    header = [*marks, *index.key_attributes, *columns]
    gap = [ELLIPSIS] + [""] * (len(header) - 1)
    rows: list[list[str]] = []
    for item in stored:
        if not chosen or item[index.sort_key]["S"] in chosen:
            mark = ["yes" if _primary(item) in read else "" for _ in marks]
            names = (*index.key_attributes, *columns)
            rows.append([*mark, *(_cell(name, item) for name in names)])
        elif rows[-1:] != [gap]:
            rows.append(gap)
    return table(header, rows)


def _partition(index: Index, item: Item) -> str:
    return str(item[index.partition_key]["S"])


def _sort(index: Index, item: Item) -> bytes:
    # DynamoDB sorts text by its bytes in UTF-8.
    return bytes(item[index.sort_key]["S"].encode())


def _cell(name: str, item: Item) -> str:
    if name not in item:
        return ""
    text = _text(item[name])
    return code(text) if name in _KEY_ATTRIBUTES else text


def _text(attribute: dict[str, Any]) -> str:
    plain = to_plain(attribute)
    return plain if isinstance(plain, str) else json.encode(plain).decode()


_KEY_ATTRIBUTES: Final = {name for index in (TABLE, *INDEXES) for name in index.key_attributes}


def _stored() -> list[Item]:
    return [item for dataset in DATASETS for item in sample.items(dataset)]


def _primary(item: Item) -> tuple[str, str]:
    return item[TABLE.partition_key]["S"], item[TABLE.sort_key]["S"]


def _index_of(request: Request) -> Index:
    return next((each for each in INDEXES if each.name == request.get("IndexName")), TABLE)


def _read(requests: list[tuple[str, Request]]) -> list[Item]:
    """What a request makes DynamoDB read: all that it gives, since none of them has a filter."""
    for operation, request in requests:
        answer: Any
        if operation == "GetItem":
            answer = store.client().get_item(**request)
            return [answer["Item"]] if "Item" in answer else []
        if operation == "Query":
            answer = store.client().query(**request)
            return list(answer["Items"])
    return []


# --- Keys and costs -------------------------------------------------------------------------


def _written_keys() -> str:
    rows = []
    for template, values in WRITTEN:
        given = ", ".join(f"{name} {code(str(value))}" for name, value in values.items())
        rows.append([code(str(template)), given, code(keys.encode(template, values))])
    return table(("Template", "Values", "Key"), rows)


def _costs(calls: Mapping[str, Made]) -> str:
    rows = []
    for name in COSTS:
        made = calls[name]
        where = f"{made.operation} {made.request.get('IndexName', '')}".strip()
        rows.append([f"{made.pattern.id} {where}", *_cost(made.read)])
    orders = calls["orders"].read
    mean = round(sum(map(size, orders)) / len(orders))
    for count in (51, 201):
        row = [str(count), str(count * mean), f"{read_units(count * mean):g}"]
        rows.append([f"AP-02 Query, a page of {count - 1}", *row])
    rows.append(["Scan of the example data", *_cost(_stored())])
    return table(("Request", "Items read", "Bytes", "Units"), rows)


def _cost(read: list[Item]) -> list[str]:
    total = sum(map(size, read))
    return [str(len(read)), str(total), f"{read_units(total):g}"]
