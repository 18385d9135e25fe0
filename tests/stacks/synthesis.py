"""Synthesizes the stacks as `cdk synth` does, and reads what came out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

import aws_cdk
from aws_cdk import App
from aws_cdk.assertions import Annotations, Match
from aws_cdk.cx_api import SynthesisMessage

from stacks import api_stack, byte_code
from stacks.dependencies import ROOT
from stacks.system import add_stacks

Template = dict[str, Any]
"""A CloudFormation template."""

Resource = dict[str, Any]


_OF_TABLE = ("KeySchema", "AttributeDefinitions", "BillingMode")
_OF_INDEX = ("IndexName", "KeySchema", "Projection")


@dataclass(frozen=True)
class Stack:
    """A synthesized stack."""

    name: str
    template: Template

    def resources(self, kind: str) -> dict[str, Resource]:
        """The resources of one type by their logical ids, in the template's order."""
        everything: dict[str, Resource] = self.template["Resources"]
        return {name: each for name, each in everything.items() if each["Type"] == kind}

    def resource(self, kind: str) -> Resource:
        """The only resource of its type."""
        [found] = self.resources(kind).values()
        return found

    def create_table(self) -> dict[str, Any]:
        """What CreateTable takes of the stack's table, which is a GlobalTable with one replica."""
        properties = self.resource("AWS::DynamoDB::GlobalTable")["Properties"]
        return {
            **{name: properties[name] for name in _OF_TABLE},
            "GlobalSecondaryIndexes": [
                {name: index[name] for name in _OF_INDEX}
                for index in properties["GlobalSecondaryIndexes"]
            ],
        }


@dataclass(frozen=True)
class Synthesized:
    """The stacks, and the folder of the cloud assembly with their assets."""

    table: Stack
    api: Stack
    monitoring: Stack
    folder: Path
    warnings: tuple[str, ...]
    remarks: tuple[str, ...]
    """What synthesis says that is no warning."""

    @property
    def code_key(self) -> str:
        """Under which name all functions share their code; it is made of the code's hash."""
        functions = self.api.resources("AWS::Lambda::Function").values()
        [key] = {function["Properties"]["Code"]["S3Key"] for function in functions}
        assert isinstance(key, str)
        return key

    @property
    def code(self) -> Path:
        """The folder with the functions' code, as it would be uploaded."""
        assets = json.loads((self.folder / f"{self.api.name}.assets.json").read_bytes())
        path: str = assets["files"][self.code_key.removesuffix(".zip")]["source"]["path"]
        return self.folder / path


class Synthesize(Protocol):
    """Synthesizes a context, each one once a session."""

    def __call__(self, **context: str) -> Synthesized: ...


def synthesize(context: Mapping[str, str], folder: Path, root: Path = ROOT) -> Synthesized:
    """The stacks of cdk.json's context with these changes, from the code under `root`.

    An empty layer stands for the functions' dependencies, so that neither pip nor the network is
    asked. The rules are held against it; the CDK's own check of a template takes longer than all
    the rest, so that `test_app` alone has it. Raises SettingsError.
    """
    app = constructed(context, folder, root)
    stacks = [each for each in app.node.children if isinstance(each, aws_cdk.Stack)]
    assembly = Path(app.synth().directory)
    table, api, monitoring = (
        Stack(
            stack.stack_name,
            json.loads((assembly / f"{stack.stack_name}.template.json").read_bytes()),
        )
        for stack in stacks
    )
    said = [Annotations.from_stack(stack) for stack in stacks]
    warnings = [each.find_warning("*", Match.any_value()) for each in said]
    remarks = [each.find_info("*", Match.any_value()) for each in said]
    return Synthesized(table, api, monitoring, assembly, _texts(warnings), _texts(remarks))


def _texts(found: list[list[SynthesisMessage]]) -> tuple[str, ...]:
    return tuple(str(message.entry.data) for messages in found for message in messages)


def constructed(context: Mapping[str, str], folder: Path, root: Path = ROOT) -> App:
    """The app before it is synthesized."""
    layer = folder / "layer"
    (layer / "python").mkdir(parents=True)
    (layer / "python" / "empty.txt").touch()
    app = App(
        context={**cdk_context(), **context},
        outdir=str(folder / "cdk.out"),
        builtin_cloud_formation_validation=False,
    )
    with (
        mock.patch.object(api_stack, "dependencies", return_value=layer),
        mock.patch.object(api_stack, "ROOT", root),
    ):
        add_stacks(app)
    return app


@contextmanager
def without_the_functions_python() -> Iterator[None]:
    """As on a machine that has it neither as the Python that runs this nor by its name."""
    with ExitStack() as patches:
        for module in (api_stack, byte_code):
            patches.enter_context(mock.patch.object(module, "interpreter", return_value=None))
        yield


def cdk_context() -> dict[str, Any]:
    """The context that the CDK's command line takes from cdk.json."""
    given: dict[str, Any] = json.loads((ROOT / "cdk.json").read_bytes())["context"]
    return given
