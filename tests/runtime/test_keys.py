from collections import Counter
from collections.abc import Mapping
from itertools import product
from string import ascii_uppercase
from typing import Any, get_args, get_type_hints
from unicodedata import normalize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lambdas.design import ENTITIES
from lambdas.design.ecommerce import EmailGuard, Job, Order, OrderItem, Product, Session, User
from lambdas.design.keys import Key, Slot, template
from lambdas.design.values import (
    CategoryPath,
    Code,
    CurrencyCode,
    DatedId,
    EmailAddress,
    EpochSeconds,
    Id,
    JobStatus,
    OrderStatus,
    Text,
    Time,
)
from lambdas.runtime import keys, times
from tests.pending import pending

KEYS = {
    f"{entity.__name__}-{key.index.name or 'table'}": key
    for entity in ENTITIES
    for key in (*entity.keys, entity.inverted)
}

# What could be taken for a separator or an escape, umlauts in both spellings, and anything else.
NASTY = st.one_of(
    st.sampled_from(["#", "%", "%23", "%25", "%2523", "ä", "a\u0308", "Ä", "\u0308", "İ", "ẞ"]),
    st.characters(exclude_categories=["Cs"]),
)
TEXT = st.lists(NASTY, min_size=1, max_size=12).map("".join)
LEVEL = TEXT.map(lambda text: text.replace("/", "-"))
EPOCH = st.integers(0, 253402300799)
WORD = st.text("ABCabc019._~-", min_size=1, max_size=12)

GENERATED: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (Id, WORD),
    (DatedId, st.one_of(WORD, EPOCH.map(times.from_epoch), TEXT)),
    (Code, WORD),
    (Text, TEXT),
    (EmailAddress, st.builds("{}@{}".format, TEXT, TEXT)),
    (CategoryPath, st.lists(LEVEL, min_size=1, max_size=4).map("/".join)),
    (Time, EPOCH.map(times.from_epoch)),
    (EpochSeconds, EPOCH),
    (CurrencyCode, st.text(ascii_uppercase, min_size=3, max_size=3)),
    (OrderStatus, st.sampled_from(get_args(OrderStatus))),
    (JobStatus, st.sampled_from(get_args(JobStatus))),
]

EXAMPLES_A_KEY = 25
"""There are 35 keys of few forms, so together it is many hundred."""


def generated(slot: Slot, key: Key) -> st.SearchStrategy[Any]:
    """Values of the field that a slot takes; an absent one only where the form can write it."""
    annotation = get_type_hints(key.entity, include_extras=True)[slot.field]
    kinds = (annotation, *get_args(annotation))
    [values] = [values for kind, values in GENERATED if kind in kinds]
    return st.one_of(st.none(), values) if slot.form == "time-or-never" else values


def values_of(key: Key) -> st.SearchStrategy[dict[str, Any]]:
    slots = key.partition.slots + key.sort.slots
    return st.fixed_dictionaries({slot.field: generated(slot, key) for slot in slots})


