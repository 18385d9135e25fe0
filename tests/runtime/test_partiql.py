"""What the guard lets through, and how. What DynamoDB makes of it is in `tests/e2e`."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from lambdas.design.operations import PartiQLSelect, Statement
from lambdas.design.university import RUN_PARTIQL
from lambdas.runtime import partiql, reads, store
from lambdas.runtime.errors import BadInput
from lambdas.runtime.store import Rejected, Store
from tests.runtime.samples import call_of

assert isinstance(RUN_PARTIQL.operation, PartiQLSelect)
SELECT = RUN_PARTIQL.operation

TABLE = "Table-1"
FROM_TABLE = 'SELECT * FROM "University-Table" WHERE '
FROM_INDEX = 'SELECT * FROM "University-Table"."SeminarStudentsIndex" WHERE '
KEY = "PK = 'Student#x'"
LONGEST = 8192


def select(condition: str, source: str = '"University-Table"', what: str = "*") -> str:
    return " ".join(["SELECT", what, "FROM", source, "WHERE", condition])


def guarded(statement: str, *parameters: Any) -> str:
    return partiql.guarded(SELECT, statement, parameters, TABLE)


def refusal(statement: str, *parameters: Any) -> str:
    with pytest.raises(BadInput) as refused:
        guarded(statement, *parameters)
    [(name, reason)] = refused.value.errors.items()
    assert name == "Statement"
    return reason


def is_let_through(statement: str, *parameters: Any) -> bool:
    """Whether the guard takes a statement; it raises nothing but BadInput."""
    try:
        guarded(statement, *parameters)
    except BadInput:
        return False
    return True


# --- Rewritten exactly ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "rewritten"),
    [
        (
            """SELECT * FROM "University-Table"\nWHERE PK = 'Student#Finn Forschgeist'""",
            """SELECT * FROM "Table-1"\nWHERE PK = 'Student#Finn Forschgeist'""",
        ),
        (
            """SELECT * FROM "University-Table"\nWHERE "PK" = 'Student#Nora Neugierig'""",
            """SELECT * FROM "Table-1"\nWHERE "PK" = 'Student#Nora Neugierig'""",
        ),
        (
            FROM_TABLE + "PK = 'Professor#P' AND begins_with(SK, 'Forschungsartikel#')",
            select("PK = 'Professor#P' AND begins_with(SK, 'Forschungsartikel#')", '"Table-1"'),
        ),
        (
            """SELECT * FROM "University-Table.SeminarStudentsIndex"\nWHERE "SK" = 'Seminar#KI'""",
            """SELECT * FROM "Table-1"."InvertedIndex"\nWHERE "SK" = 'Seminar#KI'""",
        ),
        (
            FROM_INDEX + "SK = 'Seminar#KI'",
            """SELECT * FROM "Table-1"."InvertedIndex" WHERE SK = 'Seminar#KI'""",
        ),
        (
            """SELECT SK FROM "University-Table"."InvertedIndex" WHERE SK='Forschungsartikel#KI'""",
            """SELECT SK FROM "Table-1"."InvertedIndex" WHERE SK='Forschungsartikel#KI'""",
        ),
        (
            """select*from"University-Table"where PK='Student#x'and(a=1 or b=2)order by SK desc""",
            """select*from"Table-1"where PK='Student#x'and(a=1 or b=2)order by SK desc""",
        ),
        (
            f"""\n\t {FROM_TABLE}PK\n=\r\n'Student#x'\t;  \n""",
            """SELECT * FROM "Table-1" WHERE PK\n=\r\n'Student#x'\t""",
        ),
        (
            select(
                "PK = 'Student#University-Table'",
                what=""" "University-Table", 'University-Table'""",
            ),
            select(
                "PK = 'Student#University-Table'",
                '"Table-1"',
                """ "University-Table", 'University-Table'""",
            ),
        ),
    ],
)
def test_the_names_of_table_and_index_are_put_in_and_nothing_else_is_touched(
    statement: str, rewritten: str
) -> None:
    assert guarded(statement) == rewritten


@pytest.mark.parametrize(
    "condition",
    [
        "PK = 'Student#'",
        "PK = 'Student#O''Brien'",
        "PK = 'Student#''''' AND a = ''",
        "PK IN ['Student#x']",
        "PK IN ('Student#x', 'Professor#y', 'Student#z')",
        "pK = 'no key' AND PK = 'Student#x'",
        "a = '1' AND PK = 'Student#x' AND b = '2'",
        "a BETWEEN '1' AND '2' AND PK = 'Student#x'",
        "PK = 'Student#x' AND SK BETWEEN 'Seminar#A' AND 'Seminar#B'",
        "a BETWEEN '1' AND '2' AND b NOT BETWEEN 3 AND 4 AND PK = 'Student#x'",
        "(a BETWEEN '1' AND '2') AND PK = 'Student#x'",
        "a BETWEEN (b) AND (c) AND PK = 'Student#x'",
        "PK = 'Student#x' AND (a = '1' OR b = '2')",
        "((a = '1') OR (b = '2' AND c = '3')) AND PK = 'Student#x'",
        "NOT a = '1' AND PK = 'Student#x'",
        "PK = 'Student#x' AND a IN ['1', '2'] AND NOT (b IS MISSING)",
        "PK = 'Student#x' AND Adresse.Stadt = 'Köln' AND liste[0] <> -3.5e-1 AND a >= 1",
        """PK = 'Student#x' AND "Anz. Seiten" = '38' AND "a""b" = '1'""",
        """PK = 'Student#x' AND "OR" = 'OR' AND "WHERE" = 'SELECT' AND "ORDER" = ';--/* */'""",
        "PK = 'Student#x' AND size(a) > 2 AND contains(Seminar, 'K')",
        "PK = 'Student#x' AND Selected = '1' AND wherever = '2' AND fromage = '3' AND ORacle = 4",
        "PK = 'Student#x' ORDER BY SK DESC",
    ],
)
def test_all_that_gives_the_partition_key_is_let_through(condition: str) -> None:
    assert guarded(FROM_TABLE + condition) == select(condition, '"Table-1"')


SEPARATORS = st.sampled_from([" ", "\n", "\t", "  \r\n ", "\n\n"])
SPELLINGS = st.sampled_from([str.upper, str.lower, str.capitalize, str.swapcase])


@given(data=st.data())
def test_keywords_are_read_in_any_case_and_with_any_white_space(data: st.DataObject) -> None:
    words = ["SELECT", "*", "FROM", '"University-Table"', "WHERE", "a", "BETWEEN", "'1'", "AND"]
    words += ["'2'", "AND", "PK", "IN", "[", "'Student#x'", "]", "ORDER", "BY", "SK"]
    spelled = [
        data.draw(SPELLINGS)(word) if word.isalpha() and word not in {"PK", "SK"} else word
        for word in words
    ]
    statement = "".join(word + data.draw(SEPARATORS) for word in spelled).strip()
    assert guarded(statement) == statement.replace("University-Table", "Table-1")


# --- Refused, and why -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "",
        " ",
        ";",
        "SELECTED",
        "SELECT_ * FROM T",
        "INSERT INTO \"University-Table\" VALUE {'PK': 'Student#x', 'SK': 'Seminar#y'}",
        "UPDATE \"University-Table\" SET a = '1' WHERE PK = 'Student#x'",
        "DELETE FROM \"University-Table\" WHERE PK = 'Student#x'",
        f"({FROM_TABLE}{KEY})",
        f"EXISTS({FROM_TABLE}{KEY})",
        f"-- {FROM_TABLE}{KEY}",
        f"\ufeff{FROM_TABLE}{KEY}",
    ],
)
def test_what_is_no_select_is_refused(statement: str) -> None:
    assert refusal(statement) == "must be a SELECT: this route reads and never writes"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT",
        'SELECT * FROM "University-Table"',
        "SELECT * WHERE PK = 'Student#x'",
        "SELECT * WHERE PK = 'Student#x' FROM \"University-Table\"",
        select(KEY, '"University-Table" FROM "Other"'),
        FROM_TABLE + KEY + " WHERE " + KEY,
        'SELECT a "FROM" "University-Table" WHERE PK = \'Student#x\'',
        f"SELECT 'FROM' WHERE {KEY}",
    ],
)
def test_a_select_without_its_one_from_and_where_is_refused(statement: str) -> None:
    assert refusal(statement).startswith("must have one FROM, and one WHERE")


@pytest.mark.parametrize(
    "statement",
    [
        FROM_TABLE + f"{KEY} AND EXISTS (SELECT 1)",
        FROM_TABLE + f"{KEY} UNION ALL SELECT 1",
        FROM_TABLE + f"{KEY} AND a = (select 1)",
        select(KEY, what="VALUE a"),
        FROM_TABLE + f"{KEY} SET a = '1'",
        FROM_TABLE + f"{KEY} REMOVE a",
        select(KEY, '"University-Table" JOIN T'),
        FROM_TABLE + f"{KEY} DELETE",
    ],
)
def test_a_second_clause_is_refused(statement: str) -> None:
    assert refusal(statement).startswith("must be a single SELECT, without another ")


@pytest.mark.parametrize(
    "source",
    [
        '"SingleTable"',
        '"Table-1"',
        '"university-table"',
        '"University-Table "',
        '"University-Table"""',
        "UniversityTable",
        "'University-Table'",
        '"University-Table"."GSI1"',
        '"University-Table"."SeminarStudentsIndex"."x"',
        '"University-Table"."seminarstudentsindex"',
        '"University-Table"."SeminarStudentsIndex',
        '"SeminarStudentsIndex"',
        '"University-Table" AS t',
        '"University-Table" t',
        '"University-Table", "University-Table"',
        '"University-Table".SeminarStudentsIndex',
        '("University-Table")',
        '"University-Table"[0]',
        "?",
        "",
        ".",
    ],
)
def test_any_other_table_or_index_is_refused(source: str) -> None:
    assert refusal(select(f"{KEY} AND SK = 'Seminar#x'", source))


