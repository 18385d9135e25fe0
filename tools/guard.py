"""`python -m tools.guard deployed`: refuses a change of the table that loses data or must fail.

Compares the table as it is declared now with the one that is deployed (`deployed`: asks
CloudFormation; `--context` and `--profile` as for the CDK), or with the committed snapshot of the
template (`snapshot`: what was last deployed, by convention). `make deploy` and `make snapshots` run
it first. What it refuses comes with the steps to take in its place.

Which changes replace a table, and that an update takes one change of an index alone: CloudFormation
User Guide, AWS::DynamoDB::GlobalTable; DynamoDB Developer Guide, Managing global secondary indexes.
"""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from tools.outputs import LookUpError
from tools.terminal import told

Template = Mapping[str, Any]
"""A CloudFormation template."""
Table = Mapping[str, Any]
"""A resource of a template that is a table."""

ROOT: Final = Path(__file__).resolve().parent.parent
SNAPSHOT: Final = ROOT / "tests/stacks/__snapshots__/test_snapshots/test_table_template.json"
TABLES: Final = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
DAYS_KEPT: Final = 35
"""How far back point-in-time recovery goes when nothing is said of it."""


@dataclass(frozen=True)
class Danger:
    """A change that is refused, and what to do in its place."""

    what: str
    why: str
    steps: tuple[str, ...]

    def __str__(self) -> str:
        steps = [f"  {number}. {step}" for number, step in enumerate(self.steps, 1)]
        return "\n".join([f"{self.what}:", f"  {self.why}", *steps])


NEW_TABLE: Final = (
    "declare the new table beside the old one, under a construct id of its own, and deploy",
    "copy the items: export the old one to S3 and write them to the new one",
    "give the functions the new table (stacks/system.py) and deploy; the old one is still there",
    "take the old table out of the stack; it is retained, until you delete it by hand",
)
"""How a table comes to have what a table cannot change."""

WAIT: Final = (
    "aws dynamodb describe-table --table-name NAME "
    '--query "Table.GlobalSecondaryIndexes[].[IndexName,IndexStatus]"'
)


def dangers(before: Template, after: Template) -> list[Danger]:
    """What must not be deployed over `before`; nothing if `after` can be."""
    then, now = _tables(before), _tables(after)
    found: list[Danger] = []
    for name, table in then.items():
        if name not in now:
            found.append(_gone(name, sorted(set(now) - set(then))))
        elif table["Type"] != now[name]["Type"]:
            found.append(_other_type(name, table["Type"], now[name]["Type"]))
        else:
            for check in (_fixed, _indexes, _time_to_live, _condition, _protections):
                found.extend(check(name, table, now[name]))
    return found


def _tables(template: Template) -> dict[str, Table]:
    resources = template.get("Resources", {}).items()
    return {name: each for name, each in resources if each["Type"] in TABLES}


def _gone(name: str, new: list[str]) -> Danger:
    if new:
        return Danger(
            f"{name} has another logical id ({', '.join(new)})",
            "CloudFormation makes a new, empty table and lets go of this one with its data",
            (
                "give the constructs their old ids and places back (stacks/table_stack.py)",
                f'or pin the id: table.node.default_child.override_logical_id("{name}")',
                "or, to move it on purpose, `cdk refactor` changes the id of what is deployed",
            ),
        )
    return Danger(
        f"{name} is no longer in the stack",
        "CloudFormation lets go of the table, or deletes it with its data",
        (
            "put it back (stacks/table_stack.py)",
            "to remove the whole system: make destroy",
        ),
    )


def _other_type(name: str, then: str, now: str) -> Danger:
    return Danger(
        f"{name} becomes {now}, and was {then}",
        "CloudFormation refuses to change the type of a resource",
        NEW_TABLE,
    )


def _fixed(name: str, then: Table, now: Table) -> Iterator[Danger]:
    """What a table has from its creation to its end."""
    for what, value in _FIXED.items():
        before, after = value(then["Properties"]), value(now["Properties"])
        if before != after:
            yield Danger(
                f"{name} changes its {what} from {before} to {after}",
                "CloudFormation replaces the table with a new, empty one",
                NEW_TABLE,
            )


def _schema(keys: Mapping[str, Any], properties: Mapping[str, Any]) -> str:
    """`PK S, SK S`: the attributes of the partition key and of the sort key, with their types, and
    `Year N + Month N, Day N` where a key is made of several."""
    types = {
        each["AttributeName"]: each["AttributeType"]
        for each in properties.get("AttributeDefinitions", [])
    }
    parts: dict[str, list[str]] = {}
    for each in keys["KeySchema"]:
        name = each["AttributeName"]
        parts.setdefault(each["KeyType"], []).append(f"{name} {types.get(name, '?')}")
    return ", ".join(" + ".join(attributes) for attributes in parts.values())


