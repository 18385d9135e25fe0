import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.design.ecommerce import (
    EmailGuard,
    Job,
    Order,
    OrderItem,
    Product,
    Session,
    User,
)
from lambdas.design.entity import Entity
from lambdas.design.values import DatedId, OrderStatus
from lambdas.runtime import items, keys
from lambdas.runtime.items import Item

TIME = "2024-03-02T09:15:00.123Z"
ALICE = User(UserId="U-001", Name="Alice Müller", Email="Alice@X.de", CreatedAt=TIME)


def order(status: OrderStatus = "PENDING", order_id: DatedId = "2024-01-15") -> Order:
    return Order(
        UserId="U-001",
        OrderId=order_id,
        Status=status,
        Total=Decimal("129.90"),
        Currency="EUR",
        PlacedAt=TIME,
    )


def key_attributes(item: Item, index: str) -> dict[str, Any]:
    return {name: value["S"] for name, value in item.items() if name.startswith(index)}


def as_json(attribute: dict[str, Any]) -> str:
    return msgspec.json.encode(items.to_plain(attribute)).decode()


# --- What is stored -------------------------------------------------------------------------


def test_an_item_has_its_attributes_its_keys_its_type_and_its_version() -> None:
    assert items.to_item(order()) == {
        "PK": {"S": "USER#U-001"},
        "SK": {"S": "ORDER#2024-01-15"},
        "GSI1PK": {"S": "STATUS#PENDING"},
        "GSI1SK": {"S": "2024-01-15"},
        "GSI2PK": {"S": "ORDER#2024-01-15"},
        "GSI2SK": {"S": "ORDER"},
        "Type": {"S": "Order"},
        "Version": {"N": "1"},
        "Status": {"S": "PENDING"},
        "Total": {"N": "129.90"},
        "Currency": {"S": "EUR"},
        "PlacedAt": {"S": TIME},
    }


def test_the_fields_of_the_primary_key_are_stored_in_the_key_alone() -> None:
    item = items.to_item(EmailGuard(Email="Ann@x.de", UserId="U-001"))
    assert "Email" not in item
    assert item["UserId"] == {"S": "U-001"}


def test_a_field_of_an_index_key_is_stored_as_an_attribute_too_as_it_was_given() -> None:
    item = items.to_item(ALICE)
    assert item["Email"] == {"S": "Alice@X.de"}
    assert item["GSI1PK"] == {"S": "EMAIL#alice@x.de"}


def test_what_is_absent_is_not_stored_at_all() -> None:
    assert "VIP" not in items.to_item(ALICE)
    assert "Address" not in items.to_item(ALICE)
    address = items.to_item(msgspec.structs.replace(ALICE, Address={"City": "Köln"}))["Address"]
    assert address == {"M": {"City": {"S": "Köln"}}}


def test_a_value_that_cannot_stand_in_a_key_is_refused() -> None:
    with pytest.raises(keys.InvalidKeyValue, match="OrderId must not be empty"):
        items.to_item(order(order_id=""))


# --- Sparse indexes: both attributes of the key, or neither -----------------------------------


def test_only_a_pending_order_stands_among_the_pending_ones() -> None:
    assert set(key_attributes(items.to_item(order("PENDING")), "GSI1")) == {"GSI1PK", "GSI1SK"}
    others: list[OrderStatus] = ["PAID", "SHIPPED", "DELIVERED", "CANCELLED"]
    for status in others:
        item = items.to_item(order(status))
        assert not key_attributes(item, "GSI1")
        assert set(key_attributes(item, "GSI2")) == {"GSI2PK", "GSI2SK"}


@pytest.mark.parametrize(("vip", "stands"), [(True, True), (False, False), (None, False)])
def test_only_a_vip_stands_among_the_vips(vip: bool | None, stands: bool) -> None:
    item = items.to_item(msgspec.structs.replace(ALICE, VIP=vip))
    wanted = {"GSI2PK": "VIP", "GSI2SK": "USER#U-001"} if stands else {}
    assert key_attributes(item, "GSI2") == wanted


