"""Names and addresses for people who do not exist; the number makes each name unlike all others."""

from __future__ import annotations

from typing import Final

FIRST: Final = (
    "Anna",
    "Ben",
    "Clara",
    "David",
    "Emma",
    "Felix",
    "Greta",
    "Henri",
    "Ida",
    "Jonas",
    "Käthe",
    "Lukas",
    "Mila",
    "Noah",
    "Olivia",
    "Paul",
    "Ronja",
    "Simon",
    "Thea",
    "Uwe",
    "Vera",
    "Wanda",
    "Yusuf",
    "Zoë",
)
LAST: Final = (
    "Adler",
    "Becker",
    "Çelik",
    "Dietrich",
    "Engel",
    "Fischer",
    "Groß",
    "Hoffmann",
    "Ivanova",
    "Jäger",
    "Krüger",
    "Lehmann",
    "Müller",
    "Nowak",
    "Özdemir",
    "Peters",
    "Richter",
    "Schäfer",
    "Tränkner",
    "Ullrich",
    "Vogel",
    "Weißenböck",
    "Zimmermann",
)
CITIES: Final = (
    ("50667", "Köln"),
    ("20354", "Hamburg"),
    ("80469", "München"),
    ("10115", "Berlin"),
    ("04109", "Leipzig"),
    ("79098", "Freiburg"),
)


def person(number: int) -> str:
    """Such as `Käthe Lehmann`; after some hundred they come again."""
    return f"{FIRST[number % len(FIRST)]} {LAST[number % len(LAST)]}"


def address(number: int) -> dict[str, str]:
    """An address as an item has it embedded."""
    code, city = CITIES[number % len(CITIES)]
    return {
        "Strasse": f"{LAST[number % len(LAST)]}straße",
        "Hausnummer": str(number % 90 + 1),
        "Postleitzahl": code,
        "Stadt": city,
        "Land": "Deutschland",
    }