def _local_indexes(properties: Mapping[str, Any]) -> str:
    return json.dumps(properties.get("LocalSecondaryIndexes", []), sort_keys=True)


_FIXED: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "key schema": lambda properties: _schema(properties, properties),
    "name": lambda properties: json.dumps(properties.get("TableName")),
    "local secondary indexes": _local_indexes,
}


def _indexes(name: str, then: Table, now: Table) -> Iterator[Danger]:
    before, after = _described(then), _described(now)
    added = [each for each in after if each not in before]
    removed = [each for each in before if each not in after]
    changed = [each for each in before if each in after and before[each] != after[each]]
    for index in changed:
        yield Danger(
            f"{name} changes its index {index} from {before[index]} to {after[index]}",
            "an index keeps its keys and projection from its creation to its end; the update fails",
            (
                f"leave {index} as it was, and add one of another name (lambdas/design/table.py)",
                "deploy",
                f"wait until it is ACTIVE: {WAIT}",
                "move the access patterns and keys to it, and deploy",
                f"remove {index}, and deploy",
            ),
        )
    if len(added) + len(removed) > 1:
        yield Danger(
            f"{name} has several changes of indexes at once "
            f"(added: {', '.join(added) or 'none'}; removed: {', '.join(removed) or 'none'})",
            "DynamoDB adds or removes one index in an update; the update fails",
            tuple(_one_by_one(added, removed)),
        )


def _one_by_one(added: list[str], removed: list[str]) -> Iterator[str]:
    """New indexes come first, so that the access patterns can move before the old ones go."""
    rest = [*added, *removed]
    for index in added:
        rest.remove(index)
        later = f" without {_others(rest)}" if rest else ""
        yield f"add {index} (lambdas/design/table.py){later}, and deploy"
        yield f"wait until {index} is ACTIVE: {WAIT}"
    if removed:
        yield f"let no access pattern read {', '.join(removed)}, and deploy"
    for index in removed:
        yield f"remove {index}, and deploy"


def _others(rest: list[str]) -> str:
    return f"the changes of {', '.join(rest)}"


def _described(table: Table) -> dict[str, str]:
    """The indexes by name: their keys and what they project."""
    properties = table["Properties"]
    return {
        each["IndexName"]: f"({_schema(each, properties)}; {_projection(each['Projection'])})"
        for each in properties.get("GlobalSecondaryIndexes", [])
    }


def _projection(projection: Mapping[str, Any]) -> str:
    attributes = sorted(projection.get("NonKeyAttributes", []))
    return " ".join([projection["ProjectionType"], *attributes])


def _time_to_live(name: str, then: Table, now: Table) -> Iterator[Danger]:
    before, after = _ttl(then), _ttl(now)
    if before and after and before != after:
        yield Danger(
            f"{name} changes the attribute of its time to live from {before} to {after}",
            "DynamoDB refuses another attribute while one is in use; the update fails",
            (
                "take the time to live out (stacks/table_stack.py), and deploy",
                "wait an hour: so long DynamoDB takes no other change of it",
                f"put it back with {after}, and deploy",
            ),
        )


def _ttl(table: Table) -> str | None:
    specification = table["Properties"].get("TimeToLiveSpecification", {})
    return specification.get("AttributeName") if specification.get("Enabled") else None


def _condition(name: str, then: Table, now: Table) -> Iterator[Danger]:
    if now.get("Condition") not in (None, then.get("Condition")):
        yield Danger(
            f"{name} stands under a condition: {now['Condition']}",
            "where it does not hold, CloudFormation lets go of the table, or deletes it",
            ("take the condition off the table",),
        )


def _protections(name: str, then: Table, now: Table) -> Iterator[Danger]:
    """What keeps data from being lost may come and not go; `stage=dev` never has it."""
    for what in (*_lost_policies(then, now), *_lost_of_replicas(then, now)):
        yield Danger(
            f"{name} loses its {what}",
            "one mistake is then enough to lose the data",
            (
                "put it back (stacks/table_stack.py)",
                "if you mean it: back the table up, and change it by hand in the AWS console",
            ),
        )


def _lost_policies(then: Table, now: Table) -> Iterator[str]:
    for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
        if then.get(policy) == "Retain" != now.get(policy):
            yield f"{policy} Retain"


