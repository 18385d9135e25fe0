from typing import Any

import pytest

from lambdas.design.access import Admin, Anyone, Oneself, Owner, Reserved
from lambdas.design.ecommerce import (
    FROM,
    GET_USER,
    GET_USER_WITH_ORDERS,
    LIST_PENDING_ORDERS,
    LIST_USER_ORDERS,
    NEWEST,
    ORDER_ID,
    PERIOD,
    PRODUCT_ID,
    TO,
    USER_ID,
    NewEmail,
    Order,
    OrderItem,
    Session,
    User,
)
from lambdas.design.keys import DeclarationError
from lambdas.design.operations import BeginsWith, GetItem, Parameter, Permission, Query, Within
from lambdas.design.pattern import CURSOR, LIMIT, AccessPattern, OneItem, Page, Technique
from lambdas.design.table import GSI1, TABLE
from lambdas.design.values import Id

OPTIONAL_USER = Parameter("user", Id, "The user.", fills="UserId")


def declare(**changes: Any) -> AccessPattern:
    """Declare a pattern like AP-02, but for the changes."""
    good: dict[str, Any] = {
        "id": "XX-01",
        "name": "list_things",
        "route": "GET /things/{user_id}",
        "summary": "Things.",
        "operation": Query(Order.primary),
        "answer": Page(),
        "own_parameters": (USER_ID,),
        "shows": (Technique.ONE_TO_MANY,),
        "example": {"user_id": "U-001"},
    }
    return AccessPattern(**good | changes)


def refused(**changes: Any) -> str:
    """Declare a pattern that must not be; what it is refused with."""
    with pytest.raises(DeclarationError) as refusal:
        declare(**changes)
    message = str(refusal.value)
    assert message.startswith("XX-01 list_things: ")
    return message


def test_a_route_is_a_method_and_a_path() -> None:
    pattern = declare()
    assert (pattern.method, pattern.path) == ("GET", "/things/{user_id}")
    assert pattern.dataset == "things"
    assert pattern.path_parameters == ("user_id",)


@pytest.mark.parametrize(
    "route",
    [
        "/things/{user_id}",
        "get /things/{user_id}",
        "GET things/{user_id}",
        "GET /things/{user_id}/",
        "GET /Things/{user_id}",
        "GET /things/u{user_id}",
        "GET /things/{user_id}?limit=1",
        "GET  /things/{user_id}",
    ],
)
def test_a_route_that_is_none_is_refused(route: str) -> None:
    assert f"route {route!r} is not a method and a path" in refused(route=route)


def test_a_path_placeholder_without_a_parameter_is_refused() -> None:
    message = refused(route="GET /things/{user_id}/{thing_id}")
    assert "path placeholder 'thing_id' has no required parameter" in message


def test_a_path_placeholder_needs_a_parameter_that_is_required() -> None:
    route = "GET /things/{user_id}/{user}"
    message = refused(route=route, own_parameters=(USER_ID, OPTIONAL_USER))
    assert "path placeholder 'user' has no required parameter" in message


def test_a_required_parameter_need_not_stand_in_the_path() -> None:
    assert declare(route="GET /things").path_parameters == ()


def test_a_parameter_that_is_declared_twice_is_refused() -> None:
    assert "parameter 'user_id' is declared twice" in refused(own_parameters=(USER_ID, USER_ID))


def test_a_parameter_with_the_name_of_a_page_parameter_is_refused() -> None:
    limit = Parameter("limit", Id, "Not the page's.", fills="OrderId")
    assert "parameter 'limit' is declared twice" in refused(own_parameters=(USER_ID, limit))


def test_a_parameter_that_fills_an_unknown_field_is_refused() -> None:
    email = Parameter("email", Id, "The address.", fills="Email")
    message = refused(own_parameters=(USER_ID, email))
    assert message.endswith("parameter 'email' fills unknown field 'Email'")


def test_a_parameter_that_fills_a_field_nearly_is_told_which() -> None:
    user = Parameter("user_id", Id, "The user.", fills="UserID", required=True)
    assert refused(own_parameters=(user,)).endswith("'UserID'; did you mean UserId?")


