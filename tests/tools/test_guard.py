"""Every change that must not be deployed, and beside each one that may be."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import pytest
from botocore.stub import Stubber

from stacks import rules
from tests.stacks.synthesis import Synthesize, Synthesized
from tools import guard
from tools.guard import dangers

API_SNAPSHOT = guard.SNAPSHOT.with_name("test_api_template.json")
TABLE_ID = "TableCD117FA1"

Change = Callable[[dict[str, Any]], object]
Template = dict[str, Any]


@pytest.fixture
def before() -> Template:
    """The template as it was last deployed."""
    found: Template = json.loads(guard.SNAPSHOT.read_bytes())
    return found


@pytest.fixture
def after(before: Template) -> Template:
    """The same, for a test to change."""
    return deepcopy(before)


def table(template: Template) -> dict[str, Any]:
    [found] = template["Resources"].values()
    assert isinstance(found, dict)
    return found


def properties(template: Template) -> dict[str, Any]:
    found: dict[str, Any] = table(template)["Properties"]
    return found


def indexes(template: Template) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = properties(template)["GlobalSecondaryIndexes"]
    return found


def index(template: Template, name: str) -> dict[str, Any]:
    [found] = [each for each in indexes(template) if each["IndexName"] == name]
    return found


def add_index(template: Template, name: str) -> None:
    key = f"{name}PK"
    properties(template)["AttributeDefinitions"].append(
        {"AttributeName": key, "AttributeType": "S"}
    )
    indexes(template).append(
        {
            "IndexName": name,
            "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    )


def remove_index(template: Template, name: str) -> None:
    indexes(template)[:] = [each for each in indexes(template) if each["IndexName"] != name]


def change_indexes(
    template: Template, *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> None:
    for name in add:
        add_index(template, name)
    for name in remove:
        remove_index(template, name)


def test_what_has_not_changed_may_be_deployed(before: Template, after: Template) -> None:
    assert dangers(before, after) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda t: add_index(t, "GSI8"),
        lambda t: remove_index(t, "GSI2"),
        lambda t: indexes(t).reverse(),
        lambda t: properties(t)["AttributeDefinitions"].reverse(),
        lambda t: properties(t).update(LocalSecondaryIndexes=[]),
        lambda t: properties(t)["TimeToLiveSpecification"].update(Enabled=False),
        lambda t: properties(t).update(
            WriteOnDemandThroughputSettings={"MaxWriteRequestUnits": 10}
        ),
        lambda t: t.update(Description="another"),
    ],
    ids=[
        "one index added",
        "one removed",
        "order",
        "attributes",
        "none",
        "no ttl",
        "ceiling",
        "text",
    ],
)
def test_what_an_update_can_do_may_be_deployed(
    before: Template, after: Template, change: Change
) -> None:
    change(after)

    assert after != before
    assert dangers(before, after) == []


def test_another_function_may_be_deployed() -> None:
    before = json.loads(API_SNAPSHOT.read_bytes())
    after = deepcopy(before)
    after["Resources"]["One"] = {"Type": "AWS::Lambda::Function", "Properties": {}}

    assert dangers(before, after) == dangers(after, before) == []


def test_another_table_beside_it_may_be_deployed(before: Template, after: Template) -> None:
    after["Resources"]["Second"] = deepcopy(table(before))

    assert dangers(before, after) == []


def test_protection_may_come_and_may_not_go(synthesize: Synthesize) -> None:
    dev, prod = (synthesize(stage=stage).table.template for stage in ("dev", "prod"))

    assert dangers(dev, prod) == []
    assert [danger.what for danger in dangers(prod, dev)] == [
        f"{TABLE_ID} loses its DeletionPolicy Retain",
        f"{TABLE_ID} loses its UpdateReplacePolicy Retain",
        f"{TABLE_ID} loses its deletion protection",
        f"{TABLE_ID} loses its point-in-time recovery",
    ]


def test_each_replica_keeps_its_protection(before: Template, after: Template) -> None:
    for template, is_protected in ((before, True), (after, False)):
        properties(template)["Replicas"].append(
            {"Region": "eu-west-1", "DeletionProtectionEnabled": is_protected}
        )

    assert [danger.what for danger in dangers(before, after)] == [
        f"{TABLE_ID} loses its deletion protection in eu-west-1"
    ]


def test_a_region_that_is_named_now_is_the_same_as_before(
    before: Template, after: Template
) -> None:
    [replica] = properties(after)["Replicas"]
    replica["Region"] = "eu-central-1"
    assert dangers(before, after) == dangers(after, before) == []

    properties(after)["Replicas"].append(replica | {"Region": "eu-west-1"})
    assert dangers(before, after) == []
    assert [danger.what for danger in dangers(after, before)] == [
        f"{TABLE_ID} loses its {what} in {region}"
        for region in ("eu-central-1", "eu-west-1")
        for what in ("deletion protection", "point-in-time recovery")
    ]

    replica["DeletionProtectionEnabled"] = False
    assert [danger.what for danger in dangers(before, after)] == [
        f"{TABLE_ID} loses its deletion protection"
    ]


def test_fewer_days_to_go_back_to_are_refused_and_more_are_not(
    before: Template, after: Template
) -> None:
    [replica] = properties(after)["Replicas"]
    replica["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"] = 7

    assert [danger.what for danger in dangers(before, after)] == [
        f"{TABLE_ID} loses its point-in-time recovery beyond 7 days"
    ]
    assert dangers(after, before) == []


def test_a_condition_under_which_there_is_no_table_is_refused(
    before: Template, after: Template
) -> None:
    table(after)["Condition"] = "IsBlue"

    [danger] = dangers(before, after)
    assert danger.what == f"{TABLE_ID} stands under a condition: IsBlue"
    assert dangers(after, after) == dangers(after, before) == []


def retyped(template: Template, attribute: str) -> None:
    [found] = [
        each
        for each in properties(template)["AttributeDefinitions"]
        if each["AttributeName"] == attribute
    ]
    found["AttributeType"] = "N"


@pytest.mark.parametrize(
    ("change", "what", "why"),
    [
        (
            lambda t: table(t).update(Type="AWS::DynamoDB::Table"),
            "becomes AWS::DynamoDB::Table, and was AWS::DynamoDB::GlobalTable",
            "refuses to change the type",
        ),
        (
            lambda t: properties(t)["KeySchema"].pop(),
            "changes its key schema from PK S, SK S to PK S",
            "a new, empty one",
        ),
        (
            lambda t: properties(t).update(TableName="mine"),
            'changes its name from null to "mine"',
            "a new, empty one",
        ),
        (
            lambda t: properties(t).update(LocalSecondaryIndexes=[{"IndexName": "L"}]),
            'changes its local secondary indexes from [] to [{"IndexName": "L"}]',
            "a new, empty one",
        ),
        (
            lambda t: index(t, "InvertedIndex").update(Projection={"ProjectionType": "ALL"}),
            "changes its index InvertedIndex from (SK S, PK S; KEYS_ONLY) to (SK S, PK S; ALL)",
            "the update fails",
        ),
        (
            lambda t: index(t, "InvertedIndex").update(
                Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Grade"]}
            ),
            "to (SK S, PK S; INCLUDE Grade)",
            "the update fails",
        ),
        (
            lambda t: index(t, "GSI1")["KeySchema"].pop(),
            "changes its index GSI1 from (GSI1PK S, GSI1SK S; ALL) to (GSI1PK S; ALL)",
            "the update fails",
        ),
        (
            lambda t: retyped(t, "GSI2SK"),
            "to (GSI2PK S, GSI2SK N; ALL)",
            "the update fails",
        ),
        (
            lambda t: properties(t)["TimeToLiveSpecification"].update(AttributeName="Until"),
            "changes the attribute of its time to live from ExpiresAt to Until",
            "the update fails",
        ),
        (
            lambda t: change_indexes(t, add=["GSI8", "GSI9"]),
            "has several changes of indexes at once (added: GSI8, GSI9; removed: none)",
            "one index in an update",
        ),
        (
            lambda t: change_indexes(t, remove=["GSI1", "GSI2"]),
            "has several changes of indexes at once (added: none; removed: GSI1, GSI2)",
            "one index in an update",
        ),
        (
            lambda t: change_indexes(t, add=["GSI8"], remove=["GSI2"]),
            "has several changes of indexes at once (added: GSI8; removed: GSI2)",
            "one index in an update",
        ),
    ],
)
def test_what_loses_data_or_fails_is_refused(
    before: Template, after: Template, change: Change, what: str, why: str
) -> None:
    change(after)

    [danger] = dangers(before, after)
    assert danger.what.startswith(f"{TABLE_ID} ")
    assert what in danger.what
    assert why in danger.why
    assert danger.steps


def test_another_type_of_a_key_is_refused_for_the_table_and_each_index_that_has_it(
    before: Template, after: Template
) -> None:
    retyped(after, "PK")

    table_s, index_s = dangers(before, after)
    assert table_s.what == f"{TABLE_ID} changes its key schema from PK S, SK S to PK N, SK S"
    assert index_s.what == (
        f"{TABLE_ID} changes its index InvertedIndex from (SK S, PK S; KEYS_ONLY) "
        "to (SK S, PK N; KEYS_ONLY)"
    )


def test_another_logical_id_is_refused(before: Template, after: Template) -> None:
    after["Resources"]["Store1A2B"] = after["Resources"].pop(TABLE_ID)

    [danger] = dangers(before, after)
    assert danger.what == f"{TABLE_ID} has another logical id (Store1A2B)"
    assert f'override_logical_id("{TABLE_ID}")' in str(danger)


def test_a_table_that_is_gone_is_refused(before: Template, after: Template) -> None:
    del after["Resources"][TABLE_ID]

    [danger] = dangers(before, after)
    assert danger.what == f"{TABLE_ID} is no longer in the stack"


def test_an_index_that_moves_to_another_name_takes_these_steps(
    before: Template, after: Template
) -> None:
    add_index(after, "GSI8")
    add_index(after, "GSI9")
    remove_index(after, "GSI2")

    [danger] = dangers(before, after)
    assert [step for step in danger.steps if not step.startswith("wait until")] == [
        "add GSI8 (lambdas/design/table.py) without the changes of GSI9, GSI2, and deploy",
        "add GSI9 (lambdas/design/table.py) without the changes of GSI2, and deploy",
        "let no access pattern read GSI2, and deploy",
        "remove GSI2, and deploy",
    ]


def test_each_step_may_be_deployed_over_the_one_before(before: Template) -> None:
    third, fourth, last = deepcopy(before), deepcopy(before), deepcopy(before)
    for template in (third, fourth, last):
        add_index(template, "GSI8")
    for template in (fourth, last):
        add_index(template, "GSI9")
    remove_index(last, "GSI2")

    assert dangers(before, third) == dangers(third, fourth) == dangers(fourth, last) == []
    assert dangers(before, last)


def deployed(stubber: Stubber, stack: str, template: Template) -> None:
    answer = {"TemplateBody": json.dumps(template)}
    stubber.add_response("get_template", answer, {"StackName": stack})


def test_the_table_as_declared_may_be_deployed_over_itself(
    cloudformation: Stubber, templates: Synthesized, capsys: pytest.CaptureFixture[str]
) -> None:
    deployed(cloudformation, "SingleTable", templates.table.template)

    assert guard.main(["deployed", "--context", "stage=prod"]) == 0
    assert capsys.readouterr().out == (
        "guard: SingleTable can be deployed over the one that is deployed\n"
    )


def test_the_table_as_declared_may_be_deployed_over_the_snapshot() -> None:
    assert guard.main(["snapshot"]) == 0


def test_what_is_refused_is_said_with_its_steps(
    cloudformation: Stubber, before: Template, capsys: pytest.CaptureFixture[str]
) -> None:
    index(before, "InvertedIndex")["Projection"] = {"ProjectionType": "ALL"}
    deployed(cloudformation, "SingleTable", before)

    assert guard.main(["deployed"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: this change of SingleTable would lose data or fail\n\n")
    assert f"{TABLE_ID} changes its index InvertedIndex" in said.err
    assert "\n  1. leave InvertedIndex as it was" in said.err


def test_what_is_deployed_may_be_written_in_yaml(
    cloudformation: Stubber, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"Resources:\n  {TABLE_ID}:\n    Type: AWS::DynamoDB::Table\n    Properties: !Ref All\n"
    cloudformation.add_response("get_template", {"TemplateBody": text})

    assert guard.main(["deployed"]) == 1
    assert "becomes AWS::DynamoDB::GlobalTable" in capsys.readouterr().err


def test_a_template_that_cannot_be_read_is_not_taken_for_safe(
    cloudformation: Stubber, capsys: pytest.CaptureFixture[str]
) -> None:
    cloudformation.add_response("get_template", {"TemplateBody": "{"})

    assert guard.main(["deployed"]) == 1
    assert "neither JSON nor YAML" in capsys.readouterr().err


def test_a_stack_that_is_only_prepared_has_nothing_to_lose(cloudformation: Stubber) -> None:
    cloudformation.add_response("get_template", {"TemplateBody": "{}"})
    assert guard.main(["deployed"]) == 0


def test_each_stage_is_compared_with_its_own_and_other_options_of_the_cdk_are_passed_over(
    cloudformation: Stubber, synthesize: Synthesize
) -> None:
    deployed(cloudformation, "SingleTable-dev", synthesize(stage="dev").table.template)

    words = ["deployed", "-c", "stage=dev", "--require-approval", "never", "-c", "auth=none"]
    assert guard.main(words) == 0


def test_before_the_first_deployment_there_is_nothing_to_lose(
    cloudformation: Stubber, capsys: pytest.CaptureFixture[str]
) -> None:
    cloudformation.add_client_error(
        "get_template", "ValidationError", "Stack with id SingleTable does not exist"
    )

    assert guard.main(["deployed"]) == 0
    assert "not deployed yet" in capsys.readouterr().out


def test_what_cannot_be_looked_up_is_not_taken_for_safe(
    cloudformation: Stubber, capsys: pytest.CaptureFixture[str]
) -> None:
    cloudformation.add_client_error("get_template", "AccessDenied", "not authorized")

    assert guard.main(["deployed"]) == 1
    assert capsys.readouterr().err == "error: stack SingleTable: not authorized\n"


def test_a_context_that_cannot_be_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert guard.main(["deployed", "-c", "stage=foo"]) == 1
    assert capsys.readouterr().err.startswith("error: context stage='foo'")


def test_the_guard_and_the_rules_agree_how_far_back_a_table_can_be_restored() -> None:
    """The guard has a number of its own, so that it need not load the CDK."""
    assert guard.DAYS_KEPT == rules.DAYS_KEPT
