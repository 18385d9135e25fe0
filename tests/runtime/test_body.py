import json
from base64 import b64encode
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Struct

from lambdas.design.operations import Statement
from lambdas.design.values import Amount, Count, Id, Money, TextMap, accepted
from lambdas.runtime import body
from lambdas.runtime.errors import BadInput

SELECT = "SELECT * FROM T"


class Line(Struct, forbid_unknown_fields=True):
    """A part of a body that is an object itself."""

    ProductId: Id
    Quantity: Count


class Basket(Struct, forbid_unknown_fields=True):
    """A body with objects in a list, and with amounts."""

    Lines: list[Line]
    Total: Money | None = None


def sent(text: str) -> dict[str, Any]:
    """The gateway's event with a body."""
    return {"body": text, "isBase64Encoded": False}


def read(text: str) -> Statement:
    return body.read(Statement, sent(text))


def refusal(text: str, kind: type[Struct] = Statement) -> dict[str, str]:
    with pytest.raises(BadInput) as refused:
        body.read(kind, sent(text))
    return refused.value.errors


def with_parameters(text: str) -> str:
    return f'{{"Statement": "{SELECT}", "Parameters": {text}}}'


# --- What is read ---------------------------------------------------------------------------


def test_what_is_not_sent_is_none() -> None:
    assert read(f'{{"Statement": "{SELECT}"}}') == Statement(Statement=SELECT)


def test_everything_that_is_sent_is_read() -> None:
    text = '{"NextToken": "t", "Limit": 5, "Statement": "s", "Parameters": ["ü", 1, true, null]}'
    assert read(text) == Statement("s", ["ü", 1, True, None], 5, "t")


def test_null_counts_as_not_sent() -> None:
    text = '{"Statement": "s", "Parameters": null, "Limit": null, "NextToken": null}'
    assert read(text) == Statement("s")


def test_white_space_around_the_body_does_not_matter() -> None:
    assert read('\r\n\t {"Statement" : "s"} \n') == Statement("s")


@pytest.mark.parametrize(
    "text", ['{"Statement": "Für 🎓"}', '{"Statement": "F\\u00fcr \\ud83c\\udf93"}']
)
def test_an_encoded_body_is_decoded_first(text: str) -> None:
    event = {"body": b64encode(text.encode()).decode(), "isBase64Encoded": True}
    assert body.read(Statement, event) == Statement("Für 🎓")
    assert read(text) == Statement("Für 🎓")


@pytest.mark.parametrize("text", ["!!!", "e3\n0=", "e30", "ü"])
def test_what_is_said_to_be_encoded_and_is_not_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        body.read(Statement, {"body": text, "isBase64Encoded": True})
    assert refused.value.errors == {"body": "is no text"}


@pytest.mark.parametrize(
    "number", ["79.90", "30.40", "0.1", "1e2", "-0.0", "0.12345678901234567890123456789012345678"]
)
def test_a_number_is_exact_wherever_it_stands(number: str) -> None:
    parameters = read(with_parameters(f'[{number}, [{number}], {{"a": {number}}}]')).Parameters
    assert parameters is not None
    first, [second], third = parameters
    for value in (first, second, third["a"]):
        assert isinstance(value, Decimal)
        assert value.as_tuple() == Decimal(number).as_tuple()
    basket = body.read(Basket, sent(f'{{"Lines": [], "Total": {number}}}'))
    assert basket.Total == Decimal(number)


@pytest.mark.parametrize("digits", [1, 18, 19, 20, 38, 39])
def test_a_whole_number_is_exact_whatever_its_size(digits: int) -> None:
    number = "9" * digits
    assert read(with_parameters(f"[{number}, -{number}]")).Parameters == [int(number), -int(number)]


