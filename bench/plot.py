"""The plots' common look. They come out the same each time: nothing in them is random or dated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "single-table",
    "svg.fonttype": "none",  # text stays text, to be read aloud, searched and compared
    "font.size": 10,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "figure.facecolor": "white",
    "legend.frameon": False,
}

COLOURS: Final = ("#0b5fa5", "#d1660a", "#2f7d3b", "#8fbf5f", "#7a3e9d", "#5f6b76", "#a61c3c")
"""They differ in lightness too, for those who see fewer colours and for print."""


@contextmanager
def style() -> Iterator[None]:
    """What is drawn and written within looks like the page's other plots."""
    with mpl.rc_context(STYLE):
        yield


def figure(width: float = 8, height: float = 4) -> Figure:
    """An empty figure, its size in inches. It belongs to no window, so none has to be closed."""
    return Figure(figsize=(width, height), layout="constrained")


def svg(drawn: Figure) -> str:
    """A figure as an SVG file."""
    file = StringIO()
    drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())