def test_only_a_session_that_expires_stands_among_the_expiring_ones() -> None:
    forever = Session(SessionId="S-1", UserId="U-001", CreatedAt=TIME)
    expiring = msgspec.structs.replace(forever, ExpiresAt=1705312800)
    assert key_attributes(items.to_item(forever), "GSI1") == {}
    assert key_attributes(items.to_item(expiring), "GSI1") == {
        "GSI1PK": "SESSION#EXPIRING",
        "GSI1SK": "2024-01-15T10:00:00.000Z#S-1",
    }
    assert items.to_item(expiring)["ExpiresAt"] == {"N": "1705312800"}
    assert "ExpiresAt" not in items.to_item(forever)


def test_a_session_stands_with_its_user_whether_or_not_it_expires() -> None:
    forever = Session(SessionId="S-1", UserId="U-001", CreatedAt=TIME)
    expiring = msgspec.structs.replace(forever, ExpiresAt=1705312800)
    assert key_attributes(items.to_item(forever), "GSI2") == {
        "GSI2PK": "USER#U-001",
        "GSI2SK": "SESSION#9999-12-31T23:59:59.999Z#S-1",
    }
    assert key_attributes(items.to_item(expiring), "GSI2")["GSI2SK"] == (
        "SESSION#2024-01-15T10:00:00.000Z#S-1"
    )


def test_a_session_that_expired_at_the_epoch_is_not_taken_for_one_that_never_does() -> None:
    session = Session(SessionId="S-1", UserId="U-001", CreatedAt=TIME, ExpiresAt=0)
    assert key_attributes(items.to_item(session), "GSI1")["GSI1SK"].startswith("1970-01-01")


def test_only_a_failed_job_stands_among_the_failed_ones() -> None:
    job = Job(JobId="J-1", Status="SUCCEEDED", CreatedAt=TIME)
    failed = msgspec.structs.replace(job, Status="FAILED", ErrorCode="E_1", FailedAt=TIME)
    assert key_attributes(items.to_item(job), "GSI1") == {}
    assert key_attributes(items.to_item(failed), "GSI1") == {
        "GSI1PK": "JOB#FAILED",
        "GSI1SK": f"E_1#{TIME}#J-1",
    }


def test_an_attribute_counts_as_set_though_it_is_false_or_empty() -> None:
    assert items.belongs(Job.failed, {"ErrorCode": ""})
    assert items.belongs(Session.expiring, {"ExpiresAt": 0})
    assert not items.belongs(Job.failed, {"ErrorCode": None})
    assert not items.belongs(Job.failed, {})


# --- Values with their types ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "attribute"),
    [
        ("Müller", {"S": "Müller"}),
        ("", {"S": ""}),
        (True, {"BOOL": True}),
        (False, {"BOOL": False}),
        (1, {"N": "1"}),
        (0, {"N": "0"}),
        (-7, {"N": "-7"}),
        (Decimal("79.90"), {"N": "79.90"}),
        (Decimal("-0.01"), {"N": "-0.01"}),
        (Decimal("1E+2"), {"N": "1E+2"}),
        (
            Decimal(12345678901234567890123456789012345678),
            {"N": "12345678901234567890123456789012345678"},
        ),
        ({"a": {"b": [1, "x"]}}, {"M": {"a": {"M": {"b": {"L": [{"N": "1"}, {"S": "x"}]}}}}}),
        ({}, {"M": {}}),
        ([], {"L": []}),
        ((1, 2), {"L": [{"N": "1"}, {"N": "2"}]}),
    ],
)
def test_a_value_is_stored_with_its_type(value: Any, attribute: dict[str, Any]) -> None:
    assert items.to_attribute(value) == attribute


@pytest.mark.parametrize("value", [30.4, 1.0, {1, 2}, object(), [30.4], {"a": {"b": 30.4}}])
def test_a_float_and_what_has_no_type_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="no attribute can hold a"):
        items.to_attribute(value)


@pytest.mark.parametrize(
    "number",
    [
        "79.90",
        "30.40",
        "0.1",
        "-5",
        "0",
        "1E+2",
        "1E-130",
        "12345678901234567890123456789012345678",
        "0.12345678901234567890123456789012345678",
        "9007199254740993",
    ],
)
def test_a_number_is_shown_digit_by_digit_as_dynamodb_sent_it(number: str) -> None:
    assert as_json({"N": number}) == number
    assert as_json({"L": [{"N": number}]}) == f"[{number}]"
    assert as_json({"M": {"a": {"N": number}}}) == f'{{"a":{number}}}'


