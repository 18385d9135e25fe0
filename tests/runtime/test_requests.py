from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lambdas.design.ecommerce import (
    FIND_USER_BY_EMAIL,
    GET_ORDER,
    GET_USER,
    GET_USER_WITH_ORDERS,
    LIST_EXPIRING_SESSIONS,
    LIST_FAILED_JOBS,
    LIST_ORDER_ITEMS,
    LIST_PENDING_ORDERS,
    LIST_USER_ORDERS,
    LIST_USER_SESSIONS,
    ORDER_ID,
    USER_ID,
    Order,
    Product,
)
from lambdas.design.operations import Parameter, Query
from lambdas.design.pattern import AccessPattern, Page, Technique
from lambdas.design.values import CategoryPath
from lambdas.runtime import arguments, requests, times
from lambdas.runtime.errors import BadInput
from lambdas.runtime.keys import InvalidKeyValue
from lambdas.runtime.requests import Request
from tests.runtime.samples import LIST_PRODUCT_ORDERS, event

NOW = "2026-11-30T12:00:00.000Z"

CATEGORY = Parameter("category", CategoryPath, "The category.", "Category", required=True)
LIST_CATEGORY_PRODUCTS = AccessPattern(
    id="XX-13",
    name="list_category_products",
    route="GET /ecommerce/products",
    summary="A template that begins with a field, whose prefix is part of it.",
    operation=Query(Product.by_category),
    answer=Page(),
    own_parameters=(CATEGORY,),
    shows=(Technique.INDEX_OVERLOADING,),
    example={"category": "electronics/audio"},
)
FIND_ORDER = AccessPattern(
    id="XX-14",
    name="find_order",
    route="GET /ecommerce/users/{user_id}/orders/{order_id}",
    summary="A query whose sort key is known as a whole.",
    operation=Query(Order.primary),
    answer=Page(),
    own_parameters=(USER_ID, ORDER_ID),
    shows=(Technique.ONE_TO_MANY,),
    example={"user_id": "U-001", "order_id": "2024-01-15"},
)


def request(pattern: AccessPattern, **given: str) -> Request:
    """The request that a caller's parameters lead to, for a page of 50."""
    path = {name: given.pop(name) for name in pattern.path_parameters}
    return requests.read(pattern, arguments.read(pattern, event(path, **given)), 51, NOW)


def refusal(pattern: AccessPattern, **given: str) -> dict[str, str]:
    """The errors that a caller's parameters are refused with."""
    with pytest.raises((BadInput, InvalidKeyValue)) as refused:
        request(pattern, **given)
    if isinstance(refused.value, BadInput):
        return refused.value.errors
    assert isinstance(refused.value, InvalidKeyValue)
    names = {parameter.fills: parameter.name for parameter in pattern.own_parameters}
    return {names[refused.value.field]: refused.value.reason}


def orders(**given: str) -> Request:
    return request(LIST_USER_ORDERS, user_id="U-001", **given)


# --- The request of each kind of pattern ----------------------------------------------------


def test_a_single_item_is_read_by_both_key_attributes_and_no_more() -> None:
    assert request(GET_USER, user_id="U-001") == {
        "Key": {"PK": {"S": "USER#U-001"}, "SK": {"S": "PROFILE"}}
    }


def test_children_are_read_by_the_parents_partition_and_their_own_prefix() -> None:
    assert request(LIST_ORDER_ITEMS, order_id="2024-01-15") == {
        "KeyConditionExpression": "PK = :partition AND begins_with(SK, :prefix)",
        "ExpressionAttributeValues": {
            ":partition": {"S": "ORDER#2024-01-15"},
            ":prefix": {"S": "ITEM#"},
        },
        "Limit": 51,
    }


def test_a_whole_collection_is_read_without_a_sort_condition_and_backwards() -> None:
    assert request(GET_USER_WITH_ORDERS, user_id="U-001") == {
        "KeyConditionExpression": "PK = :partition",
        "ExpressionAttributeValues": {":partition": {"S": "USER#U-001"}},
        "Limit": 51,
        "ScanIndexForward": False,
    }


def test_an_index_is_named_and_read_by_its_own_attributes() -> None:
    assert request(FIND_USER_BY_EMAIL, email="Alice@x.de") == {
        "IndexName": "GSI1",
        "KeyConditionExpression": "GSI1PK = :partition AND begins_with(GSI1SK, :prefix)",
        "ExpressionAttributeValues": {
            ":partition": {"S": "EMAIL#alice@x.de"},
            ":prefix": {"S": "USER#"},
        },
        "Limit": 51,
    }


