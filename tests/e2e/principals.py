"""AWS principals of the local cloud, each with permission to call one route of the API."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from botocore.credentials import Credentials

from local.cloud import Cloud
from local.deployment import ACCOUNT, REGION

PARAMETER = re.compile(r"\{\w+\}")


@dataclass(frozen=True)
class Principals:
    """Makes users of the cloud's account."""

    cloud: Cloud

    @cached_property
    def _iam(self) -> Any:
        return self.cloud.client("iam")

    @property
    def _api_arn(self) -> str:
        api_id = urlsplit(self.cloud.api_url).path.rsplit("/", 1)[-1]
        return f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{api_id}/$default"

    def new(self, name: str, route: str | None = None) -> Credentials:
        """The keys of a new user who may call the route and nothing else; None: nothing at all."""
        self._iam.create_user(UserName=name)
        if route:
            document = json.dumps(may_call(route, self._api_arn))
            self._iam.put_user_policy(UserName=name, PolicyName="Calls", PolicyDocument=document)
        key = self._iam.create_access_key(UserName=name)["AccessKey"]
        return Credentials(key["AccessKeyId"], key["SecretAccessKey"])


def may_call(route: str, api_arn: str) -> dict[str, Any]:
    """The policy that permits one route of an API (`GET /users/{id}`) and no other.

    A parameter is `*` there, and IAM's `*` goes on over slashes: `GET/users/*` alone permits
    `GET/users/1/orders` as well. So what has one more segment in a parameter's place is denied.
    """
    method, path = route.split(" ")
    resource = f"{api_arn}/{method}{PARAMETER.sub('*', path)}"
    longer = [
        f"{resource[: found.start()]}*/*{resource[found.end() :]}"
        for found in re.finditer(r"\*", resource)
    ]
    allow, deny = (
        {"Effect": effect, "Action": "execute-api:Invoke", "Resource": resources}
        for effect, resources in (("Allow", [resource]), ("Deny", longer))
    )
    return {"Version": "2012-10-17", "Statement": [allow, deny] if longer else [allow]}
