"""The contract's tables of the shop, copied: what is declared must agree with them, row by row."""

import pytest
from msgspec.structs import fields

from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.ecommerce import LIST_NEWEST_USER_ORDERS, LIST_USER_ORDERS_IN_RANGE
from lambdas.design.entity import Entity
from lambdas.design.operations import GetItem, Query

# Type: PK / SK; in an index, and what keeps an item there.
ENTITY_ROWS = {
    "User": [
        "PK USER#{UserId} / PROFILE",
        "GSI1 EMAIL#{Email:lower} / USER#{UserId}",
        "GSI2 VIP / USER#{UserId}, only while `VIP` is true",
    ],
    "EmailGuard": ["PK EMAIL#{Email:lower} / EMAIL#{Email:lower}"],
    "Order": [
        "PK USER#{UserId} / ORDER#{OrderId}",
        "GSI1 STATUS#PENDING / {OrderId}, only while `Status` is PENDING",
        "GSI2 ORDER#{OrderId} / ORDER",
    ],
    "OrderItem": [
        "PK ORDER#{OrderId} / ITEM#{ProductId}",
        "GSI2 ORDER#{OrderId} / ITEM#{ProductId}",
    ],
    "Product": [
        "PK PRODUCT#{ProductId} / PRODUCT#{ProductId}",
        "GSI1 CATEGORY#{Category:first-level} / {Category:lower-levels}#{ProductId}",
    ],
    "Session": [
        "PK SESSION#{SessionId} / SESSION#{SessionId}",
        "GSI1 SESSION#EXPIRING / {ExpiresAt:time}#{SessionId}, only while `ExpiresAt` is set",
        "GSI2 USER#{UserId} / SESSION#{ExpiresAt:time-or-never}#{SessionId}",
    ],
    "Job": [
        "PK JOB#{JobId} / JOB#{JobId}",
        "GSI1 JOB#FAILED / {ErrorCode}#{FailedAt}#{JobId}, only while `ErrorCode` is set",
    ],
}

# Attributes that every item of the type has, then those that it may have.
ATTRIBUTE_ROWS = {
    "User": ("Name Email CreatedAt", "VIP Address"),
    "EmailGuard": ("UserId", ""),
    "Order": ("Status Total Currency PlacedAt", ""),
    "OrderItem": ("UserId Name Quantity UnitPrice", ""),
    "Product": ("Name Price Currency Category", ""),
    "Session": ("UserId CreatedAt", "ExpiresAt"),
    "Job": ("Status CreatedAt", "ErrorCode FailedAt"),
}

# id: name, route
PATTERN_ROWS = {
    "AP-01": "get_user, GET /ecommerce/users/{user_id}",
    "AP-02": "list_user_orders, GET /ecommerce/users/{user_id}/orders",
    "AP-03": "list_order_items, GET /ecommerce/orders/{order_id}/items",
    "AP-04": "get_user_with_orders, GET /ecommerce/users/{user_id}/overview",
    "AP-05": "list_pending_orders, GET /ecommerce/pending-orders",
    "AP-06": "find_user_by_email, GET /ecommerce/user-by-email",
}

# id: how, by the operation, the index and the templates of the partition that is read
OPERATION_ROWS = {
    "AP-01": "dynamodb:GetItem  USER#{UserId}",
    "AP-02": "dynamodb:Query  USER#{UserId}",
    "AP-03": "dynamodb:Query  ORDER#{OrderId}",
    "AP-04": "dynamodb:Query  USER#{UserId}",
    "AP-05": "dynamodb:Query GSI1 STATUS#PENDING",
    "AP-06": "dynamodb:Query GSI1 EMAIL#{Email:lower}",
}

PARAMETER_ROWS = {
    "AP-01": "user_id",
    "AP-02": "user_id from to period newest limit cursor",
    "AP-03": "order_id limit cursor",
    "AP-04": "user_id limit cursor",
    "AP-05": "from to limit cursor",
    "AP-06": "email",
}

DECLARED = {entity.__name__: entity for entity in ENTITIES}
PATTERNS = {pattern.id: pattern for pattern in ACCESS_PATTERNS}


def key_rows(entity: type[Entity]) -> list[str]:
    return [
        f"{key.index.name or 'PK'} {key.partition} / {key.sort}"
        + (f", {key.only_while}" if key.only_while else "")
        for key in entity.keys
    ]


def test_the_shop_has_the_entities_of_the_contract_in_its_order() -> None:
    assert [name for name in DECLARED if name in ENTITY_ROWS] == list(ENTITY_ROWS)


@pytest.mark.parametrize("name", ENTITY_ROWS)
def test_an_entity_has_the_keys_of_the_contract(name: str) -> None:
    assert key_rows(DECLARED[name]) == ENTITY_ROWS[name]


@pytest.mark.parametrize("name", ATTRIBUTE_ROWS)
def test_an_entity_has_the_attributes_of_the_contract(name: str) -> None:
    entity = DECLARED[name]
    stored = [field for field in fields(entity) if field.name not in entity.primary.fields]
    always = [field.encode_name for field in stored if field.required]
    perhaps = [field.encode_name for field in stored if not field.required]
    assert (" ".join(always), " ".join(perhaps)) == ATTRIBUTE_ROWS[name]


def test_the_shop_has_the_patterns_of_the_contract_in_its_order() -> None:
    wanted = [f"AP-{number:02d}" for number in range(1, 10)]
    assert [id_ for id_ in PATTERNS if id_ in wanted] == wanted


@pytest.mark.parametrize("id_", PATTERN_ROWS)
def test_a_pattern_has_the_name_and_the_route_of_the_contract(id_: str) -> None:
    pattern = PATTERNS[id_]
    assert f"{pattern.name}, {pattern.route}" == PATTERN_ROWS[id_]
    assert pattern.variant_of is None


@pytest.mark.parametrize("id_", OPERATION_ROWS)
def test_a_pattern_is_one_operation_on_the_partition_of_the_contract(id_: str) -> None:
    operation = PATTERNS[id_].operation
    assert isinstance(operation, GetItem | Query)
    key = operation.keys[0]
    assert isinstance(operation, GetItem | Query)
    assert f"{operation.action} {key.index.name} {key.partition}" == OPERATION_ROWS[id_]


@pytest.mark.parametrize("id_", PARAMETER_ROWS)
def test_a_pattern_takes_the_parameters_of_the_contract(id_: str) -> None:
    names = [parameter.name for parameter in PATTERNS[id_].parameters]
    assert names == PARAMETER_ROWS[id_].split()


@pytest.mark.parametrize("id_", ["AP-07", "AP-08", "AP-09"])
def test_time_ranges_periods_and_newest_first_are_variants_of_the_list(id_: str) -> None:
    assert PATTERNS[id_].variant_of == "AP-02"
    assert PATTERNS[id_].route == PATTERNS["AP-02"].route


def test_a_variants_example_asks_what_makes_it_one() -> None:
    assert {"from", "to"} <= set(LIST_USER_ORDERS_IN_RANGE.example)
    assert PATTERNS["AP-08"].example["period"] == "2024"
    assert LIST_NEWEST_USER_ORDERS.example == {
        "user_id": "U-001",
        "newest": "true",
        "limit": "5",
    }
