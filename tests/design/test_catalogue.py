from types import ModuleType
from typing import Any, cast

import pytest
from msgspec import defstruct
from msgspec.structs import replace

from lambdas.design import ACCESS_PATTERNS, ENTITIES, ecommerce, social, university
from lambdas.design.catalogue import access_patterns, entities, refuse_forgotten
from lambdas.design.ecommerce import GET_USER, LIST_USER_ORDERS, USER_ID, Order, User
from lambdas.design.entity import Entity
from lambdas.design.idempotency import Idempotency
from lambdas.design.keys import DeclarationError, Key
from lambdas.design.operations import Parameter, Write
from lambdas.design.table import GSI1, GSI2, TABLE
from lambdas.design.values import CategoryPath, Count, Id

FORGETFUL = "lambdas.design.forgetful"
PERSON_ID = Parameter("person_id", Id, "The user.", fills="UserId", required=True)
ANOTHER = replace(GET_USER, id="XX-01", name="another", route="GET /ecommerce/others/{user_id}")


def test_the_catalogue_has_everything_declared_in_its_order() -> None:
    datasets = (ecommerce, university, social)
    entities = [entity for each in datasets for entity in each.ENTITIES]
    reads = [pattern for each in datasets for pattern in each.READS]
    writes = [pattern for each in datasets for pattern in each.WRITES]
    assert (*entities, Idempotency) == ENTITIES
    assert (*reads, *writes) == ACCESS_PATTERNS


def test_what_writes_is_declared_among_the_writes_and_what_reads_among_the_reads() -> None:
    for each in (ecommerce, university, social):
        assert all(isinstance(pattern.operation, Write) for pattern in each.WRITES)
        assert not any(isinstance(pattern.operation, Write) for pattern in each.READS)


def test_the_patterns_of_the_contract_are_there_in_its_order_among_others() -> None:
    counts = {"AP": 19, "UN": 8, "SO": 4, "CW": 11, "UW": 6, "SW": 3}
    expected = [f"{kind}-{n:02d}" for kind, count in counts.items() for n in range(1, count + 1)]
    declared = [pattern.id for pattern in ACCESS_PATTERNS]
    assert [id_ for id_ in declared if id_ in expected] == expected


def test_everything_declared_says_what_it_is() -> None:
    assert all(entity.__doc__ for entity in ENTITIES)
    assert all(pattern.summary and pattern.shows for pattern in ACCESS_PATTERNS)


def test_datasets_are_put_together_in_order() -> None:
    assert entities((User,), (Order,)) == (User, Order)
    assert access_patterns((GET_USER,), (ANOTHER,)) == (GET_USER, ANOTHER)


def declare(name: str, primary: Key, module: str = __name__, **keys: Key) -> type[Entity]:
    """Declare an entity whose keys may take the fields `Id`, `Path` and `Rank`."""
    fields: list[tuple[str, Any]] = [("Id", Id), ("Path", CategoryPath), ("Rank", Count)]
    namespace = {"primary": primary, **keys}
    made = defstruct(name, fields, bases=(Entity,), namespace=namespace, module=module)
    return cast("type[Entity]", made)


