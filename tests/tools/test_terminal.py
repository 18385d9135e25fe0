from __future__ import annotations

from pathlib import Path

import boto3
import pytest

from tools import call, guard, outputs, terminal

SETTINGS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_SECRET_ACCESS_KEY",
)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A terminal in which nothing of AWS is set, beside no local cloud."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(terminal, "ENV_FILE", tmp_path / "env")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # another test's, with its credentials


WAYS = """
  for AWS: set AWS_REGION, and AWS_PROFILE or other credentials
  for the local cloud (`make run` starts it): set -a; source .local/env; set +a
"""


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:4566", "http://localhost:4600", "http://[::1]:1"]
)
def test_what_is_for_aws_is_refused_where_the_terminal_sees_the_local_cloud(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    assert terminal.main() == 1
    assert capsys.readouterr().err == (
        f"error: this terminal sees the local cloud ({url}): restart `make run` to deploy a change "
        "there, or open a new terminal for AWS\n"
    )


@pytest.mark.parametrize("url", ["", "https://cloudformation.eu-central-1.amazonaws.com"])
def test_elsewhere_it_goes_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    assert terminal.main() == 0


def test_where_no_region_is_set_it_is_said_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert outputs.main(["TableName"]) == 1
    assert capsys.readouterr().err == f"error: stack SingleTable: You must specify a region.{WAYS}"


def test_where_no_credentials_are_set_as_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    assert outputs.main(["TableName"]) == 1
    told = capsys.readouterr().err
    assert told == f"error: stack SingleTable: Unable to locate credentials{WAYS}"


def test_the_guard_says_it_too() -> None:
    with pytest.raises(outputs.LookUpError) as found:
        guard.deployed("SingleTable", None)
    assert f"{found.value}\n" == f"stack SingleTable: You must specify a region.{WAYS}"


def test_and_so_does_a_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROUTE", "GET /ecommerce/users/U-001")
    monkeypatch.setenv("API_URL", "https://orders.example.com")
    assert call.main() == 1
    assert capsys.readouterr().err == f"error: no AWS credentials{WAYS}"


def test_it_is_said_whether_a_local_cloud_runs(tmp_path: Path) -> None:
    (tmp_path / "env").touch()
    assert "for the local cloud (running now): set -a;" in terminal.ways()


def test_a_local_cloud_that_has_ended_is_told_from_aws_that_cannot_be_reached(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in SETTINGS:
        monkeypatch.setenv(name, "eu-central-1")
    monkeypatch.delenv("AWS_PROFILE")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    assert outputs.main(["TableName"]) == 1
    assert capsys.readouterr().err.endswith(
        '"http://127.0.0.1:1/"\n  this terminal sees the local cloud, which does not run: '
        "`make run` starts it, and a new terminal sees AWS\n"
    )
