"""What the shop's writes do, beyond what is declared of them."""

from decimal import Decimal, localcontext
from secrets import choice
from uuid import uuid4

from msgspec import Struct, json

from lambdas.design.ecommerce import EmailGuard, Job, Order, OrderItem, Product, Session, User
from lambdas.design.table import TABLE
from lambdas.design.values import Amount, CurrencyCode, Text
from lambdas.runtime import body, expressions, idempotency, items, requests
from lambdas.runtime.call import NOTHING, Answer, Call
from lambdas.runtime.changes import (
    Step,
    absent,
    change,
    create,
    located,
    moved_on,
    new,
    remove,
    shown,
    taken,
    transact,
    uncountable,
    upsert,
)
from lambdas.runtime.errors import BadInput, Conflict, NotFound, VersionMismatch
from lambdas.runtime.expressions import (
    check,
    delete,
    has_version,
    is_a,
    is_absent_or_has,
    is_new,
    is_one_of,
    put,
)
from lambdas.runtime.items import Item, to_item
from lambdas.runtime.keys import InvalidKeyValue, encode
from lambdas.runtime.requests import Request

# --- Users ----------------------------------------------------------------------------------


def create_user(call: Call) -> Answer:
    """CW-01: the profile and the guard of its e-mail address, both or neither. Whoever signs up
    with a token gets its subject as id."""
    sent = call.body
    user = User(
        UserId=sent.UserId or call.caller.person or uuid4().hex,
        Name=sent.Name,
        Email=sent.Email,
        VIP=sent.VIP or None,
        Address=sent.Address,
        CreatedAt=call.time,
    )
    guard = EmailGuard(Email=user.Email, UserId=user.UserId)
    return create(
        call,
        new(call, User, to_item(user)),
        Step("Put", put(user, is_new()), taken(UserId=user.UserId)),
        Step("Put", put(guard, is_new()), taken(Email=user.Email)),
    )


def change_user(call: Call) -> Answer:
    """CW-02: what was sent, and nothing else."""
    changes = call.sent
    if not changes:
        raise BadInput({"body": "must name what changes: Name, VIP or Address"})
    if "VIP" in changes:
        changes["VIP"] = changes["VIP"] or None  # true or absent
    return change(call, User, call.values, changes)


def change_email(call: Call) -> Answer:
    """CW-03: the profile, and the guards of both addresses, in one transaction.

    Addresses are compared as keys have them. The same one again changes nothing; another case of
    it is the same key, so the profile alone changes.
    """
    user, email = _stored_user(call), call.body.Email
    if user.get("Email") == {"S": email}:
        return shown(User, user)
    if (version := items.version_of(user)) is None:
        raise uncountable()
    if encode(EmailGuard.primary.partition, {"Email": email}) == _guard_key(user):
        unchanged = _is_as_read(user)
        return change(
            call, User, call.values, {"Email": email}, unchanged, otherwise=moved_on(call)
        )
    changed = expressions.update(
        User, call.values, {"Email": email}, is_a(User), _is_as_read(user), mark=call.token
    )
    guard = EmailGuard(Email=email, UserId=call.values["UserId"])
    transact(
        call,
        Step("Update", changed, moved_on(call)),
        *_freed(call, user),
        Step("Put", put(guard, is_new()), taken(Email=email)),
    )
    return shown(User, user | {"Email": {"S": email}, "Version": {"N": str(version + 1)}})


def delete_user(call: Call) -> Answer:
    """CW-04: only a tombstone is left, and the address is free; then the sessions end."""
    try:
        user = _stored_user(call)
    except NotFound:
        _end_sessions(call)  # of a deletion that did not come to its end
        raise
    transact(
        call,
        Step("Put", expressions.put_item(items.tombstone(user), _is_as_read(user)), moved_on(call)),
        *_freed(call, user),
    )
    _end_sessions(call)
    return NOTHING


def _end_sessions(call: Call) -> None:
    for request in requests.collection(Session.of_user, call.values):
        _end_each(call, request)


def _end_each(call: Call, request: Request) -> None:
    while True:
        sessions, last = call.store.query(request)
        for session in sessions:
            if items.is_a(session, Session):  # what else stands among them is not ours to remove
                call.store.delete_item(
                    {"Key": {name: session[name] for name in TABLE.key_attributes}}
                )
        if not last:
            return
        request["ExclusiveStartKey"] = last


