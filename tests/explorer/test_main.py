from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs import sample
from explorer import __main__ as main_module
from explorer import arguments, connection, exports, reading
from explorer.__main__ import main
from explorer.connection import NoTable, choose, use
from lambdas.design.table import INDEXES
from lambdas.runtime import store

ENV = """API_URL=http://127.0.0.1:4566/_aws/execute-api/abc
TABLE_NAME=SingleTable-dev-Table
AWS_ENDPOINT_URL=http://127.0.0.1:4566
AWS_REGION=us-east-1
AWS_ACCESS_KEY_ID=local
AWS_SECRET_ACCESS_KEY='lo cal'
"""


@pytest.fixture
def example_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(main_module, "use", lambda _: None)
    with sample.table():
        yield sample.TABLE_NAME


# --- Which table ----------------------------------------------------------------------------


def test_the_local_cloud_s_table_is_shown_unless_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text(ENV, "utf-8")

    chosen = choose(None, None, None, file)

    assert (chosen.table, chosen.place) == ("SingleTable-dev-Table", "http://127.0.0.1:4566")
    assert chosen.api_url == "http://127.0.0.1:4566/_aws/execute-api/abc"
    assert chosen.environment["AWS_SECRET_ACCESS_KEY"] == "lo cal"


def test_without_a_local_cloud_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoTable, match="make run"):
        choose(None, None, None, tmp_path / "env")


def test_a_table_that_is_named_is_only_read() -> None:
    chosen = choose("SingleTable", "eu-central-1", None)

    assert (chosen.place, chosen.api_url) == ("AWS", None)
    assert chosen.environment == {
        "TABLE_NAME": "SingleTable",
        "AWS_REGION": "eu-central-1",
        "AWS_DEFAULT_REGION": "eu-central-1",
    }


def test_the_process_is_pointed_at_the_table_and_around_proxies_for_this_machine_alone() -> None:
    local, aws = {"NO_PROXY": "internal"}, {"NO_PROXY": "internal"}

    use(choose("shop", None, "http://127.0.0.1:4566"), local)
    use(choose("shop", None, None), aws)

    assert local["NO_PROXY"] == "internal,127.0.0.1,localhost"
    assert local["AWS_ENDPOINT_URL"] == "http://127.0.0.1:4566"
    assert aws == {"NO_PROXY": "internal", "TABLE_NAME": "shop"}


# --- What the command does ------------------------------------------------------------------


def test_a_fault_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connection, "LOCAL_ENV", tmp_path / "env")
    monkeypatch.setattr(main_module, "choose", lambda *_: choose(None, None, None, tmp_path / "x"))

    assert main([]) == 1
    assert capsys.readouterr().err.startswith("error: no local cloud is running")


@pytest.mark.usefixtures("example_table")
def test_a_table_that_is_not_there_is_told_at_the_start(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLE_NAME", "another")
    monkeypatch.setattr(main_module, "check_port", lambda *_: None)

    assert main(["--table", "another"]) == 1
    assert capsys.readouterr().err == (
        "error: the table another at AWS cannot be read: ResourceNotFoundException\n"
    )


def test_without_a_region_it_says_how_to_name_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setattr(main_module, "check_port", lambda *_: None)
    store.client.cache_clear()

    assert main(["--table", "another"]) == 1
    assert capsys.readouterr().err.startswith("error: no AWS region is set: --region")


def test_a_port_that_is_taken_is_told(
    example_table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["--table", example_table, "--port", str(taken.getsockname()[1])]) == 1

    assert capsys.readouterr().err.endswith(
        'is taken; choose another: make explore ARGS="--port 4801", '
        "or python -m explorer --port 4801\n"
    )


def test_the_views_are_written_to_files(
    example_table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    html, model = tmp_path / "new" / "table.html", tmp_path / "model.json"

    words = ["export", "--table", example_table, "--html", str(html), "--workbench", str(model)]
    assert main([*words, "--entity", "Follow", "--language", "de"]) == 0

    assert '<html lang="de"' in html.read_text("utf-8")
    assert "FOLLOWS#" in html.read_text("utf-8")
    assert "ORDER#" not in html.read_text("utf-8").partition("</style>")[2].partition("#")[2]
    assert capsys.readouterr().out == f"wrote {html}\nwrote {model}\n"
    [table] = json.loads(model.read_bytes())["DataModel"]
    assert len(table["GlobalSecondaryIndexes"]) == len(INDEXES)


def test_pictures_without_a_browser_are_a_fault_in_one_line(
    example_table: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: object) -> None:
        raise exports.NoBrowser("no browser")

    monkeypatch.setattr(exports, "pictures", none)

    assert main(["export", "--table", example_table, "--png", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "error: no browser\n"


def test_an_export_that_names_no_file_is_a_wrong_command_line() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", "--table", "shop"])

    assert ended.value.code == 2


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x", "٤"])
def test_a_port_that_is_none_is_a_wrong_command_line(port: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--port", port])

    assert ended.value.code == 2


def test_the_table_may_be_named_before_the_command_or_after_it() -> None:
    before = arguments.read(["--table", "shop", "export", "--html", "x"])
    after = arguments.read(["export", "--html", "x", "--table", "shop"])

    assert before.table == after.table == "shop"
    assert arguments.read(["export", "--html", "x"]).table is None


def test_a_model_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, none = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "none.json"
    good.write_bytes((Path(__file__).parents[2] / "docs" / "workbench.json").read_bytes())
    bad.write_text('{"ModelName": "x"}', "utf-8")

    assert main(["check-workbench", str(good)]) == 0
    assert main(["check-workbench", str(bad)]) == 1
    assert main(["check-workbench", str(none)]) == 1

    told = capsys.readouterr()
    assert told.out == f"{good}: a model that NoSQL Workbench can import\n"
    assert "Object missing required field" in told.err
    assert "No such file" in told.err


def test_what_the_table_has_is_counted(example_table: str) -> None:
    assert example_table
    assert reading.item_count() > 50