@pytest.mark.parametrize(
    "source",
    [
        '"University-Table" "SeminarStudentsIndex"',
        '"University-Table".."SeminarStudentsIndex"',
        '."University-Table"',
        '"University-Table".',
    ],
)
def test_a_table_and_its_index_are_joined_by_one_dot(source: str) -> None:
    """Without it the second name is the table's alias, and the statement means another thing."""
    assert refusal(select(f"{KEY} AND SK = 'Seminar#x'", source))


@pytest.mark.parametrize(
    "condition",
    [
        "RaumNr = '13'",
        "begins_with(PK, 'Student#')",
        "contains(PK, 'Student#x')",
        "PK > 'Student#'",
        "PK >= 'Student#x'",
        "PK <> 'Student#x'",
        "PK != 'Student#x'",
        "PK == 'Student#x'",
        "PK BETWEEN 'Student#a' AND 'Student#z'",
        "PK IS NOT MISSING",
        "PK NOT IN ['Student#x']",
        "NOT PK = 'Student#x'",
        "NOT (PK = 'Student#x')",
        "'Student#x' = PK",
        "PK = PK",
        'PK = "Student#x"',
        "PK = Student",
        "PK = 5",
        "PK = ('Student#x')",
        "PK = ['Student#x']",
        "PK IN []",
        "PK IN 'Student#x'",
        "PK IN ['Student#x')",
        "PK IN ['Student#x' 'Student#y']",
        "PK IN ['Student#x', ['Student#y']]",
        "PK = 'Student#x' || ''",
        "PK = 'Student#x' IS MISSING",
        "PK.a = 'Student#x'",
        "PK[0] = 'Student#x'",
        "t.PK = 'Student#x'",
        "pk = 'Student#x'",
        "'PK' = 'Student#x'",
        "SK = 'Seminar#x'",
        "(a = '1' AND PK = 'Student#x' AND b = '2')",
        "(a = '1' AND PK = 'Student#x') AND b = '2'",
        "a BETWEEN '1' AND PK = 'Student#x'",
        "a BETWEEN 'b' AND PK IN ['Student#x']",
        "f(a, '1' AND PK = 'Student#x' AND b)",
        "a IN ['1' AND PK = 'Student#x' AND '2']",
        "",
        "AND",
    ],
)
def test_a_condition_that_does_not_give_the_partition_key_is_refused(condition: str) -> None:
    assert refusal(FROM_TABLE + condition)


