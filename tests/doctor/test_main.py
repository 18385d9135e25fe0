"""The command: what it is told, what it says, and how it ends."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import EndpointConnectionError

from doctor import __main__ as command
from doctor import place as kept
from doctor.pace import Pace
from doctor.place import Place
from doctor.table import Table
from seed.faults import Failure
from tests.doctor.conftest import Stored
from tests.doctor.test_items import text

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PENDING = ("USER#U-001", "ORDER#2024-01-15")
ALICES_GUARD = ("EMAIL#alice@x.de", "EMAIL#alice@x.de")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(stored: Stored, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command on the example data: its exit status, and what it writes where."""
    monkeypatch.setattr(command, "connect", lambda _endpoint_url: stored.client)

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return (command.main(["--table", stored.table, *words]), *capsys.readouterr())

    return run


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


# --- What it is told


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "the following arguments are required: --table"),
        (["--table", "a"], "argument --table: 'a' is not 3 to 255 of the characters"),
        (["--table", "abc", "--endpoint-url", "x"], "argument --endpoint-url: 'x' is not a URL"),
        (["--table", "abc", "--segments", "0"], "argument --segments: '0' is not a whole number"),
        (["--table", "abc", "--segments", "1e3"], "argument --segments: '1e3' is not a whole"),
        (["--table", "abc", "--segments", "1000001"], "argument --segments: '1000001' is not"),
        *(
            (["--table", "abc", "--read-units-per-second", rate], f"{rate!r} is not a number from")
            for rate in ("0", "-1", "1e-300", "nan", "inf", "many")
        ),
        (["--table", "abc", "--yes"], "--yes says yes to --fix, which is not there"),
        (["--table", "abc", "--fix", "--resume", "f"], "--resume with --fix needs --yes"),
        (["--table", "abc", "--mend"], "unrecognized arguments: --mend"),
    ],
)
def test_a_wrong_command_line_is_refused_in_one_line(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert reason in err
    assert err.count("\n") == 1


def test_a_table_that_is_not_there_is_told_in_one_line(run: Run) -> None:
    status, out, err = run("--table", "other-table")
    assert (status, out) == (2, "")
    assert err.startswith("error: there is no table other-table at ")


def test_a_table_that_cannot_be_reached_is_told_in_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nowhere:
        class meta:  # noqa: N801
            endpoint_url = "http://127.0.0.1:1"

        def describe_table(self, **_: Any) -> None:
            raise EndpointConnectionError(endpoint_url="http://127.0.0.1:1")

    monkeypatch.setattr(command, "connect", lambda _endpoint_url: Nowhere())
    status, out, err = run()
    assert (status, out) == (2, "")
    assert err.startswith("error: DynamoDB cannot be reached at http://127.0.0.1:1")


@pytest.mark.parametrize(("partition_key", "kind"), [("id", "S"), ("PK", "N")])
def test_a_table_with_other_keys_is_told_in_one_line(
    run: Run, stored: Stored, partition_key: str, kind: Any
) -> None:
    types = {partition_key: kind, "SK": "S"}
    stored.client.create_table(
        TableName="others",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": partition_key, "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": each} for name, each in types.items()
        ],
    )
    status, out, err = run("--table", "others")
    stored.client.delete_table(TableName="others")

    assert (status, out) == (2, "")
    assert err.startswith(
        "error: the table others has other keys than PK and SK, both of them text"
    )
    assert err.count("\n") == 1


# --- What it says


def test_a_clean_table_is_said_to_be_so(run: Run, stored: Stored) -> None:
    status, out, err = run()
    count = len(stored.all())
    assert status == 0
    assert out.endswith(f"{count} items of single-table: nothing is wrong\n")
    assert err.splitlines()[-1].startswith(f"read {count} items in ")


def test_the_report_names_no_person(run: Run, stored: Stored) -> None:
    stored.delete(ALICES_GUARD)
    stored.put(
        {
            "PK": text("EMAIL#eve@example.org"),
            "SK": text("EMAIL#eve@example.org"),
            "Type": text("EmailGuard"),
            "UserId": text("Eve-the-Great"),
            "Version": {"N": "1"},
        }
    )
    stored.change(
        ("Student#Finn Forschgeist", "Seminar#Die Kunst des Machine Learning"), X=text("y")
    )
    for words in ((), ("--json",)):
        status, out, err = run(*words)
        assert status == 1
        assert "EmailGuard EMAIL#ev… / EMAIL#ev…: User" in out
        assert "Enrolment Student#Fi… / Seminar#Di…: X" in out
        for name in ("eve@", "Eve-the", "alice", "Forschgeist", "Kunst"):
            assert name not in out + err
    assert "EMAIL#eve@example.org" in run("--whole-keys")[1]


def test_the_report_has_each_kind_with_examples_and_what_can_be_done(
    run: Run, stored: Stored
) -> None:
    for order in ("2023-11-20", "2024-01-05", "2024-02-01", "2024-03-12"):
        stored.change(("USER#U-001", f"ORDER#{order}"), GSI2PK=None, GSI2SK=None)
    status, out, _ = run("--items-only")
    assert status == 1
    block = out.split("\n\n")[0].splitlines()
    assert block[0] == "missing index key: 4"
    assert block[2:5] == ["    - Order USER#U-… / ORDER#20…: GSI2"] * 3
    assert block[5:] == ["    - and 1 more", "    4 can be mended: both key attributes are set"]
    assert out.splitlines()[-1] == f"{len(stored.all())} items of single-table: 4 faults"


# --- What it does