def normalised(key: Key, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as a key gives them back."""
    lowered = {slot.field for slot in key.partition.slots + key.sort.slots if slot.form == "lower"}
    result = dict(values)
    for field, value in values.items():
        if isinstance(value, str):
            text = normalize("NFC", value)
            result[field] = normalize("NFC", text.lower()) if field in lowered else text
    return result


def encoded(key: Key, values: Mapping[str, Any]) -> tuple[str, str]:
    return keys.encode(key.partition, values), keys.encode(key.sort, values)


# --- There and back -------------------------------------------------------------------------


@pytest.mark.parametrize("name", KEYS)
@settings(max_examples=EXAMPLES_A_KEY)
@given(data=st.data())
def test_a_key_decodes_to_the_values_that_it_was_made_of(name: str, data: st.DataObject) -> None:
    key = KEYS[name]
    values = data.draw(values_of(key))
    written = encoded(key, values)
    assert all(written)
    decoded = keys.decode(key, *written)
    assert decoded == normalised(key, values)
    assert encoded(key, decoded) == written


@pytest.mark.parametrize("name", KEYS)
@settings(max_examples=EXAMPLES_A_KEY)
@given(data=st.data())
def test_two_sets_of_values_give_one_key_only_if_they_are_the_same(
    name: str, data: st.DataObject
) -> None:
    key = KEYS[name]
    one, other = data.draw(values_of(key)), data.draw(values_of(key))
    same = normalised(key, one) == normalised(key, other)
    assert (encoded(key, one) == encoded(key, other)) == same


def test_no_two_short_texts_full_of_separators_and_escapes_give_one_key() -> None:
    texts = ["".join(text) for size in (1, 2, 3, 4) for text in product("#%235", repeat=size)]
    alone = template("X#{A}")
    assert len({keys.encode(alone, {"A": text}) for text in texts}) == len(texts) == 780
    short = [text for text in texts if len(text) <= 2]
    both = template("{A}#{B}")
    pairs = {keys.encode(both, {"A": a, "B": b}) for a, b in product(short, short)}
    assert len(pairs) == len(short) ** 2 == 900


def test_an_order_1_2_with_item_3_never_meets_order_1_with_item_2_3() -> None:
    whole = template("ORDER#{OrderId}#ITEM#{ProductId}")
    bare = template("{OrderId}#{ProductId}")
    for joined in (whole, bare):
        one = keys.encode(joined, {"OrderId": "1#2", "ProductId": "3"})
        other = keys.encode(joined, {"OrderId": "1", "ProductId": "2#3"})
        assert one != other


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("C#", "C%23"),
        ("C%23", "C%2523"),
        ("100%", "100%25"),
        ("%25", "%2525"),
        ("#%", "%23%25"),
        ("a+b/c", "a+b/c"),
        ("Müller", "Müller"),
    ],
)
def test_only_percent_and_separator_are_escaped(value: str, written: str) -> None:
    assert keys.encode(User.primary.partition, {"UserId": value}) == f"USER#{written}"
    assert keys.decode(User.primary, f"USER#{written}", "PROFILE") == {"UserId": value}


# --- Normalisation --------------------------------------------------------------------------


def test_an_umlaut_gives_one_key_in_both_spellings_and_another_letter_another_one() -> None:
    composed, decomposed = "M\u00fcller", "Mu\u0308ller"
    assert composed != decomposed
    text = template("Student#{Student}")
    assert keys.encode(text, {"Student": decomposed}) == "Student#M\u00fcller"
    assert keys.encode(text, {"Student": composed}) == "Student#M\u00fcller"
    assert keys.encode(text, {"Student": "Muller"}) == "Student#Muller"


def test_look_alikes_that_are_other_characters_stay_other_keys() -> None:
    variants = ["\ufb01x", "fix", "\uff46ix", "ß", "ss", "\u2460", "1"]
    assert len({keys.encode(template("{A}"), {"A": text}) for text in variants}) == len(variants)


def test_addresses_that_differ_in_case_alone_give_one_key_but_ids_do_not() -> None:
    ann = keys.encode(EmailGuard.primary.partition, {"Email": "Ann@X.de"})
    assert ann == keys.encode(EmailGuard.primary.partition, {"Email": "ann@x.de"})
    assert ann == "EMAIL#ann@x.de"
    assert keys.encode(User.primary.partition, {"UserId": "Ann"}) == "USER#Ann"
    assert keys.encode(User.primary.partition, {"UserId": "ann"}) == "USER#ann"


def test_an_address_is_lower_cased_with_its_umlauts_in_either_spelling() -> None:
    spellings = ["\u00dcwe@x.de", "U\u0308we@x.de", "\u00fcwe@x.de", "u\u0308we@x.de"]
    written = {keys.encode(User.by_email.partition, {"Email": text}) for text in spellings}
    assert written == {"EMAIL#\u00fcwe@x.de"}


def test_a_letter_that_is_one_character_only_in_lower_case_gives_one_key_too() -> None:
    # J with a caron has no character of its own, j with a caron has one.
    written = {
        keys.encode(User.by_email.partition, {"Email": f"{letter}@x.de"})
        for letter in ("J\u030c", "j\u030c", "\u01f0")
    }
    assert written == {"EMAIL#\u01f0@x.de"}


# --- What cannot stand in a key -------------------------------------------------------------


@pytest.mark.parametrize("value", ["", None, 1, 1.5, True, b"U", ["U"], {"U": "U"}])
def test_an_empty_or_missing_value_and_one_that_is_no_text_are_refused(value: Any) -> None:
    with pytest.raises(keys.InvalidKeyValue) as refusal:
        keys.encode(User.primary.partition, {"UserId": value})
    assert refusal.value.field == "UserId"
    assert refusal.value.reason.startswith("must ")


def test_a_value_that_is_not_given_at_all_is_refused() -> None:
    with pytest.raises(keys.InvalidKeyValue, match="UserId must be text"):
        keys.encode(User.primary.partition, {"OrderId": "1"})


@pytest.mark.parametrize(
    "slot", ["{A}", "{A:lower}", "{A:first-level}", "{A:lower-levels}", "{A:04d}", "{A:time}"]
)
@pytest.mark.parametrize("value", [None, 1.5, True, b"2024", ["2024"]])
def test_each_form_refuses_a_value_of_the_wrong_kind(slot: str, value: Any) -> None:
    with pytest.raises(keys.InvalidKeyValue, match="A must be"):
        keys.encode(template(f"X#{slot}"), {"A": value})


@pytest.mark.parametrize("form", ["time", "time-or-never"])
@pytest.mark.parametrize("value", ["soon", "1705312800", 253402300800, 10**30])
def test_what_is_no_time_of_four_digit_years_is_refused(form: str, value: Any) -> None:
    with pytest.raises(keys.InvalidKeyValue, match="A must be"):
        keys.encode(template(f"X#{{A:{form}}}"), {"A": value})


@pytest.mark.parametrize("value", ["\ud83d", "a\udc00b", "\ude00\ud83d"])
def test_half_a_surrogate_pair_is_refused_but_a_whole_character_is_not(value: str) -> None:
    with pytest.raises(keys.InvalidKeyValue, match="half a surrogate pair"):
        keys.encode(User.primary.partition, {"UserId": value})
    assert keys.encode(User.primary.partition, {"UserId": "\U0001f600"}) == "USER#\U0001f600"


@pytest.mark.parametrize("category", ["", "/", "/audio", "audio/", "audio//cables"])
def test_a_category_with_an_empty_level_is_refused(category: str) -> None:
    values = {"Category": category, "ProductId": "P-100"}
    with pytest.raises(keys.InvalidKeyValue, match="Category must not be empty"):
        encoded(Product.by_category, values)


@pytest.mark.parametrize("value", [-1, 10_000, "12", 1.0, None, True])
def test_a_number_that_its_width_cannot_write_is_refused(value: Any) -> None:
    with pytest.raises(keys.InvalidKeyValue, match="N must be a whole number from 0 with 4 digits"):
        keys.encode(template("{N:04d}"), {"N": value})


@pytest.mark.parametrize(("value", "written"), [(0, "0000"), (42, "0042"), (9999, "9999")])
def test_a_number_is_written_with_leading_zeros_and_read_as_a_number(
    value: int, written: str
) -> None:
    key = Key(Order.primary.index, template("N"), template("{N:04d}"))
    assert keys.encode(key.sort, {"N": value}) == written
    assert keys.decode(key, "N", written) == {"N": value}


# --- 1024 bytes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("character", "size"), [("x", 1), ("ü", 2), ("u\u0308", 2), ("#", 3), ("%", 3), ("😀", 4)]
)
def test_a_key_of_1024_bytes_passes_and_one_of_1025_is_refused(character: str, size: int) -> None:
    room = 1024 - len("USER#")
    fitting = character * (room // size) + "x" * (room % size)
    assert len(keys.encode(User.primary.partition, {"UserId": fitting}).encode()) == 1024
    with pytest.raises(
        keys.InvalidKeyValue, match="1025 bytes, and DynamoDB takes 1024"
    ) as refusal:
        keys.encode(User.primary.partition, {"UserId": fitting + "x"})
    assert refusal.value.field == "UserId"


def test_an_address_counts_as_it_is_written_not_as_it_was_given() -> None:
    short = "\U0001d160" * 90 + "@x.de"  # normalised, each has three characters of four bytes
    assert len(short.encode()) < 400
    with pytest.raises(keys.InvalidKeyValue, match="Email is too long"):
        keys.encode(User.by_email.partition, {"Email": short})


def test_a_prefix_that_is_too_long_names_the_field_that_was_given() -> None:
    too_long = {"Category": "electronics/" + "x" * 1025}
    with pytest.raises(keys.InvalidKeyValue, match="is too long") as refusal:
        keys.prefix(Product.by_category.sort, too_long)
    assert refusal.value.field == "Category"


def test_a_prefix_has_1024_bytes_at_most_its_last_separator_included() -> None:
    fitting = "x" * 1023
    assert keys.prefix(Job.failed.sort, {"ErrorCode": fitting}) == f"{fitting}#"
    with pytest.raises(keys.InvalidKeyValue, match="is too long"):
        keys.prefix(Job.failed.sort, {"ErrorCode": fitting + "x"})


# --- Order ----------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 10**8 - 1), min_size=2))
@example([1, 10, 2])
def test_numbers_sort_in_keys_as_they_do_as_numbers(numbers: list[int]) -> None:
    written = [keys.encode(template("{N:08d}"), {"N": number}) for number in numbers]
    in_order = [keys.encode(template("{N:08d}"), {"N": number}) for number in sorted(numbers)]
    assert sorted(written) == in_order


@given(st.lists(EPOCH, min_size=2))
@example([9, 10, 999_999_999, 1_000_000_000, 253402300799])
def test_times_sort_in_keys_as_they_do_in_the_calendar(moments: list[int]) -> None:
    def written(moment: int) -> str:
        return keys.encode(Session.expiring.sort, {"ExpiresAt": moment, "SessionId": "S"})

    assert sorted(map(written, moments)) == list(map(written, sorted(moments)))


def test_a_session_that_never_expires_sorts_after_the_last_second_there_is() -> None:
    def written(moment: int | None) -> str:
        return keys.encode(Session.of_user.sort, {"ExpiresAt": moment, "SessionId": "0"})

    assert written(None) == "SESSION#9999-12-31T23:59:59.999Z#0"
    assert written(253402300799) < written(None)
    assert keys.decode(Session.of_user, "USER#U", written(None))["ExpiresAt"] is None
    assert keys.decode(Session.of_user, "USER#U", written(253402300799))["ExpiresAt"] is not None


def test_the_profile_sorts_after_every_order() -> None:
    last = keys.encode(Order.primary.sort, {"OrderId": "~" * 64})
    assert last < keys.encode(User.primary.sort, {})


# --- Prefixes -------------------------------------------------------------------------------


def test_without_values_a_prefix_is_the_entitys_own_and_its_separator() -> None:
    assert keys.prefix(Order.primary.sort, {}) == "ORDER#"
    assert keys.prefix(OrderItem.primary.sort, {}) == "ITEM#"


def test_without_values_a_template_that_begins_with_a_field_has_no_prefix() -> None:
    assert keys.prefix(Order.pending.sort, {}) == ""


def test_a_prefix_of_literals_alone_is_the_whole_key() -> None:
    assert keys.prefix(User.primary.sort, {}) == "PROFILE"
    assert keys.prefix(Order.with_items.sort, {}) == "ORDER"


def test_a_prefix_goes_as_far_as_the_values_that_are_given_and_no_gap() -> None:
    sort = Job.failed.sort
    time = "2024-03-02T09:15:00.123Z"
    assert keys.prefix(sort, {"ErrorCode": "E1"}) == "E1#"
    assert keys.prefix(sort, {"ErrorCode": "E1", "FailedAt": time}) == f"E1#{time}#"
    assert keys.prefix(sort, {"ErrorCode": "E1", "JobId": "J"}) == "E1#"
    whole = {"ErrorCode": "E1", "FailedAt": time, "JobId": "J"}
    assert keys.prefix(sort, whole) == keys.encode(sort, whole)


def test_the_prefix_of_orders_does_not_match_a_neighbour_with_a_longer_name() -> None:
    prefix = keys.prefix(Order.primary.sort, {})
    assert keys.encode(Order.primary.sort, {"OrderId": "1"}).startswith(prefix)
    assert not keys.encode(template("ORDERITEM#{N}"), {"N": "1"}).startswith(prefix)


def test_audio_does_not_match_audiobooks() -> None:
    def sort_key(category: str) -> str:
        return keys.encode(Product.by_category.sort, {"Category": category, "ProductId": "P"})

    prefix = keys.prefix(Product.by_category.sort, {"Category": "electronics/audio"})
    assert prefix == "audio#"
    assert sort_key("electronics/audio").startswith(prefix)
    assert sort_key("electronics/audio/headphones").startswith(prefix)
    assert not sort_key("electronics/audiobooks").startswith(prefix)
    assert not sort_key("electronics/audiobooks/new").startswith(prefix)


def test_a_first_level_alone_has_no_prefix_so_that_all_its_levels_match() -> None:
    assert keys.prefix(Product.by_category.sort, {"Category": "electronics"}) == ""


def test_error_1_does_not_match_error_10() -> None:
    prefix = keys.prefix(Job.failed.sort, {"ErrorCode": "1"})
    others = {"FailedAt": "2024-03-02T09:15:00.123Z", "JobId": "J"}
    assert keys.encode(Job.failed.sort, others | {"ErrorCode": "1"}).startswith(prefix)
    assert not keys.encode(Job.failed.sort, others | {"ErrorCode": "10"}).startswith(prefix)


@given(one=TEXT, other=TEXT)
def test_a_prefix_matches_the_keys_of_its_own_value_alone(one: str, other: str) -> None:
    two_fields = template("{A}#{B}")
    prefix = keys.prefix(two_fields, {"A": one})
    for second in (other, one + other):
        matches = keys.encode(two_fields, {"A": second, "B": "x"}).startswith(prefix)
        assert matches == (normalize("NFC", second) == normalize("NFC", one))


def test_a_prefix_refuses_what_a_key_refuses() -> None:
    with pytest.raises(keys.InvalidKeyValue, match="ErrorCode must not be empty"):
        keys.prefix(Job.failed.sort, {"ErrorCode": ""})


# --- Reading back what was not written ------------------------------------------------------


@pytest.mark.parametrize(
    ("partition", "sort"),
    [
        ("USERS#U-001", "ORDER#1"),
        ("USER", "ORDER#1"),
        ("USER#U-001#x", "ORDER#1"),
        ("USER#U-001", "PROFILE"),
        ("USER#U-001", "ORDER#1#2"),
        ("USER#U-001", ""),
    ],
)
def test_text_that_the_templates_did_not_write_is_not_read(partition: str, sort: str) -> None:
    assert keys.decode(Order.primary, "USER#U-001", "ORDER#1") == {
        "UserId": "U-001",
        "OrderId": "1",
    }
    with pytest.raises(ValueError, match="was not written by"):
        keys.decode(Order.primary, partition, sort)


def test_a_field_that_stands_in_both_attributes_has_one_value() -> None:
    assert keys.decode(Product.primary, "PRODUCT#1", "PRODUCT#1") == {"ProductId": "1"}
    with pytest.raises(ValueError, match="gives ProductId a second value"):
        keys.decode(Product.primary, "PRODUCT#1", "PRODUCT#2")


@pytest.mark.parametrize("category", ["a", "a/b", "a/b/c/d"])
def test_a_category_is_read_from_both_attributes_whatever_its_depth(category: str) -> None:
    values = {"Category": category, "ProductId": "P-1"}
    written = encoded(Product.by_category, values)
    assert keys.decode(Product.by_category, *written) == values


def test_too_few_parts_for_the_levels_of_a_category_are_not_read() -> None:
    key = Key(Order.primary.index, template("C"), template("X#{Category:lower-levels}#{Id}"))
    assert keys.decode(key, "C", "X#a#1") == {"Category": "a", "Id": "1"}
    with pytest.raises(ValueError, match="was not written by"):
        keys.decode(key, "C", "X")


# --- Shards -----------------------------------------------------------------------------------


def test_the_shard_of_an_item_is_the_same_for_ever() -> None:
    """Known answers: whoever computes them anew, in whatever language, must find these."""
    order = ("USER#U-001", "ORDER#2024-01-15")
    assert [keys.shard(order, shards) for shards in (1, 2, 8, 32)] == [0, 1, 1, 25]
    assert keys.shard(("USER#U-001#", "RDER#2024-01-15"), 1 << 60) != keys.shard(order, 1 << 60)


@pytest.mark.parametrize("shards", [2, 3, 8, 32])
def test_ids_that_follow_one_another_are_spread_evenly(shards: int) -> None:
    counts = Counter(keys.shard(("USER#1", f"ORDER#{n:06}"), shards) for n in range(shards * 1000))
    assert set(counts) == set(range(shards))
    assert all(900 < count < 1100 for count in counts.values())


def test_a_sharded_key_decodes_to_the_values_it_was_made_of() -> None:
    values = {"UserId": "U-001", "OrderId": "2024-01-15"}
    with pending(8):
        partition, sort = keys.attributes(Order.pending, values).values()
        assert keys.decode(Order.pending, partition, sort) == {"OrderId": "2024-01-15"}
        for other in (
            "STATUS#PENDING",
            "STATUS#PENDING#8/8",
            "STATUS#PENDING#00/8",
            "STATUS#PENDING#1/4",
        ):
            with pytest.raises(ValueError, match=other):
                keys.decode(Order.pending, other, sort)
    assert keys.attributes(Order.pending, values)["GSI1PK"] == "STATUS#PENDING"


@given(st.text(min_size=1, max_size=8), st.text(max_size=8))
def test_nothing_that_begins_so_sorts_after_the_last_key_that_does(prefix: str, rest: str) -> None:
    assert (prefix + rest).encode() <= keys.last_with(prefix).encode()
    assert len(keys.last_with(prefix).encode()) <= 1024
