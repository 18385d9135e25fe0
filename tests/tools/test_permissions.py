from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.table import INDEXES
from local.process import RunError
from tools import permissions
from tools.permissions import (
    BESIDES,
    DOCUMENT,
    OF_ITEMS,
    actions,
    asked,
    declared,
    differences,
    figures,
    functions,
    main,
    matrix,
)
from tools.roles import OWN_LOGS, Asked, Measured

PLACES = ["table", *(index.name for index in INDEXES)]
AS_DECLARED = {name: Measured(declared(name), BESIDES) for name in functions()}
GET_ITEM = Asked("dynamodb:GetItem", "table")
SCAN = Asked("dynamodb:Scan", "table")


def with_changes(function: str, *more: Asked, less: frozenset[Asked] = frozenset()) -> Any:
    allowed = AS_DECLARED[function].allowed
    return {**AS_DECLARED, function: Measured(allowed - less | set(more), BESIDES)}


def test_every_declared_action_is_one_of_dynamodb_s() -> None:
    found = {each.action for pattern in ACCESS_PATTERNS for each in pattern.permissions}

    assert found <= set(actions())
    assert set(actions()) >= OF_ITEMS


@pytest.mark.parametrize(
    "name", ["Scan", "DeleteTable", "ExportTableToPointInTime", "GetRecords", "PartiQLDelete"]
)
def test_what_operations_are_and_what_permissions_alone_are_is_asked_for(name: str) -> None:
    assert f"dynamodb:{name}" in actions()


def test_an_action_is_asked_for_on_the_table_and_each_index_and_within_transactions() -> None:
    assert [str(each) for each in asked(["dynamodb:GetItem", "dynamodb:Scan"])] == [
        *(f"GetItem on {place}" for place in PLACES),
        *(f"Scan on {place}" for place in PLACES),
        "GetItem on table within a transaction",
    ]


def test_what_may_be_done_alone_may_be_done_within_a_transaction() -> None:
    assert declared("get_user") == {GET_ITEM, GET_ITEM._replace(in_transaction=True)}
    assert declared("list_vip_users") == {Asked("dynamodb:Query", "GSI2")}
    assert declared(DOCUMENT) == frozenset()


def test_the_figures_add_up() -> None:
    counted = figures()

    assert counted.tried == counted.functions * (counted.actions * counted.resources + 5)
    assert counted.allowed == sum(len(each.allowed) for each in AS_DECLARED.values())
    assert counted.refused == counted.tried - counted.allowed
    assert figures(OF_ITEMS).allowed == counted.allowed


def test_what_is_as_declared_has_no_differences() -> None:
    assert list(differences(AS_DECLARED, actions())) == []


def test_a_permission_too_many_is_named() -> None:
    found = with_changes("get_user", SCAN)

    assert list(differences(found, actions())) == [
        "get_user: Scan on table is allowed and not declared"
    ]


def test_a_permission_that_lacks_is_named() -> None:
    found = with_changes("get_user", less=frozenset({GET_ITEM}))

    assert list(differences(found, actions())) == [
        "get_user: GetItem on table is declared and not allowed"
    ]


def test_functions_that_are_missing_or_that_nothing_declares_are_named() -> None:
    found = {**AS_DECLARED, "drop_all": Measured(frozenset(), BESIDES)}
    del found["get_user"]

    assert list(differences(found, actions())) == [
        "get_user: there is no such function",
        "drop_all: nothing declares it",
    ]


def test_a_permission_outside_dynamodb_is_named() -> None:
    more = BESIDES - {("logs:PutLogEvents", OWN_LOGS)} | {("s3:GetObject", "*")}
    found = {**AS_DECLARED, "get_user": Measured(declared("get_user"), more)}

    assert list(differences(found, actions())) == [
        "get_user: s3:GetObject on * is allowed and not foreseen",
        f"get_user: logs:PutLogEvents on {OWN_LOGS} is foreseen and not allowed",
    ]


def test_the_matrix_has_a_row_for_each_function_and_shows_what_was_allowed() -> None:
    lines = matrix(with_changes("get_user", SCAN)).splitlines()

    assert lines[0].split() == PLACES
    assert lines[1].split() == ["AP-01", "get_user", "GetItem", "Scan"]
    assert len(lines) == 1 + len(functions())
    [vip] = [line for line in lines if "list_vip_users" in line]
    assert vip.index("Query") == lines[0].index("GSI2")


@pytest.mark.parametrize(("more", "status"), [((), 0), ((SCAN,), 1)])
def test_the_exit_status_says_whether_all_is_as_declared(
    more: tuple[Asked, ...],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @contextmanager
    def no_cloud(*_arguments: Any) -> Iterator[None]:
        yield

    monkeypatch.setattr(permissions, "local_cloud", no_cloud)
    monkeypatch.setattr(permissions, "measure_all", lambda *_: with_changes("get_user", *more))

    assert main() == status
    printed = capsys.readouterr()
    assert f"{figures().tried} asked" in printed.out
    assert ("not as declared: get_user: Scan on table" in printed.err) == bool(more)
    assert ("All of it is as declared." in printed.out) != bool(more)


def test_a_cloud_that_does_not_start_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: Any) -> None:
        raise RunError("not installed: ministack")

    monkeypatch.setattr(permissions, "local_cloud", broken)

    assert main() == 1
    assert capsys.readouterr().err == "error: not installed: ministack\n"