def _stored_user(call: Call) -> Item:
    """The user as stored. Raises NotFound, and VersionMismatch when `If-Match` does not match."""
    key = requests.primary_key(User.primary, call.values)
    user = call.store.get_item({"Key": key, "ConsistentRead": True})
    if user is None or not items.is_a(user, User):
        raise absent(User, **call.values)(user)
    if call.expected_version not in (None, items.version_of(user)):
        raise VersionMismatch("The item has been changed since that version.")
    return user


def _is_as_read(user: Item) -> expressions.Condition:
    """Nobody has changed the user since. Whom no version can be counted of can only be deleted."""
    version = items.version_of(user)
    return is_a(User) if version is None else has_version(version)


def _freed(call: Call, user: Item) -> list[Step]:
    """The step that frees the user's address: its guard goes, unless it is another user's."""
    if _guard_key(user) is None:
        return []
    own = is_absent_or_has({"UserId": call.values["UserId"]})
    guard = delete(EmailGuard.primary, {"Email": user["Email"]["S"]}, *own)
    return [Step("Delete", guard, moved_on(call), is_dispensable=True)]


def _guard_key(user: Item) -> str | None:
    """Where the guard of the user's address is; None when what is stored is no address, or one that
    no key can hold."""
    try:
        return encode(EmailGuard.primary.partition, {"Email": user.get("Email", {}).get("S")})
    except InvalidKeyValue:
        return None


# --- Orders ---------------------------------------------------------------------------------

MAY_FOLLOW = {
    "PENDING": (),
    "PAID": ("PENDING",),
    "SHIPPED": ("PAID",),
    "DELIVERED": ("SHIPPED",),
    "CANCELLED": ("PENDING", "PAID"),
}
"""The statuses that an order may have before each status."""

UNAMBIGUOUS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Letters and digits that are not taken for one another, as Crockford's Base32 has them."""


def place_order(call: Call) -> Answer:
    """CW-05: an order with all its items, at the products' names and prices of now."""
    ids = [line.ProductId for line in call.body.Items]
    _refuse({at: "is ordered twice" for at, each in enumerate(ids) if each in ids[:at]})
    if (first := idempotency.recalled(call)) is not None:
        return first
    offers = _offers(call, ids)
    user_id, order_id = call.values["UserId"], f"{call.time}-{''.join(_random(6))}"
    lines = [
        OrderItem(
            OrderId=order_id,
            ProductId=line.ProductId,
            UserId=user_id,
            Name=offers[line.ProductId].Name,
            Quantity=line.Quantity,
            UnitPrice=offers[line.ProductId].Price,
        )
        for line in call.body.Items
    ]
    order = Order(
        UserId=user_id,
        OrderId=order_id,
        Status="PENDING",
        Total=_total(lines),
        Currency=_currency(offers),
        PlacedAt=call.time,
    )
    return create(
        call,
        _order_answer(call, order, lines),
        Step(
            "ConditionCheck",
            check(User.primary, call.values, is_a(User)),
            absent(User, UserId=user_id),
        ),
        *(Step("Put", put(new, is_new()), taken(OrderId=order_id)) for new in (order, *lines)),
    )


class _Offer(Struct):
    """What an order takes over from a product: no more than can be put there."""

    Name: Text
    Price: Amount
    Currency: CurrencyCode


def _offers(call: Call, ids: list[str]) -> dict[str, _Offer]:
    """What the products offer that are ordered, by id. Raises BadInput for an unknown product, and
    Conflict for one that cannot be sold as it is stored."""
    keys = [requests.primary_key(Product.primary, {"ProductId": each}) for each in ids]
    found = {
        item[TABLE.partition_key]["S"]: item
        for item in call.store.get_items(keys)
        if items.is_a(item, Product)
    }
    products = {
        each: found[address]
        for each, key in zip(ids, keys, strict=True)
        if (address := key[TABLE.partition_key]["S"]) in found
    }
    _refuse({at: f"is no product: {each}" for at, each in enumerate(ids) if each not in products})
    return {each: _offer(at, products[each]) for at, each in enumerate(ids)}


