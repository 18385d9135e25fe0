"""`python -m docs.generate`: writes what of the documents follows from the declaration.

With `--check` it writes nothing, names what is out of date, and its exit status is 1 then.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import json

from bench import page
from docs import sample, single_table
from docs.data_model import data_model
from docs.faults import faults
from docs.guide import with_parts
from docs.matrix import matrix
from docs.monitoring import monitoring
from docs.security import with_figures
from docs.techniques import techniques
from explorer import exports, workbench
from explorer.captions import DEFAULT, Captions
from lambdas.runtime.items import Item
from lambdas.runtime.openapi import document, examples
from seed.datasets import DATASETS

ROOT: Final = Path(__file__).resolve().parent.parent
BEGIN: Final = "<!-- matrix:begin -->"
END: Final = "<!-- matrix:end -->"


def main(words: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Do as the command line says, and return the exit status."""
    parser = ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    only_check = parser.parse_args(words).check
    try:
        stale = list(_stale(root))
    except sample.BadExample as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for path, text in stale:
        if only_check:
            print(f"out of date: {path.relative_to(root)} (`make docs` renews it)", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"wrote {path.relative_to(root)}")
    return 1 if only_check and stale else 0


def _stale(root: Path) -> Iterator[tuple[Path, str]]:
    """The files that are not as they should be, and how they should be."""
    for name, text in _generated().items():
        path = root / name
        if not path.exists() or path.read_text("utf-8") != text:
            yield path, text
    by_hand = (
        ("README.md", with_matrix),
        ("SECURITY.md", with_figures),
        ("docs/guide.md", with_parts),
        ("docs/single-table.md", single_table.with_figures),
    )
    for name, renewed in by_hand:
        path = root / name
        if path.exists():
            before = path.read_text("utf-8")
            if (after := renewed(before)) != before:
                yield path, after


def _generated() -> dict[str, str]:
    """The files that are generated as a whole, by their path in the repository."""
    answers = sample.answers()
    recorded = examples.RECORDED.relative_to(ROOT).as_posix()
    return {
        recorded: _json(answers),
        "docs/openapi.json": _json(document(examples=answers)),
        "docs/data-model.md": data_model(),
        "docs/faults.md": faults(),
        "docs/monitoring.md": monitoring(),
        "docs/techniques.md": techniques(),
        "docs/explorer.html": exports.page(sample.TABLE_NAME, _items(), Captions(DEFAULT)),
        "docs/workbench.json": workbench.written(
            workbench.model(sample.TABLE_NAME, _items(), sample.NOW)
        ),
        page.PAGE: page.text(),
    }


def _items() -> list[Item]:
    """The example data of all datasets."""
    return [item for dataset in DATASETS for item in sample.items(dataset)]


def with_matrix(text: str) -> str:
    """The text with the matrix between its markers; as it was where it has none."""
    found = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return found.sub(lambda _: f"{BEGIN}\n\n{matrix()}\n\n{END}", text)


def _json(value: Any) -> str:
    written = json.Encoder(decimal_format="number").encode(value)
    return json.format(written, indent=2).decode() + "\n"


if __name__ == "__main__":
    sys.exit(main())