@pytest.mark.parametrize(
    "condition",
    [
        "RaumNr IN <<'13', '1' AND PK = 'Student#x' AND '2'>>",
        "CASE WHEN a = '1' AND PK = 'Student#x' AND b = '2' THEN true ELSE true END",
    ],
)
def test_a_key_that_stands_within_a_bag_or_a_case_is_not_given(condition: str) -> None:
    assert refusal(FROM_TABLE + condition)


@pytest.mark.parametrize(
    "condition",
    [
        "PK = 'Student#x' OR a = '1'",
        "a = '1' OR PK = 'Student#x'",
        "a = '1' or PK = 'Student#x'",
        "a = '1' AND PK = 'Student#x' OR b = '2'",
        "(a = '1') OR PK = 'Student#x'",
        "a = '1' OR b = '2' AND PK = 'Student#x'",
        "PK = 'Student#x' OR PK = 'Student#y'",
    ],
)
def test_an_or_beside_the_partition_key_is_refused(condition: str) -> None:
    assert "OR" in refusal(FROM_TABLE + condition)


@pytest.mark.parametrize(
    "condition",
    [
        "PK = 'Student#x' AND a = '1' OR b = '2'",
        "PK = 'Student#x' AND a = '1' or PK = 'USER#U-001'",
        "PK = 'Student#x' AND (a = '1') OR (b = '2')",
        "PK IN ['Student#x'] AND a BETWEEN '1' AND '2' OR NOT b = '3'",
    ],
)
def test_an_or_is_refused_wherever_it_follows_the_partition_key(condition: str) -> None:
    """AND binds more closely: the other side of OR reads the whole table."""
    assert "OR" in refusal(FROM_TABLE + condition)