NUMBERS = st.builds(
    lambda sign, digits, exponent: Decimal((sign, tuple(digits), exponent)),
    st.sampled_from([0, 1]),
    st.lists(st.integers(0, 9), min_size=1, max_size=38),
    st.integers(-100, 60),
)


@given(NUMBERS)
@example(Decimal("79.90"))
@example(Decimal("1E+2"))
def test_a_number_comes_back_exactly_as_it_was_stored(number: Decimal) -> None:
    text = as_json(items.to_attribute(number))
    shown = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    assert Decimal(shown) == number
    if number:  # nought is written as such, whatever its exponent
        assert Decimal(shown).as_tuple() == number.as_tuple()


VALUES = st.recursive(
    st.one_of(st.text(), st.booleans(), st.integers()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


@given(VALUES)
@example({"Adresse": {"Straße": "Am Bäckerbach", "Nr": 5, "Orte": ["Köln", ["Ä"]]}})
def test_nested_values_come_back_as_they_were_stored(value: Any) -> None:
    assert json.loads(as_json(items.to_attribute(value))) == value


@pytest.mark.parametrize(
    ("attribute", "shown"),
    [
        ({"NULL": True}, "null"),
        ({"BOOL": False}, "false"),
        ({"SS": ["a", "ü"]}, '["a","ü"]'),
        ({"NS": ["1", "30.40"]}, "[1,30.40]"),
        ({"B": b"\x00\xff"}, '"AP8="'),
        ({"BS": [b"\x00\xff"]}, '["AP8="]'),
        ({"L": []}, "[]"),
        ({"M": {"x": {"NULL": True}}}, '{"x":null}'),
        ({"S": "12"}, '"12"'),
    ],
)
def test_every_type_that_dynamodb_has_is_shown(attribute: dict[str, Any], shown: str) -> None:
    assert as_json(attribute) == shown


# --- What callers see -----------------------------------------------------------------------


def test_callers_see_type_then_key_fields_then_attributes_as_declared_then_the_rest() -> None:
    stored = items.to_item(msgspec.structs.replace(ALICE, VIP=True, Address={"City": "Köln"}))
    shuffled = dict(sorted(stored.items(), reverse=True))
    shown = items.present(shuffled | {"Zusatz": {"S": "z"}, "Added": {"S": "a"}}, User.primary)
    assert list(shown) == [
        "Type",
        "UserId",
        "Name",
        "Email",
        "CreatedAt",
        "VIP",
        "Address",
        "Added",
        "Version",
        "Zusatz",
    ]
    assert shown["UserId"] == "U-001"
    assert shown["Added"] == "a"


@pytest.mark.parametrize(
    "entity",
    [
        ALICE,
        EmailGuard(Email="ann@x.de", UserId="U-001"),
        order(),
        OrderItem(
            OrderId="2024-01-15",
            ProductId="P-100",
            UserId="U-001",
            Name="Kopfhörer #1",
            Quantity=1,
            UnitPrice=Decimal("79.90"),
        ),
        Product(
            ProductId="P-100",
            Name="100% Klang",
            Price=Decimal("79.90"),
            Currency="EUR",
            Category="electronics/audio/headphones",
        ),
        Session(SessionId="S-1", UserId="U-001", CreatedAt=TIME, ExpiresAt=1705312800),
        Job(JobId="J-1", Status="FAILED", CreatedAt=TIME, ErrorCode="E", FailedAt=TIME),
    ],
    ids=lambda entity: type(entity).__name__,
)
def test_callers_see_every_value_of_an_entity_and_none_of_its_keys(entity: Entity) -> None:
    shown = items.present(items.to_item(entity), entity.primary)
    decoded = json.loads(msgspec.json.encode(shown), parse_float=Decimal)
    assert decoded == items.attributes(entity) | {"Type": type(entity).__name__, "Version": 1}
    assert not {"PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"} & set(shown)


def test_a_field_of_the_key_is_shown_as_the_key_has_it_whatever_attribute_has_its_name() -> None:
    stored = items.to_item(ALICE)
    shown = items.present(stored | {"UserId": {"S": "U-777"}}, User.primary)
    assert shown == items.present(stored, User.primary)


@pytest.mark.parametrize(
    ("attribute", "version"),
    [
        ({"N": "1"}, 1),
        ({"N": "10000000000000000"}, 10**16),
        ({"N": "0"}, 0),
        ({"N": "1.5"}, None),
        ({"N": "-7"}, None),
        ({"S": "1"}, None),
        ({"NULL": True}, None),
        (None, None),
    ],
)
def test_a_version_is_a_whole_number_or_there_is_none(
    attribute: dict[str, Any] | None, version: int | None
) -> None:
    assert items.version_of({} if attribute is None else {"Version": attribute}) == version


def test_an_item_of_an_index_is_shown_like_that_of_the_table() -> None:
    item = items.to_item(order())
    assert items.present(item, Order.pending) == items.present(item, Order.primary)


def test_an_index_of_keys_alone_gives_the_fields_and_no_type() -> None:
    item = {"PK": {"S": "ORDER#2024-01-15"}, "SK": {"S": "ITEM#P-100"}}
    assert items.present(item, OrderItem.inverted) == {
        "OrderId": "2024-01-15",
        "ProductId": "P-100",
    }


# --- Time to live ---------------------------------------------------------------------------

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def expiring(at: datetime) -> Item:
    seconds = int(at.timestamp())
    return items.to_item(
        Session(SessionId="S-1", UserId="U-001", CreatedAt=TIME, ExpiresAt=seconds)
    )


@pytest.mark.parametrize(
    ("milliseconds", "over"),
    [(-86_400_000, False), (-1000, False), (-1, False), (0, False), (1, True), (999, True)],
)
def test_an_item_has_expired_when_its_second_is_past(milliseconds: int, over: bool) -> None:
    now = NOON + timedelta(milliseconds=milliseconds)
    assert items.has_expired(expiring(NOON), now) is over


def test_an_item_without_an_end_never_expires() -> None:
    forever = items.to_item(Session(SessionId="S-1", UserId="U-001", CreatedAt=TIME))
    assert not items.has_expired(forever, datetime.max.replace(tzinfo=UTC))
    assert not items.has_expired(items.to_item(order()), NOON)


def test_the_epoch_and_the_last_second_are_ends_like_any_other() -> None:
    ended = expiring(NOON)
    assert items.has_expired(ended | {"ExpiresAt": {"N": "0"}}, NOON)
    assert not items.has_expired(ended | {"ExpiresAt": {"N": "253402300799"}}, NOON)


# --- Whole items ----------------------------------------------------------------------------


def test_a_whole_item_has_everything_that_is_stored_and_as_it_is_stored() -> None:
    shown = items.whole(items.to_item(order()) | {"Adresse": {"M": {"Straße": {"S": "Größe 1"}}}})
    assert json.loads(msgspec.json.encode(shown), parse_float=Decimal) == {
        "PK": "USER#U-001",
        "SK": "ORDER#2024-01-15",
        "GSI1PK": "STATUS#PENDING",
        "GSI1SK": "2024-01-15",
        "GSI2PK": "ORDER#2024-01-15",
        "GSI2SK": "ORDER",
        "Type": "Order",
        "Version": 1,
        "Status": "PENDING",
        "Total": Decimal("129.90"),
        "Currency": "EUR",
        "PlacedAt": TIME,
        "Adresse": {"Straße": "Größe 1"},
    }


def test_a_whole_item_of_an_index_has_its_keys_alone_and_one_of_nothing_is_empty() -> None:
    keys_alone = {"PK": {"S": "Student#x"}, "SK": {"S": "Seminar#C%23"}}
    assert items.whole(keys_alone) == {"PK": "Student#x", "SK": "Seminar#C%23"}
    assert items.whole({}) == {}


# --- What writes need -----------------------------------------------------------------------


def test_a_tombstone_has_the_key_and_nothing_personal() -> None:
    user = User(UserId="1", Name="Ann", Email="a@x.de", VIP=True, CreatedAt="x", Address={"a": "b"})
    stored = items.to_item(user) | {"Version": {"N": "7"}, items.MARK: {"S": "a-call"}}
    assert items.tombstone(stored) == {
        "PK": {"S": "USER#1"},
        "SK": {"S": "PROFILE"},
        "Type": {"S": "DeletedUser"},
        "Version": {"N": "8"},
    }


def test_the_mark_of_a_call_is_never_shown() -> None:
    user = User(UserId="1", Name="Ann", Email="a@x.de", CreatedAt="x")
    stored = items.to_item(user) | {items.MARK: {"S": "a-call"}}
    assert items.present(stored, User.primary) == items.present(items.to_item(user), User.primary)


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({}, 0),
        ({"a": {"S": ""}}, 1),
        ({"abc": {"S": "xyz"}}, 6),
        ({"ü": {"S": "€😀"}}, 2 + 3 + 4),
        ({"a": {"BOOL": True}}, 2),
        ({"a": {"NULL": True}}, 2),
        ({"a": {"B": b"\x00\xff"}}, 1 + 2),
        ({"a": {"M": {}}}, 4),
        ({"a": {"L": []}}, 4),
        ({"a": {"M": {"b": {"S": "c"}}}}, 1 + 3 + 1 + 2),
        ({"a": {"L": [{"S": "b"}, {"S": "cd"}]}}, 1 + 3 + 2 + 3),
        ({"a": {"L": [{"M": {"b": {"L": [{"NULL": True}]}}}]}}, 1 + 3 + 1 + 3 + 2 + 3 + 1 + 1),
        ({"a": {"SS": ["ü", "b"]}}, 1 + 2 + 1),
        ({"a": {"NS": ["12", "-3"]}}, 1 + 2 + 3),
        ({"a": {"BS": [b"x", b"yz"]}}, 1 + 1 + 2),
        ({"PK": {"S": "Ü"}, "Total": {"N": "129.90"}, "VIP": {"BOOL": True}}, 4 + 9 + 4),
        ({"Address": {"M": {"Stadt": {"S": "Köln"}}}}, 7 + 3 + 1 + 5 + 5),
    ],
)
def test_an_item_counts_names_and_values_in_bytes(item: Any, size: int) -> None:
    """By the rules that DynamoDB publishes; a list's and a map's parts have one byte more each."""
    assert items.size(item) == size


