"""The roles of the deployed functions, and what they are allowed when one asks in their name.

The emulator lets the account itself assume them. On AWS nobody could who is not Lambda.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.cloud import Cloud
from local.deployment import REGION

PREFIX = "dynamodb:"
TABLE = "table"
OWN_LOGS = "its own log group"

IN_TRANSACTIONS = {
    "ConditionCheckItem": ("TransactWriteItems", "ConditionCheck"),
    "DeleteItem": ("TransactWriteItems", "Delete"),
    "GetItem": ("TransactGetItems", "Get"),
    "PutItem": ("TransactWriteItems", "Put"),
    "UpdateItem": ("TransactWriteItems", "Update"),
}
"""A transaction needs the permissions of its steps: for each of them, where it stands in which."""

NOT_ALLOWED = "AccessDeniedException"


class Asked(NamedTuple):
    """What a role is asked for: an action on a resource, alone or within a transaction."""

    action: str
    resource: str
    in_transaction: bool = False

    def __str__(self) -> str:
        within = " within a transaction" if self.in_transaction else ""
        return f"{self.action.removeprefix(PREFIX)} on {self.resource}{within}"


class Role(NamedTuple):
    """The role of a function."""

    function: str
    arn: str
    log_group: str

    @property
    def name(self) -> str:
        return self.arn.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Measured:
    """What a function's role may do."""

    allowed: frozenset[Asked]
    besides: frozenset[tuple[str, str]]
    """Actions outside DynamoDB with their resources, as its policies have them."""


class MeasureError(Exception):
    """The emulator refused a request for another reason than a missing permission."""


@dataclass(frozen=True)
class Roles:
    """The roles of a cloud's functions."""

    cloud: Cloud

    @cached_property
    def _iam(self) -> Any:
        return self.cloud.client("iam")

    @cached_property
    def _sts(self) -> Any:
        return self.cloud.client("sts")

    def all(self) -> list[Role]:
        """The roles of all functions; a function has its pattern's name."""
        pages = self.cloud.client("lambda").get_paginator("list_functions").paginate()
        return [
            Role(
                each["Handler"].rpartition(".")[2],
                each["Role"],
                each.get("LoggingConfig", {}).get("LogGroup", ""),
            )
            for page in pages
            for each in page["Functions"]
        ]

    def measure(self, role: Role, wanted: Sequence[Asked]) -> Measured:
        """Ask for everything in the name of a role. Raises MeasureError."""
        given = self._sts.assume_role(RoleArn=role.arn, RoleSessionName=role.function)
        with closing(Session(self.cloud, given["Credentials"])) as session:
            allowed = frozenset(each for each in wanted if session.may(each))
        return Measured(allowed, frozenset(self._besides(role)))

    def _besides(self, role: Role) -> Iterator[tuple[str, str]]:
        """What its policies allow outside DynamoDB, and policies that are not its own."""
        attached = self._iam.list_attached_role_policies(RoleName=role.name)["AttachedPolicies"]
        yield from (("a managed policy", each["PolicyArn"]) for each in attached)
        for name in self._iam.list_role_policies(RoleName=role.name)["PolicyNames"]:
            policy = self._iam.get_role_policy(RoleName=role.name, PolicyName=name)
            for statement in _list(policy["PolicyDocument"]["Statement"]):
                for action in _list(statement["Action"]):
                    if not action.startswith(PREFIX):
                        places = (_place(each, role) for each in _list(statement["Resource"]))
                        yield from ((action, place) for place in places)


class Session:
    """Requests with the credentials of an assumed role."""

    def __init__(self, cloud: Cloud, given: Mapping[str, str]) -> None:
        self._signer = SigV4Auth(
            Credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"]),
            "dynamodb",
            REGION,
        )
        self._url = f"{cloud.endpoint_url}/"
        self._table = cloud.table_name
        self._connection = http.client.HTTPConnection(urlsplit(self._url).netloc)

    def may(self, wanted: Asked) -> bool:
        """Whether the role is allowed what is asked. Raises MeasureError."""
        name, said = self._incomplete(wanted)
        body = json.dumps(said).encode()
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{name}",
        }
        request = AWSRequest("POST", self._url, headers, body)
        self._signer.add_auth(request)
        self._connection.request("POST", "/", body, dict(request.headers))
        response = self._connection.getresponse()
        kind = str(json.loads(response.read() or b"{}").get("__type", "")).rpartition("#")[2]
        if kind == NOT_ALLOWED:
            return False
        if response.status in {http.client.UNAUTHORIZED, http.client.FORBIDDEN}:
            raise MeasureError(f"{wanted}: {kind}")
        return True

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _incomplete(self, wanted: Asked) -> tuple[str, dict[str, Any]]:
        """The operation and the body of a request that says what it is for and no more."""
        name = wanted.action.removeprefix(PREFIX)
        if wanted.in_transaction:
            operation, step = IN_TRANSACTIONS[name]
            return operation, {"TransactItems": [{step: {"TableName": self._table}}]}
        index = {} if wanted.resource == TABLE else {"IndexName": wanted.resource}
        return name, {"TableName": self._table, **index}


def _place(resource: str, role: Role) -> str:
    """A resource as one would say it."""
    group = resource.partition(":log-group:")[2].removesuffix(":*")
    return OWN_LOGS if group and group == role.log_group else resource


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