def test_the_inverted_index_is_read_by_the_sort_key_and_the_parents_prefix() -> None:
    assert request(LIST_PRODUCT_ORDERS, product_id="P-100") == {
        "IndexName": "InvertedIndex",
        "KeyConditionExpression": "SK = :partition AND begins_with(PK, :prefix)",
        "ExpressionAttributeValues": {
            ":partition": {"S": "ITEM#P-100"},
            ":prefix": {"S": "ORDER#"},
        },
        "Limit": 51,
    }


def test_a_sparse_list_without_a_range_is_its_whole_partition() -> None:
    assert request(LIST_PENDING_ORDERS) == {
        "IndexName": "GSI1",
        "KeyConditionExpression": "GSI1PK = :partition",
        "ExpressionAttributeValues": {":partition": {"S": "STATUS#PENDING"}},
        "Limit": 51,
    }


def test_a_sort_key_that_is_known_as_a_whole_is_asked_for_itself() -> None:
    asked = request(FIND_ORDER, user_id="U-001", order_id="1")
    assert asked["KeyConditionExpression"] == "PK = :partition AND SK = :sort"
    assert asked["ExpressionAttributeValues"][":sort"] == {"S": "ORDER#1"}


def test_lower_levels_of_a_category_are_a_prefix_and_a_first_level_alone_is_none() -> None:
    audio = request(LIST_CATEGORY_PRODUCTS, category="electronics/audio")
    assert audio["ExpressionAttributeValues"] == {
        ":partition": {"S": "CATEGORY#electronics"},
        ":prefix": {"S": "audio#"},
    }
    assert audio["KeyConditionExpression"].endswith(" AND begins_with(GSI1SK, :prefix)")
    electronics = request(LIST_CATEGORY_PRODUCTS, category="electronics")
    assert electronics["KeyConditionExpression"] == "GSI1PK = :partition"
    assert electronics["ExpressionAttributeValues"] == {":partition": {"S": "CATEGORY#electronics"}}


def test_newest_first_reads_backwards_and_only_when_it_is_true() -> None:
    assert orders(newest="true")["ScanIndexForward"] is False
    assert "ScanIndexForward" not in orders(newest="false")
    assert "ScanIndexForward" not in orders()


@pytest.mark.parametrize("limit", [1, 201])
def test_the_limit_is_the_one_that_is_asked_for(limit: int) -> None:
    given = arguments.read(LIST_USER_ORDERS, event({"user_id": "U-001"}))
    assert requests.read(LIST_USER_ORDERS, given, limit, NOW)["Limit"] == limit


def test_every_placeholder_is_used_and_every_used_one_has_a_value() -> None:
    for asked in (
        orders(),
        orders(period="2024"),
        orders(to="2024"),
        request(LIST_PENDING_ORDERS, to="2024"),
        request(LIST_PENDING_ORDERS, **{"from": "2024"}),
    ):
        used = asked["KeyConditionExpression"].replace("(", " ").replace(")", " ").split()
        placeholders = {word.strip(",") for word in used if word.startswith(":")}
        assert placeholders == set(asked["ExpressionAttributeValues"])


def test_user_1_never_meets_user_10_since_a_partition_is_asked_for_by_equality() -> None:
    asked = request(LIST_USER_ORDERS, user_id="1")
    assert asked["KeyConditionExpression"].startswith("PK = :partition")
    assert asked["ExpressionAttributeValues"][":partition"] == {"S": "USER#1"}
    other = request(LIST_USER_ORDERS, user_id="10")
    assert other["ExpressionAttributeValues"][":partition"] == {"S": "USER#10"}


# --- What a key cannot hold -----------------------------------------------------------------


def test_a_value_that_is_too_long_for_a_key_is_told_by_the_parameters_name() -> None:
    address = "\U0001d160" * 200 + "@x.de"
    [(name, reason)] = refusal(FIND_USER_BY_EMAIL, email=address).items()
    assert name == "email"
    assert reason.startswith("is too long: the key it stands in would have ")
    assert request(FIND_USER_BY_EMAIL, email="\U0001d160@x.de")


def test_a_value_that_is_too_long_for_a_prefix_is_told_by_the_parameters_name_too() -> None:
    category = "electronics/" + "\U0001d160" * 200
    assert list(refusal(LIST_CATEGORY_PRODUCTS, category=category)) == ["category"]
    assert request(LIST_CATEGORY_PRODUCTS, category="electronics/" + "\U0001d160" * 80)


def test_half_a_surrogate_pair_is_told_by_the_parameters_name() -> None:
    assert list(refusal(FIND_USER_BY_EMAIL, email="\ud83d@x.de")) == ["email"]


