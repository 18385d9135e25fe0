"""Items, events and patterns that several tests of the runtime need."""

from datetime import UTC, datetime
from typing import Any

from lambdas.design.ecommerce import OrderItem
from lambdas.design.operations import Parameter, Query
from lambdas.design.pattern import AccessPattern, Page, Technique
from lambdas.design.values import Id
from lambdas.runtime import arguments, times
from lambdas.runtime.access import ANYBODY
from lambdas.runtime.call import Call
from lambdas.runtime.items import Item
from lambdas.runtime.requests import Arguments
from lambdas.runtime.store import Store

LIST_PRODUCT_ORDERS = AccessPattern(
    id="XX-12",
    name="list_product_orders",
    route="GET /ecommerce/products/{product_id}/orders",
    summary="The orders that have a product: what the inverted index is for.",
    operation=Query(OrderItem.inverted),
    answer=Page(),
    own_parameters=(Parameter("product_id", Id, "The product.", "ProductId", required=True),),
    shows=(Technique.ONE_TO_MANY,),
    example={"product_id": "P-100"},
)


def event(path: dict[str, str] | None = None, /, **query: str) -> dict[str, Any]:
    """The gateway's event of a call; it leaves out the maps that would be empty."""
    event: dict[str, Any] = {
        "version": "2.0",
        "rawQueryString": "&".join(f"{name}={value}" for name, value in query.items()),
        "headers": {"host": "api.example"},
    }
    if path:
        event["pathParameters"] = path
    if query:
        event["queryStringParameters"] = query
    return event


def call_of(
    pattern: AccessPattern, given: Arguments, body: Any = None, store: Store | None = None
) -> Call:
    """A call with these arguments, made now by nobody in particular."""
    return Call(
        pattern=pattern,
        arguments=given,
        body=body,
        caller=ANYBODY,
        token="a-call",
        now=times.now(),
        store=store or Store(),
    )


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def a_call(
    pattern: AccessPattern,
    path: dict[str, str] | None = None,
    body: Any = None,
    headers: dict[str, str] | None = None,
    /,
    **query: str,
) -> Call:
    """A call of a pattern, at a time that stands still."""
    called = event(path, **query)
    called["headers"] |= headers or {}
    return Call(
        pattern=pattern,
        arguments=arguments.read(pattern, called),
        body=body,
        caller=ANYBODY,
        token="a-token",
        now=NOW,
        store=Store(),
    )


def user_item(user: str = "U-001", **attributes: dict[str, Any]) -> Item:
    return {
        "PK": {"S": f"USER#{user}"},
        "SK": {"S": "PROFILE"},
        "Type": {"S": "User"},
        "Version": {"N": "1"},
        **attributes,
    }


def order_item(order: str, user: str = "U-001", **attributes: dict[str, Any]) -> Item:
    return {
        "PK": {"S": f"USER#{user}"},
        "SK": {"S": f"ORDER#{order}"},
        "GSI1PK": {"S": "STATUS#PENDING"},
        "GSI1SK": {"S": order},
        "Type": {"S": "Order"},
        "Version": {"N": "1"},
        **attributes,
    }
