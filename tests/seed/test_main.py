from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from lambdas.runtime.items import Item
from seed import __main__ as command
from seed import datasets
from seed.datasets import ALL
from seed.faults import Failure
from tests.seed.conftest import NOW
from tests.seed.reluctant import Reluctant, refusal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PROJECT = Path(command.__file__).parent.parent
NOW_TEXT = "2025-01-15T12:00:00Z"

Stored = Callable[[], list[Item]]
Run = Callable[..., int]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def run(table: str) -> Run:
    """Runs the command as of one time, on the table; its exit status."""
    return lambda *words: command.main([*words, "--table", table, "--now", NOW_TEXT])


@pytest.fixture
def local(reluctant: Reluctant, monkeypatch: pytest.MonkeyPatch) -> Reluctant:
    """The client that the command gets: that of a table on this machine."""
    monkeypatch.setattr(command, "connect", lambda _endpoint_url: reluctant.client)
    return reluctant


@pytest.fixture
def changed(dynamodb: DynamoDBClient, table: str, run: Run) -> None:
    """A loaded table in which Alice has paid an order since."""
    assert run() == 0
    dynamodb.update_item(
        TableName=table,
        Key={"PK": {"S": "USER#U-001"}, "SK": {"S": "ORDER#2024-01-15"}},
        UpdateExpression="SET #Status = :paid, #Version = :two",
        ExpressionAttributeNames={"#Status": "Status", "#Version": "Version"},
        ExpressionAttributeValues={":paid": {"S": "PAID"}, ":two": {"N": "2"}},
    )


def types_(line: str) -> tuple[str, int]:
    kind, count = line.split()
    return kind, int(count)


# --- Loading


def test_every_item_of_the_dataset_is_written_and_nothing_else(run: Run, stored: Stored) -> None:
    assert run("ecommerce") == 0
    expected = datasets.items("ecommerce", NOW)
    assert stored() == sorted(expected, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))