def _offer(at: int, product: Item) -> _Offer:
    """What the product of a line offers. Raises Conflict for what could not have been put there."""
    stored = {name: product.get(name, {}) for name in _Offer.__struct_fields__}
    plain = {
        name: items.to_plain(each) for name, each in stored.items() if each.keys() & {"S", "N"}
    }
    try:
        return body.read(_Offer, {"body": json.encode(plain).decode()})
    except BadInput as error:
        line, reason = f"Items[{at}].ProductId", "cannot be sold as it is stored"
        raise Conflict(f"{line} {reason}: {error.detail}", {line: reason}) from None


def _refuse(reasons: dict[int, str]) -> None:
    if reasons:
        raise BadInput({f"Items[{at}].ProductId": reason for at, reason in reasons.items()})


def _currency(offers: dict[str, _Offer]) -> str:
    currencies = sorted({offer.Currency for offer in offers.values()})
    if len(currencies) > 1:
        raise BadInput({"Items": f"must be in one currency, not in {' and '.join(currencies)}"})
    return currencies[0]


def _total(lines: list[OrderItem]) -> Decimal:
    with localcontext(prec=38):  # as many digits as DynamoDB keeps
        return sum((line.Quantity * line.UnitPrice for line in lines), Decimal(0))


def _order_answer(call: Call, order: Order, lines: list[OrderItem]) -> Answer:
    """The order with its items, as they are read."""
    item = to_item(order)
    shown_lines = [
        items.present(line, OrderItem.primary)
        for line in sorted(map(to_item, lines), key=lambda line: line["SK"]["S"])
    ]
    shown_order = items.present(item, Order.primary)
    headers = {**items.entity_tag(item), **located(call, shown_order)}
    return Answer({"order": shown_order, "items": shown_lines}, headers, 201)


def _random(length: int) -> list[str]:
    return [choice(UNAMBIGUOUS) for _ in range(length)]


def change_order_status(call: Call) -> Answer:
    """CW-06: one step on the order's way."""
    status = call.body.Status

    def refused(order: Item | None) -> Conflict:
        before = (order or {}).get("Status", {}).get("S") or "of no status"
        return Conflict(
            f"An order that is {before} cannot become {status}.", {"Status": f"is {before}"}
        )

    allowed = is_one_of("Status", MAY_FOLLOW[status])
    return change(call, Order, call.values, {"Status": status}, allowed, otherwise=refused)


# --- Products, sessions, jobs ---------------------------------------------------------------


def put_product(call: Call) -> Answer:
    """CW-07: the product as it is to be."""
    return upsert(call, Product, call.values, call.sent)


def start_session(call: Call) -> Answer:
    """CW-08: a session of a user who exists."""
    seconds = call.body.TtlSeconds
    session = Session(
        SessionId=uuid4().hex,
        UserId=call.values["UserId"],
        CreatedAt=call.time,
        ExpiresAt=int(call.now.timestamp()) + seconds if seconds else None,
    )
    return create(
        call,
        new(call, Session, to_item(session)),
        Step(
            "ConditionCheck",
            check(User.primary, call.values, is_a(User)),
            absent(User, **call.values),
        ),
        Step("Put", put(session, is_new()), taken(SessionId=session.SessionId)),
    )


def end_session(call: Call) -> Answer:
    """CW-09: there is no such session any more."""
    return remove(call, Session)


def submit_job(call: Call) -> Answer:
    """CW-10: a job whose id nobody else has."""
    job = Job(JobId=call.body.JobId or uuid4().hex, Status="QUEUED", CreatedAt=call.time)
    return create(
        call,
        new(call, Job, to_item(job)),
        Step("Put", put(job, is_new()), taken(JobId=job.JobId)),
    )


def finish_job(call: Call) -> Answer:
    """CW-11: the outcome of a job."""
    status, code = call.body.Status, call.body.ErrorCode
    if (status == "FAILED") != (code is not None):
        needs = "is needed when a job has failed" if code is None else "is of failed jobs alone"
        raise BadInput({"ErrorCode": needs})
    failed_at = call.time if code else None
    return change(
        call, Job, call.values, {"Status": status, "ErrorCode": code, "FailedAt": failed_at}
    )
