"""Any sequence of the university's writes, and the seminars are seen alike from both sides."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

from lambdas.design import university
from tests.stateful.campus import KOECHE, PEOPLE, TITLES, Campus, Pair, nfc
from tests.stateful.machine import IF_MATCH, Machine, run, step, tag, version_of
from tests.stateful.service import Fields, Service

PERSON = st.sampled_from(PEOPLE)
TITLE = st.sampled_from(TITLES)
ROOM = st.sampled_from(["9", "13", "42"])
OPTIONAL = st.sampled_from(
    [{}, {"Note": "1,3"}, {"Adresse": {"Stadt": "Märchenstadt"}}, {"Adresse": {}, "Note": "5"}]
)
NONSENSE: list[tuple[Any, Fields, Fields | None, str]] = [
    (university.ENROL, {}, {"Student": "Nora", "Seminar": "C#", "RaumNr": "1"}, "Semester"),
    (university.ENROL, {}, {"Student": "", "Seminar": "C#", "RaumNr": "1"}, "Student"),
    (university.SET_GRADE, {}, {"Student": "Nora", "Seminar": "C#", "Note": None}, "Note"),
    (university.WITHDRAW, {"student": "Nora", "seminar": ""}, None, "seminar"),
    (university.MOVE_SEMINAR, {}, {"Seminar": "C#", "RaumNr": 9}, "RaumNr"),
    (university.MOVE_SEMINAR, {"cursor": "x"}, {"Seminar": "C#", "RaumNr": "9"}, "cursor"),
    (university.PUBLISH_ARTICLE, {}, {"Professor": "Nora", "AnzSeiten": "1"}, "AnzSeiten"),
]


class UniversityMachine(Machine):
    """Students, professors, their seminars and articles."""

    def __init__(self, service: Service) -> None:
        self.campus = Campus()
        super().__init__(service, self.campus)

    @initialize()
    def there_is_a_seminar(self) -> None:
        self.somebody_enrols("Nora", "C#", "13", {}, None)
        self.somebody_enrols("O'Brien", KOECHE, "9", {"Note": "1,3"}, None)
        self.a_professor_is_given_a_seminar("Nora", "C#", "13", "2024", None)
        self.an_article_is_published("Nora", "C#", "7", None)

    @step(student=PERSON, seminar=TITLE, room=ROOM, optional=OPTIONAL, if_match=IF_MATCH)
    def somebody_enrols(
        self, student: str, seminar: str, room: str, optional: Fields, if_match: str | None
    ) -> None:
        sent = {"RaumNr": room, "Semester": "3", **optional}
        answer = self.service.ask(
            university.ENROL,
            {},
            {"Student": student, "Seminar": seminar, **sent},
            self._if_match(self.campus.enrolments, (student, seminar), if_match),
        )
        self.agree(answer, self.campus.enrol(student, seminar, sent, if_match))

    @step(student=PERSON, seminar=TITLE, note=st.sampled_from(["1,0", "5,0"]), if_match=IF_MATCH)
    def a_student_is_graded(
        self, student: str, seminar: str, note: str, if_match: str | None
    ) -> None:
        answer = self.service.ask(
            university.SET_GRADE,
            {},
            {"Student": student, "Seminar": seminar, "Note": note},
            self._if_match(self.campus.enrolments, (student, seminar), if_match),
        )
        self.agree(answer, self.campus.grade(student, seminar, note, if_match))

    @step(student=PERSON, seminar=TITLE)
    def a_student_withdraws(self, student: str, seminar: str) -> None:
        sent = {"student": student, "seminar": seminar}
        answer = self.service.ask(university.WITHDRAW, sent)
        self.agree(answer, self.campus.withdraw(student, seminar))

    @step(
        professor=PERSON,
        seminar=TITLE,
        room=ROOM,
        year=st.sampled_from(["2024", "2025"]),
        if_match=IF_MATCH,
    )
    def a_professor_is_given_a_seminar(
        self, professor: str, seminar: str, room: str, year: str, if_match: str | None
    ) -> None:
        sent = {"RaumNr": room, "Jahr": year}
        answer = self.service.ask(
            university.ASSIGN_SEMINAR,
            {},
            {"Professor": professor, "Seminar": seminar, **sent},
            self._if_match(self.campus.teachings, (professor, seminar), if_match),
        )
        self.agree(answer, self.campus.assign(professor, seminar, sent, if_match))

    @step(professor=PERSON, title=TITLE, pages=st.sampled_from(["7", "21"]), if_match=IF_MATCH)
    def an_article_is_published(
        self, professor: str, title: str, pages: str, if_match: str | None
    ) -> None:
        sent = {"Fachjournal": "Modern IT", "Anz. Seiten": pages}
        answer = self.service.ask(
            university.PUBLISH_ARTICLE,
            {},
            {"Professor": professor, "Forschungsartikel": title, **sent},
            self._if_match(self.campus.articles, (professor, title), if_match),
        )
        self.agree(answer, self.campus.publish(professor, title, sent, if_match))

    @step(seminar=TITLE, room=ROOM)
    def a_seminar_moves(self, seminar: str, room: str) -> None:
        answer = self.service.ask(university.MOVE_SEMINAR, {}, {"Seminar": seminar, "RaumNr": room})
        self.agree(answer, self.campus.move(seminar, room))

    @step(sent=st.sampled_from(NONSENSE))
    def nonsense_is_sent(self, sent: tuple[Any, Fields, Fields | None, str]) -> None:
        pattern, parameters, body, name = sent
        answer = self.service.ask(pattern, parameters, body)
        assert (answer.status, answer.headers["X-DynamoDB-Requests"]) == (400, "0")
        assert name in answer.named

    @invariant()
    def the_articles_statement_gives_whole_items(self) -> None:
        statement = 'SELECT * FROM "University-Table" WHERE PK = ?'
        body = {"Statement": statement, "Parameters": ["Student#Nora"]}
        answer = self.service.ask(university.RUN_PARTIQL, {}, body)
        assert answer.body == {"Items": self.campus.whole_items("Nora"), "NextToken": None}

    def _if_match(
        self, entries: dict[Pair, Fields], pair: Pair, which: str | None
    ) -> dict[str, str | None]:
        person, title = pair
        entry = entries.get((person, nfc(title)))
        return {"If-Match": tag(which, version_of(entry))[0]}


def test_whatever_is_written_of_the_university_every_question_gives_it_back(
    service: Service,
) -> None:
    run(UniversityMachine, service)