# --- What is refused, by name ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("{}", {"Statement": "is missing"}),
        ('{"Limit": 5}', {"Statement": "is missing"}),
        ('{"Statement": "s", "Table": "T"}', {"Table": "is not known here"}),
        ('{"Statement": "s", "statement": "s"}', {"statement": "is not known here"}),
        ('{"Statement": "s", "limit": 5}', {"limit": "is not known here"}),
    ],
)
def test_a_part_that_is_missing_or_unknown_is_named(text: str, errors: dict[str, str]) -> None:
    assert refusal(text) == errors


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Statement", ["1", "null", "true", "[]", "{}", '""', json.dumps("s" * 8193)]),
        ("Parameters", ["[]", "{}", '"a"', "1", "[" + "1," * 100 + "1]"]),
        ("Limit", ["0", "-1", "201", '"5"', "1.5", "1.0", "1e1", "true", "[5]", "1" * 30]),
        ("NextToken", ['""', "1", "{}", json.dumps("t" * 32769)]),
    ],
)
def test_a_part_of_the_wrong_kind_or_size_is_named_with_what_it_must_be(
    name: str, values: list[str]
) -> None:
    for value in values:
        others = "" if name == "Statement" else '"Statement": "s", '
        [(named, reason)] = refusal(f'{{{others}"{name}": {value}}}').items()
        assert named == name
        assert reason.startswith("must be ")
        assert not reason.startswith("must be a JSON object")


class Order(Basket, forbid_unknown_fields=True, kw_only=True):
    """A body with a field that is one of some words."""

    Status: Literal["PAID", "SHIPPED"]
    Names: TextMap | None = None
    Price: Amount | None = None


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ('"Lines": [], "Status": "LOST"', {"Status": "must be one of PAID, SHIPPED"}),
        (
            '"Lines": [{"ProductId": "P-1", "Quantity": 0}], "Status": "PAID"',
            {"Lines[0].Quantity": "must be a whole number from 1 to 1000000"},
        ),
        (
            '"Lines": [null], "Status": "PAID"',
            {"Lines[0]": "must be an object with ProductId and Quantity"},
        ),
        (
            '"Lines": [], "Status": "PAID", "Names": {"de": 1}',
            {"Names": f"must be {accepted(TextMap)}"},
        ),
        (
            f'"Lines": [], "Status": "PAID", "Price": {"9" * 5000}',
            {"Price": f"must be {Amount.description}"},
        ),
    ],
)
def test_words_that_are_taken_and_fields_of_parts_are_named_with_what_they_must_be(
    text: str, errors: dict[str, str]
) -> None:
    assert refusal(f"{{{text}}}", Order) == errors


def test_the_limits_themselves_are_taken() -> None:
    longest = read(json.dumps({"Statement": "s" * 8192, "NextToken": "t" * 32768, "Limit": 200}))
    assert longest.Limit == 200
    assert read('{"Statement": "s", "Limit": 1}').Limit == 1
    assert read(with_parameters("[" + "1," * 99 + "1]")).Parameters == [1] * 100


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"Lines": [{"ProductId": "P-1"}]}', "Lines[0].Quantity"),
        ('{"Lines": [{"ProductId": "P-1", "Quantity": 1}, {}]}', "Lines[1].ProductId"),
        ('{"Lines": [{"ProductId": "P-1", "Quantity": 0}]}', "Lines[0].Quantity"),
        ('{"Lines": [{"ProductId": "P-1", "Quantity": 1, "Price": 1}]}', "Lines[0].Price"),
        ('{"Lines": [1]}', "Lines[0]"),
        ('{"Lines": {}}', "Lines"),
        ('{"Lines": [], "Total": "one"}', "Total"),
        ('{"Lines": [], "Total": true}', "Total"),
    ],
)
def test_a_part_within_a_part_is_named_with_its_place(text: str, name: str) -> None:
    assert list(refusal(text, Basket)) == [name]


@given(name=st.text(st.characters(exclude_characters="\n"), min_size=1, max_size=30))
@example("a`b")
@example("$.x")
@example("unknown field `x`")
def test_an_unknown_part_is_named_as_it_was_sent(name: str) -> None:
    if name not in Statement.__struct_encode_fields__:
        assert refusal(json.dumps({"Statement": "s", name: 1})) == {name: "is not known here"}


@pytest.mark.parametrize("name", ["a\nb", "a - at b", "a - at `$.Limit`"])
def test_an_unknown_part_is_named_though_its_name_looks_like_a_place(name: str) -> None:
    assert refusal(json.dumps({"Statement": "s", name: 1})) == {name: "is not known here"}


