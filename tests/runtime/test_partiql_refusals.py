"""Whatever makes a statement one that may not be run, it is 400 before DynamoDB is called.

Each test takes a statement that is run, changes the one thing that it is about, and calls the
handler. What is drawn is how the change is made.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from lambdas.design.university import RUN_PARTIQL
from lambdas.runtime import store
from lambdas.runtime.endpoint import endpoint

KEY = "PK = 'Student#Finn Forschgeist'"
SEMINAR = "SK = 'Seminar#Vernetzte Systeme verstehen'"
TABLE = '"University-Table"'
INDEX = '"University-Table"."SeminarStudentsIndex"'


def read(source: str, condition: str, selected: str = "*") -> str:
    return f"SELECT {selected} FROM {source}{' WHERE ' if condition else ''}{condition}"  # noqa: S608


READ = read(TABLE, KEY)

ALLOWED = {TABLE: ("Student#", "Professor#"), INDEX: ("Seminar#", "Forschungsartikel#")}

NAME = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,20}", fullmatch=True)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)

same_calls = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


class Table:
    """DynamoDB as the handler sees it; it finds nothing, and remembers that it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def execute_statement(self, **_: Any) -> dict[str, Any]:
        self.calls += 1
        return {"Items": [], "ConsumedCapacity": {"CapacityUnits": 0.5}}


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    table = Table()
    monkeypatch.setenv("TABLE_NAME", "Table-1")
    monkeypatch.setattr(store, "client", lambda: table)
    return table


def run(table: Table, statement: str, *parameters: Any) -> int:
    """The status of a call. What is refused is refused by name, and before DynamoDB is asked."""
    asked = {"Statement": statement, **({"Parameters": parameters} if parameters else {})}
    before = table.calls
    event = {"headers": {}, "body": json.dumps(asked)}
    response = endpoint(RUN_PARTIQL)(event, None)
    status = int(response["statusCode"])
    assert table.calls == before + (status == 200)
    if status != 200:
        names = [each["name"] for each in json.loads(response["body"])["errors"]]
        assert names
        assert all(re.match(r"Statement|Parameters", name) for name in names)
        assert response["headers"]["X-DynamoDB-Requests"] == "0"
    return status


def in_any_case(word: str) -> st.SearchStrategy[str]:
    letters = [st.sampled_from([each.lower(), each.upper()]) for each in word]
    return st.tuples(*letters).map("".join)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize("source", ALLOWED)
def test_what_is_allowed_is_run(table: Table, source: str) -> None:
    condition = KEY if source == TABLE else SEMINAR
    assert run(table, read(source, condition)) == 200
    assert run(table, read(source, f"{condition.split()[0]} = ?"), "USER#1") == 400
    begin = ALLOWED[source][0]
    assert run(table, read(source, f"{condition.split()[0]} = ?"), begin) == 200


WRITES = (
    "INSERT INTO {table} VALUE {{'PK': 'Student#x', 'SK': 'Seminar#y'}}",
    "UPDATE {table} SET a = 1 WHERE {key} AND SK = 'Seminar#y'",
    "UPDATE {table} REMOVE a WHERE {key} AND SK = 'Seminar#y'",
    "DELETE FROM {table} WHERE {key} AND SK = 'Seminar#y'",
    "EXISTS(SELECT * FROM {table} WHERE {key})",
    "REPLACE INTO {table} VALUE {{'PK': 'Student#x', 'SK': 'Seminar#y'}}",
    "UPSERT INTO {table} VALUE {{'PK': 'Student#x', 'SK': 'Seminar#y'}}",
    "CREATE TABLE {table}",
    "DROP TABLE {table}",
    "FROM {table} SET a = 1 WHERE {key}",
)


@same_calls
@given(data=st.data(), write=st.sampled_from(WRITES))
def test_nothing_writes(table: Table, data: st.DataObject, write: str) -> None:
    statement = write.format(table=TABLE, key=KEY)
    verb, rest = re.fullmatch(r"(\w+)(.*)", statement).groups()  # type: ignore[union-attr]
    before = data.draw(st.sampled_from(["", " ", "\n", "SELECT ", f"{READ}; ", f"{READ} ", "("]))
    after = data.draw(st.sampled_from(["", ";", f"; {READ}", f" AND {KEY}"]))
    assert run(table, before + data.draw(in_any_case(verb)) + rest + after) == 400


