"""The university of the article: students and professors, their seminars and research articles.

Names and titles are the keys, and the attributes are the article's own, in German and all text.
"""

from msgspec import UNSET, Struct, UnsetType, field

from lambdas.design.access import Admin, Anyone
from lambdas.design.entity import Entity
from lambdas.design.operations import (
    BeginsWith,
    DeleteItem,
    Parameter,
    PartiQLSelect,
    Query,
    Statement,
    UpdateItem,
    WholeCollection,
    Write,
)
from lambdas.design.pattern import (
    IF_MATCH,
    AccessPattern,
    Nothing,
    OneItem,
    Page,
    Progress,
    PutOrReplaced,
    Technique,
    WholeItems,
)
from lambdas.design.table import TABLE
from lambdas.design.values import Text, TextMap

# --- Entities -------------------------------------------------------------------------------


class Enrolment(Entity):
    """A student in a seminar: one half of a many-to-many relation, with what belongs to it."""

    is_marked = False  # exactly the article's attributes
    primary = TABLE.key("Student#{Student}", "Seminar#{Seminar}")

    Student: Text
    Seminar: Text
    RaumNr: Text
    Semester: Text
    Note: Text | None = None
    Adresse: TextMap | None = None


class Teaching(Entity):
    """A professor in a seminar."""

    is_marked = False  # exactly the article's attributes
    primary = TABLE.key("Professor#{Professor}", "Seminar#{Seminar}")

    Professor: Text
    Seminar: Text
    RaumNr: Text
    Jahr: Text


class ResearchArticle(Entity):
    """An article of a professor, in the same item collection as the seminars."""

    is_marked = False  # exactly the article's attributes
    primary = TABLE.key("Professor#{Professor}", "Forschungsartikel#{Forschungsartikel}")

    Professor: Text
    Forschungsartikel: Text
    Fachjournal: Text
    AnzSeiten: Text = field(name="Anz. Seiten")


ENTITIES: tuple[type[Entity], ...] = (Enrolment, Teaching, ResearchArticle)

# --- Parameters: free text, which the gateway passes on whole only in the query string ------

STUDENT = Parameter("name", Text, "The student.", fills="Student", required=True)
PROFESSOR = Parameter("name", Text, "The professor.", fills="Professor", required=True)
SEMINAR = Parameter("title", Text, "The seminar.", fills="Seminar", required=True)

# --- Access patterns ------------------------------------------------------------------------

GET_STUDENT = AccessPattern(
    id="UN-01",
    name="get_student",
    route="GET /university/student",
    summary="Every entry of a student, the embedded address included.",
    people=Anyone(),
    operation=Query(Enrolment.primary, sort=WholeCollection()),
    answer=Page(must_exist=True),
    own_parameters=(STUDENT,),
    shows=(Technique.EMBEDDED_JSON, Technique.ELEMENT_LIST),
    example={"name": "Finn Forschgeist"},
)

