"""The links of a page that is written by hand."""

from __future__ import annotations

import re
from pathlib import Path


def broken(page: Path) -> list[str]:
    """The links that lead to no file, or to no heading of one."""
    targets = re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8"))
    return [target for target in targets if not _leads_somewhere(page, target)]


def _leads_somewhere(page: Path, target: str) -> bool:
    name, _, heading = target.partition("#")
    file = (page.parent / name).resolve() if name else page
    if not heading or not file.exists():
        return file.exists()
    return heading in map(_anchor, re.findall(r"(?m)^#+ (.+)$", file.read_text("utf-8")))


def _anchor(title: str) -> str:
    """The name that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
