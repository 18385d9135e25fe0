"""Finds in the log of a failed command the one line that says why."""

import re
from pathlib import Path

REASONS = [
    re.compile(r"\| \w+_FAILED +\|[^|]+\| +(?P<reason>.+)"),  # a resource of CloudFormation's
    re.compile(r"^‣ (?P<reason>.+)"),  # a deployment as a whole
    re.compile(r"^❌ .*? failed.*?: (?P<reason>.+)"),  # another failure of the CDK's command line
    re.compile(r"^(?:ERROR|ERROR:|error:) (?P<reason>.+)"),  # of the app, the emulator or the seed
]
"""The most telling first."""

SAYS_NOTHING = re.compile(r"^\s*$|Subprocess exited with error|Resource creation cancelled")


def reason(log: Path) -> str:
    """Return why the command failed: a line of its log, the last one if none stands out."""
    lines = log.read_text("utf-8", "replace").splitlines()
    lines = [line.strip() for line in lines if not SAYS_NOTHING.search(line)]
    for pattern in REASONS:
        for line in lines:
            if match := pattern.search(line):
                return match["reason"]
    return lines[-1] if lines else "it did not say why"
