"""Small pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def code(text: str) -> str:
    """A text as code; a cell of a table takes it as well."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a row of titles."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def picture(name: str, alt: str) -> str:
    """A plot of the page; `alt` says what is to be seen in it, for those who do not see it."""
    return f"![{alt}](plots/{name}.svg)"
