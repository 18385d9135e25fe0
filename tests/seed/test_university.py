from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from lambdas.runtime.items import to_item, to_plain
from seed import university

NOW = datetime(2025, 1, 15, 12, 0, tzinfo=UTC)


def shown(*, sort: str = "", **key: str) -> list[dict[str, Any]]:
    """The items with this partition key, as the article shows them: without Type and Version."""
    [(partition_key, value)] = key.items()
    sort_key = "SK" if partition_key == "PK" else "PK"
    items = [
        {name: to_plain(attribute) for name, attribute in to_item(entity).items()}
        for entity in university.items(NOW)
    ]
    found = [i for i in items if i[partition_key] == value and i[sort_key].startswith(sort)]
    ours = {"Type", "Version"}
    return [
        {name: item[name] for name in item if name not in ours}
        for item in sorted(found, key=lambda item: str(item[sort_key]))
    ]


def test_finn_is_in_the_seminar_that_the_article_shows_with_his_address_and_in_one_more() -> None:
    first, second = shown(PK="Student#Finn Forschgeist")
    assert first == {
        "PK": "Student#Finn Forschgeist",
        "SK": "Seminar#Datenwolken und Cybersicherheit",
        "RaumNr": "13",
        "Semester": "3",
        "Adresse": {
            "Strasse": "Zauberweg",
            "Hausnummer": "23a",
            "Postleitzahl": "12345",
            "Stadt": "Märchenstadt",
            "Land": "Deutschland",
        },
    }
    assert second["SK"] == "Seminar#Die Kunst des Machine Learning"
    assert "Adresse" not in second


def test_nora_is_in_her_three_seminars_one_of_them_without_a_grade() -> None:
    assert shown(PK="Student#Nora Neugierig") == [
        {
            "PK": "Student#Nora Neugierig",
            "SK": "Seminar#Die Kunst des Machine Learning",
            "RaumNr": "42",
            "Semester": "2",
            "Note": "1,5",
        },
        {
            "PK": "Student#Nora Neugierig",
            "SK": "Seminar#Moderne UI Konzepte",
            "RaumNr": "9",
            "Semester": "2",
        },
        {
            "PK": "Student#Nora Neugierig",
            "SK": "Seminar#Rechnernetze verstehen",
            "RaumNr": "15",
            "Semester": "1",
            "Note": "2,2",
        },
    ]


def test_felix_faktor_has_the_three_articles_and_nothing_else() -> None:
    articles = shown(PK="Professor#Prof. Dr. Felix Faktor", sort="Forschungsartikel#")
    assert articles == [
        {
            "PK": "Professor#Prof. Dr. Felix Faktor",
            "SK": "Forschungsartikel#Adaptive Lernmodelle in der KI",
            "Fachjournal": "Advanced Insights",
            "Anz. Seiten": "38",
        },
        {
            "PK": "Professor#Prof. Dr. Felix Faktor",
            "SK": "Forschungsartikel#Harmonisierung von NoSQL-Lösungen",
            "Fachjournal": "Advanced Insights",
            "Anz. Seiten": "16",
        },
        {
            "PK": "Professor#Prof. Dr. Felix Faktor",
            "SK": "Forschungsartikel#Paradigmen in der sozialen Informatik",
            "Fachjournal": "Modern IT",
            "Anz. Seiten": "27",
        },
    ]
    assert shown(PK="Professor#Prof. Dr. Felix Faktor") == articles


def test_clara_codekraft_has_the_seminar_of_the_article_and_an_article_beside_it() -> None:
    assert shown(PK="Professor#Prof. Dr. Clara Codekraft", sort="Seminar#") == [
        {
            "PK": "Professor#Prof. Dr. Clara Codekraft",
            "SK": "Seminar#Vernetzte Systeme verstehen",
            "RaumNr": "25",
            "Jahr": "2024",
        }
    ]
    assert len(shown(PK="Professor#Prof. Dr. Clara Codekraft")) == 2


def test_the_art_of_machine_learning_has_finn_and_nora_and_nobody_else() -> None:
    found = shown(SK="Seminar#Die Kunst des Machine Learning")
    assert [item["PK"] for item in found] == ["Student#Finn Forschgeist", "Student#Nora Neugierig"]
    assert {item["RaumNr"] for item in found} == {"42"}