def test_a_parameter_that_fills_no_field_is_refused_among_its_own() -> None:
    message = refused(own_parameters=(USER_ID, NEWEST))
    assert "parameter 'newest' fills unknown field None" in message


def test_a_parameter_may_fill_a_field_of_the_sort_key() -> None:
    order = Parameter("order", Id, "The order.", fills="OrderId")
    assert declare(own_parameters=(USER_ID, order)).own_parameters == (USER_ID, order)


def test_a_partition_field_that_nothing_fills_is_refused() -> None:
    message = refused(route="GET /things", own_parameters=(), example={})
    assert "no required parameter fills 'UserId' of the key" in message


def test_a_partition_field_is_not_filled_by_a_parameter_that_may_be_absent() -> None:
    message = refused(route="GET /things", own_parameters=(OPTIONAL_USER,), example={})
    assert "no required parameter fills 'UserId' of the key" in message


def test_a_single_item_needs_the_fields_of_the_sort_key_too() -> None:
    operation = GetItem(Order.primary)
    message = refused(operation=operation, answer=OneItem())
    assert "no required parameter fills 'OrderId' of the key" in message
    route, example = "GET /things/{user_id}/{order_id}", {"user_id": "U-001", "order_id": "1"}
    parameters = (USER_ID, ORDER_ID)
    declare(
        operation=operation,
        answer=OneItem(),
        route=route,
        own_parameters=parameters,
        example=example,
    )


def test_a_partition_of_literals_needs_no_parameter() -> None:
    pattern = declare(
        route="GET /things", operation=Query(Order.pending), own_parameters=(), example={}
    )
    assert [parameter.name for parameter in pattern.parameters] == ["limit", "cursor"]


def test_an_example_that_lacks_a_required_parameter_is_refused() -> None:
    assert "the example lacks 'user_id'" in refused(example={"limit": "5"})


def test_an_example_with_an_unknown_parameter_is_refused() -> None:
    example = {"user_id": "U-001", "newest": "true"}
    assert "the example gives unknown parameter 'newest'" in refused(example=example)
    declare(operation=Query(Order.primary, descending=NEWEST), example=example)


def test_an_example_may_give_the_page_parameters_of_a_list_alone() -> None:
    example = {"user_id": "U-001", "limit": "5"}
    assert declare(example=example).example == example
    message = refused(operation=GetItem(User.primary), answer=OneItem(), example=example)
    assert "the example gives unknown parameter 'limit'" in message


def test_children_of_another_collection_are_refused() -> None:
    with pytest.raises(DeclarationError, match=r"OrderItem is not in .* USER#\{UserId\} of Order"):
        Query(Order.primary, OrderItem.primary)
    assert Query(User.primary, Order.primary).keys == (User.primary, Order.primary)


def test_children_in_another_index_are_refused_though_the_template_is_the_same() -> None:
    assert Order.with_items.partition == OrderItem.primary.partition
    with pytest.raises(DeclarationError, match="OrderItem"):
        Query(Order.with_items, OrderItem.primary)
    assert Query(Order.with_items, OrderItem.with_order).also == OrderItem.with_order


def test_a_range_over_an_unknown_field_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"unknown field 'PlacedAt' in ORDER#\{OrderId\}"):
        Query(Order.primary, sort=Within("PlacedAt", FROM, TO))
    Query(Order.primary, sort=Within("OrderId", FROM, TO))


def test_a_range_over_a_field_of_the_partition_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"unknown field 'UserId' in ORDER#\{OrderId\}"):
        Query(Order.primary, sort=Within("UserId", FROM, TO))


def test_a_list_takes_its_own_parameters_then_the_operations_then_those_of_a_page() -> None:
    assert LIST_USER_ORDERS.parameters == (USER_ID, FROM, TO, PERIOD, NEWEST, LIMIT, CURSOR)
    assert LIST_PENDING_ORDERS.parameters == (FROM, TO, LIMIT, CURSOR)


