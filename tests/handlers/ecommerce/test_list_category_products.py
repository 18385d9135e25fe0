from __future__ import annotations

from unicodedata import normalize

import pytest

from lambdas.design.ecommerce import LIST_CATEGORY_PRODUCTS
from tests.conftest import Put
from tests.handlers.caller import call
from tests.handlers.ecommerce.samples import product


@pytest.fixture
def shelves(put: Put) -> None:
    """Products on every level, and beside each category one that is nearly the same."""
    put(product("gift", "electronics"), product("radio", "electronics/audio"))
    put(product("long", "electronics/audio/cables"), product("red", "electronics/audio/cables/red"))
    put(product("soft", "electronics/audio/headphones"))
    put(product("pads", "electronics/audio/headphones-accessories"))
    put(product("tape", "electronics/audiobooks"), product("clip", "electronics/video/audio"))
    put(
        product("flea", "electronic/audio"),
        product("disc", "audio"),
        product("bag", "audio/cables"),
    )
    put(product("big", "Electronics/Audio"), product("audio", "electronics"))


ELECTRONICS = [
    "audio",  # the product of this id, which is no category
    "radio",
    "long",
    "red",
    "soft",
    "pads",
    "tape",
    "gift",
    "clip",
]


@pytest.mark.usefixtures("shelves")
@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("electronics", ELECTRONICS),
        ("electronics/audio", ["radio", "long", "red", "soft", "pads"]),
        ("electronics/audio/cables", ["long", "red"]),
        ("electronics/audio/cables/red", ["red"]),
        ("electronics/audio/headphones", ["soft"]),
        ("electronics/audio/headphones-accessories", ["pads"]),
        ("electronics/audiobooks", ["tape"]),
        ("electronics/video", ["clip"]),
        ("electronic", ["flea"]),
        ("audio", ["disc", "bag"]),
        ("Electronics", ["big"]),
    ],
)
def test_returns_a_category_s_products_and_those_of_all_below_it(
    category: str, expected: list[str]
) -> None:
    answer = call(LIST_CATEGORY_PRODUCTS, {"category": category})

    assert sorted(answer.each("ProductId")) == sorted(expected)
    assert all((found + "/").startswith(category + "/") for found in answer.each("Category"))


@pytest.mark.usefixtures("shelves")
@pytest.mark.parametrize(
    "category",
    [
        "electronics/audi",
        "electronics/audio/cable",
        "electronics/audio/cables/red/dark",
        "electronics/audio/radio",
        "electronics/gift",
        "electronics/cables",
        "electronics/Audio",
        "elect",
        "cables",
        "books",
    ],
)
def test_a_category_that_does_not_exist_has_an_empty_list(category: str) -> None:
    assert call(LIST_CATEGORY_PRODUCTS, {"category": category}).items == []


def test_a_level_s_own_products_and_levels_come_in_the_order_of_the_alphabet(put: Put) -> None:
    for number, category in enumerate(["a/c/x", "a/b", "a", "a/b/y", "a/c"]):
        put(product(str(number), category), product(f"{number}0", category))

    found = call(LIST_CATEGORY_PRODUCTS, {"category": "a"})

    assert found.each("ProductId") == ["2", "20", "1", "10", "3", "30", "4", "40", "0", "00"]


NAMES = [
    "C#",
    "C",
    "C%23",
    "Was ist KI?",
    "50 % mehr",
    "a+b",
    "a b",
    "R&D=1",
    "Für Köche",
    "🎧",
    "..",
]


@pytest.mark.parametrize("place", ["{}", "{}/x", "x/{}", "x/{}/x", "x/x/{}"])
def test_a_level_may_have_any_text(put: Put, place: str) -> None:
    put(*(product(str(number), place.format(name)) for number, name in enumerate(NAMES)))

    for number, name in enumerate(NAMES):
        found = call(LIST_CATEGORY_PRODUCTS, {"category": place.format(name)})
        assert found.each("ProductId") == [str(number)]
        assert found.each("Category") == [place.format(name)]


@pytest.mark.parametrize("level", ["{}", "x/{}"])
def test_both_unicode_spellings_are_one_category(put: Put, level: str) -> None:
    put(product("1", level.format(normalize("NFC", "Für Köche"))))
    put(product("2", level.format(normalize("NFD", "Für Köche"))))

    for form in ("NFC", "NFD"):
        category = level.format("Für Köche" if form == "NFC" else normalize("NFD", "Für Köche"))
        assert call(LIST_CATEGORY_PRODUCTS, {"category": category}).each("ProductId") == ["1", "2"]


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("longest", "longer", "size"),
    [
        ("🎧" * 253, "🎧" * 254, len("CATEGORY#") + 4 * 254),
        # One character, which is three in the normal form: 12 bytes.
        ("x/" + "\U0001d160" * 85, "x/" + "\U0001d160" * 86, 12 * 86 + len("#")),
    ],
)
def test_a_category_of_too_many_bytes_is_refused_with_their_number(
    longest: str, longer: str, size: int
) -> None:
    [(name, reason)] = call(LIST_CATEGORY_PRODUCTS, {"category": longer}).refused.items()

    assert name == "category"
    assert f"{size} bytes" in reason
    assert "1024" in reason
    assert call(LIST_CATEGORY_PRODUCTS, {"category": longest}).status == 200


@pytest.mark.usefixtures("shop")
def test_the_lecture_s_hierarchy_has_no_audiobooks_in_audio() -> None:
    audio = call(LIST_CATEGORY_PRODUCTS, {"category": "electronics/audio"})
    electronics = call(LIST_CATEGORY_PRODUCTS, {"category": "electronics"})

    assert audio.each("ProductId") == ["P-210", "P-200", "P-201", "P-100", "P-101", "P-110"]
    assert set(electronics.each("ProductId")) - set(audio.each("ProductId")) == {
        "P-300",
        "P-301",
        "P-310",
    }


@pytest.mark.usefixtures("shop")
def test_the_shop_tells_c_sharp_from_c() -> None:
    programming = "books/non-fiction/programming"

    assert call(LIST_CATEGORY_PRODUCTS, {"category": f"{programming}/C#"}).each("ProductId") == [
        "P-420"
    ]
    assert call(LIST_CATEGORY_PRODUCTS, {"category": f"{programming}/C"}).each("ProductId") == [
        "P-421"
    ]