LIST_STUDENT_SEMINARS = AccessPattern(
    id="UN-02",
    name="list_student_seminars",
    route="GET /university/student/seminars",
    summary="The seminars of a student.",
    people=Anyone(),
    operation=Query(Enrolment.primary, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(STUDENT,),
    shows=(Technique.ONE_TO_MANY, Technique.MANY_TO_MANY),
    example={"name": "Nora Neugierig"},
)

GET_PROFESSOR = AccessPattern(
    id="UN-03",
    name="get_professor",
    route="GET /university/professor",
    summary="Every entry of a professor, research articles and seminars in one list.",
    people=Anyone(),
    operation=Query(Teaching.primary, ResearchArticle.primary, sort=WholeCollection()),
    answer=Page(must_exist=True),
    own_parameters=(PROFESSOR,),
    shows=(Technique.ELEMENT_LIST,),
    example={"name": "Prof. Dr. Clara Codekraft"},
)

LIST_PROFESSOR_ARTICLES = AccessPattern(
    id="UN-04",
    name="list_professor_articles",
    route="GET /university/professor/articles",
    summary="The research articles of a professor.",
    people=Anyone(),
    operation=Query(ResearchArticle.primary, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(PROFESSOR,),
    shows=(Technique.ELEMENT_LIST, Technique.ONE_TO_MANY),
    example={"name": "Prof. Dr. Felix Faktor"},
)

LIST_PROFESSOR_SEMINARS = AccessPattern(
    id="UN-05",
    name="list_professor_seminars",
    route="GET /university/professor/seminars",
    summary="The seminars of a professor.",
    people=Anyone(),
    operation=Query(Teaching.primary, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(PROFESSOR,),
    shows=(Technique.ELEMENT_LIST, Technique.ONE_TO_MANY),
    example={"name": "Prof. Dr. Clara Codekraft"},
)

LIST_SEMINAR_STUDENTS = AccessPattern(
    id="UN-06",
    name="list_seminar_students",
    route="GET /university/seminar/students",
    summary="The students of a seminar: keys only, as the index has no more.",
    people=Anyone(),
    operation=Query(Enrolment.inverted, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(SEMINAR,),
    shows=(Technique.INVERTED_INDEX, Technique.MANY_TO_MANY),
    example={"title": "Die Kunst des Machine Learning"},
)

LIST_SEMINAR_PROFESSORS = AccessPattern(
    id="UN-07",
    name="list_seminar_professors",
    route="GET /university/seminar/professors",
    summary="The professors of a seminar.",
    people=Anyone(),
    operation=Query(Teaching.inverted, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(SEMINAR,),
    shows=(Technique.INVERTED_INDEX, Technique.MANY_TO_MANY),
    example={"title": "Vernetzte Systeme verstehen"},
)

RUN_PARTIQL = AccessPattern(
    id="UN-08",
    name="run_partiql",
    route="POST /university/partiql",
    summary="A SELECT in PartiQL, as the article writes it. It reads the university's items alone.",
    people=Anyone(),
    operation=PartiQLSelect(
        (Enrolment.primary, Teaching.primary, ResearchArticle.primary),
        table_name="University-Table",
        index_name="SeminarStudentsIndex",
    ),
    answer=WholeItems(),
    body=Statement,
    shows=(Technique.ELEMENT_LIST, Technique.INVERTED_INDEX),
    example={},
    example_body=Statement(
        Statement="""SELECT * FROM "University-Table" WHERE PK = 'Student#Finn Forschgeist'"""
    ),
)

# --- Bodies of writes -----------------------------------------------------------------------


class EnrolmentAsPut(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An enrolment; a grade or an address that is not sent stays as it is."""

    Student: Text
    Seminar: Text
    RaumNr: Text
    Semester: Text
    Note: Text | UnsetType = UNSET
    Adresse: TextMap | UnsetType = UNSET


class Grade(Struct, forbid_unknown_fields=True):
    """A student's grade in a seminar."""

    Student: Text
    Seminar: Text
    Note: Text


class TeachingAsPut(Struct, forbid_unknown_fields=True):
    """A professor's seminar."""

    Professor: Text
    Seminar: Text
    RaumNr: Text
    Jahr: Text


class ArticleAsPut(Struct, forbid_unknown_fields=True):
    """A professor's research article."""

    Professor: Text
    Forschungsartikel: Text
    Fachjournal: Text
    AnzSeiten: Text = field(name="Anz. Seiten")


class NewRoom(Struct, forbid_unknown_fields=True):
    """Where a seminar moves to."""

    Seminar: Text
    RaumNr: Text


# --- Writes ---------------------------------------------------------------------------------

ENROL = AccessPattern(
    id="UW-01",
    name="enrol",
    route="PUT /university/enrolments",
    summary="Enrols a student in a seminar, or changes the enrolment.",
    people=Admin(),
    operation=Write((UpdateItem(Enrolment.primary),)),
    answer=PutOrReplaced(),
    headers=(IF_MATCH,),
    refuses=(409,),
    body=EnrolmentAsPut,
    shows=(Technique.MANY_TO_MANY, Technique.OPTIMISTIC_LOCKING),
    example={},
    example_body=EnrolmentAsPut(
        Student="Mia Muster", Seminar="Moderne UI Konzepte", RaumNr="9", Semester="1"
    ),
)

SET_GRADE = AccessPattern(
    id="UW-02",
    name="set_grade",
    route="PATCH /university/enrolments",
    summary="Sets a student's grade in a seminar.",
    people=Admin(),
    operation=Write((UpdateItem(Enrolment.primary),)),
    answer=OneItem(),
    headers=(IF_MATCH,),
    refuses=(404, 409),
    body=Grade,
    shows=(Technique.OPTIMISTIC_LOCKING,),
    example={},
    example_body=Grade(Student="Nora Neugierig", Seminar="Moderne UI Konzepte", Note="1,3"),
)

WITHDRAW = AccessPattern(
    id="UW-03",
    name="withdraw",
    route="DELETE /university/enrolments",
    summary="Ends an enrolment, whether or not there is one.",
    people=Admin(),
    operation=Write((DeleteItem(Enrolment.primary),)),
    answer=Nothing(),
    own_parameters=(
        Parameter("student", Text, "The student.", fills="Student", required=True),
        Parameter("seminar", Text, "The seminar.", fills="Seminar", required=True),
    ),
    refuses=(409,),
    shows=(Technique.MANY_TO_MANY,),
    example={"student": "Mia Muster", "seminar": "Moderne UI Konzepte"},
)

ASSIGN_SEMINAR = AccessPattern(
    id="UW-04",
    name="assign_seminar",
    route="PUT /university/teachings",
    summary="Gives a professor a seminar, or changes that.",
    people=Admin(),
    operation=Write((UpdateItem(Teaching.primary),)),
    answer=PutOrReplaced(),
    headers=(IF_MATCH,),
    refuses=(409,),
    body=TeachingAsPut,
    shows=(Technique.MANY_TO_MANY, Technique.OPTIMISTIC_LOCKING),
    example={},
    example_body=TeachingAsPut(
        Professor="Prof. Dr. Felix Faktor", Seminar="Moderne UI Konzepte", RaumNr="9", Jahr="2025"
    ),
)

PUBLISH_ARTICLE = AccessPattern(
    id="UW-05",
    name="publish_article",
    route="PUT /university/articles",
    summary="Adds a research article to a professor's, or changes it.",
    people=Admin(),
    operation=Write((UpdateItem(ResearchArticle.primary),)),
    answer=PutOrReplaced(),
    headers=(IF_MATCH,),
    refuses=(409,),
    body=ArticleAsPut,
    shows=(Technique.ELEMENT_LIST, Technique.OPTIMISTIC_LOCKING),
    example={},
    example_body=ArticleAsPut(
        Professor="Prof. Dr. Clara Codekraft",
        Forschungsartikel="Graphen ohne Joins",
        Fachjournal="Modern IT",
        AnzSeiten="21",
    ),
)

MOVE_SEMINAR = AccessPattern(
    id="UW-06",
    name="move_seminar",
    route="PUT /university/seminar/room",
    summary="Moves a seminar to another room, entry by entry: the price of a duplicated attribute.",
    people=Admin(),
    operation=Write(
        (
            Query(Enrolment.inverted, Teaching.inverted, sort=WholeCollection()),
            UpdateItem(Enrolment.primary),
            UpdateItem(Teaching.primary),
        )
    ),
    answer=Progress(),
    refuses=(409,),
    body=NewRoom,
    shows=(Technique.DUPLICATED_ATTRIBUTE, Technique.INVERTED_INDEX),
    example={},
    example_body=NewRoom(Seminar="Die Kunst des Machine Learning", RaumNr="43"),
)

READS: tuple[AccessPattern, ...] = (
    GET_STUDENT,
    LIST_STUDENT_SEMINARS,
    GET_PROFESSOR,
    LIST_PROFESSOR_ARTICLES,
    LIST_PROFESSOR_SEMINARS,
    LIST_SEMINAR_STUDENTS,
    LIST_SEMINAR_PROFESSORS,
    RUN_PARTIQL,
)

WRITES: tuple[AccessPattern, ...] = (
    ENROL,
    SET_GRADE,
    WITHDRAW,
    ASSIGN_SEMINAR,
    PUBLISH_ARTICLE,
    MOVE_SEMINAR,
)
