"""`python -m tools.acknowledged [FOLDER]`: what the rule packs find and we accept, with reasons.

FOLDER is what a synthesis wrote, `cdk.out` if none is given.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

METADATA = "aws:cdk:acknowledged-rules"
NAMESPACE = r"^\w+::"
"""What the CDK puts before a rule's name: its own word, or the name of the pack."""


@dataclass(frozen=True)
class Acknowledged:
    """A finding that is accepted for a construct."""

    construct: str
    """The construct's path, its stack first."""
    rule: str
    reason: str


def acknowledged(assembly: Path) -> list[Acknowledged]:
    """Every acknowledgement in a cloud assembly, in the order of the constructs."""
    return [
        Acknowledged(path.removeprefix("/"), re.sub(NAMESPACE, "", rule), reason)
        for path, entry in _metadata(assembly)
        if entry["type"] == METADATA
        for rule, reason in entry["data"].items()
    ]


def summary(found: list[Acknowledged]) -> str:
    """How many there are, and a line for each rule: how often, the rule, the reason."""
    counts = Counter((each.rule, each.reason) for each in found)
    lines = [f"{len(found)} findings acknowledged, of {len(counts)} rules"]
    lines += [f"{count:4} x {rule}: {reason}" for (rule, reason), count in sorted(counts.items())]
    return "".join(f"{line}\n" for line in lines)


def _metadata(assembly: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    manifest = json.loads((assembly / "manifest.json").read_bytes())
    for artifact in manifest["artifacts"].values():
        if name := artifact.get("additionalMetadataFile"):
            by_path = json.loads((assembly / name).read_bytes())
            for path, entries in by_path.items():
                yield from ((path, entry) for entry in entries)


def main(arguments: list[str]) -> int:
    """Print the summary, and return the exit status."""
    assembly = Path(arguments[0] if arguments else "cdk.out")
    try:
        print(summary(acknowledged(assembly)), end="")
    except FileNotFoundError as error:
        print(f"error: {error.filename} is not there: `make synth` writes it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
