import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from lambdas.design.ecommerce import (
    GET_USER_WITH_ORDERS,
    LIST_EXPIRING_SESSIONS,
    LIST_ORDER_ITEMS,
    LIST_PENDING_ORDERS,
    LIST_USER_ORDERS,
    LIST_USER_ORDERS_IN_RANGE,
    LIST_USER_SESSIONS,
)
from lambdas.design.pattern import AccessPattern
from lambdas.runtime import arguments, cursor, times
from lambdas.runtime.errors import BadInput
from lambdas.runtime.items import Item
from lambdas.runtime.requests import Arguments
from tests.runtime.samples import LIST_PRODUCT_ORDERS, event, order_item

PARTITION = "USER#U-001"
NOW = "2026-11-30T12:00:00.000Z"
LAST = order_item("2024-01-15")
RANGE = {"from": "2024-01", "to": "2024-02"}

Start = dict[str, Any] | None


def given_by(pattern: AccessPattern, /, **given: str) -> Arguments:
    """The arguments of a call that gives these parameters, of user U-001 unless it says another."""
    path = {name: given.pop(name, "U-001") for name in pattern.path_parameters}
    if pattern is LIST_PRODUCT_ORDERS:
        path = {"product_id": "P-100"}
    return arguments.read(pattern, event(path, **given))


def after(last: Item, pattern: AccessPattern = LIST_USER_ORDERS) -> str:
    return cursor.write(pattern, given_by(pattern), last, NOW)


def written(pattern: AccessPattern = LIST_USER_ORDERS, /, **given: str) -> str:
    return cursor.write(pattern, given_by(pattern, **given), LAST, NOW)


def read(text: str, pattern: AccessPattern = LIST_USER_ORDERS, /, **given: str) -> Start:
    return start_key(pattern, given_by(pattern, **given, cursor=text), PARTITION)


def start_key(pattern: AccessPattern, given: Arguments, partition: str) -> Start:
    """The whole start key, with the partition key that the request has."""
    position = cursor.read(pattern, given)
    return position and position.start | {pattern.index.partition_key: {"S": partition}}


