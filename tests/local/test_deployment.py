import os
from pathlib import Path

import pytest

from local import deployment
from local.cloud import local_url
from local.deployment import Deployment, check_tools, context
from local.process import RunError


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    monkeypatch.setenv("AWS_PROFILE", "prod")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/home/ann/.aws/config")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREAL")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "real")
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", "111111111111")
    monkeypatch.setenv("NO_PROXY", "intranet")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    return Deployment("http://127.0.0.1:4566", tmp_path).environment


def test_nothing_of_a_real_account_reaches_the_deployment(environment: dict[str, str]) -> None:
    assert environment["AWS_ACCESS_KEY_ID"] == "local"
    assert environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:4566"
    assert environment["AWS_CONFIG_FILE"] == os.devnull
    assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN", "CDK_DEFAULT_ACCOUNT"} & set(environment)


def test_a_profile_that_the_person_has_chosen_for_the_cdk_is_not_used(tmp_path: Path) -> None:
    deployment = Deployment("http://127.0.0.1:4566", tmp_path)
    command = deployment.cdk("deploy")
    assert "--profile=local" in command.arguments
    credentials = Path(command.environment["AWS_SHARED_CREDENTIALS_FILE"])
    assert credentials.is_relative_to(tmp_path)


def test_a_proxy_is_not_asked_for_the_emulator(environment: dict[str, str]) -> None:
    assert environment["NO_PROXY"] == "intranet,127.0.0.1"


def test_what_has_nothing_to_do_with_accounts_stays(environment: dict[str, str]) -> None:
    assert environment["LANG"] == "de_DE.UTF-8"


def test_a_local_deployment_is_open_and_of_the_stage_dev() -> None:
    assert {"--context=stage=dev", "--context=auth=none"} <= set(context())


@pytest.mark.parametrize(
    ("machine", "architecture"),
    [("x86_64", "x86_64"), ("AMD64", "x86_64"), ("arm64", "arm64"), ("aarch64", "arm64")],
)
def test_the_functions_are_built_for_this_machine(
    machine: str, architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert f"--context=architecture={architecture}" in context()


def test_a_missing_command_line_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(deployment, "CDK", tmp_path / "cdk")
    with pytest.raises(RunError, match=r"not installed: .*the CDK's command line \(`make run`"):
        check_tools()


@pytest.mark.parametrize(
    "api_url",
    [
        "https://1a2b3c4d.execute-api.us-east-1.amazonaws.com/",
        "http://1a2b3c4d.execute-api.localhost:4566",
    ],
)
def test_the_local_address_of_an_api_needs_no_name_to_be_resolved(api_url: str) -> None:
    assert local_url(api_url, "http://127.0.0.1:4566") == (
        "http://127.0.0.1:4566/_aws/execute-api/1a2b3c4d"
    )
