"""The dashboard as it is synthesized: read out of the committed snapshot of its template."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
SNAPSHOT: Final = ROOT / "tests/stacks/__snapshots__/test_snapshots/test_monitoring_template.json"
"""What `make snapshots` writes."""


PICTURE: Final = "docs/monitoring.png"


def digest() -> str:
    """Of the dashboard; the picture has it, to be told from the picture of another one."""
    return sha256(json.dumps(body(template())).encode()).hexdigest()


def template() -> dict[str, Any]:
    """The template of the monitoring."""
    found: dict[str, Any] = json.loads(SNAPSHOT.read_bytes())
    return found


def of_type(kind: str, template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The properties of all resources of a type, by their logical ids."""
    resources = template["Resources"].items()
    return {name: each["Properties"] for name, each in resources if each["Type"] == kind}


def body(template: dict[str, Any]) -> dict[str, Any]:
    """The dashboard, with a name in the place of what only a deployment knows."""
    [dashboard] = of_type("AWS::CloudWatch::Dashboard", template).values()
    found: dict[str, Any] = json.loads(_resolved(dashboard["DashboardBody"]))
    return found


def _resolved(value: Any) -> str:
    match value:
        case str():
            return value
        case {"Fn::Join": [str(between), list(parts)]}:
            return between.join(_resolved(part) for part in parts)
        case {"Ref": str(name)} | {"Fn::ImportValue": str(name)} | {"Fn::GetAtt": [str(name), _]}:
            return name
    raise ValueError(f"unknown in a dashboard: {json.dumps(value)}")