@pytest.mark.parametrize(
    "value",
    [
        "USER#U-001",
        "ORDER#2024-01-15",
        "PERSON#alice",
        "IDEMPOTENCY#x",
        "Student",
        "student#x",
        "STUDENT#x",
        " Student#x",
        "x Student#x",
        "''Student#x",
        "Studentin#x",
        "Student%23x",
        "Seminar#x",
        "Forschungsartikel#x",
        "",
    ],
)
def test_another_partition_than_a_student_s_or_a_professor_s_is_refused(value: str) -> None:
    reason = "may read only keys that begin with Student# or Professor#"
    assert refusal(f"{FROM_TABLE}PK = '{value}'") == reason
    assert refusal(f"{FROM_TABLE}PK IN ['Student#x', '{value}', 'Student#y']") == reason
    assert refusal(f"{FROM_TABLE}PK = '{value}' AND PK = 'Student#x'") == reason
    assert refusal(f"{FROM_TABLE}PK = ?", value.replace("''", "'")) == reason


@pytest.mark.parametrize(
    "value",
    ["PROFILE", "ORDER#1", "ITEM#P-1", "FOLLOWS#bob", "Student#x", "Professor#x", "seminar#x"],
)
def test_another_partition_of_the_index_than_a_seminar_s_or_an_article_s_is_refused(
    value: str,
) -> None:
    reason = "may read only keys that begin with Seminar# or Forschungsartikel#"
    assert refusal(f"{FROM_INDEX}SK = '{value}'") == reason
    assert refusal(f"{FROM_INDEX}SK IN ('Seminar#x', '{value}')") == reason


def test_the_index_is_read_by_its_own_partition_key() -> None:
    assert "SK = '...'" in refusal(FROM_INDEX + "PK = 'Student#x'")
    assert guarded(FROM_INDEX + "PK = 'Student#x' AND SK = 'Seminar#y'")


@pytest.mark.parametrize(
    "rest",
    [
        "; DELETE FROM T",
        ";;",
        "; ;",
        ";'",
        " -- a comment",
        " /* a comment */",
        " AND a = `ion`",
        " AND a = {'b': 1}",
        " AND a = 1 + 2",
        " AND a = \\'",
        " AND a = $1",
        " AND a = @b",
        " AND ä = 1",
        "\x00",
        "'",
        '"',
        " AND a = 'b",
        ' AND "a = 1',
        " AND a = 'b''",
        " AND a = '''",
        " AND a = “b”",
    ],
)
def test_comments_more_statements_and_quotes_without_an_end_are_refused(rest: str) -> None:
    assert guarded(FROM_TABLE + KEY)
    assert refusal(FROM_TABLE + KEY + rest)


