"""Lets through a PartiQL SELECT on some item collections, and nothing else.

The wall is the function's IAM policy. What is refused here is refused there too; here the caller
learns why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from lambdas.design.keys import Index
from lambdas.design.operations import PartiQLSelect, Statement
from lambdas.design.table import INVERTED_INDEX, TABLE
from lambdas.runtime import settings
from lambdas.runtime.errors import BadInput
from lambdas.runtime.items import to_attribute

STATEMENT: Final = "Statement"

_OF_STATEMENTS: Final = frozenset(
    {"SELECT", "INSERT", "UPDATE", "DELETE", "FROM", "INTO", "SET", "REMOVE", "VALUE", "WHERE"}
    | {"CASE", "EXISTS", "JOIN", "UNION"}
)
"""Words that begin a statement or a clause; an attribute of such a name stands in double quotes."""


class Token(NamedTuple):
    """A word, a quoted name, a text, a number or a sign, and where it stands."""

    kind: str
    text: str
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.upper() in words

    @property
    def name(self) -> str | None:
        """The name that it is, quoted or not; None for anything else."""
        if self.kind == "quoted":
            return self.text[1:-1].replace('""', '"')
        return self.text if self.kind == "word" else None


def request(select: PartiQLSelect, statement: Statement) -> dict[str, Any]:
    """The request of ExecuteStatement for a caller's statement. Raises BadInput as `guarded` does,
    and for a parameter that no attribute can hold."""
    parameters = statement.Parameters or []
    table = settings.table_name()
    made: dict[str, Any] = {"Statement": guarded(select, statement.Statement, parameters, table)}
    if parameters:
        made["Parameters"] = [_attribute(at, each) for at, each in enumerate(parameters)]
    if statement.Limit:
        made["Limit"] = statement.Limit
    if statement.NextToken:
        made["NextToken"] = statement.NextToken
    return made


def _attribute(at: int, parameter: Any) -> dict[str, Any]:
    try:
        return to_attribute(parameter)
    except ValueError as error:
        raise BadInput({f"Parameters[{at}]": str(error)}) from None


def rejected(select: PartiQLSelect, reason: str) -> BadInput:
    """What DynamoDB found wrong with a statement, with the caller's name of the table."""
    name = "NextToken" if "NextToken" in reason else STATEMENT
    reason = reason.replace(settings.table_name(), select.table_name)
    return BadInput({name: f"is refused by DynamoDB: {reason}"})


def guarded(select: PartiQLSelect, statement: str, parameters: Sequence[Any], table: str) -> str:
    """The statement with the deployed table's name in it.

    Raises BadInput unless it is one SELECT, from the table or its inverted index, that gives the
    partition key, and with it one of the item collections that may be read.
    """
    statement = statement.strip().removesuffix(";")
    if not re.match(r"SELECT\b", statement, re.IGNORECASE):
        raise _refused("must be a SELECT: this route reads and never writes")
    tokens = list(_tokens(statement))
    places = [at for at, token in enumerate(tokens) if token.is_word("FROM", "WHERE")]
    if [tokens[at].text.upper() for at in places] != ["FROM", "WHERE"]:
        raise _refused("must have one FROM, and one WHERE that gives the partition key: no scan")
    from_, where = places
    for at, token in enumerate(tokens):
        if at not in (0, from_, where) and token.is_word(*_OF_STATEMENTS):
            raise _refused(f"must be a single SELECT, without another {token.text.upper()}")
    source = tokens[from_ + 1 : where]
    index = _index(select, source)
    _check_partition(select, index, tokens, where, parameters)
    target = f'"{table}"."{index.name}"' if index.name else f'"{table}"'
    return statement[: source[0].start] + target + statement[source[-1].end :]


@lru_cache(maxsize=1)
def _grammar() -> re.Pattern[str]:
    return re.compile(
        r"\s*(?:(?P<text>'(?:[^']|'')*')"
        r'|(?P<quoted>"(?:[^"]|"")*")'
        r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
        r"|(?P<word>[A-Za-z_]\w*)"
        r"|(?P<sign><>|<=|>=|!=|<(?!<)|>(?!>)|[=*?.,()\[\]]))"
    )


