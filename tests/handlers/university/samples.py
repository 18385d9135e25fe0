"""Small entities for the tests, and the texts that names and titles may be."""

from __future__ import annotations

from typing import Any

from lambdas.design.university import Enrolment, ResearchArticle, Teaching

TEXTS = [
    "C#",
    "C",
    "C%23",
    "Was ist KI?",
    "50 % mehr",
    "a+b",
    "a b",
    "a&b=c/d",
    "Für Köche",
    "O'Brien",
    '"Zitat" \\',
    " mit Rand ",
    "🎓👩🏽‍🔬",
    "#",
    "%",
    "a" * 256,
    "%" * 256,
]
"""Each is another text than the others, and stays what it is."""


def enrolment(student: str, seminar: str, **attributes: Any) -> Enrolment:
    defaults: dict[str, Any] = {"RaumNr": "1", "Semester": "2"}
    return Enrolment(Student=student, Seminar=seminar, **(defaults | attributes))


def teaching(professor: str, seminar: str, **attributes: Any) -> Teaching:
    defaults: dict[str, Any] = {"RaumNr": "1", "Jahr": "2024"}
    return Teaching(Professor=professor, Seminar=seminar, **(defaults | attributes))


def article(professor: str, title: str, **attributes: Any) -> ResearchArticle:
    defaults: dict[str, Any] = {"Fachjournal": "Modern IT", "AnzSeiten": "8"}
    return ResearchArticle(Professor=professor, Forschungsartikel=title, **(defaults | attributes))