def test_a_reason_shows_no_more_than_the_beginning_of_what_is_not_understood() -> None:
    assert refusal(FROM_TABLE + KEY + " -- secret" * 20).endswith(repr("-- secret -- secret "))


# --- Placeholders ---------------------------------------------------------------------------


def test_a_placeholder_has_the_value_at_its_place() -> None:
    statement = FROM_TABLE + "a = ? AND PK = ? AND b = ?"
    assert guarded(statement, "1", "Student#x", "2")
    assert refusal(statement, "Student#x", "USER#1", "Student#x")


def test_placeholders_are_counted_from_the_statement_s_beginning() -> None:
    statement = 'SELECT ? FROM "University-Table" WHERE PK = ?'
    assert guarded(statement, "USER#1", "Student#x")
    assert refusal(statement, "Student#x", "USER#1")


@pytest.mark.parametrize("other", ["a = '?'", '"?" = 1', "a = 'b''?'", '"a""?" = 1'])
def test_a_question_mark_between_quotes_is_none(other: str) -> None:
    assert guarded(f"{FROM_TABLE}{other} AND PK = ?", "Student#x")
    assert refusal(f"{FROM_TABLE}{other} AND PK = ?", "USER#1", "Student#x")


@pytest.mark.parametrize("value", [None, 5, True, ["Student#x"], {"S": "Student#x"}, Decimal(1)])
def test_a_value_that_is_no_text_is_no_key(value: Any) -> None:
    assert refusal(FROM_TABLE + "PK = ?", value)


def test_a_placeholder_without_a_value_is_no_key() -> None:
    assert refusal(FROM_TABLE + "PK = ?")
    assert refusal(FROM_TABLE + "PK IN [?, ?]", "Student#x")
    assert guarded(FROM_TABLE + "PK IN [?, ?]", "Student#x", "Professor#y")


@pytest.mark.parametrize("values", [(), ("Student#x",), ("Student#x", "a", "b")])
def test_values_that_are_too_few_or_too_many_are_counted(values: tuple[str, ...]) -> None:
    refused = refusal(FROM_TABLE + "PK = ? AND a = ?", *values)
    assert f"has 2 placeholders (?), and Parameters has {len(values)} values" in str(refused)


def test_a_value_needs_no_quoting() -> None:
    assert guarded(FROM_TABLE + "PK = ?", "Student#O'Brien' OR ''='")
    assert guarded(FROM_TABLE + "PK = ? AND a = ?", "Student#x", "'; DELETE FROM T --")


# --- Generated statements -------------------------------------------------------------------

ALLOWED = ("'Student#x'", "'Professor#O''B'")
VALUES = st.sampled_from([*ALLOWED, "'USER#1'", "'13'", "''", "'AND'", "7"])
NAMES = st.sampled_from(["PK", '"PK"', "SK", "RaumNr", '"OR"', "a"])


def joined(parts: Sequence[list[str]], by: str) -> list[str]:
    return [*parts[0], *(token for part in parts[1:] for token in (by, *part))]


PREDICATES = st.one_of(
    st.sampled_from([["PK", "=", each] for each in ALLOWED]),
    st.sampled_from([['"PK"', "IN", "[", *ALLOWED[:1], ",", each, "]"] for each in ALLOWED]),
    st.builds(
        lambda name, sign, value: [name, sign, value],
        NAMES,
        st.sampled_from(["=", "=", "<>", ">"]),
        VALUES,
    ),
    st.builds(lambda name, low, high: [name, "BETWEEN", low, "AND", high], NAMES, VALUES, VALUES),
    st.builds(
        lambda name, values: [name, "IN", "(", *joined([[v] for v in values], ","), ")"],
        NAMES,
        st.lists(VALUES, min_size=1, max_size=3),
    ),
    st.builds(lambda name, value: ["begins_with", "(", name, ",", value, ")"], NAMES, VALUES),
)
CONDITIONS: st.SearchStrategy[list[str]] = st.recursive(
    PREDICATES,
    lambda inner: st.one_of(
        st.builds(joined, st.lists(inner, min_size=2, max_size=3), st.just("AND")),
        st.builds(joined, st.lists(inner, min_size=2, max_size=2), st.just("OR")),
        st.builds(lambda tokens: ["(", *tokens, ")"], inner),
        st.builds(lambda tokens: ["NOT", *tokens], inner),
    ),
    max_leaves=6,
)
VOCABULARY = [
    *(
        "PK",
        '"PK"',
        "SK",
        "a",
        "AND",
        "AND",
        "OR",
        "NOT",
        "IN",
        "BETWEEN",
        "=",
        "=",
        "<>",
        "(",
        ")",
    ),
    *("[", "]", ",", "?", ".", "7", "'Student#x'", "'Student#x'", "'USER#1'", "ORDER", "BY", ";"),
    *("'", '"', "--", "SELECT", "FROM", "WHERE", "''", '"OR"', "begins_with", "{", "`", "\n"),
]
SOUPS = st.lists(st.sampled_from(VOCABULARY), max_size=14)


