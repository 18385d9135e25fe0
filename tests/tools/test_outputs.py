from datetime import UTC, datetime

import pytest
from botocore.stub import Stubber

from tools import outputs


def a_stack(name: str, **values: str) -> dict[str, object]:
    return {
        "Stacks": [
            {
                "StackName": name,
                "StackStatus": "CREATE_COMPLETE",
                "CreationTime": datetime(2024, 1, 1, tzinfo=UTC),
                "Outputs": [{"OutputKey": key, "OutputValue": values[key]} for key in values],
            }
        ]
    }


def test_the_output_is_that_of_the_stage(
    cloudformation: Stubber, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STAGE", "dev")
    answer = a_stack("SingleTable-dev", TableName="the-table", Other="x")
    cloudformation.add_response("describe_stacks", answer, {"StackName": "SingleTable-dev"})
    assert outputs.main(["TableName"]) == 0
    assert capsys.readouterr().out == "the-table\n"


def test_the_stage_is_prod_if_none_is_given(
    cloudformation: Stubber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STAGE", raising=False)
    answer = a_stack("SingleTableApi", ApiUrl="https://example.com")
    cloudformation.add_response("describe_stacks", answer, {"StackName": "SingleTableApi"})
    assert outputs.output("ApiUrl") == "https://example.com"


def test_a_stage_that_is_not_deployed_is_one_clear_line(
    cloudformation: Stubber, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STAGE", "prod")
    cloudformation.add_client_error(
        "describe_stacks", "ValidationError", "Stack with id SingleTable does not exist"
    )
    assert outputs.main(["TableName"]) == 1
    expected = "error: stack SingleTable: Stack with id SingleTable does not exist\n"
    assert capsys.readouterr().err == expected


def test_a_stack_without_the_output_is_one_clear_line(
    cloudformation: Stubber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STAGE", raising=False)
    cloudformation.add_response("describe_stacks", a_stack("SingleTable"))
    with pytest.raises(outputs.LookUpError, match="stack SingleTable has no output TableName"):
        outputs.output("TableName")


def test_a_name_that_no_stack_has_gets_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert outputs.main(["Table"]) == 1
    assert "TableName or ApiUrl" in capsys.readouterr().err