@same_calls
@given(name=NAME | TEXT, index=NAME)
def test_no_other_table_and_no_other_index_is_read(table: Table, name: str, index: str) -> None:
    assume(name not in {"University-Table", "University-Table.SeminarStudentsIndex"})
    assume(index not in {"SeminarStudentsIndex", "InvertedIndex"})
    escaped = name.replace('"', '""')
    for source in (
        name,
        f'"{escaped}"',
        f'"{escaped}"."SeminarStudentsIndex"',
        f'{TABLE}."{index}"',
    ):
        assert run(table, read(source, KEY)) == 400
        assert run(table, read(f"{TABLE}, {source}", KEY)) == 400


@same_calls
@given(value=TEXT, source=st.sampled_from(list(ALLOWED)))
@example("USER#U-001", TABLE)
@example("student#x", TABLE)
@example("Student", TABLE)
@example("Seminar#x", TABLE)
@example("Student#x", INDEX)
def test_no_other_item_collection_is_read(table: Table, value: str, source: str) -> None:
    assume(not value.startswith(ALLOWED[source]))
    key = "PK" if source == TABLE else "SK"
    good = ALLOWED[source][0]
    for condition, *parameters in (
        (f"{key} = {quoted(value)}",),
        (f"{key} IN [{quoted(good)}, {quoted(value)}]",),
        (f"{key} = ?", value),
        (f"{key} IN [?, ?]", good, value),
        (f"a = {quoted(good)} AND {key} = {quoted(value)}",),
    ):
        assert run(table, read(source, condition), *parameters) == 400


@same_calls
@given(value=JSON_VALUE)
@example({"S": "Student#x"})
@example(["Student#x"])
def test_no_parameter_but_a_text_of_a_person_s_collection_is_a_key(
    table: Table, value: Any
) -> None:
    allowed = isinstance(value, str) and value.startswith(ALLOWED[TABLE])
    assert run(table, read(TABLE, "PK = ?"), value) == (200 if allowed else 400)


OPEN = (
    "",
    "a = 1",
    "SK = 'Seminar#x'",
    "PK <> 'Student#x'",
    "PK > 'Student#x'",
    "PK >= 'Student#x'",
    "PK BETWEEN 'Student#a' AND 'Student#z'",
    "begins_with(PK, 'Student#')",
    "contains(PK, 'Student#')",
    "PK IS NOT MISSING",
    "NOT (PK = 'Student#x')",
    "'Student#x' = PK",
    "PK = PK",
    "PK = 'Student#x' OR a = 1",
    "a = 1 OR PK = 'Student#x'",
    "(PK = 'Student#x' OR a = 1)",
    "PK = 'Student#x' OR PK = 'USER#1'",
    "PK IN []",
    "size(PK) = 1",
    "item.PK = 'Student#x'",
    "PK.a = 'Student#x'",
    "PK[0] = 'Student#x'",
)


@same_calls
@given(
    condition=st.sampled_from(OPEN),
    more=st.sampled_from(["", " AND b = 2", " ORDER BY SK", " LIMIT 5"]),
    selected=st.sampled_from(["*", "PK", "PK, SK", "COUNT(*)", '"PK"']),
)
def test_nothing_scans(table: Table, condition: str, more: str, selected: str) -> None:
    tail = more if condition else ""
    assert run(table, read(TABLE, condition + tail, selected)) == 400


@same_calls
@given(data=st.data(), comment=st.sampled_from(["--", "-- x\n", "/* */", "/**/", "#", "//"]))
def test_no_comment_hides_anything(table: Table, data: st.DataObject, comment: str) -> None:
    places = [found.end() for found in re.finditer(r"SELECT|\*|FROM|WHERE|PK|=|$", READ)]
    place = data.draw(st.sampled_from(places))
    assert run(table, f"{READ[:place]} {comment} {READ[place:]}") == 400


@same_calls
@given(text=TEXT)
@example("x' OR PK = 'USER#1")
@example('x\'; DELETE FROM "University-Table"; --')
def test_a_text_stays_a_text_whatever_stands_in_it(table: Table, text: str) -> None:
    """The near miss: quoted as PartiQL has it, anything may be asked for."""
    assume("\0" not in text)
    assert run(table, read(TABLE, f"PK = {quoted('Student#' + text)}")) == 200
    assert run(table, read(TABLE, "PK = ? AND a = ?"), "Student#" + text, text) == 200
