"""The program that `cdk` runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stacks.dependencies import ROOT
from tests.stacks.synthesis import Synthesized, cdk_context


def run_app(folder: Path, **context: str) -> subprocess.CompletedProcess[str]:
    """Run the app as `cdk` does, without any credentials to find."""
    nowhere = str(folder / "nowhere")
    personal = {name: v for name, v in os.environ.items() if not name.startswith(("AWS_", "CDK_"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "app.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={
            **personal,
            "AWS_CONFIG_FILE": nowhere,
            "AWS_SHARED_CREDENTIALS_FILE": nowhere,
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_OUTDIR": str(folder / "cdk.out"),
            "CDK_CONTEXT_JSON": json.dumps({**cdk_context(), **context}),
        },
    )


def test_it_writes_the_templates_without_credentials(
    templates: Synthesized, tmp_path: Path
) -> None:
    finished = run_app(tmp_path)

    assert finished.returncode == 0, finished.stderr
    written = tmp_path / "cdk.out"
    assert json.loads((written / "SingleTable.template.json").read_bytes()) == (
        templates.table.template
    )
    api = json.loads((written / "SingleTableApi.template.json").read_bytes())
    assert list(api["Resources"]) == list(templates.api.template["Resources"])
    assert json.loads((written / "SingleTableMonitoring.template.json").read_bytes()) == (
        templates.monitoring.template
    )


def test_it_names_neither_account_nor_region(templates: Synthesized) -> None:
    manifest = json.loads((templates.folder / "manifest.json").read_bytes())

    environments = [
        artifact["environment"]
        for artifact in manifest["artifacts"].values()
        if artifact["type"] == "aws:cloudformation:stack"
    ]
    assert environments == ["aws://unknown-account/unknown-region"] * 3
    assert "missing" not in manifest  # nothing would have to be looked up


@pytest.mark.parametrize(("key", "value"), [("stage", "foo"), ("architecture", "sparc")])
def test_a_bad_context_ends_with_an_error_that_names_it(
    tmp_path: Path, key: str, value: str
) -> None:
    finished = run_app(tmp_path, **{key: value})

    assert finished.returncode != 0
    last = finished.stderr.strip().splitlines()[-1]
    assert f"{key}='{value}'" in last
    assert not (tmp_path / "cdk.out" / "manifest.json").exists()
