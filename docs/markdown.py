"""Small pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


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
