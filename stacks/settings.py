"""What the context may say about a deployment, checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Literal, get_args
from urllib.parse import urlsplit

from constructs import Node

from lambdas.runtime.settings import ADMIN_SCOPE, FUNCTION_TIMEOUT_SECONDS

Stage = Literal["prod", "dev"]
Auth = Literal["iam", "jwt", "none"]
Architecture = Literal["arm64", "x86_64"]
Wheels = Literal["lambda", "host"]
Policies = Literal["aws", "emulator"]
Monitoring = Literal["on", "off"]
Metrics = Literal["pattern", "none"]
ContributorInsights = Literal["off", "throttled"]
Tracing = Literal["off", "active"]


EMULATED_PARTIQL = "dynamodb:ExecuteStatement"
"""What the emulator asks for where AWS asks for PartiQLSelect.

It asks for it on `*`, as it does not read the table out of the statement, and does not look at
leading keys.
"""


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

    The gateway lets `requests_per_second` through for all callers together, `burst` of them at
    once. The table, and each index by itself, takes `max_read_units` and `max_write_units` a
    second; `reserved_concurrency` is how many calls each function answers at once, and 0 sets no
    limit, since a new account has too few to divide up. `cors_origins` are the origins whose pages
    may call, separated by commas; no page of another origin may unless this says so.

    `monitoring=off` leaves the stack of the monitoring out, for emulators that do not know all of
    it. `metrics=pattern` lets the line that each call logs become metrics of its pattern; `none`
    saves what they cost. `contributor_insights=throttled` has DynamoDB show the keys that are
    throttled, in plain text; `tracing=active` has X-Ray trace the functions. `alarms_topic` is the
    ARN of the SNS topic that alarms go to, and `alarm_...` is what each must exceed: 5xx in a
    hundred requests, milliseconds of the slowest hundredth, and in five minutes throttled reads or
    writes of the table or an index, and transaction conflicts; or US dollars a day for the reads or
    the writes of the table or an index.
    """

    stage: Stage = "prod"
    auth: Auth = "iam"
    jwt_issuer: str = ""
    jwt_audience: str = ""
    admin_scope: str = ADMIN_SCOPE
    architecture: Architecture = "arm64"
    runtime: str = "python3.14"
    wheels: Wheels = "lambda"
    policies: Policies = "aws"
    requests_per_second: int = 100
    burst: int = 200
    max_read_units: int = 1000
    max_write_units: int = 1000
    reserved_concurrency: int = 0
    cors_origins: str = ""
    monitoring: Monitoring = "on"
    metrics: Metrics = "pattern"
    contributor_insights: ContributorInsights = "off"
    tracing: Tracing = "off"
    alarms_topic: str = ""
    alarm_error_percent: int = 5
    alarm_p99_ms: int = 3000
    alarm_throttles: int = 10
    alarm_conflicts: int = 50
    alarm_usd_per_day: int = 5

    @property
    def suffix(self) -> str:
        """What the names of the stacks end in, so that one stage never touches the other."""
        return "" if self.stage == "prod" else f"-{self.stage}"

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins in `cors_origins`."""
        if not self.cors_origins:
            return ()
        return tuple(origin.strip() for origin in self.cors_origins.split(","))

    @property
    def metrics_namespace(self) -> str:
        """Under which name CloudWatch keeps the metrics of the calls; empty where none are made."""
        return f"SingleTable{self.suffix}" if self.metrics == "pattern" else ""

    @property
    def python_version(self) -> str:
        return self.runtime.removeprefix("python")


def read_settings(node: Node) -> Settings:
    """The settings in an app's context. Raises SettingsError for a value that cannot be, and for a
    misspelt name."""
    _check_names(node.get_all_context())
    given = {name: node.try_get_context(name) for name in Settings.__dataclass_fields__}
    given = {name: value for name, value in given.items() if value is not None}
    settings = Settings(**{name: _number_or_text(name, value) for name, value in given.items()})
    _one_of("stage", settings.stage, Stage)
    _one_of("auth", settings.auth, Auth)
    _one_of("architecture", settings.architecture, Architecture)
    _one_of("wheels", settings.wheels, Wheels)
    _one_of("policies", settings.policies, Policies)
    _one_of("monitoring", settings.monitoring, Monitoring)
    _one_of("metrics", settings.metrics, Metrics)
    _one_of("contributor_insights", settings.contributor_insights, ContributorInsights)
    _one_of("tracing", settings.tracing, Tracing)
    _check_runtime(settings)
    if settings.auth == "jwt" and not (settings.jwt_issuer and settings.jwt_audience):
        raise SettingsError("context auth=jwt needs jwt_issuer and jwt_audience as well")
    if settings.jwt_issuer and not _is_issuer(settings.jwt_issuer):
        raise SettingsError(
            f"context jwt_issuer={settings.jwt_issuer!r}: must be a URL such as "
            "https://issuer.example/pool (http is for localhost alone)"
        )
    if not re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", settings.admin_scope):
        raise SettingsError(
            f"context admin_scope={settings.admin_scope!r}: must be one scope, without spaces"
        )
    if settings.policies == "emulator" and settings.stage == "prod":
        raise SettingsError("context policies=emulator is laxer than AWS's; it needs stage=dev")
    if settings.auth == "none" and settings.stage == "prod":
        raise SettingsError("context auth=none opens the API to everybody; it needs stage=dev")
    _check_origins(settings)
    if settings.alarms_topic and not re.fullmatch(_TOPIC, settings.alarms_topic):
        raise SettingsError(
            f"context alarms_topic={settings.alarms_topic!r}: must be the ARN of a standard SNS "
            "topic, such as arn:aws:sns:eu-central-1:123456789012:on-call"
        )
    return settings


NUMBERS: Final = {
    "requests_per_second": range(1, 10_001),
    "burst": range(1, 5_001),
    "max_read_units": range(1, 40_001),
    "max_write_units": range(1, 40_001),
    "reserved_concurrency": range(1_001),
    "alarm_error_percent": range(1, 101),
    "alarm_p99_ms": range(1, FUNCTION_TIMEOUT_SECONDS * 1000 + 1),
    "alarm_throttles": range(100_001),
    "alarm_conflicts": range(100_001),
    "alarm_usd_per_day": range(1, 10_001),
}
"""What the numbers can be. For rates and units AWS's default quotas, for an account or for a table,
are the ends; no call takes longer than a function may run."""

_TOPIC: Final = r"arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}"
"""A FIFO topic ends in `.fifo` and cannot be what an alarm notifies."""


def _number_or_text(name: str, value: Any) -> Any:
    """A value as its field has it: the command line hands numbers over as text."""
    if name not in NUMBERS:
        if not isinstance(value, str):
            raise SettingsError(f"context {name}={value!r}: must be text")
        return value
    allowed = NUMBERS[name]
    if not re.fullmatch(r"[0-9]{1,6}", str(value)) or int(value) not in allowed:
        ends = f"from {allowed[0]} to {allowed[-1]}"
        raise SettingsError(f"context {name}={value!r}: must be a whole number {ends}")
    return int(value)


OLDEST_RUNTIME: Final = 11
"""The minor version of the oldest Python 3 that the code is written for."""


def _check_runtime(settings: Settings) -> None:
    """Raise SettingsError for what is no Python, and for one that is too old for the code."""
    said = re.fullmatch(r"python3\.(\d{1,3})", settings.runtime)
    if not said or int(said[1]) < OLDEST_RUNTIME:
        raise SettingsError(
            f"context runtime={settings.runtime!r}: must be such as python3.14, "
            f"and python3.{OLDEST_RUNTIME} at least"
        )


def _check_names(given: Iterable[str]) -> None:
    """Raise SettingsError for a misspelt name, which the CDK would pass over. What resembles none
    of ours is somebody else's: a context has entries of the CDK and of the user's own file too."""
    names = list(Settings.__dataclass_fields__)
    for name in given:
        near = get_close_matches(name.lower().replace("-", "_"), names, 1, cutoff=0.75)
        if near and name not in names:
            raise SettingsError(f"context {name}: there is no such setting; it is {near[0]}")


def _check_origins(settings: Settings) -> None:
    """Raise SettingsError for what no browser sends as an origin, and for what opens too far."""
    for origin in settings.origins:
        if origin == "*":
            _check_any_origin(settings)
        elif not re.fullmatch(_ORIGIN, origin) or not _has_port_that_can_be(origin):
            raise SettingsError(
                f"context cors_origins={settings.cors_origins!r}: {origin!r} is no origin such as "
                "https://shop.example (http is for localhost alone; no path, no slash at the end)"
            )


_ORIGIN: Final = (
    r"(https://[a-z0-9-]+(\.[a-z0-9-]+)*|http://(localhost|127\.0\.0\.1))(:[0-9]{1,5})?"
)

_ISSUER: Final = _ORIGIN + r"(/[A-Za-z0-9._~%/-]*)?"


def _is_issuer(url: str) -> bool:
    return bool(re.fullmatch(_ISSUER, url, re.IGNORECASE)) and _has_port_that_can_be(url)


def _has_port_that_can_be(url: str) -> bool:
    try:
        return urlsplit(url).port != 0
    except ValueError:  # beyond 65535
        return False


def _check_any_origin(settings: Settings) -> None:
    # A browser adds neither a signature nor a token by itself, so that with them any page may try.
    # Without, every page that somebody opens could use the API on that person's own machine.
    if settings.origins != ("*",):
        raise SettingsError(
            f"context cors_origins={settings.cors_origins!r}: '*' stands for all and alone"
        )
    if settings.auth == "none":
        raise SettingsError("context cors_origins='*' needs auth=iam or auth=jwt")


def _one_of(name: str, value: object, allowed: object) -> None:
    choices = get_args(allowed)
    if value not in choices:
        raise SettingsError(f"context {name}={value!r}: must be one of {', '.join(choices)}")