# --- Ranges ---------------------------------------------------------------------------------


def found(asked: Request, sort_key: str) -> bool:
    """Whether DynamoDB would find a sort key by the request's condition: it compares bytes."""
    values: dict[str, bytes] = {
        name: value["S"].encode() for name, value in asked["ExpressionAttributeValues"].items()
    }
    text = sort_key.encode()
    condition = asked["KeyConditionExpression"].partition(" AND ")[2]
    if not condition:
        return True
    if condition.startswith("begins_with"):
        return text.startswith(values[":prefix"])
    if "<=" in condition:
        return text <= values[":to"]
    assert " BETWEEN :from AND :to" in condition
    return values[":from"] <= text <= values[":to"]


def ids_found(*ids: str, **given: str) -> list[str]:
    return [id_ for id_ in ids if found(orders(**given), f"ORDER#{id_}")]


JANUARY = ("2024-01-01", "2024-01-31T10:00:00.000Z-AB12CD", "2024-01-31T23:59:59.999Z-AB12CD")
BEYOND = ("2023-12-31T23:59:59.999Z-AB12CD", "2024-02-01", "2024-02-01T00:00:00.000Z-AB12CD")


@pytest.mark.parametrize(
    "given",
    [
        {"from": "2024-01-01", "to": "2024-01-31"},
        {"from": "2024-01", "to": "2024-01"},
        {"from": "2024-01", "to": "2024-01-31T23:59Z"},
        {"period": "2024-01"},
    ],
)
def test_januarys_orders_are_all_of_its_last_day_and_nothing_of_1_february(
    given: dict[str, str],
) -> None:
    assert ids_found(*JANUARY, *BEYOND, **given) == list(JANUARY)


def test_an_open_range_goes_on_to_the_collections_end_and_not_into_other_entities() -> None:
    everything = ("2023-12-31", "2024-01-01", "9999-12-31T23:59:59.999Z-AB12CD")
    assert ids_found(*everything, **{"from": "2024"}) == list(everything[1:])
    assert ids_found(*everything, to="2023") == [everything[0]]
    for asked in (orders(), orders(**{"from": "2024"}), orders(to="2024"), orders(period="2024")):
        assert not found(asked, "PROFILE")
        assert not found(asked, "ORDERITEM#2024-01-15")
        assert not found(asked, "ORDER")


def test_a_year_does_not_match_a_year_of_more_digits_that_begins_the_same() -> None:
    assert ids_found("2024-01-15", "20240-01-15", period="2024-01") == ["2024-01-15"]


def test_an_index_whose_sort_key_is_the_id_alone_takes_the_same_ranges() -> None:
    def pending(**given: str) -> list[str]:
        asked = request(LIST_PENDING_ORDERS, **given)
        return [id_ for id_ in (*JANUARY, *BEYOND) if found(asked, id_)]

    assert pending(**{"from": "2024-01", "to": "2024-01"}) == list(JANUARY)
    assert pending(to="2023") == [BEYOND[0]]
    assert pending(**{"from": "2024-02"}) == list(BEYOND[1:])
    assert pending() == [*JANUARY, *BEYOND]


class Span(NamedTuple):
    """A period as the caller writes it, and what the calendar has for it: from start up to end."""

    text: str
    start: datetime
    end: datetime


def date_span(moment: datetime, precision: str) -> Span:
    """The year, month or day of a moment."""
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    month = day.replace(day=1)
    year = month.replace(month=1)
    match precision:
        case "year":
            return Span(f"{moment:%Y}", year, year.replace(year=year.year + 1))
        case "month":
            following = (month + timedelta(days=31)).replace(day=1)
            return Span(f"{moment:%Y-%m}", month, following)
        case _:
            return Span(f"{moment:%Y-%m-%d}", day, day + timedelta(days=1))


def clock_span(moment: datetime, precision: str, offset: int) -> Span:
    """The minute, second or millisecond of a moment, written in a zone that is ahead of UTC."""
    zone = timezone(timedelta(minutes=offset))
    text = moment.astimezone(zone).isoformat(timespec=precision)
    start = datetime.fromisoformat(text)
    return Span(text, start, start + timedelta(**{precision: 1}))