@pytest.mark.parametrize("text", ["[]", "[{}]", "1", "1.5", "null", "true", '"Statement"', '""'])
def test_json_that_is_no_object_is_refused(text: str) -> None:
    assert refusal(text) == {"body": "must be a JSON object"}


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "{",
        '{"Statement"',
        '{"Statement": "s"',
        '{"Statement": "s",}',
        '{"Statement": "s"} x',
        '{"Statement": "s"}{"Statement": "s"}',
        "{'Statement': 's'}",
        "{Statement: 1}",
        'Statement="s"',
        "Statement=s&Limit=5",
        '{"Statement": "s", "Limit": NaN}',
        '{"Statement": "s", "Parameters": [Infinity]}',
        '{"Statement": "s", "Parameters": [-Infinity]}',
        '{"Statement": "s", "Parameters": [01]}',
        '{"Statement": "s", "Parameters": [1.]}',
        '{"Statement": "\n"}',
        '{"Statement": "\\ud800"}',
        '\ufeff{"Statement": "s"}',
        "<Statement/>",
    ],
)
def test_what_is_not_json_is_refused_as_that(text: str) -> None:
    [(name, reason)] = refusal(text).items()
    assert name == "body"
    assert reason.startswith("is not JSON: ")


@pytest.mark.parametrize(
    "raw", [b"\xff", b'{"Statement": "\xff"}', b'{"Statement": "\xed\xa0\x80"}']
)
def test_bytes_that_are_no_unicode_are_refused(raw: bytes) -> None:
    with pytest.raises(BadInput) as refused:
        body.read(Statement, {"body": b64encode(raw).decode(), "isBase64Encoded": True})
    assert list(refused.value.errors) == ["body"]


def test_half_a_surrogate_pair_is_refused() -> None:
    assert list(refusal('{"Statement": "\ud800"}')) == ["body"]


@pytest.mark.parametrize("text", [None, "", " ", "\n\t"])
@pytest.mark.parametrize("encoded", [False, True])
def test_a_body_that_is_empty_is_missing(text: str | None, encoded: bool) -> None:
    written = b64encode(text.encode()).decode() if text and encoded else text
    for event in ({"body": written, "isBase64Encoded": encoded}, {}):
        with pytest.raises(BadInput) as refused:
            body.read(Statement, event)
        assert refused.value.errors == {"body": "is missing; it must be a JSON object"}


@pytest.mark.parametrize("depth", [5000, 100_000])
@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}")])
def test_a_body_that_is_nested_too_deeply_is_refused(depth: int, opened: str, closed: str) -> None:
    """No item nests deeper than 32 levels; Python gives up at about a thousand."""
    nested = opened * depth + "1" + closed * depth
    assert set(refusal(with_parameters(f"[{nested}]"))) <= {"body", "Parameters"}


@pytest.mark.parametrize("number", ["1e99999999999999999999", "-1.5E-99999999999999999999"])
def test_a_number_that_no_decimal_can_hold_is_refused(number: str) -> None:
    assert set(refusal(with_parameters(f"[{number}]"))) <= {"body", "Parameters"}


def errors(event: dict[str, Any]) -> dict[str, str]:
    """What is wrong with a body: nothing, or what it is refused for, and nothing else is raised."""
    try:
        body.read(Statement, event)
    except BadInput as refused:
        return refused.errors
    return {}


@given(st.text())
@example('{"Statement": "s"')
def test_no_text_is_anything_but_read_or_refused(text: str) -> None:
    assert all(name and reason for name, reason in errors(sent(text)).items())


@given(st.binary())
def test_no_bytes_are_anything_but_read_or_refused(raw: bytes) -> None:
    found = errors({"body": b64encode(raw).decode(), "isBase64Encoded": True})
    assert all(name and reason for name, reason in found.items())


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(Statement.__struct_encode_fields__, JSON)))
def test_no_object_is_anything_but_read_or_refused_by_the_names_of_its_parts(
    document: dict[str, Any],
) -> None:
    found = errors(sent(json.dumps(document)))
    assert set(found) <= set(Statement.__struct_encode_fields__)