LEVELS = "{Path:first-level}#{Path:lower-levels}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("THING#{Id}", "THING#{Id}"), ("THING#{Id}", "THING#{Id}")),
        (("THING#{Id}", "THING#{Id}"), ("THING#{Id}", "{Id}#{Id}")),
        (("USER#{Id}", "PROFILE"), ("USER#{Id}", "{Id}")),
        (("USER#{Id}", "PROFILE"), ("{Id:lower}#{Id}", "PROFILE")),
        (("A", "{Rank:08d}"), ("A", "{Rank:04d}")),
        (("A", f"X#{LEVELS}#{{Id}}"), ("A", "X#{Id}#{Id}")),
        (("A", f"X#{LEVELS}#{{Id}}"), ("A", "X#{Id}#B#C#D#{Id}")),
        (("A", f"X#{LEVELS}#Z"), ("A", f"{{Id}}#{LEVELS}")),
    ],
)
def test_two_entities_whose_items_can_have_one_primary_key_are_refused(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    """The second write would silently replace the first."""
    for first, second in ((one, other), (other, one)):
        near, far = declare("Near", TABLE.key(*first)), declare("Far", TABLE.key(*second))
        with pytest.raises(DeclarationError) as refused:
            entities((near,), (far,))
        assert str(refused.value).startswith(
            f"Near's {first[0]} / {first[1]} and Far's {second[0]} / {second[1]} can be one and "
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("USER#{Id}", "PROFILE"), ("USER#{Id}", "ORDER#{Id}")),  # one item collection
        (("USER#{Id}", "PROFILE"), ("USERS#{Id}", "PROFILE")),
        (("USER#{Id}", "PROFILE"), ("USER#{Id}#{Rank:08d}", "PROFILE")),
        (("USER#{Id}", "PROFILE"), ("USER#{Id}", "{Rank:08d}")),
        (("USER#{Id}", "PROFILE"), ("USER#{Id}", "{Rank:time}")),
        (("A", f"X#{LEVELS}#Y#{{Id}}"), ("A", "X#{Id}#{Id}")),
        (("A", f"X#{LEVELS}#Z"), ("A", "X#{Id}#B#C#D")),
    ],
)
def test_two_entities_may_share_a_part_of_the_primary_key(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    for first, second in ((one, other), (other, one)):
        near, far = declare("Near", TABLE.key(*first)), declare("Far", TABLE.key(*second))
        assert entities((near, far)) == (near, far)


def test_in_an_index_two_entities_may_have_one_key() -> None:
    """An index keeps nothing unique: both items are there, each with its primary key and type."""
    key = GSI1.key("LIST", "{Id}")
    one = declare("One", TABLE.key("ONE#{Id}", "ONE"), listed=key)
    other = declare("Other", TABLE.key("OTHER#{Id}", "OTHER"), listed=key)
    assert entities((one, other)) == (one, other)


def test_nothing_else_can_stand_among_the_shards_of_a_list() -> None:
    def named(name: str, key: Key) -> type[Entity]:
        return declare(name, TABLE.key(f"{name}#{{Id}}", name), key=key)

    spread = named("Spread", GSI1.key("LIST#{Id}", "{Id}", shards=2))
    for partition in ("LIST#X#{Id}", "{Id}#X#{Id}", "{Id}#{Id}#{Id}"):
        other = named("Other", GSI1.key(partition, "{Id}"))
        with pytest.raises(DeclarationError, match="can be a shard of Spread's LIST"):
            entities((spread, other))
    for written in ("LIST#{Id}#1/2", "LIST#{Path:lower-levels}"):
        with pytest.raises(DeclarationError, match="can be a shard of Spread's LIST"):
            entities((spread, named("Other", GSI1.key(written, "{Id}"))))
    for near in ("LIST#{Id}", "LIST#{Id}#X", "LISTS#X#{Id}", "LIST#X#{Id}#{Id}", "{Id}"):
        other = named("Other", GSI1.key(near, "{Id}"))
        assert entities((spread, other)) == (spread, other)
    elsewhere = named("Other", GSI2.key("LIST#X#{Id}", "{Id}"))
    assert entities((spread, elsewhere)) == (spread, elsewhere)
    plain = named("Plain", GSI1.key("LIST#{Id}", "{Id}"))
    meeting = named("Other", GSI1.key("LIST#X#{Id}", "{Id}"))
    assert entities((plain, meeting)) == (plain, meeting)


def test_two_entities_of_one_name_are_refused_across_datasets() -> None:
    class User(Entity):  # another one, of the same name
        primary = TABLE.key("USER#{UserId}", "OTHER")
        UserId: Id

    said = f"duplicate entity: User of lambdas.design.ecommerce and User of {__name__}"
    with pytest.raises(DeclarationError, match=said):
        entities((ecommerce.User,), (User,))
    assert entities((ecommerce.Order,), (User,)) == (ecommerce.Order, User)


def test_two_patterns_of_one_id_are_refused() -> None:
    with pytest.raises(DeclarationError) as refused:
        access_patterns((GET_USER,), (replace(ANOTHER, id="AP-01"),))
    assert str(refused.value) == (
        "duplicate id: AP-01 get_user (GET /ecommerce/users/{user_id}) and "
        "AP-01 another (GET /ecommerce/others/{user_id})"
    )


def test_two_patterns_of_one_name_are_refused_and_both_are_named() -> None:
    with pytest.raises(
        DeclarationError, match=r"duplicate name: AP-01 get_user .* and XX-01 get_user "
    ):
        access_patterns((GET_USER,), (replace(ANOTHER, name="get_user"),))


def test_a_name_may_be_given_again_in_another_dataset() -> None:
    namesake = replace(ANOTHER, name="get_user", route="GET /social/users/{user_id}")
    assert access_patterns((GET_USER,), (namesake,)) == (GET_USER, namesake)


def test_two_patterns_of_one_route_are_refused_and_both_are_named() -> None:
    with pytest.raises(DeclarationError, match=r"duplicate route: AP-01 .* and XX-01 another"):
        access_patterns((GET_USER,), (replace(ANOTHER, route=GET_USER.route),))


def test_routes_that_differ_only_in_a_placeholders_name_are_one_route() -> None:
    twin = replace(
        ANOTHER,
        route="GET /ecommerce/users/{person_id}",
        own_parameters=(PERSON_ID,),
        example={"person_id": "U-001"},
    )
    with pytest.raises(DeclarationError) as refused:
        access_patterns((GET_USER, twin))
    assert str(refused.value) == (
        "duplicate route: AP-01 get_user (GET /ecommerce/users/{user_id}) and "
        "XX-01 another (GET /ecommerce/users/{person_id})"
    )


@pytest.mark.parametrize(
    "route",
    [
        "PUT /ecommerce/users/{user_id}",
        "GET /ecommerce/users/{user_id}/profile",
        "GET /ecommerce/user/{user_id}",
        "GET /ecommerce/{user_id}/users",
    ],
)
def test_a_route_that_differs_in_method_or_a_segment_is_another_one(route: str) -> None:
    near_miss = replace(ANOTHER, route=route)
    assert access_patterns((GET_USER, near_miss)) == (GET_USER, near_miss)


def test_a_literal_segment_is_not_a_placeholder() -> None:
    literal = replace(ANOTHER, route="GET /ecommerce/users/me", own_parameters=(USER_ID,))
    assert access_patterns((GET_USER, literal)) == (GET_USER, literal)


def test_a_variant_shares_the_route_of_its_pattern() -> None:
    variant = replace(LIST_USER_ORDERS, id="XX-02", name="variant", variant_of="AP-02")
    assert access_patterns((LIST_USER_ORDERS, variant)) == (LIST_USER_ORDERS, variant)


def test_a_variant_of_an_unknown_pattern_is_refused() -> None:
    variant = replace(LIST_USER_ORDERS, id="XX-02", name="variant", variant_of="AP-99")
    with pytest.raises(DeclarationError, match="XX-02 is a variant of unknown AP-99"):
        access_patterns((LIST_USER_ORDERS, variant))


def test_a_variant_of_a_variant_is_refused() -> None:
    variant = replace(LIST_USER_ORDERS, id="XX-02", name="variant", variant_of="AP-02")
    second = replace(variant, id="XX-03", name="second", variant_of="XX-02")
    with pytest.raises(DeclarationError, match="XX-03 is a variant of unknown XX-02"):
        access_patterns((LIST_USER_ORDERS, variant, second))


def test_a_variant_needs_an_id_and_a_name_of_its_own() -> None:
    variant = replace(LIST_USER_ORDERS, name="variant", variant_of="AP-02")
    with pytest.raises(
        DeclarationError, match=r"duplicate id: AP-02 list_user_orders .* and AP-02 variant"
    ):
        access_patterns((LIST_USER_ORDERS, variant))
    with pytest.raises(DeclarationError, match="duplicate name: AP-02 list_user_orders"):
        access_patterns((LIST_USER_ORDERS, replace(variant, id="XX-02", name="list_user_orders")))


# --- What is declared and not listed ----------------------------------------------------------


def forgetful(**declared: Any) -> ModuleType:
    """A dataset's module that declares this."""
    module = ModuleType(FORGETFUL)
    vars(module).update(declared)
    return module


def test_an_entity_that_its_module_does_not_list_is_refused() -> None:
    review = declare("Review", TABLE.key("PRODUCT#{Id}", "REVIEW"), FORGETFUL)
    module = forgetful(Review=review, User=User, Entity=Entity)
    with pytest.raises(DeclarationError) as refused:
        refuse_forgotten((social, module), ENTITIES, ACCESS_PATTERNS)
    assert str(refused.value) == "Review is not in ENTITIES of lambdas/design/forgetful.py"
    refuse_forgotten((social, module), (*ENTITIES, review), ACCESS_PATTERNS)


def test_an_access_pattern_that_its_module_does_not_list_is_refused() -> None:
    module = forgetful(GET_ANOTHER=ANOTHER, GET_USER=GET_USER)
    with pytest.raises(DeclarationError) as refused:
        refuse_forgotten((module,), ENTITIES, ACCESS_PATTERNS)
    said = "XX-01 GET_ANOTHER is not in READS or WRITES of lambdas/design/forgetful.py"
    assert str(refused.value) == said
    refuse_forgotten((module,), ENTITIES, (*ACCESS_PATTERNS, ANOTHER))


def test_an_entity_that_no_pattern_reads_or_writes_any_more_is_accepted() -> None:
    """Its items may still be in the table, and the doctor has to know them."""
    review = declare("Review", TABLE.key("PRODUCT#{Id}", "REVIEW"), FORGETFUL)
    refuse_forgotten((forgetful(Review=review),), (*ENTITIES, review), ACCESS_PATTERNS)
