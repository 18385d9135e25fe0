"""What the doctor says in the end."""

from __future__ import annotations

from typing import Any, Final

from msgspec import json

from doctor.faults import KINDS, Kind
from doctor.tally import Count, Tally

INDENT: Final = "    "


def as_text(tally: Tally, table: str, *, is_dry: bool) -> str:
    """The report for people: each kind that was found, how often, examples, and what is done."""
    blocks = [
        _block(kind, tally.counts[kind.name], is_dry=is_dry)
        for kind in KINDS
        if kind.name in tally.counts
    ]
    return "\n\n".join([*blocks, _end(tally, table)])


def as_json(tally: Tally, table: str) -> str:
    """The report for programs."""
    kinds: list[dict[str, Any]] = [
        {
            "kind": kind.name,
            "meaning": kind.meaning,
            "isFault": kind.is_fault,
            "cure": kind.cure,
            "found": count.found,
            "mendable": count.mendable,
            "mended": count.mended,
            "examples": count.examples,
        }
        for kind in KINDS
        if (count := tally.counts.get(kind.name))
    ]
    report = {
        "table": table,
        "items": tally.items,
        "wrong": tally.wrong,
        "changedMeanwhile": tally.moving,
        "kinds": kinds,
    }
    return json.format(json.encode(report), indent=2).decode()


def _block(kind: Kind, count: Count, *, is_dry: bool) -> str:
    lines = [f"{kind.name}: {count.found}", f"{INDENT}{kind.meaning}"]
    lines += [f"{INDENT}- {example}" for example in count.examples]
    if (more := count.found - len(count.examples)) > 0:
        lines.append(f"{INDENT}- and {more} more")
    return "\n".join([*lines, *(f"{INDENT}{line}" for line in _done(kind, count, is_dry=is_dry))])


def _done(kind: Kind, count: Count, *, is_dry: bool) -> list[str]:
    if not kind.is_fault:
        return []
    said = []
    if count.mended:
        said.append(f"{count.mended} mended: {kind.cure}")
    if would := count.mendable - count.mended:
        said.append(f"{would} {'would be' if is_dry else 'can be'} mended: {kind.cure}")
    if left := count.found - count.mendable:
        said.append(f"{left} left: it does not follow from the declaration; for you to decide")
    return said


def _end(tally: Tally, table: str) -> str:
    looked = f"{tally.items} items of {table}"
    moving = (
        f"; {tally.moving} items were changed by others each time, run it again for them"
        if tally.moving
        else ""
    )
    if not tally.wrong:
        return f"{looked}: nothing is wrong" + (" any more" if _mended(tally) else "") + moving
    return (
        f"{looked}: {tally.wrong} faults"
        + (f", {_mended(tally)} mended" if _mended(tally) else "")
        + moving
    )


def _mended(tally: Tally) -> int:
    return sum(count.mended for count in tally.counts.values())
