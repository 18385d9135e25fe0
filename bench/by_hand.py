"""The least that a request of DynamoDB takes in Python: one kept connection, one signature, JSON.

It is here to be measured against and shows what a library gives up on: retries, time-outs, other
credentials than the environment's, and every check.
"""

from __future__ import annotations

import hmac
import os
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from msgspec import Raw, json

HEADERS = "content-type;host;x-amz-date;x-amz-target"


class Client:
    """A connection to one endpoint, by Signature Version 4."""

    def __init__(self, endpoint_url: str, region: str) -> None:
        self._host = urlsplit(endpoint_url).netloc
        self._connection = HTTPConnection(self._host)
        self._region = region
        self._access_key = os.environ["AWS_ACCESS_KEY_ID"]
        self._secret = os.environ["AWS_SECRET_ACCESS_KEY"]

    def item(self, operation: str, request: dict[str, Any]) -> bytes:
        """The JSON text of the item that is found."""
        return json.encode(_plain(self._call(operation, request)["Item"]))

    def items(self, operation: str, request: dict[str, Any]) -> bytes:
        """The JSON text of the items that are found."""
        return json.encode([_plain(item) for item in self._call(operation, request)["Items"]])

    def _call(self, operation: str, request: dict[str, Any]) -> Any:
        body = json.encode(request)
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        target = f"DynamoDB_20120810.{operation}"
        kind = "application/x-amz-json-1.0"
        canonical = (
            f"POST\n/\n\ncontent-type:{kind}\nhost:{self._host}\nx-amz-date:{now}\n"
            f"x-amz-target:{target}\n\n{HEADERS}\n{sha256(body).hexdigest()}"
        )
        scope = f"{now[:8]}/{self._region}/dynamodb/aws4_request"
        digest = sha256(canonical.encode()).hexdigest()
        signed = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{digest}"
        key = f"AWS4{self._secret}".encode()
        for part in (*scope.split("/"), signed):
            key = hmac.digest(key, part.encode(), "sha256")
        authorization = (
            f"AWS4-HMAC-SHA256 Credential={self._access_key}/{scope}, "
            f"SignedHeaders={HEADERS}, Signature={key.hex()}"
        )
        self._connection.request(
            "POST",
            "/",
            body,
            {
                "Content-Type": kind,
                "X-Amz-Date": now,
                "X-Amz-Target": target,
                "Authorization": authorization,
            },
        )
        return json.decode(self._connection.getresponse().read())


def _plain(item: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {name: _value(attribute) for name, attribute in item.items()}


def _value(attribute: dict[str, Any]) -> Any:
    [(kind, value)] = attribute.items()
    match kind:
        case "N":
            return Raw(value.encode())
        case "M":
            return _plain(value)
        case "L":
            return [_value(each) for each in value]
        case _:
            return value
