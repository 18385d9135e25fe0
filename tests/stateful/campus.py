"""The university as three dictionaries: enrolments, teachings and articles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from unicodedata import normalize

from lambdas.design import university
from lambdas.design.entity import Entity
from lambdas.design.university import Enrolment, ResearchArticle, Teaching
from tests.stateful.machine import Read, found_list, listed, tag, version_of
from tests.stateful.service import Fields, Outcome

KOECHE = "Für Köche"
PEOPLE = ("Nora", "Nora N.", "O'Brien")
"""Students as well as professors: a name says nothing of who somebody is."""
TITLES = ("C#", "C%23", KOECHE, normalize("NFD", KOECHE))
"""The last two are one seminar, the first two are not."""

Pair = tuple[str, str]
"""Somebody, and a title."""


class Campus:
    """Whoever is in which seminar, and what is written by whom."""

    def __init__(self) -> None:
        self.enrolments: dict[Pair, Fields] = {}
        self.teachings: dict[Pair, Fields] = {}
        self.articles: dict[Pair, Fields] = {}

    def enrol(self, student: str, seminar: str, sent: Fields, if_match: str | None) -> Outcome:
        key = {"Type": "Enrolment", "Student": student, "Seminar": nfc(seminar)}
        kept = self.enrolments.get((student, nfc(seminar)), {})
        return _upsert(self.enrolments, key, {**kept, **sent}, if_match)

    def assign(self, professor: str, seminar: str, sent: Fields, if_match: str | None) -> Outcome:
        key = {"Type": "Teaching", "Professor": professor, "Seminar": nfc(seminar)}
        return _upsert(self.teachings, key, sent, if_match)

    def publish(self, professor: str, title: str, sent: Fields, if_match: str | None) -> Outcome:
        key = {"Type": "ResearchArticle", "Professor": professor, "Forschungsartikel": nfc(title)}
        return _upsert(self.articles, key, sent, if_match)

    def grade(self, student: str, seminar: str, note: str, if_match: str | None) -> Outcome:
        enrolment = self.enrolments.get((student, nfc(seminar)))
        if enrolment is None:
            return Outcome(404)
        if not tag(if_match, enrolment["Version"])[1]:
            return Outcome(412)
        enrolment |= {"Note": note, "Version": enrolment["Version"] + 1}
        return Outcome(200, dict(enrolment), enrolment["Version"])

    def withdraw(self, student: str, seminar: str) -> Outcome:
        self.enrolments.pop((student, nfc(seminar)), None)
        return Outcome(204)

    def move(self, seminar: str, room: str) -> Outcome:
        entries = [*self.enrolments.values(), *self.teachings.values()]
        moved = [each for each in entries if each["Seminar"] == nfc(seminar)]
        moved = [each for each in moved if each["RaumNr"] != room]
        for each in moved:
            each |= {"RaumNr": room, "Version": each["Version"] + 1}
        return Outcome(200, {"changed": len(moved), "next": None})

    def stored(self) -> Iterator[tuple[Entity, int] | Fields]:
        for each in self.enrolments.values():
            yield Enrolment(**_attributes(each)), each["Version"]
        for each in self.teachings.values():
            yield Teaching(**_attributes(each)), each["Version"]
        for each in self.articles.values():
            pages = {"AnzSeiten": each["Anz. Seiten"]}
            others = {k: v for k, v in _attributes(each).items() if k != "Anz. Seiten"}
            yield ResearchArticle(**others, **pages), each["Version"]

    def reads(self) -> Iterator[Read]:
        for person in PEOPLE:
            name = {"name": person}
            enrolments = _of(person, self.enrolments)
            teachings, articles = _of(person, self.teachings), _of(person, self.articles)
            yield university.GET_STUDENT, name, found_list(enrolments)
            yield university.LIST_STUDENT_SEMINARS, name, listed(enrolments)
            yield university.GET_PROFESSOR, name, found_list(articles + teachings)
            yield university.LIST_PROFESSOR_ARTICLES, name, listed(articles)
            yield university.LIST_PROFESSOR_SEMINARS, name, listed(teachings)
        for title in TITLES:
            seminar, of = {"title": title}, nfc(title)
            students = [
                {"Student": s, "Seminar": of} for s, t in sorted(self.enrolments) if t == of
            ]
            professors = [
                {"Professor": p, "Seminar": of} for p, t in sorted(self.teachings) if t == of
            ]
            yield university.LIST_SEMINAR_STUDENTS, seminar, listed(students)
            yield university.LIST_SEMINAR_PROFESSORS, seminar, listed(professors)

    def whole_items(self, student: str) -> list[Fields]:
        """What the article's first statement gives of a student."""
        return [
            {
                "PK": f"Student#{student}",
                "SK": f"Seminar#{_in_a_key(each['Seminar'])}",
                **{k: v for k, v in each.items() if k not in {"Student", "Seminar"}},
            }
            for each in _of(student, self.enrolments)
        ]


def nfc(text: str) -> str:
    """The one spelling in which a title is stored."""
    return normalize("NFC", text)


def _upsert(stored: dict[Pair, Fields], key: Fields, sent: Fields, if_match: str | None) -> Outcome:
    _, person, title = key.values()
    before = stored.get((person, title))
    if not tag(if_match, version_of(before))[1]:
        return Outcome(412)
    version = before["Version"] + 1 if before else 1
    stored[person, title] = {**key, **sent, "Version": version}
    return Outcome(200 if before else 201, dict(stored[person, title]), version)


def _of(person: str, entries: dict[Pair, Fields]) -> list[Fields]:
    def of_title(entry: tuple[Pair, Fields]) -> str:
        return _in_a_key(entry[0][1])

    ordered: Iterable[tuple[Pair, Fields]] = sorted(entries.items(), key=of_title)
    return [fields for (who, _), fields in ordered if who == person]


def _in_a_key(title: str) -> str:
    return title.replace("%", "%25").replace("#", "%23")


def _attributes(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name not in {"Type", "Version"}}