@pytest.mark.parametrize(
    ("number", "size"),
    [
        ("0", 1),
        ("-0.00", 1),
        ("1", 2),
        ("100", 2),  # the zeros at the end are no significant digits
        ("1E+20", 2),
        ("007", 2),
        ("0.05", 2),
        ("12", 2),
        ("1.2", 3),  # one digit before the point and one after it are two pairs
        ("123", 3),
        ("79.90", 3),
        ("129.90", 4),
        ("-12", 3),
        ("9" * 38, 20),
        ("-0." + "9" * 37, 21),
        ("1." + "9" * 37, 21),
    ],
)
def test_a_number_counts_its_significant_digits_in_pairs(number: str, size: int) -> None:
    assert items.size({"a": {"N": number}}) - 1 == size


@given(st.decimals(allow_nan=False, allow_infinity=False, places=None))
def test_a_number_counts_a_byte_for_two_digits_and_at_most_three_more(number: Decimal) -> None:
    """The same however it is written: 1E+2 and 100.0 are one number."""
    digits = len(str(abs(int("".join(map(str, number.as_tuple().digits))))).rstrip("0"))

    size = items.size({"": {"N": str(number)}})

    assert digits / 2 + 1 <= size <= digits / 2 + 3
    assert size == items.size({"": {"N": f"{number:f}"}})


@given(st.text(), st.text(), st.integers(1, 5))
def test_every_level_of_a_map_or_a_list_adds_its_own_bytes(
    name: str, value: str, depth: int
) -> None:
    inner: dict[str, Any] = {"S": value}
    for _ in range(depth):
        inner = {"L": [{"M": {name: inner}}]}

    level = 3 + 1 + 3 + 1 + len(name.encode())
    assert items.size({"a": inner}) == 1 + depth * level + len(value.encode())


@pytest.mark.parametrize(
    "number",
    ["1E+126", "1E-131", "1E+999999999", "-1E+999999999", "1E-999999999", "0." + "9" * 7000],
    ids=lambda number: number[:16],
)
def test_a_number_that_dynamodb_cannot_keep_is_refused_however_large_or_long(number: str) -> None:
    with pytest.raises(ValueError, match="38 digits"):
        items.to_attribute(Decimal(number))


@pytest.mark.parametrize("zero", ["0", "-0", "0.00", "0E+999999999", "0E-999999999"])
def test_a_zero_is_a_zero_whatever_its_exponent(zero: str) -> None:
    assert items.to_attribute(Decimal(zero)) == {"N": "0"}