@st.composite
def changed(draw: st.DrawFn) -> list[str]:
    """A condition in which some tokens are left out, put in, or replaced."""
    tokens = list(draw(CONDITIONS))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(tokens)))
        tokens[place : place + draw(st.integers(0, 1))] = draw(
            st.lists(st.sampled_from(VOCABULARY), max_size=2)
        )
    return tokens


class Node(Struct):
    """A condition as its grammar has it; `kind` is and, or, key (it gives the key), or other."""

    kind: str
    parts: list["Node"] = []

    @property
    def gives_key(self) -> bool:
        """Whether all that it finds lies in the partitions that may be read."""
        match self.kind:
            case "and":
                return any(part.gives_key for part in self.parts)
            case "or":
                return all(part.gives_key for part in self.parts)
            case _:
                return self.kind == "key"


class NoCondition(Exception):
    """The tokens are no condition."""


class Parser:
    """Reads conditions by PartiQL's grammar: OR of ANDs of NOTs of predicates."""

    def __init__(self, tokens: list[str]) -> None:
        self.left = list(tokens)

    def condition(self) -> Node:
        node = self.either()
        if self.left:
            raise NoCondition
        return node

    def either(self) -> Node:
        parts = [self.both()]
        while self.takes("OR"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Node("or", parts)

    def both(self) -> Node:
        parts = [self.negation()]
        while self.takes("AND"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else Node("and", parts)

    def negation(self) -> Node:
        if self.takes("NOT"):
            self.negation()
            return Node("other")
        if self.takes("("):
            node = self.either()
            self.needs(")")
            return node
        return self.predicate()

    def predicate(self) -> Node:
        name = self.left[0] if self.left else ""
        is_key = name.strip('"') == "PK"
        self.operand()
        if self.takes("="):
            return Node("key" if self.operand() in ALLOWED and is_key else "other")
        if self.takes("<>", ">"):
            self.operand()
        elif self.takes("BETWEEN"):
            self.operand()
            self.needs("AND")
            self.operand()
        elif self.takes("IN"):
            close = "]" if self.takes("[") else ")"
            if close == ")":
                self.needs("(")
            values = [self.operand()]
            while self.takes(","):
                values.append(self.operand())
            self.needs(close)
            return Node("key" if is_key and set(values) <= set(ALLOWED) else "other")
        return Node("other")

    def operand(self) -> str:
        token = self.left.pop(0) if self.left else ""
        if not re.fullmatch(r"""[A-Za-z_]+|"[^"]+"|'([^']|'')*'|\d+""", token) or token in {
            *("AND", "OR", "NOT", "IN", "BETWEEN", "ORDER", "BY", "SELECT", "FROM", "WHERE"),
        }:
            raise NoCondition
        if token == "begins_with":
            self.needs("(")
            self.operand()
            self.needs(",")
            self.operand()
            self.needs(")")
        return token

    def takes(self, *tokens: str) -> bool:
        found = bool(self.left) and self.left[0] in tokens
        if found:
            self.left.pop(0)
        return found

    def needs(self, token: str) -> None:
        if not self.takes(token):
            raise NoCondition


def gives_key(tokens: list[str]) -> bool | None:
    """Whether a condition gives the partition key; None when it is none, which DynamoDB refuses."""
    try:
        return Parser([token for token in tokens if token.strip()]).condition().gives_key
    except NoCondition:
        return None


@pytest.mark.parametrize(
    ("condition", "gives"),
    [
        ("PK = 'Student#x'", True),
        ("PK = 'Student#x' AND a = 7 OR SK = 7", False),
        ("PK = 'USER#1'", False),
        ("a BETWEEN 7 AND 7 AND PK IN [ 'Student#x' ]", True),
        ("NOT PK = 'Student#x'", False),
        ("( PK = 'Student#x' ) AND a = 7", True),
        ("PK = 'Student#x' )", None),
    ],
)
def test_the_tests_own_reading_of_a_condition_is_right(condition: str, gives: bool | None) -> None:
    assert gives_key(condition.split()) == gives


def words(condition: str) -> list[str]:
    return condition.split(" ")


@settings(max_examples=600)
@given(tokens=st.one_of(CONDITIONS, changed(), SOUPS))
@example(words("PK = 'Student#x' OR a = 7"))
@example(words("a = 7 AND PK = 'Student#x' OR a = 7"))
@example(words("a BETWEEN 7 AND PK = 'Student#x'"))
@example(words("PK IN [ 'Student#x' , 'USER#1' ]"))
@example(words("( PK = 'Student#x' OR a = 7 )"))
@example(words("NOT PK = 'Student#x'"))
def test_no_condition_gets_through_that_does_not_give_the_partition_key(tokens: list[str]) -> None:
    condition = " ".join(tokens)
    if is_let_through(FROM_TABLE + condition):
        assert gives_key(tokens) is not False, condition
        given_key = r"""(^|\bAND\s+)"?PK"?\s+(=|IN\s+[\[(])\s+'(Student|Professor)#"""
        assert re.search(given_key, condition), condition


@given(tokens=CONDITIONS)
def test_a_condition_that_gives_it_beside_and_alone_gets_through(tokens: list[str]) -> None:
    for key in ("PK = 'Student#x'", "\"PK\" IN ['Student#x', 'Professor#y']"):
        condition = f"{key} AND ({' '.join(tokens)})"
        assert guarded(FROM_TABLE + condition).endswith(condition)


@settings(max_examples=500)
@given(
    tokens=st.lists(
        st.sampled_from(
            ["SELECT", "*", '"University-Table"', '"SeminarStudentsIndex"', *VOCABULARY]
        )
    )
)
def test_no_soup_of_tokens_reads_from_anything_but_the_table_and_its_index(
    tokens: list[str],
) -> None:
    for statement in (" ".join(["SELECT", *tokens]), " ".join(["SELECT * FROM", *tokens, KEY])):
        if is_let_through(statement):
            rewritten = guarded(statement)
            assert rewritten.split("FROM", 1)[1].lstrip().startswith('"Table-1"')
            assert rewritten.split().count("SELECT") == 1
            assert ";" not in rewritten


@settings(max_examples=300)
@given(text=st.text(), place=st.integers(0, 3))
def test_no_text_raises_anything_but_bad_input(text: str, place: int) -> None:
    parts = ["SELECT * FROM ", '"University-Table"', " WHERE ", KEY]
    for statement in (text, "SELECT " + text, "".join([*parts[:place], text, *parts[place + 1 :]])):
        is_let_through(statement)


@settings(max_examples=300)
@given(text=st.text(st.sampled_from("'\"?;-a ()[],.=#")), key=st.booleans())
def test_a_text_s_quotes_end_where_dynamodb_lets_them_end(text: str, key: bool) -> None:
    """A quote is doubled within a text, so nothing of a text is ever read as a condition."""
    quoted = "'" + ("Student#" if key else "") + text.replace("'", "''") + "'"
    condition = f"PK = {quoted} AND a = {quoted}"
    assert is_let_through(FROM_TABLE + condition) == (key or text.startswith("Student#"))


# --- Long statements ------------------------------------------------------------------------


def long_statements() -> Iterator[str]:
    """Statements of the greatest length that are a burden for a careless reader."""
    bits = ["'", '"', "''", '""', "'a' ", "(", "[", " ", "\n", "\u3000", "a", "a ", "?", "<", ", "]
    bits += ["1", "1.", "1e", "-", "1e-", ";", "AND ", "NOT ", "OR ", "x BETWEEN ", "(a AND ", "é"]
    bits += [f"{KEY} AND ", "PK IN ['Student#x',", "SELECT ", "FROM ", "\\", "'\\", "\x00"]
    for bit in bits:
        for start in ("SELECT ", FROM_TABLE, f"{FROM_TABLE}{KEY} AND ", f"{FROM_TABLE}a = '"):
            filled = (start + bit * LONGEST)[:LONGEST]
            yield filled
            yield filled[:-1] + "\x00"


def test_no_long_statement_is_one_that_is_never_read_to_its_end() -> None:
    started = process_time()
    for statement in long_statements():
        is_let_through(statement)
    assert process_time() - started < 60  # a runaway expression takes hours for one of them


def test_a_long_statement_that_is_good_is_let_through() -> None:
    condition = f"{KEY} AND a IN [{', '.join(['?'] * 2000)}]"
    assert guarded(FROM_TABLE + condition, *(["x"] * 2000)).endswith(condition)


# --- The request and its answer -------------------------------------------------------------


class Table:
    """DynamoDB as the store sees it, for statements."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        self.calls: list[dict[str, Any]] = []

    def execute_statement(self, **call: Any) -> dict[str, Any]:
        self.calls.append(call)
        return self.answer


@pytest.fixture(autouse=True)
def deployed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLE_NAME", TABLE)


def test_a_request_has_what_was_sent_and_no_more() -> None:
    assert partiql.request(SELECT, Statement(FROM_TABLE + KEY)) == {
        "Statement": select(KEY, '"Table-1"')
    }
    full = Statement(FROM_TABLE + "PK = ? AND a = ?", ["Student#x", Decimal("1.50")], 5, "token")
    assert partiql.request(SELECT, full) == {
        "Statement": 'SELECT * FROM "Table-1" WHERE PK = ? AND a = ?',
        "Parameters": [{"S": "Student#x"}, {"N": "1.50"}],
        "Limit": 5,
        "NextToken": "token",
    }


def test_a_statement_is_run_once_and_answered_with_whole_items_and_the_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    item = {"PK": {"S": "Student#x"}, "SK": {"S": "Seminar#C%23"}, "Version": {"N": "1"}}
    table = Table({"Items": [item], "NextToken": "more", "ConsumedCapacity": {"CapacityUnits": 1}})
    monkeypatch.setattr(store, "client", lambda: table)
    sent = Store()

    answer = reads.answer(call_of(RUN_PARTIQL, {}, Statement(FROM_TABLE + KEY), sent))

    assert answer.body["NextToken"] == "more"
    assert [(each["PK"], each["SK"]) for each in answer.body["Items"]] == [
        ("Student#x", "Seminar#C%23")
    ]
    assert table.calls == [
        {
            "Statement": select(KEY, '"Table-1"'),
            "ReturnConsumedCapacity": "TOTAL",
        }
    ]
    assert (sent.requests, sent.capacity) == (1, Decimal(1))


@pytest.mark.parametrize("answer", [{"Items": []}, {"Items": [], "NextToken": None}])
def test_the_last_page_has_no_token(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    monkeypatch.setattr(store, "client", lambda: Table(answer))
    found = reads.answer(call_of(RUN_PARTIQL, {}, Statement(FROM_TABLE + KEY), Store()))
    assert found.body == {"Items": [], "NextToken": None}


def test_a_refused_statement_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table({"Items": []})
    monkeypatch.setattr(store, "client", lambda: table)
    sent = Store()
    with pytest.raises(BadInput):
        reads.answer(call_of(RUN_PARTIQL, {}, Statement(FROM_TABLE + "a = 1"), sent))
    assert (table.calls, sent.requests) == ([], 0)


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        ("Unexpected token at Table-1", "Statement"),
        ("Given NextToken was not valid for Table-1", "NextToken"),
    ],
)
def test_what_dynamodb_refuses_is_the_caller_s_fault_and_does_not_name_the_table(
    monkeypatch: pytest.MonkeyPatch, reason: str, name: str
) -> None:
    def execute(_: Store, request: dict[str, Any]) -> None:
        assert TABLE in request["Statement"]
        raise Rejected(reason)

    monkeypatch.setattr(Store, "execute_statement", execute)
    with pytest.raises(BadInput) as refused:
        reads.answer(call_of(RUN_PARTIQL, {}, Statement(FROM_TABLE + KEY), Store()))
    [(named, told)] = refused.value.errors.items()
    assert named == name
    assert told == f"is refused by DynamoDB: {reason.replace('Table-1', 'University-Table')}"