def _tokens(statement: str) -> Iterator[Token]:
    at = 0
    while statement[at:].strip():
        found = _grammar().match(statement, at)
        if not found or not found.lastgroup:
            rest = statement[at:].strip()
            if rest.startswith(";"):
                raise _refused("must be one statement; another follows the semicolon")
            raise _refused(f"has something that is not understood here: {rest[:20]!r}")
        kind = found.lastgroup
        yield Token(kind, found[kind], found.start(kind), found.end(kind))
        at = found.end()


def _index(select: PartiQLSelect, source: list[Token]) -> Index:
    indexes = {
        (select.table_name,): TABLE,
        (f"{select.table_name}.{select.index_name}",): INVERTED_INDEX,
        (select.table_name, select.index_name): INVERTED_INDEX,
        (select.table_name, INVERTED_INDEX.name): INVERTED_INDEX,
    }
    shape = "".join("name" if token.kind == "quoted" else token.text for token in source)
    names = tuple(str(token.name) for token in source if token.kind == "quoted")
    if shape not in ("name", "name.name") or names not in indexes:
        raise _refused(
            f'must read from "{select.table_name}" or "{select.table_name}"."{select.index_name}"'
        )
    return indexes[names]


def _check_partition(
    select: PartiQLSelect, index: Index, tokens: list[Token], where: int, parameters: Sequence[Any]
) -> None:
    asked = sum(token.text == "?" for token in tokens)
    if asked != len(parameters):
        raise _refused(f"has {asked} placeholders (?), and Parameters has {len(parameters)} values")
    given = iter(parameters)
    values = {
        token.start: next(given) if token.text == "?" else token.text[1:-1].replace("''", "'")
        for token in tokens
        if token.text == "?" or token.kind == "text"
    }
    for conjunct in list(_conjuncts(tokens[where + 1 :])):  # all are checked before one counts
        if conjunct[0].name == index.partition_key and _gives_values(conjunct):
            texts = [values[token.start] for token in conjunct if token.start in values]
            _check_leading_keys(select.leading_keys(index), texts)
            return
    raise _refused(
        f"must give the partition key, as in {index.partition_key} = '...': it never scans"
    )


def _gives_values(conjunct: list[Token]) -> bool:
    """Whether it is `PK = value` or `PK IN [value, ...]`, with texts or placeholders as values."""
    shape = "".join(
        "v" if t.kind == "text" or t.text == "?" else t.text.upper() for t in conjunct[1:]
    )
    return bool(re.fullmatch(r"=v|IN\[v(,v)*\]|IN\(v(,v)*\)", shape))


def _check_leading_keys(allowed: tuple[str, ...], values: list[Any]) -> None:
    for value in values:
        if not isinstance(value, str) or not value.startswith(allowed):
            raise _refused(f"may read only keys that begin with {' or '.join(allowed)}")


def _conjuncts(condition: list[Token]) -> Iterator[list[Token]]:
    """The parts of a condition that AND joins on the top level."""
    part: list[Token] = []
    depth = 0
    between = False
    for token in condition:
        depth += (token.text in "([") - (token.text in ")]")
        if depth < 0:
            raise _refused("closes a bracket that it has not opened")
        if depth == 0 and token.is_word("OR"):
            raise _refused("may have OR only within parentheses, beside AND and the partition key")
        if depth == 0 and token.is_word("ORDER"):
            break  # an attribute of this name stands in double quotes
        if depth == 0 and token.is_word("AND") and not between:
            if part:
                yield part
            part = []
            continue
        between = token.is_word("BETWEEN") or (between and not token.is_word("AND"))
        part.append(token)
    if depth:
        raise _refused("opens a bracket that it does not close")
    if part:
        yield part


def _refused(reason: str) -> BadInput:
    return BadInput({STATEMENT: reason})
