import pytest

from lambdas.design.entity import Entity
from lambdas.design.keys import DeclarationError, Slot, Template, While, template
from lambdas.design.table import GSI1, TABLE
from lambdas.design.values import Id


def test_a_template_is_literals_and_fields_in_order() -> None:
    assert template("USER#{UserId}") == Template(("USER", Slot("UserId")))


def test_a_field_keeps_the_form_that_it_is_written_in() -> None:
    assert template("EMAIL#{Email:lower}") == Template(("EMAIL", Slot("Email", "lower")))


@pytest.mark.parametrize(
    "text",
    [
        "PROFILE",
        "{OrderId}",
        "ORDER#{OrderId}#ITEM#{ProductId}",
        "{ExpiresAt:time-or-never}#{SessionId}",
        "{Category:first-level}",
        "{Category:lower-levels}#{ProductId}",
        "{Count:08d}",
    ],
)
def test_a_template_is_spelled_as_it_was_declared(text: str) -> None:
    assert str(template(text)) == text


@pytest.mark.parametrize("text", ["", "#", "ORDER#", "#{OrderId}", "ORDER##{OrderId}"])
def test_an_empty_part_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match="a part is empty") as refusal:
        template(text)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize(
    "part",
    ["ORDER{OrderId}", "{OrderId}ORDER", "{A}{B}", "{{A}}", "{A", "A}", "{", "}", "{}", "{:lower}"],
)
def test_a_part_that_mixes_literal_and_field_is_refused_by_name(part: str) -> None:
    with pytest.raises(DeclarationError, match="not a mixture") as refusal:
        template(f"ORDER#{part}")
    assert repr(part) in str(refusal.value)


def test_two_fields_of_any_number_of_parts_are_refused() -> None:
    """`a#b#c` could be a and b#c, or a#b and c."""
    with pytest.raises(DeclarationError, match="lower-levels stands in it twice"):
        template("{Category:lower-levels}#{Place:lower-levels}")
    template("{Category:lower-levels}#{Place:first-level}")


@pytest.mark.parametrize("form", ["upper", "Lower", "8d", "08", "0d", "00d", "08x", "times"])
def test_an_unknown_form_is_refused_with_its_field(form: str) -> None:
    with pytest.raises(DeclarationError, match=rf"unknown form '{form}' of 'Count'"):
        template(f"COUNT#{{Count:{form}}}")


@pytest.mark.parametrize(
    "form", ["lower", "time", "time-or-never", "first-level", "lower-levels", "08d", "012d"]
)
def test_a_known_form_is_accepted(form: str) -> None:
    assert template(f"COUNT#{{Count:{form}}}").slots == (Slot("Count", form),)


def test_only_a_width_has_a_number_of_digits() -> None:
    assert Slot("Count", "012d").width == 12
    assert Slot("Count", "time").width is None


def test_a_template_names_each_field_once() -> None:
    assert template("{A}#B#{C}#{A:lower}").fields == ("A", "C")


def test_a_key_names_the_fields_of_both_templates_once() -> None:
    key = TABLE.key("ORDER#{OrderId}", "ITEM#{ProductId}#{OrderId}")
    assert key.fields == ("OrderId", "ProductId")


def test_a_key_belongs_to_the_entity_that_declares_it_and_to_none_before() -> None:
    class Thing(Entity):
        primary = TABLE.key("THING#{ThingId}", "THING")
        ThingId: Id

    assert Thing.primary.entity is Thing
    with pytest.raises(DeclarationError, match=r"THING#\{ThingId\} / THING belongs to no entity"):
        _ = TABLE.key("THING#{ThingId}", "THING").entity


def test_a_condition_says_in_words_what_keeps_an_item_in_the_index() -> None:
    assert str(While("ErrorCode")) == "only while `ErrorCode` is set"
    assert str(While("Status", "PENDING")) == "only while `Status` is PENDING"
    assert str(While("VIP", True)) == "only while `VIP` is true"


def test_a_key_is_sparse_only_where_it_is_said() -> None:
    condition = While("VIP", True)
    assert GSI1.key("VIP", "{UserId}", only_while=condition).only_while == condition
    assert GSI1.key("VIP", "{UserId}").only_while is None
