import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.cloud import Cloud
from local.env_file import remove_env, write_env


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        yield process


@pytest.fixture
def cloud(process: subprocess.Popen[bytes]) -> Cloud:
    endpoint = "http://127.0.0.1:4566"
    return Cloud(f"{endpoint}/_aws/execute-api/1a2b3c4d", "Table-1", endpoint, process)


@pytest.fixture
def another_cloud(process: subprocess.Popen[bytes]) -> Cloud:
    endpoint = "http://127.0.0.1:4600"
    return Cloud(f"{endpoint}/_aws/execute-api/5e6f7a8b", "Table-2", endpoint, process)


def test_a_shell_reads_from_the_file_what_was_written(tmp_path: Path, cloud: Cloud) -> None:
    file = tmp_path / "env"
    write_env(file, cloud)
    command = ["/bin/sh", "-ec", f'set -a; . "{file}"; env']
    shell = subprocess.run(command, capture_output=True, text=True, check=True, env={})  # noqa: S603
    variables = dict(line.split("=", 1) for line in shell.stdout.splitlines())
    names = ["API_URL", "TABLE_NAME", "AWS_ENDPOINT_URL", "AWS_REGION"]
    assert [variables[name] for name in names] == [
        "http://127.0.0.1:4566/_aws/execute-api/1a2b3c4d",
        "Table-1",
        "http://127.0.0.1:4566",
        "us-east-1",
    ]
    assert variables["AWS_ACCESS_KEY_ID"]
    assert variables["AWS_SECRET_ACCESS_KEY"]


def test_every_line_is_a_name_and_a_value(tmp_path: Path, cloud: Cloud) -> None:
    file = tmp_path / "env"
    write_env(file, cloud)
    names = [line.split("=", 1)[0] for line in file.read_text().splitlines()]
    assert names == [
        "API_URL",
        "TABLE_NAME",
        "STAGE",
        "AWS_ENDPOINT_URL",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
    ]


def test_the_folder_holds_nothing_but_the_file(tmp_path: Path, cloud: Cloud) -> None:
    write_env(tmp_path / "env", cloud)
    assert [file.name for file in tmp_path.iterdir()] == ["env"]


def test_a_run_removes_the_file_that_it_wrote(tmp_path: Path, cloud: Cloud) -> None:
    file = tmp_path / "env"
    write_env(file, cloud)
    remove_env(file, cloud.endpoint_url)
    assert not file.exists()


def test_a_run_leaves_the_file_of_a_later_run_alone(
    tmp_path: Path, cloud: Cloud, another_cloud: Cloud
) -> None:
    file = tmp_path / "env"
    write_env(file, cloud)
    write_env(file, another_cloud)
    remove_env(file, cloud.endpoint_url)
    assert "4600" in file.read_text()


def test_a_file_that_somebody_removed_is_no_trouble(tmp_path: Path, cloud: Cloud) -> None:
    remove_env(tmp_path / "env", cloud.endpoint_url)