def assert_refused(text: str, pattern: AccessPattern = LIST_USER_ORDERS, /, **given: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read(text, pattern, **given)
    assert set(refusal.value.errors) == {"cursor"}


def content(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def forged(payload: bytes) -> str:
    """A cursor as somebody makes it who has read the code: its digest fits the payload."""
    bound = b'["AP-02",["U-001",null,null,null,false]]' + payload
    digest = blake2b(bound, digest_size=9).digest()
    return urlsafe_b64encode(digest + payload).decode().rstrip("=")


# --- There and back -------------------------------------------------------------------------

KEY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


def test_without_a_cursor_the_list_begins_at_its_beginning() -> None:
    assert start_key(LIST_USER_ORDERS, given_by(LIST_USER_ORDERS), PARTITION) is None


def test_in_the_table_a_page_goes_on_after_both_key_attributes() -> None:
    assert read(written()) == {"PK": {"S": "USER#U-001"}, "SK": {"S": "ORDER#2024-01-15"}}


def test_in_an_index_a_page_goes_on_after_the_keys_of_index_and_table() -> None:
    text = written(LIST_PENDING_ORDERS)
    given = given_by(LIST_PENDING_ORDERS, cursor=text)
    assert start_key(LIST_PENDING_ORDERS, given, "STATUS#PENDING") == {
        "GSI1PK": {"S": "STATUS#PENDING"},
        "GSI1SK": {"S": "2024-01-15"},
        "PK": {"S": "USER#U-001"},
        "SK": {"S": "ORDER#2024-01-15"},
    }


def test_in_the_inverted_index_a_page_goes_on_after_the_tables_two_attributes_alone() -> None:
    last = {"PK": {"S": "ORDER#2024-01-15"}, "SK": {"S": "ITEM#P-100"}}
    text = after(last, LIST_PRODUCT_ORDERS)
    given = given_by(LIST_PRODUCT_ORDERS, cursor=text)
    assert start_key(LIST_PRODUCT_ORDERS, given, "ITEM#P-100") == last


@given(sort=KEY_TEXT, partition=KEY_TEXT)
def test_any_key_that_was_written_is_read_with_the_partition_of_the_request(
    sort: str, partition: str
) -> None:
    last = {"PK": {"S": "never read"}, "SK": {"S": sort}}
    given = given_by(LIST_USER_ORDERS, cursor=after(last))
    start = start_key(LIST_USER_ORDERS, given, partition)
    assert start == {"PK": {"S": partition}, "SK": {"S": sort}}


@given(values=st.tuples(KEY_TEXT, KEY_TEXT, KEY_TEXT))
def test_any_key_of_an_index_is_read_as_it_was_written(values: tuple[str, str, str]) -> None:
    last = {name: {"S": v} for name, v in zip(("GSI1SK", "PK", "SK"), values, strict=True)}
    text = after(last | {"GSI1PK": {"S": "never read"}}, LIST_PENDING_ORDERS)
    start = start_key(LIST_PENDING_ORDERS, given_by(LIST_PENDING_ORDERS, cursor=text), "P")
    assert start == last | {"GSI1PK": {"S": "P"}}


def test_the_last_evaluated_key_serves_as_well_as_the_whole_item() -> None:
    key = {name: LAST[name] for name in ("PK", "SK")}
    assert after(key) == after(LAST)


@pytest.mark.parametrize(
    ("pattern", "partition"), [(LIST_USER_ORDERS, "U-001"), (LIST_PENDING_ORDERS, "STATUS#PENDING")]
)
def test_a_cursor_never_carries_the_partition_key(pattern: AccessPattern, partition: str) -> None:
    decoded = content(written(pattern))
    assert partition.encode() not in decoded
    assert b"2024-01-15" in decoded


def test_the_inverted_indexs_cursor_does_not_carry_its_partition_key_either() -> None:
    last = {"PK": {"S": "ORDER#2024-01-15"}, "SK": {"S": "ITEM#P-100"}}
    decoded = content(after(last, LIST_PRODUCT_ORDERS))
    assert b"P-100" not in decoded
    assert b"ORDER#2024-01-15" in decoded


def test_a_cursor_needs_no_escaping_in_a_query_string() -> None:
    texts = {after(order_item("ü" * n)) for n in range(1, 40)}
    assert all(
        text.isascii() and text.replace("-", "").replace("_", "").isalnum() for text in texts
    )


def test_the_cursor_of_the_longest_keys_is_short_enough_to_be_taken() -> None:
    longest = {name: {"S": "x" * 1024} for name in ("GSI1SK", "PK", "SK")}
    assert read(after(longest, LIST_PENDING_ORDERS), LIST_PENDING_ORDERS)


# --- Bound to the call ----------------------------------------------------------------------


def test_the_limit_may_change_from_page_to_page() -> None:
    text = written(limit="3")
    assert read(text)
    assert read(text) == read(text, limit="3") == read(text, limit="200")


def test_a_default_that_is_spelled_out_is_the_same_call() -> None:
    assert read(written(), newest="false")


def test_the_cursor_of_one_user_is_refused_for_another() -> None:
    text = written()
    assert_refused(text, user_id="U-002")
    assert_refused(text, user_id="u-001")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"from": "2024-01"},
        {"to": "2024-02"},
        RANGE | {"newest": "true"},
        RANGE | {"to": "2024-03"},
        RANGE | {"to": "2024-02-29"},
    ],
)
def test_the_cursor_of_a_range_is_refused_for_any_other(given: dict[str, str]) -> None:
    text = written(**RANGE)
    assert read(text, **RANGE)
    assert_refused(text, **given)


def test_the_same_values_in_another_order_are_another_call() -> None:
    text = written(LIST_PENDING_ORDERS, **{"from": "2024", "to": "2024-01"})
    assert_refused(text, LIST_PENDING_ORDERS, **{"from": "2024-01", "to": "2024"})
    alone = written(LIST_PENDING_ORDERS, **{"from": "2024"})
    assert_refused(alone, LIST_PENDING_ORDERS, to="2024")


def test_the_cursor_of_another_pattern_with_the_same_parameters_is_refused() -> None:
    twin = replace(LIST_USER_ORDERS, id="XX-02", name="twin")
    assert_refused(written(twin), LIST_USER_ORDERS)
    assert_refused(written(GET_USER_WITH_ORDERS))
    assert_refused(written(), GET_USER_WITH_ORDERS)
    assert_refused(written(LIST_ORDER_ITEMS))


def test_a_variant_reads_the_cursors_of_the_pattern_whose_route_it_shares() -> None:
    assert read(written(**RANGE), LIST_USER_ORDERS_IN_RANGE, **RANGE)
    assert read(written(LIST_USER_ORDERS_IN_RANGE, **RANGE), **RANGE)


# --- Tampered with --------------------------------------------------------------------------