def test_without_yes_it_says_what_it_would_do_and_where_it_cannot_ask_does_nothing(
    run: Run, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored.change(PENDING, GSI1PK=None, GSI1SK=None)
    before = stored.all()
    monkeypatch.setattr("sys.stdin", StringIO("single-table\n"))
    status, out, err = run("--fix")
    assert status == 1
    assert "1 would be mended: both key attributes are set" in out
    assert err.splitlines()[-1] == "nothing is mended yet: --fix --yes does it"
    assert stored.all() == before


@pytest.mark.parametrize(("answer", "is_done"), [("single-table\n", True), ("yes\n", False)])
def test_at_a_terminal_it_asks_for_the_tables_name(
    run: Run, stored: Stored, monkeypatch: pytest.MonkeyPatch, answer: str, *, is_done: bool
) -> None:
    stored.change(PENDING, GSI1PK=None, GSI1SK=None)
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    status, out, err = run("--fix")
    assert "To go on, type the table's name: " in err
    assert ("GSI1PK" in stored[PENDING]) == is_done
    assert ("1 mended: both key attributes are set" in out) == is_done
    assert status == (0 if is_done else 1)


def test_it_asks_nothing_where_there_is_nothing_to_mend(
    run: Run, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored.delete(PENDING)
    monkeypatch.setattr("sys.stdin", Terminal(""))
    status, out, err = run("--fix")
    assert status == 1
    assert "type the table's name" not in err
    assert "left: it does not follow from the declaration; for you to decide" in out


@pytest.mark.parametrize("segments", ["1", "3", "16"])
def test_every_item_is_seen_once_however_many_segments_there_are(
    run: Run, stored: Stored, segments: str
) -> None:
    _, out, _ = run("--json", "--items-only", "--segments", segments)
    assert json.loads(out)["items"] == len(stored.all())


# --- Going on


def test_it_goes_on_where_it_was_stopped(
    run: Run, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for order in ("2023-11-20", "2024-01-05"):
        stored.change(("USER#U-001", f"ORDER#{order}"), GSI2PK=None, GSI2SK=None)
    file = tmp_path / "place.json"
    words = ("--items-only", "--resume", str(file), "--segments", "1", "--json")
    pages = Table.pages
    seen: list[str] = []

    def small(self: Table, *place: Any) -> Iterator[Any]:
        for page in pages(self, *place):
            seen.extend(item["PK"]["S"] + item["SK"]["S"] for item in page[0])
            yield page

    def stops(self: Table, *place: Any) -> Iterator[Any]:
        for number, page in enumerate(small(self, *place)):
            if number == 3:
                raise KeyboardInterrupt
            yield page

    monkeypatch.setattr(command, "Pace", lambda _rate: Pace(4, sleep=lambda _: None))  # 16 a page
    monkeypatch.setattr("doctor.pace.Pace.wait", lambda _: None)
    monkeypatch.setattr(Table, "pages", stops)
    status, out, err = run(*words)
    assert (status, out) == (130, "")
    assert "interrupted" in err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (
        0
        < kept.read(
            file, Place(table="single-table", asked=["--items-only"], segments=1)
        ).tally.items
        < len(stored.all())
    )

    seen.clear()
    monkeypatch.setattr(Table, "pages", small)
    status, out, _ = run(*words)
    report = json.loads(out)
    assert status == 1
    assert report["items"] == len(stored.all())
    assert len(set(seen)) == len(seen) == len(stored.all()) - 48
    assert [k["found"] for k in report["kinds"] if k["kind"] == "missing index key"] == [2]
    assert not file.exists()


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("{", "is not a file that the doctor has written"),
        ('{"table": "other", "asked": [], "segments": 1}', "is of another run: of the table other"),
        (
            '{"table": "single-table", "asked": ["--fix"], "segments": 1}',
            "is of another run: of the table single-table, --fix",
        ),
        *(
            (f'{{"table": "single-table", "asked": [], {more}}}', "is not a file that the doctor")
            for more in (
                '"segments": 0',
                '"segments": -3',
                '"segments": 1, "done": [1]',
                '"segments": 1, "after": {"x": {}}',
                '"segments": 1, "tally": {"items": -5}',
                '"segments": 1, "tally": {"counts": {"a cold": {}}}',
            )
        ),
    ],
)
def test_a_place_of_something_else_is_refused(
    run: Run, tmp_path: Path, written: str, reason: str
) -> None:
    file = tmp_path / "place.json"
    file.write_text(written)
    status, out, err = run("--resume", str(file))
    assert (status, out) == (2, "")
    assert reason in err


def test_a_place_that_cannot_be_kept_is_told(run: Run, tmp_path: Path) -> None:
    status, _, err = run("--resume", str(tmp_path / "no-folder" / "place.json"))
    assert status == 2
    assert "cannot be written: No such file or directory" in err


# --- The table


def test_pages_are_no_larger_than_what_the_rate_allows(
    stored: Stored, dynamodb: DynamoDBClient
) -> None:
    pace = Pace(10)
    table = Table(dynamodb, stored.table, pace)
    [(first, after), *_] = [next(table.pages(0, 4, None))]
    assert len(first) == 10
    assert after is not None
    assert pace.spent >= 1


def test_what_dynamodb_has_no_capacity_for_is_asked_again_and_then_given_up(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seed.table.FIRST_PAUSE_SECONDS", 0)
    table = Table(stored.client, stored.table, Pace(None))
    monkeypatch.setattr(table, "_ask", lambda *_, **__: None)
    with pytest.raises(Failure, match="no capacity"):
        table.about()