NOON = datetime(2024, 1, 31, 12, tzinfo=UTC)
# Few enough to meet often, and on both sides of the boundaries of a day, a month and a year.
MOMENTS = st.builds(
    lambda day, milliseconds: day + timedelta(milliseconds=milliseconds),
    st.sampled_from(
        [
            datetime(year, month, day, tzinfo=UTC)
            for year, month, day in [(2024, 1, 1), (2024, 1, 31), (2024, 2, 1), (2024, 3, 1)]
        ]
    ),
    st.one_of(st.sampled_from([-1, 0, 1, 999, 1000, 59_999, 60_000]), st.integers(0, 86_400_000)),
)
DATES = st.builds(date_span, MOMENTS, st.sampled_from(["year", "month", "day"]))
CLOCKS = st.builds(
    clock_span,
    MOMENTS,
    st.sampled_from(["minutes", "seconds", "milliseconds"]),
    st.sampled_from([0, 60, -330, 765]),
)
SPANS = st.one_of(DATES, CLOCKS)


def neighbours(*spans: Span) -> list[datetime]:
    """The first and the last time of each period, and those just beside them."""
    edges = [edge for span in spans for edge in (span.start, span.end)]
    steps = [timedelta(milliseconds=step) for step in (-1, 0, 1)]
    return [NOON, *(edge + step for edge in edges for step in steps)]


def assert_found_exactly(asked: Request, inside: Callable[[datetime], bool], *spans: Span) -> None:
    for moment in neighbours(*spans):
        for id_ in (times.to_text(moment), f"{times.to_text(moment)}-7F3K9Q"):
            assert found(asked, f"ORDER#{id_}") == inside(moment), id_


@settings(max_examples=500)
@given(start=SPANS, end=SPANS)
@example(date_span(NOON, "day"), date_span(NOON, "day"))
@example(date_span(NOON, "month"), clock_span(NOON, "minutes", 0))
def test_a_range_has_exactly_the_times_that_the_calendar_has_in_it(start: Span, end: Span) -> None:
    if start.start >= end.end:
        assert refusal(LIST_USER_ORDERS, user_id="U", **{"from": start.text, "to": end.text}) == {
            "from": "lies after to"
        }
    else:
        asked = orders(**{"from": start.text, "to": end.text})
        assert_found_exactly(asked, lambda time: start.start <= time < end.end, start, end)


@given(span=SPANS)
def test_an_open_range_has_exactly_the_times_on_its_side_in_the_calendar(span: Span) -> None:
    asked = orders(**{"from": span.text})
    assert_found_exactly(asked, lambda time: time >= span.start, span)
    assert_found_exactly(orders(to=span.text), lambda time: time < span.end, span)


@given(span=DATES)
def test_a_period_has_exactly_the_times_that_the_calendar_has_in_it(span: Span) -> None:
    asked = orders(period=span.text)
    assert_found_exactly(asked, lambda time: span.start <= time < span.end, span)


# --- Ranges that are refused ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-02", "2024-01"),
        ("2025", "2024-12-31"),
        ("2024-02-01", "2024-01-31"),
        ("2024-01-31T18:45:01Z", "2024-01-31T18:45:00Z"),
        ("2024-01-31T18:46:00+01:00", "2024-01-31T17:45Z"),
    ],
)
def test_a_range_whose_end_lies_before_its_start_is_refused(start: str, end: str) -> None:
    given = {"from": start, "to": end}
    assert refusal(LIST_USER_ORDERS, user_id="U-001", **given) == {"from": "lies after to"}
    assert refusal(LIST_PENDING_ORDERS, **given) == {"from": "lies after to"}


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-01-15", "2024-01"),
        ("2024-01", "2024-01-15"),
        ("2024-12-31T23:59Z", "2024"),
        ("2024-01-31T18:45:00+01:00", "2024-01-31T17:45Z"),
    ],
)
def test_a_range_whose_ends_overlap_is_none_of_those(start: str, end: str) -> None:
    assert orders(**{"from": start, "to": end})


@pytest.mark.parametrize("other", ["from", "to"])
def test_a_period_and_a_bound_exclude_each_other(other: str) -> None:
    errors = refusal(LIST_USER_ORDERS, user_id="U-001", period="2024", **{other: "2024"})
    assert errors == {"period": f"cannot be combined with {other}"}


@pytest.mark.parametrize("given", [{"period": "2024"}, {"from": "2024"}, {"to": "2024"}, {}])
def test_a_period_and_a_bound_each_go_with_newest(given: dict[str, str]) -> None:
    asked = orders(newest="true", **given)
    assert asked["ScanIndexForward"] is False
    assert found(asked, "ORDER#2024-01-15")


@pytest.mark.parametrize("name", ["from", "to", "period"])
def test_a_date_that_the_calendar_does_not_have_is_told_by_the_parameters_name(name: str) -> None:
    [(wrong, reason)] = refusal(LIST_USER_ORDERS, user_id="U", **{name: "2023-02-29"}).items()
    assert wrong == name
    assert reason == "is not in the calendar"
    assert orders(**{name: "2024-02-29"})