@pytest.mark.parametrize("change", [1, 0x20, 0x80])
def test_any_changed_byte_is_noticed(change: int) -> None:
    raw = bytearray(content(written()))
    for position in range(len(raw)):
        changed = raw.copy()
        changed[position] ^= change
        assert_refused(urlsafe_b64encode(changed).decode().rstrip("="))


def test_any_changed_character_is_noticed() -> None:
    for order in ("1", "12", "123"):  # so that the text ends on each of base64's three ways
        text = after(order_item(order))
        for position, character in enumerate(text):
            # The last character's spare bits decode to nothing: a neighbour is the same bytes.
            for other in {"A", "B", "_", chr(ord(character) ^ 1)} - {character}:
                assert_refused(text[:position] + other + text[position + 1 :])


def test_any_truncation_is_noticed() -> None:
    text = written()
    for length in range(1, len(text)):
        assert_refused(text[:length])
        assert_refused(text[length:])


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: text + "=",
        lambda text: text + "==",
        lambda text: text + "A",
        lambda text: text + "AAAA",
        lambda text: text + "\n",
        lambda text: " " + text,
        lambda text: text[:8] + "." + text[8:],
        lambda text: text[:8] + "ü" + text[8:],
        lambda text: text * 2,
    ],
)
def test_only_the_spelling_that_was_given_out_is_taken(spell: Callable[[str], str]) -> None:
    assert_refused(spell(written()))


def test_the_other_base64_alphabet_is_not_taken() -> None:
    texts = [after(order_item(f"{n}?>~")) for n in range(200)]
    spelled = [(text, text.replace("-", "+").replace("_", "/")) for text in texts]
    differing = [(text, other) for text, other in spelled if text != other]
    assert differing
    for text, other in differing:
        assert read(text)
        assert_refused(other)


@given(st.binary(max_size=60))
def test_no_other_bytes_are_taken(raw: bytes) -> None:
    text = urlsafe_b64encode(raw).decode().rstrip("=")
    if text:  # an empty one is refused before
        assert_refused(text)


@given(st.text(min_size=1, max_size=60))
def test_no_other_text_is_taken(text: str) -> None:
    assert_refused(text)


def test_a_forger_who_knows_the_code_gets_no_further_than_the_callers_own_partition() -> None:
    own = forged(b'["ORDER#2024-01-15"]')
    assert own == written()
    assert read(forged(b'["PROFILE"]')) == {"PK": {"S": PARTITION}, "SK": {"S": "PROFILE"}}


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"5",
        b'"ORDER#1"',
        b"{}",
        b'{"SK":"ORDER#1"}',
        b"[]",
        b"[null]",
        b"[5]",
        b"[true]",
        b"[[]]",
        b'[["ORDER#1"]]',
        b'[{"S":"ORDER#1"}]',
        b'["USER#U-002","ORDER#1"]',
        b'["ORDER#1",null]',
        b'[""]',
        b'["ORDER#1"',
        b'["ORDER#1"]]',
        b'["\xff"]',
        b'["\\ud800"]',
        b'["' + b"x" * 1025 + b'"]',
        b'["' + "ü".encode() * 513 + b'"]',
        b"[" * 2000,
    ],
)
def test_valid_base64_of_the_wrong_json_is_refused_though_its_digest_fits(payload: bytes) -> None:
    assert_refused(forged(payload))


@pytest.mark.parametrize("key", ["x" * 1024, "ü" * 512])
def test_a_key_of_just_1024_bytes_is_taken(key: str) -> None:
    assert read(forged(json.dumps([key], ensure_ascii=False).encode()))


def test_a_cursor_with_half_a_surrogate_pair_is_refused_as_no_text_at_all() -> None:
    with pytest.raises(BadInput) as refusal:
        read(written()[:8] + "\ud800")
    assert set(refusal.value.errors) == {"cursor"}


# --- Lists that now bounds ------------------------------------------------------------------

SESSION: Item = {
    "PK": {"S": "SESSION#S-1"},
    "SK": {"S": "SESSION#S-1"},
    "GSI1PK": {"S": "SESSION#EXPIRING"},
    "GSI1SK": {"S": "2026-12-01T00:00:00.000Z#S-1"},
    "GSI2PK": {"S": "USER#U-001"},
    "GSI2SK": {"S": "SESSION#2026-12-01T00:00:00.000Z#S-1"},
}
BOUNDED = pytest.mark.parametrize(
    ("pattern", "parameters", "sort_key"),
    [(LIST_USER_SESSIONS, {}, "GSI2SK"), (LIST_EXPIRING_SESSIONS, {"before": "9999"}, "GSI1SK")],
)


