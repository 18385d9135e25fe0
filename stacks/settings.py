"""What the context may say about a deployment, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from constructs import Node

from lambdas.runtime.settings import ADMIN_SCOPE

Stage = Literal["prod", "dev"]
Auth = Literal["iam", "jwt", "none"]
Architecture = Literal["arm64", "x86_64"]
Wheels = Literal["lambda", "host"]
Policies = Literal["aws", "emulator"]


class SettingsError(Exception):
    """The context has a value that cannot be; the message names it and says what can."""


@dataclass(frozen=True)
class Settings:
    """How the system is deployed. Each field is a context key of the same name.

    `prod` keeps the table when its stack is deleted and protects it; `dev` does not. `auth` is who
    may call: AWS principals with a signature (`iam`), people with a token of `jwt_issuer` for
    `jwt_audience`, of whom the scope `admin_scope` makes admins (`jwt`), or everybody (`none`, for
    a local run alone). `architecture`, `runtime` and `wheels` are what the functions run on; a
    local run sets them to what its host has. `policies=emulator` is for an emulator that enforces
    IAM but knows PartiQL only as one action.
    """

    stage: Stage = "prod"
    auth: Auth = "iam"
    jwt_issuer: str = ""
    jwt_audience: str = ""
    admin_scope: str = ADMIN_SCOPE
    architecture: Architecture = "arm64"
    runtime: str = "python3.13"
    wheels: Wheels = "lambda"
    policies: Policies = "aws"

    @property
    def suffix(self) -> str:
        """What the names of the stacks end in, so that one stage never touches the other."""
        return "" if self.stage == "prod" else f"-{self.stage}"

    @property
    def python_version(self) -> str:
        return self.runtime.removeprefix("python")


def read_settings(node: Node) -> Settings:
    """The settings in an app's context. Raises SettingsError for a value that cannot be."""
    given = {name: node.try_get_context(name) for name in Settings.__dataclass_fields__}
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    _one_of("stage", settings.stage, Stage)
    _one_of("auth", settings.auth, Auth)
    _one_of("architecture", settings.architecture, Architecture)
    _one_of("wheels", settings.wheels, Wheels)
    _one_of("policies", settings.policies, Policies)
    if not re.fullmatch(r"python3\.\d+", settings.runtime):
        raise SettingsError(f"context runtime={settings.runtime!r}: must be such as python3.13")
    if settings.auth == "jwt" and not (settings.jwt_issuer and settings.jwt_audience):
        raise SettingsError("context auth=jwt needs jwt_issuer and jwt_audience as well")
    if not re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", settings.admin_scope):
        raise SettingsError(
            f"context admin_scope={settings.admin_scope!r}: must be one scope, without spaces"
        )
    if settings.policies == "emulator" and settings.stage == "prod":
        raise SettingsError("context policies=emulator is laxer than AWS's; it needs stage=dev")
    if settings.auth == "none" and settings.stage == "prod":
        raise SettingsError("context auth=none opens the API to everybody; it needs stage=dev")
    return settings


def _one_of(name: str, value: object, allowed: object) -> None:
    choices = get_args(allowed)
    if value not in choices:
        raise SettingsError(f"context {name}={value!r}: must be one of {', '.join(choices)}")