# --- From now on ----------------------------------------------------------------------------


def test_live_sessions_are_read_from_now_to_the_end_of_their_own_prefix() -> None:
    assert request(LIST_USER_SESSIONS, user_id="U-001") == {
        "IndexName": "GSI2",
        "KeyConditionExpression": "GSI2PK = :partition AND GSI2SK BETWEEN :from AND :to",
        "ExpressionAttributeValues": {
            ":partition": {"S": "USER#U-001"},
            ":from": {"S": f"SESSION#{NOW}"},
            ":to": {"S": "SESSION#\uffff"},
        },
        "Limit": 51,
    }


def test_expiring_sessions_are_read_from_now_to_the_beginning_of_before() -> None:
    assert request(LIST_EXPIRING_SESSIONS, before="2026-12") == {
        "IndexName": "GSI1",
        "KeyConditionExpression": "GSI1PK = :partition AND GSI1SK BETWEEN :from AND :to",
        "ExpressionAttributeValues": {
            ":partition": {"S": "SESSION#EXPIRING"},
            ":from": {"S": NOW},
            ":to": {"S": "2026-12"},
        },
        "Limit": 51,
    }


def live(id_: str) -> bool:
    return found(request(LIST_USER_SESSIONS, user_id="U"), f"SESSION#{id_}#S-1")


def test_of_a_users_collection_only_sessions_that_last_are_found() -> None:
    assert live("2026-11-30T12:00:00.000Z")
    assert live("2026-11-30T12:00:01.000Z")
    assert live("9999-12-31T23:59:59.999Z")
    assert not live("2026-11-30T11:59:59.000Z")
    assert not live("1970-01-01T00:00:00.000Z")
    asked = request(LIST_USER_SESSIONS, user_id="U")
    for other in ("SESSION", "SESSIONS#2027", "ORDER", "USER#U", "TICKET#2027"):
        assert not found(asked, other)


@pytest.mark.parametrize("before", ["2026-11-30T12:00:00.000Z", "2026-11-30", "2026", "0001"])
def test_a_before_that_is_past_is_an_empty_range_and_never_one_of_the_wrong_way_round(
    before: str,
) -> None:
    asked = request(LIST_EXPIRING_SESSIONS, before=before)
    assert asked["ExpressionAttributeValues"][":from"] == {"S": NOW}
    assert asked["ExpressionAttributeValues"][":to"] == {"S": NOW}
    for time in (NOW, "2026-11-30T11:59:59.000Z", "2026-11-30T12:00:01.000Z"):
        assert not found(asked, f"{time}#S-1")


@settings(max_examples=300)
@given(span=SPANS, now=MOMENTS)
@example(date_span(NOON, "day"), NOON)
@example(clock_span(NOON, "milliseconds", 60), NOON)
def test_before_has_exactly_the_sessions_that_end_from_now_on_and_ahead_of_it(
    span: Span, now: datetime
) -> None:
    given = arguments.read(LIST_EXPIRING_SESSIONS, event(before=span.text))
    asked = requests.read(LIST_EXPIRING_SESSIONS, given, 51, times.to_text(now))
    for moment in (*neighbours(span), now):
        end = moment.replace(microsecond=0)  # a session ends with a whole second
        assert found(asked, f"{times.to_text(end)}#S-1") == (now <= end < span.start), end


def test_a_before_that_is_not_in_the_calendar_is_told_by_its_name() -> None:
    assert list(refusal(LIST_EXPIRING_SESSIONS, before="2023-02-29")) == ["before"]


# --- A parent with all its children; a part of a sparse list ----------------------------------


def test_a_parent_with_all_its_children_is_read_without_a_limit() -> None:
    given = arguments.read(GET_ORDER, event({"order_id": "2024-01-15"}))
    assert requests.read(GET_ORDER, given, None, NOW) == {
        "IndexName": "GSI2",
        "KeyConditionExpression": "GSI2PK = :partition",
        "ExpressionAttributeValues": {":partition": {"S": "ORDER#2024-01-15"}},
    }


def test_an_optional_field_narrows_the_list_to_its_value_as_a_whole() -> None:
    everything = request(LIST_FAILED_JOBS)
    assert everything["KeyConditionExpression"] == "GSI1PK = :partition"
    timeouts = request(LIST_FAILED_JOBS, error_code="TIMEOUT")
    assert timeouts["ExpressionAttributeValues"][":prefix"] == {"S": "TIMEOUT#"}
    assert found(timeouts, "TIMEOUT#2024#J-1")
    assert not found(timeouts, "TIMEOUT_AT_BANK#2024#J-1")