def test_a_single_item_takes_no_page_parameters() -> None:
    assert not GET_USER.is_paged
    assert GET_USER.parameters == (USER_ID,)


def test_a_parent_with_a_page_of_children_is_paged_but_not_turned_round() -> None:
    assert GET_USER_WITH_ORDERS.is_paged
    assert GET_USER_WITH_ORDERS.parameters == (USER_ID, LIMIT, CURSOR)


def test_a_pattern_may_do_one_thing_on_one_index() -> None:
    assert GET_USER.permissions == (Permission("dynamodb:GetItem", TABLE),)
    assert LIST_USER_ORDERS.permissions == (Permission("dynamodb:Query", TABLE),)
    assert LIST_PENDING_ORDERS.permissions == (Permission("dynamodb:Query", GSI1),)


def test_a_pattern_returns_the_entities_of_its_keys() -> None:
    assert LIST_USER_ORDERS.entities == (Order,)
    assert GET_USER_WITH_ORDERS.entities == (User, Order)


def test_only_a_list_cannot_be_not_found() -> None:
    assert LIST_USER_ORDERS.errors == (400, 429, 500, 503)
    assert GET_USER.errors == GET_USER_WITH_ORDERS.errors == (400, 404, 429, 500, 503)


def test_a_variant_shares_route_and_operation_and_says_whose() -> None:
    base = declare()
    variant = base.variant(
        id="XX-02",
        name="list_first_things",
        summary="The first things.",
        shows=(Technique.NEWEST_FIRST,),
        example={"user_id": "U-001", "limit": "1"},
    )
    assert (variant.id, variant.variant_of, base.variant_of) == ("XX-02", "XX-01", None)
    assert (variant.route, variant.operation) == (base.route, base.operation)


def test_the_example_of_a_variant_is_checked_too() -> None:
    with pytest.raises(DeclarationError, match=r"XX-02 bad: .* unknown parameter 'period'"):
        declare().variant(
            id="XX-02",
            name="bad",
            summary="",
            shows=(),
            example={"user_id": "U-001", "period": "2024"},
        )


def test_a_query_without_a_sort_condition_reads_its_own_entity_alone() -> None:
    assert Query(Session.of_user).sort == BeginsWith()


# --- People ---------------------------------------------------------------------------------


def test_a_pattern_that_does_not_say_which_people_may_call_it_is_for_admins_alone() -> None:
    assert declare().people == Admin()
    assert declare().refuses_people
    assert not declare(people=Anyone()).refuses_people


def test_oneself_must_be_given_by_the_call() -> None:
    assert declare(people=Oneself("UserId")).people == Oneself("UserId")
    assert refused(people=Oneself("OrderId")).endswith(
        "nothing gives 'OrderId', which must be the caller's own"
    )


def test_what_is_reserved_must_be_in_the_body() -> None:
    for body, field in ((NewEmail, "VIP"), (None, "Email")):
        message = refused(
            people=Oneself("UserId", (Reserved(field),)),
            body=body,
            example_body=NewEmail(Email="ann@x.de"),
        )
        assert message.endswith(f"the body has no {field!r} to reserve")


def test_what_is_reserved_may_have_one_value_that_is_open() -> None:
    assert not Reserved("VIP").allows(None)
    assert Reserved("Status", unless="CANCELLED").allows("CANCELLED")
    assert not Reserved("Status", unless="CANCELLED").allows("PAID")


def test_the_owner_must_be_an_attribute_of_every_entity() -> None:
    assert declare(people=Owner("UserId")).people == Owner("UserId")
    assert refused(people=Owner("OwnerId")).endswith("Order has no 'OwnerId' that says whose it is")


def test_an_index_of_keys_alone_does_not_say_whose_its_items_are() -> None:
    message = refused(
        route="GET /things",
        operation=Query(OrderItem.inverted),
        own_parameters=(PRODUCT_ID,),
        example={"product_id": "P-1"},
        people=Owner("UserId"),
    )
    assert message.endswith("InvertedIndex does not say whose its items are")