@BOUNDED
def test_a_cursor_of_a_list_that_now_bounds_has_the_first_pages_now(
    pattern: AccessPattern, parameters: dict[str, str], sort_key: str
) -> None:
    text = cursor.write(pattern, given_by(pattern, **parameters), SESSION, NOW)
    position = cursor.read(pattern, given_by(pattern, **parameters, cursor=text))
    assert position is not None
    assert position.now == NOW
    assert position.start == {name: SESSION[name] for name in (sort_key, "PK", "SK")}


def test_a_cursor_of_any_other_list_has_no_now() -> None:
    given = given_by(LIST_USER_ORDERS)
    assert cursor.write(LIST_USER_ORDERS, given, LAST, "1") == written()
    position = cursor.read(LIST_USER_ORDERS, given_by(LIST_USER_ORDERS, cursor=written()))
    assert position is not None
    assert position.now is None
    assert NOW.encode() not in content(written())


@BOUNDED
def test_another_now_makes_another_cursor_and_a_changed_one_is_noticed(
    pattern: AccessPattern, parameters: dict[str, str], sort_key: str
) -> None:
    given = given_by(pattern, **parameters)
    text = cursor.write(pattern, given, SESSION, NOW)
    earlier = NOW.replace("2026", "2020")
    assert cursor.write(pattern, given, SESSION, earlier) != text
    assert content(text).count(NOW.encode()) == 1
    assert SESSION[sort_key]["S"].encode() in content(text)
    changed = content(text).replace(NOW.encode(), earlier.encode())
    with pytest.raises(BadInput) as refusal:
        cursor.read(
            pattern,
            given_by(pattern, **parameters, cursor=urlsafe_b64encode(changed).decode().rstrip("=")),
        )
    assert list(refusal.value.errors) == ["cursor"]


@pytest.mark.parametrize(
    "payload",
    [
        b'["SESSION#2026#S-1","SESSION#S-1","SESSION#S-1"]',
        b'["SESSION#2026#S-1","SESSION#S-1","SESSION#S-1","2026","2026"]',
        b'["SESSION#2026#S-1","SESSION#S-1","SESSION#S-1",null]',
        b'["SESSION#2026#S-1","SESSION#S-1","SESSION#S-1",2026]',
        b'["SESSION#2026#S-1","SESSION#S-1","SESSION#S-1",""]',
        b'["2026"]',
        b"[]",
    ],
)
def test_without_its_now_a_cursor_is_refused_though_its_digest_fits(payload: bytes) -> None:
    digest = blake2b(b'["AP-17",["U-001"]]' + payload, digest_size=9).digest()
    text = urlsafe_b64encode(digest + payload).decode().rstrip("=")
    assert_refused(text, LIST_USER_SESSIONS)


def test_the_digest_of_these_tests_is_that_of_the_runtime() -> None:
    """Else the refusals above would say nothing."""
    text = cursor.write(LIST_USER_SESSIONS, given_by(LIST_USER_SESSIONS), SESSION, NOW)
    payload = content(text)[9:]
    assert content(text)[:9] == blake2b(b'["AP-17",["U-001"]]' + payload, digest_size=9).digest()


@pytest.mark.parametrize(("seconds", "is_taken"), [(-86_000, True), (2, True), (120, False)])
def test_the_host_of_the_next_page_may_have_a_clock_that_is_a_little_behind(
    seconds: int, is_taken: bool
) -> None:
    pattern, given = LIST_USER_SESSIONS, given_by(LIST_USER_SESSIONS)
    now = times.to_text(times.now() + timedelta(seconds=seconds))
    asked = {**given, "cursor": cursor.write(pattern, given, SESSION, now)}

    if is_taken:
        position = cursor.read(pattern, asked)
        assert position is not None
        assert position.now == now
    else:
        with pytest.raises(BadInput):
            cursor.read(pattern, asked)


@pytest.mark.parametrize(
    "now", ["2", "2026-11-30", "9999-12-31T23:59:59.999Z", "2026-01-01T00:00:00.000Z"]
)
def test_a_now_that_is_no_time_of_the_last_day_is_refused(now: str) -> None:
    pattern, last = LIST_USER_SESSIONS, {name: {"S": "x"} for name in ("GSI2SK", "PK", "SK")}
    given = given_by(pattern)
    fresh = times.to_text(times.now())

    assert cursor.read(pattern, {**given, "cursor": cursor.write(pattern, given, last, fresh)})
    with pytest.raises(BadInput):
        cursor.read(pattern, {**given, "cursor": cursor.write(pattern, given, last, now)})
