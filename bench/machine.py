"""On what something was measured: whoever runs it elsewhere gets other milliseconds."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Final

from bench.results import Found

PACKAGES: Final = ("boto3", "botocore", "msgspec")


def this() -> Found:
    """This machine, Python and the packages that matter, and the day."""
    return {
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "system": f"{platform.system()} on {platform.machine()}",
        "day": datetime.now(UTC).date().isoformat(),
    }


def said(machine: Found) -> str:
    """A sentence of it."""
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    return (
        f"Measured on {machine['day']} with Python {machine['python']}, {packages}, "
        f"{machine['system']}."
    )
