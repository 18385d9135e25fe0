"""A university of any size: some seminars are overrun, most are small."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import count as numbers
from typing import Final

from lambdas.design.entity import Entity
from lambdas.design.university import Enrolment, ResearchArticle, Teaching
from seed.generated import names
from seed.generated.chance import Chance
from seed.generated.units import filled

STUDENTS_A_SEMINAR: Final = 10
"""After so many new students there is a new seminar."""

MOST_SEMINARS, MOST_ARTICLES = 20, 100
SUBJECTS: Final = (
    "Datenbanken",
    "Verteilte Systeme",
    "Maschinelles Lernen",
    "Rechnernetze",
    "Künstliche Intelligenz",
    "Übersetzerbau",
    "Kryptographie",
)
JOURNALS: Final = ("Advanced Insights", "Modern IT", "Informatik heute")
GRADES: Final = ("1,0", "1,3", "1,7", "2,0", "2,3", "2,7", "3,0", "3,3", "3,7", "4,0", "5,0")


def entities(count: int, _now: datetime, chance: Chance) -> Iterator[Entity]:
    """So many entities of a university; nothing in it depends on the time of loading."""
    return filled(count, _units(chance), _guest)


def student(number: int) -> str:
    """A student's name, with the number that tells namesakes apart."""
    return f"{names.person(number)} ({number:09d})"


def professor(number: int) -> str:
    """The professor of the seminar of the same number."""
    return f"Prof. Dr. {names.person(number)} ({number:09d})"


def seminar(number: int) -> str:
    """A seminar's title; the first, number 0, has the most students."""
    return f"{SUBJECTS[number % len(SUBJECTS)]} {number:09d}"


def room(number: int) -> str:
    """A seminar's room, the same in every entry of it: the price of doing without joins."""
    return str(number * 31 % 400 + 1)


def _units(chance: Chance) -> Iterator[list[Entity]]:
    """Without end: a seminar with its professor and that one's articles, then its share of students
    with their seminars; and again."""
    for number in numbers():
        if number % STUDENTS_A_SEMINAR == 0:
            newest = number // STUDENTS_A_SEMINAR
            yield [_teaching(newest, chance)]
            for article in range(chance.few(MOST_ARTICLES)):
                yield [_article(newest, article, chance)]
        yield _enrolments(number, newest + 1, chance)


def _teaching(number: int, chance: Chance) -> Teaching:
    return Teaching(
        Professor=professor(number),
        Seminar=seminar(number),
        RaumNr=room(number),
        Jahr=str(2020 + chance.below(6)),
    )


def _article(author: int, number: int, chance: Chance) -> ResearchArticle:
    return ResearchArticle(
        Professor=professor(author),
        Forschungsartikel=f"Über {chance.of(SUBJECTS)}, Teil {number + 1}",
        Fachjournal=chance.of(JOURNALS),
        AnzSeiten=str(chance.below(40) + 4),
    )


def _enrolments(number: int, seminars: int, chance: Chance) -> list[Entity]:
    """A student's seminars, out of so many that there are; the first has the address."""
    semester = str(chance.below(10) + 1)
    chosen = chance.ranks(chance.few(MOST_SEMINARS), seminars)
    return [
        Enrolment(
            Student=student(number),
            Seminar=seminar(each),
            RaumNr=room(each),
            Semester=semester,
            Note=chance.of(GRADES) if chance.happens(0.6) else None,
            Adresse=names.address(number) if each == chosen[0] else None,
        )
        for each in chosen
    ]


def _guest(number: int) -> Enrolment:
    return Enrolment(Student=f"Gast {number:09d}", Seminar=seminar(0), RaumNr=room(0), Semester="1")