def test_the_result_is_a_count_by_type_and_the_way_there_is_told_apart(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 0
    out, err = capsys.readouterr()
    expected = Counter(item["Type"]["S"] for item in datasets.items(ALL, NOW))
    header, rule, *rows, second_rule, total = out.splitlines()
    assert header.split() == ["Type", "Items"]
    assert {rule, second_rule} == {"-" * len(header)}
    assert dict(map(types_, rows)) == expected
    assert types_(total) == ("Total", expected.total())
    assert {len(line) for line in out.splitlines()} == {len(header)}
    first, last = err.splitlines()
    assert first == f"loading single-table: {expected.total()} items"
    assert last.startswith(f"wrote {expected.total()} items in ")


def test_a_second_run_as_of_the_same_time_changes_nothing(run: Run, stored: Stored) -> None:
    assert run() == 0
    before = stored()
    assert run() == 0
    assert stored() == before


def test_a_run_as_of_another_time_moves_the_ends_of_sessions_alone(
    run: Run, stored: Stored, table: str
) -> None:
    assert run() == 0
    before = stored()
    assert command.main(["--table", table, "--now", "2025-01-15T13:00:00Z"]) == 0
    differing = [item for item, old in zip(stored(), before, strict=True) if item != old]
    assert {item["Type"]["S"] for item in differing} == {"Session"}


def test_what_is_not_of_the_dataset_stays(
    run: Run, stored: Stored, dynamodb: DynamoDBClient, table: str
) -> None:
    other: Item = {"PK": {"S": "USER#U-0010"}, "SK": {"S": "PROFILE"}, "Version": {"N": "7"}}
    dynamodb.put_item(TableName=table, Item=other)
    assert run() == 0
    assert run() == 0
    assert other in stored()


def test_what_was_deleted_comes_back(
    run: Run, stored: Stored, dynamodb: DynamoDBClient, table: str
) -> None:
    assert run() == 0
    before = stored()
    key = {"PK": {"S": "JOB#J-001"}, "SK": {"S": "JOB#J-001"}}
    dynamodb.delete_item(TableName=table, Key=key)
    assert run() == 0
    assert stored() == before


def test_what_dynamodb_gives_back_for_ever_is_reported_and_the_rest_is_written(
    run: Run, local: Reluctant, stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    local.gives_back = lambda key: float("inf") if key == "ORDER#2024-01-15" else 0
    assert run("ecommerce") == 1
    expected = len(datasets.items("ecommerce", NOW))
    assert len(stored()) == expected - 1
    told = error(capsys)
    assert f"has not taken 1 of {expected} items" in told
    assert "Order USER#U-001 / ORDER#2024-01-15" in told


# --- Items that have been changed


@pytest.mark.usefixtures("changed")
def test_a_changed_item_is_not_overwritten_and_nothing_else_is_written(
    run: Run,
    stored: Stored,
    dynamodb: DynamoDBClient,
    table: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    key = {"PK": {"S": "JOB#J-001"}, "SK": {"S": "JOB#J-001"}}
    dynamodb.delete_item(TableName=table, Key=key)
    before = stored()
    capsys.readouterr()
    assert run() == 1
    assert stored() == before
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: 1 of ")
    assert "Order USER#U-001 / ORDER#2024-01-15;" in err
    assert "--reset empties the whole table" in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("changed", "local")
def test_reset_loads_a_changed_table_anew(
    run: Run,
    stored: Stored,
    dynamodb: DynamoDBClient,
    table: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    dynamodb.put_item(TableName=table, Item={"PK": {"S": "other"}, "SK": {"S": "other"}})
    capsys.readouterr()
    assert run("ecommerce", "--reset") == 0
    expected = datasets.items("ecommerce", NOW)
    assert stored() == sorted(expected, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
    assert "emptying single-table ...\ndeleted " in capsys.readouterr().err


# --- Made-up items, and lines


def test_made_up_items_are_loaded_and_counted(
    run: Run, stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("social", "--generate", "130") == 0
    out, err = capsys.readouterr()
    assert types_(out.splitlines()[-1]) == ("Total", 130)
    assert len(stored()) == 130
    began, read, *_ = err.splitlines()
    assert (began, read[:14]) == ("reading single-table: 130 items", "read 130 items")


def test_made_up_items_that_have_been_changed_are_not_overwritten(
    run: Run,
    stored: Stored,
    dynamodb: DynamoDBClient,
    table: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("social", "--generate", "130") == 0
    changed: Item = {**stored()[0], "Version": {"N": "2"}}
    dynamodb.put_item(TableName=table, Item=changed)
    capsys.readouterr()
    assert run("social", "--generate", "130") == 1
    assert "error: 1 of 130 items have been changed" in capsys.readouterr().err
    assert changed in stored()


def test_lines_are_those_that_dynamodb_imports_and_stand_alone_on_the_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(["ecommerce", "--format", "dynamodb-json", "--now", NOW_TEXT]) == 0
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines == [{"Item": item} for item in datasets.items("ecommerce", NOW)]
    assert types_(err.splitlines()[-1]) == ("Total", len(lines))


def test_made_up_lines_are_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--generate", "150", "--format", "dynamodb-json", "--now", NOW_TEXT]
    assert command.main(words) == 0
    first = capsys.readouterr().out
    assert command.main(words) == 0
    assert capsys.readouterr().out == first
    assert len(first.splitlines()) == 150


def test_lines_that_nobody_reads_to_the_end_are_one_line_of_error() -> None:
    words = ["--generate", "100000", "--format", "dynamodb-json"]
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "seed", *words],
        cwd=PROJECT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        _, last = process.stderr.read().splitlines()
        assert last == "error: the output cannot be written: Broken pipe"
        assert process.wait(timeout=30) == 1


# --- Asking before a reset


@pytest.mark.usefixtures("changed")
@pytest.mark.parametrize("answer", ["", "\n", "yes\n", "single-tabl\n", "single-table-dev\n"])
def test_any_answer_but_the_tables_name_leaves_the_table_alone(
    run: Run, stored: Stored, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    before = stored()
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    assert run("--reset") == 1
    assert stored() == before


@pytest.mark.usefixtures("changed")
def test_the_tables_name_is_the_answer_that_resets_it(
    run: Run, stored: Stored, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("single-table\n"))
    capsys.readouterr()
    assert run("--reset") == 0
    assert {item["Version"]["N"] for item in stored()} == {"1"}
    err = capsys.readouterr().err
    assert "every item of the table single-table at https://dynamodb.eu-central-1." in err


@pytest.mark.usefixtures("changed")
def test_without_a_terminal_a_table_elsewhere_is_not_reset(
    run: Run, stored: Stored, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = stored()
    monkeypatch.setattr(sys, "stdin", StringIO("single-table\n"))
    capsys.readouterr()
    assert run("--reset") == 1
    assert stored() == before
    assert "there is no terminal to ask at; nothing is deleted" in capsys.readouterr().err


# --- Faults


def error(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of a run that failed; stdout is empty then."""
    out, err = capsys.readouterr()
    assert out == ""
    *_, last = err.splitlines()
    assert err.count("error: ") == 1
    assert last.startswith("error: ")
    return last


@pytest.mark.usefixtures("dynamodb")
@pytest.mark.parametrize("words", [[], ["--reset"]])
def test_a_table_that_is_missing_is_named(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("single-tables\n"))
    assert command.main(["--table", "single-tables", *words]) == 1
    assert "there is no table single-tables at https://" in error(capsys)


def test_a_time_that_is_none_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--table", "single-table", "--now", "noon"]) == 1
    assert "'noon' is not a time" in error(capsys)


def test_a_fault_on_the_way_tells_how_far_it_got(
    run: Run, local: Reluctant, capsys: pytest.CaptureFixture[str]
) -> None:
    batches = iter(range(100))

    def before(operation: str) -> None:
        if operation == "BatchWriteItem" and next(batches) == 2:
            raise refusal("AccessDeniedException", "no longer yours")

    local.before = before
    assert run() == 1
    told = error(capsys)
    assert "access denied: no longer yours; " in told
    assert "items are written, running it again completes the load" in told


def test_a_fault_before_the_first_item_does_not_speak_of_written_ones(
    run: Run, local: Reluctant, capsys: pytest.CaptureFixture[str]
) -> None:
    def before(operation: str) -> None:
        if operation == "BatchWriteItem":
            raise refusal("AccessDeniedException", "not yours")

    local.before = before
    assert run() == 1
    assert error(capsys) == "error: access denied: not yours"


def test_a_fault_while_emptying_tells_how_far_it_got(
    run: Run, local: Reluctant, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 0
    capsys.readouterr()
    batches = iter(range(100))

    def before(operation: str) -> None:
        if operation == "BatchWriteItem" and next(batches) == 2:
            raise refusal("AccessDeniedException", "no longer yours")

    local.before = before
    assert run("--reset") == 1
    assert "items are deleted" in error(capsys)


def test_two_items_with_one_key_are_a_fault_before_anything_is_asked(
    run: Run, local: Reluctant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def doubled(_name: str, _now: object) -> list[Item]:
        raise Failure("two items have one key: A and B")

    monkeypatch.setattr(datasets, "items", doubled)
    assert run("--reset") == 1
    assert error(capsys) == "error: two items have one key: A and B"
    assert local.batches == []


def test_ctrl_c_ends_it_with_a_word_on_what_to_do(
    run: Run, local: Reluctant, capsys: pytest.CaptureFixture[str]
) -> None:
    def before(operation: str) -> None:
        if operation == "BatchWriteItem":
            raise KeyboardInterrupt

    local.before = before
    assert run() == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("interrupted; running it again completes the load\n")


@pytest.mark.parametrize("reason", ["No space left on device", "Broken pipe"])
def test_a_result_that_cannot_be_written_is_a_fault_in_one_line(
    run: Run, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with Path("/dev/full").open("w") as full, open(writer, "w") as pipe:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", pipe if reason == "Broken pipe" else full)
        assert run() == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == f"error: the output cannot be written: {reason}"
    assert [line for line in lines if line.startswith("error: ")] == lines[-1:]


# --- As a process of its own


@pytest.fixture
def deaf() -> Iterator[socket.socket]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        yield server


@pytest.fixture
def _ctrl_c_works() -> Iterator[None]:
    """Also where the tests run in the background: a shell has them ignore it there, and what they
    start would as well."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def closed() -> str:
    """The URL of a port of this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"http://127.0.0.1:{port}"


def environment(**variables: str) -> dict[str, str]:
    """That of a machine on which nobody has signed in to AWS."""
    return {
        "PATH": os.defpath,
        "HOME": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REGION": "eu-central-1",
        **variables,
    }


def seed(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "seed", *words],
        cwd=PROJECT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


SIGNED_IN = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


def test_without_credentials_it_says_how_to_get_them(closed: str) -> None:
    ended = seed("--table", "shop", "--endpoint-url", closed)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("error: there are no AWS credentials; ")
    assert ended.stderr.count("\n") == 1


def test_an_endpoint_that_cannot_be_reached_is_named(closed: str) -> None:
    ended = seed("--table", "shop", AWS_ENDPOINT_URL=closed, **SIGNED_IN)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"error: DynamoDB cannot be reached at {closed}: ")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("port", ["99999", "abc", "0", "-1"])
def test_a_port_that_is_none_is_told(port: str) -> None:
    ended = seed("--table", "shop", "--endpoint-url", f"http://127.0.0.1:{port}", **SIGNED_IN)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("scheme", ["http", "ftp"])
def test_a_password_in_a_url_is_not_shown(closed: str, scheme: str) -> None:
    url = closed.replace("http://", f"{scheme}://user:geheim@")
    for words in (("--endpoint-url", url), ("--endpoint-url", url + ":abc")):
        ended = seed("--table", "shop", *words, **SIGNED_IN)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert "geheim" not in ended.stderr
        assert "127.0.0.1" in ended.stderr
    ended = seed("--table", "shop", AWS_ENDPOINT_URL=url, **SIGNED_IN)
    assert ended.returncode == 1
    assert "geheim" not in ended.stderr


@pytest.mark.parametrize("answer", ["null", "[]", "5", '"x"', "no JSON", '{"Error": null}'])
def test_an_answer_that_is_not_of_dynamodb_is_told_in_one_line(answer: str) -> None:
    with answering(answer) as url:
        ended = seed("--table", "shop", "--endpoint-url", url, **SIGNED_IN)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in ended.stderr


@contextmanager
def answering(text: str) -> Iterator[str]:
    """The URL of a server that answers everything with this text."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            """Nobody asks."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_wrong_word_is_refused_with_status_1() -> None:
    ended = seed("shoes", "--table", "shop")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1


@pytest.mark.usefixtures("_ctrl_c_works")
def test_ctrl_c_does_not_wait_for_an_answer_that_never_comes(deaf: socket.socket) -> None:
    host, port = deaf.getsockname()
    with subprocess.Popen(
        [sys.executable, "-m", "seed", "--table", "shop"],
        cwd=PROJECT,
        env=environment(AWS_ENDPOINT_URL=f"http://{host}:{port}", **SIGNED_IN),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        connection, _ = deaf.accept()
        with connection:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=5) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "interrupted; running it again completes the load\n"
