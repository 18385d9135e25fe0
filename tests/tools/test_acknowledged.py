from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import acknowledged
from tools.acknowledged import Acknowledged


@pytest.fixture
def assembly(tmp_path: Path) -> Path:
    """What a synthesis writes, as far as it is read: a stack with two functions."""

    def accepts(rule: str, reason: str) -> dict[str, object]:
        return {"type": "aws:cdk:acknowledged-rules", "data": {rule: reason}}

    metadata = {
        "/Api/One/Role": [
            {"type": "aws:cdk:logicalId", "data": "OneRole"},
            accepts("Annotation::Pack-IAM5[Resource::*]", "X-Ray"),
        ],
        "/Api/Two/Role": [accepts("Pack::Pack-IAM5[Resource::*]", "X-Ray")],
        "/Api/Two": [accepts("Annotation::Pack-L1", "asked for")],
    }
    artifacts = {"Api": {"additionalMetadataFile": "Api.metadata.json"}, "Api.assets": {}}
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
    (tmp_path / "Api.metadata.json").write_text(json.dumps(metadata))
    return tmp_path


def test_every_acknowledgement_is_read_whatever_stands_before_the_rule(assembly: Path) -> None:
    assert acknowledged.acknowledged(assembly) == [
        Acknowledged("Api/One/Role", "Pack-IAM5[Resource::*]", "X-Ray"),
        Acknowledged("Api/Two/Role", "Pack-IAM5[Resource::*]", "X-Ray"),
        Acknowledged("Api/Two", "Pack-L1", "asked for"),
    ]


def test_they_are_printed_by_rule_with_their_number(
    assembly: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert acknowledged.main([str(assembly)]) == 0
    assert capsys.readouterr().out == (
        "3 findings acknowledged, of 2 rules\n"
        "   2 x Pack-IAM5[Resource::*]: X-Ray\n"
        "   1 x Pack-L1: asked for\n"
    )


def test_without_a_synthesis_it_says_how_to_come_by_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert acknowledged.main([str(tmp_path)]) == 1
    assert "make synth" in capsys.readouterr().err
