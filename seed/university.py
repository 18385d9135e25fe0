"""The university of the article, as its tables show it: texts throughout, and its own words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from lambdas.design.entity import Entity
from lambdas.design.university import Enrolment, ResearchArticle, Teaching


def items(_now: datetime) -> Iterator[Entity]:
    """All of the university; nothing in it depends on the time of loading."""
    yield from ENROLMENTS
    yield from TEACHINGS
    yield from ARTICLES


# --- Students and seminars: many to many ----------------------------------------------------

ENROLMENTS = [
    Enrolment(
        Student="Finn Forschgeist",
        Seminar="Datenwolken und Cybersicherheit",
        RaumNr="13",
        Semester="3",
        # Embedded: read as a whole with the item, never by itself.
        Adresse={
            "Strasse": "Zauberweg",
            "Hausnummer": "23a",
            "Postleitzahl": "12345",
            "Stadt": "Märchenstadt",
            "Land": "Deutschland",
        },
    ),
    # The room is the seminar's, and so the same as Nora's: the price of doing without joins.
    Enrolment(
        Student="Finn Forschgeist",
        Seminar="Die Kunst des Machine Learning",
        RaumNr="42",
        Semester="3",
    ),
    Enrolment(
        Student="Nora Neugierig",
        Seminar="Die Kunst des Machine Learning",
        RaumNr="42",
        Semester="2",
        Note="1,5",
    ),
    Enrolment(Student="Nora Neugierig", Seminar="Moderne UI Konzepte", RaumNr="9", Semester="2"),
    Enrolment(
        Student="Nora Neugierig",
        Seminar="Rechnernetze verstehen",
        RaumNr="15",
        Semester="1",
        Note="2,2",
    ),
]

# --- Professors: two kinds of items in one collection ---------------------------------------

TEACHINGS = [
    Teaching(
        Professor="Prof. Dr. Clara Codekraft",
        Seminar="Vernetzte Systeme verstehen",
        RaumNr="25",
        Jahr="2024",
    ),
]

ARTICLES = [
    ResearchArticle(
        Professor="Prof. Dr. Felix Faktor",
        Forschungsartikel="Adaptive Lernmodelle in der KI",
        Fachjournal="Advanced Insights",
        AnzSeiten="38",
    ),
    ResearchArticle(
        Professor="Prof. Dr. Felix Faktor",
        Forschungsartikel="Harmonisierung von NoSQL-Lösungen",
        Fachjournal="Advanced Insights",
        AnzSeiten="16",
    ),
    ResearchArticle(
        Professor="Prof. Dr. Felix Faktor",
        Forschungsartikel="Paradigmen in der sozialen Informatik",
        Fachjournal="Modern IT",
        AnzSeiten="27",
    ),
    # Ours: the article shows only her seminar, and this is what begins_with leaves out.
    ResearchArticle(
        Professor="Prof. Dr. Clara Codekraft",
        Forschungsartikel="Selbstheilende Netze",
        Fachjournal="Modern IT",
        AnzSeiten="21",
    ),
]