def _lost_of_replicas(then: Table, now: Table) -> Iterator[str]:
    replicas = _replicas(now)
    for replica in _replicas(then):
        region = replica.get("Region")
        same = [each for each in replicas if each.get("Region") == region]
        # The stack's own region may be a reference in one template and a name in the other.
        others = replicas if len(replicas) >= len(_replicas(then)) else []
        kept = [_protection(each) for each in same or others]
        where = f" in {region}" if isinstance(region, str) else ""
        for what, days in _protection(replica).items():
            left = min((each.get(what, 0) for each in kept), default=0)
            if left < days:
                yield f"{what}{where}" + (f" beyond {left} days" if left else "")


def _replicas(table: Table) -> list[Mapping[str, Any]]:
    """The table in each of its regions; one of the older kind is in one."""
    properties = table["Properties"]
    found: list[Mapping[str, Any]] = properties.get("Replicas", [properties])
    return found


def _protection(replica: Mapping[str, Any]) -> dict[str, int]:
    """What protects a replica, and for how many days back if that is said of it."""
    found: dict[str, int] = {}
    recovery = replica.get("PointInTimeRecoverySpecification", {})
    if replica.get("DeletionProtectionEnabled"):
        found["deletion protection"] = 1
    if recovery.get("PointInTimeRecoveryEnabled"):
        found["point-in-time recovery"] = recovery.get("RecoveryPeriodInDays", DAYS_KEPT)
    return found


def declared(context: Mapping[str, str]) -> tuple[str, Template]:
    """The name and the template of the table's stack, as the code has them now.

    Raises SettingsError.
    """
    # The CDK starts a Node process when it is imported; only this needs it.
    from aws_cdk import App  # noqa: PLC0415

    from stacks.settings import read_settings  # noqa: PLC0415
    from stacks.table_stack import TableStack  # noqa: PLC0415

    given = json.loads((ROOT / "cdk.json").read_bytes())["context"]
    with TemporaryDirectory() as folder:
        app = App(
            context={**given, **context}, outdir=folder, builtin_cloud_formation_validation=False
        )
        name = TableStack(app, read_settings(app.node)).stack_name
        template: Template = app.synth().get_stack_by_name(name).template
    return name, template


def deployed(stack: str, profile: str | None) -> Template | None:
    """The template that a stack was last deployed with; None if there is no such stack.

    Raises LookUpError.
    """
    try:
        session = boto3.Session(profile_name=profile, region_name=os.environ.get("AWS_REGION"))
        client = session.client("cloudformation")
        template: Any = client.get_template(StackName=stack)["TemplateBody"]
    except ClientError as error:
        if "does not exist" in error.response["Error"]["Message"]:
            return None
        raise LookUpError(f"stack {stack}: {error.response['Error']['Message']}") from error
    except BotoCoreError as error:
        raise LookUpError(f"stack {stack}: {told(error)}") from error
    return _parsed(stack, template) if isinstance(template, str) else template


def _parsed(stack: str, text: str) -> Template:
    """A template that botocore leaves as text: YAML, from other means than the CDK, or none."""
    from cfnlint.decode import decode_str  # type: ignore[import-untyped]  # noqa: PLC0415 - slow

    template, _ = decode_str(text)
    if not isinstance(template, dict):
        raise LookUpError(f"stack {stack}: its template is neither JSON nor YAML")
    return template


def main(words: list[str]) -> int:
    """Compare, say what is refused, and return the exit status."""
    parser = ArgumentParser(prog="python -m tools.guard", allow_abbrev=False)
    parser.add_argument("with_", metavar="deployed|snapshot", choices=["deployed", "snapshot"])
    parser.add_argument("-c", "--context", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--profile")
    arguments, _ = parser.parse_known_args(words)  # what else the CDK takes says nothing here
    context = dict(pair.partition("=")[::2] for pair in arguments.context)

    from stacks.settings import SettingsError  # noqa: PLC0415

    try:
        stack, after = declared(context)
        if arguments.with_ == "snapshot":
            before: Template | None = json.loads(SNAPSHOT.read_bytes())
        else:
            before = deployed(stack, arguments.profile)
    except (LookUpError, SettingsError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if before is None:
        print(f"guard: {stack} is not deployed yet; there is nothing to lose")
        return 0
    if refused := dangers(before, after):
        print(f"error: this change of {stack} would lose data or fail\n", file=sys.stderr)
        print("\n\n".join(str(danger) for danger in refused), file=sys.stderr)
        return 1
    print(f"guard: {stack} can be deployed over the {_SEEN[arguments.with_]}")
    return 0


_SEEN: Final = {"deployed": "one that is deployed", "snapshot": "one in the snapshot"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
