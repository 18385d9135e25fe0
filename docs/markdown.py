"""Small pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_FIGURE: Final = re.compile(r"-?[\d,]+(\.\d+)?%?")


def code(text: str) -> str:
    """A text as code; a cell of a table takes it as well."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a row of titles. Columns of figures stand on the right."""
    body = [list(cells) for cells in rows]
    rule = ["--:" if _is_of_figures(column) else "---" for column in zip(*body, strict=True)]
    lines = [header, rule or ["---"] * len(header), *body]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _is_of_figures(column: Sequence[str]) -> bool:
    written = [cell for cell in column if cell]
    return bool(written) and all(_FIGURE.fullmatch(cell) for cell in written)


def picture(name: str, alt: str) -> str:
    """A plot of the page; `alt` says what is to be seen in it, for those who do not see it."""
    return f"![{alt}](plots/{name}.svg)"


def between_markers(text: str, blocks: Mapping[str, str]) -> str:
    """A text written by hand, with each block between the markers of its name; a block without
    both markers is left out."""
    for name, block in blocks.items():
        begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
        before, _, rest = text.partition(begin)
        _, is_there, after = rest.partition(end)
        if is_there:
            text = f"{before}{begin}\n\n{block}\n\n{end}{after}"
    return text
