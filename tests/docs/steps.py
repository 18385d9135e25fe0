"""What a page tells its reader to do: change a file, make one, or type a command."""

from __future__ import annotations

import re
from pathlib import Path

STEP = re.compile(
    r"(?ms)^In `(?P<file>[^`\n]+)`, (?P<where>before|after|replace) `(?P<anchor>[^`\n]+)`(?:,| by)"
    r"(?: add)?(?: `(?P<line>[^`\n]+)`\.|:\n\n```(?:python|text)\n(?P<lines>.*?)\n```)$"
    r"|^Make `(?P<new>[^`\n]+)`:\n\n```python\n(?P<whole>.*?)\n```$"
    r"|^```bash\n(?P<command>[^`]*?)\n```\n\n```(?P<language>\w+)\n(?P<shown>.*?)\n```$"
)

Step = re.Match[str]


def steps(text: str) -> list[Step]:
    """The steps of a part of a page, in their order; none is written so that it is overlooked."""
    found = list(STEP.finditer(text))
    assert len(found) == len(re.findall(r"(?m)^(?:In|Make) `|^```bash$", text)) > 0
    return found


def edited(step: Step, before: str) -> str:
    """The text of a file as it is after a step; `...` in a line to look for is anything.

    What comes before something else stands apart from it, as Python is written.
    """
    if step["new"]:
        return f"{step['whole']}\n"
    lines = before.splitlines()
    anchor = re.compile(r"( *)" + ".*".join(map(re.escape, step["anchor"].split("..."))))
    places = [(n, found[1]) for n, line in enumerate(lines) if (found := anchor.fullmatch(line))]
    assert len(places) == 1, f"{step['file']} has {len(places)} lines {step['anchor']!r}"
    [(at, indent)] = places
    new = [f"{indent}{line}".rstrip() for line in (step["line"] or step["lines"]).split("\n")]
    if step["where"] == "before" and len(new) > 1:
        new += ["", ""] if new[0].startswith(("class ", "def ")) else [""]
    ends = {"before": (at, at), "after": (at + 1, at + 1), "replace": (at, at + 1)}
    lines[slice(*ends[step["where"]])] = new
    return "\n".join(lines) + "\n"


def follow(step: Step, folder: Path) -> None:
    """Change or make the file that a step is about, in a copy of the project."""
    path = folder / (step["new"] or step["file"])
    path.write_text(edited(step, "" if step["new"] else path.read_text("utf-8")), "utf-8")
