"""`make call ROUTE="GET /ecommerce/users/U-001"`: sends a signed request to the deployed service.

BODY is the JSON to send. Credentials and region are those of the AWS settings (AWS_PROFILE, ...).
The service is the one that STAGE names (default `prod`), or the one at API_URL if that is set.
"""

import os
import sys
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

import boto3
import msgspec
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest, AWSResponse
from botocore.exceptions import BotoCoreError
from botocore.httpsession import URLLib3Session
from botocore.utils import get_environ_proxies

from tools.outputs import LookUpError, output
from tools.redaction import without_credentials
from tools.terminal import told, ways

USAGE = """usage: make call ROUTE="GET /ecommerce/users/U-001" [BODY='{"VIP": true}']"""


class CallError(Exception):
    """No answer can be had; the message is for who called."""


def signed_request(route: str, api_url: str, body: str | None) -> AWSRequest:
    """Return the request for a route (`GET /path?query`), signed. Raises CallError."""
    method, _, target = route.partition(" ")
    if not target.startswith("/"):
        raise CallError(USAGE)
    request = AWSRequest(
        method.upper(),
        api_url.rstrip("/") + encoded(target),
        headers={"Content-Type": "application/json"} if body is not None else {},
        data=body.encode() if body is not None else None,
    )
    session = boto3.Session()
    credentials = session.get_credentials()
    if credentials is None:
        raise CallError(f"no AWS credentials\n{ways()}")
    region = region_of(api_url) or os.environ.get("AWS_REGION") or session.region_name
    if region is None:
        raise CallError(f"no AWS region\n{ways()}")
    SigV4Auth(credentials.get_frozen_credentials(), "execute-api", region).add_auth(request)
    return request


def encoded(target: str) -> str:
    """Return a path and query as they go over the wire; what is encoded already stays so.

    The query is encoded to the last character, as AWS does before it compares signatures.
    """
    path, question_mark, query = target.partition("?")
    return quote(path, safe="/%:@") + question_mark + quote(query, safe="%&=")


def region_of(api_url: str) -> str | None:
    """Return the region in an API's own host name, `<id>.execute-api.<region>.amazonaws.com`."""
    labels = urlsplit(api_url).netloc.split(".")
    return labels[2] if labels[1:2] == ["execute-api"] else None


def description(response: AWSResponse) -> str:
    """Return what there is to see: the status, what DynamoDB did, and the body."""
    shown = [f"HTTP {response.status_code}"]
    headers: Mapping[str, str] = response.headers
    shown += [f"{name}: {headers[name]}" for name in headers if is_shown(name)]
    body = response.text
    if body:
        shown += ["", pretty(body)]
    return "\n".join(shown)


def is_shown(header: str) -> bool:
    """Tell whether a header says something about the item or about the database."""
    return header.lower().startswith("x-dynamodb-") or header.lower() in {"etag", "location"}


def pretty(body: str) -> str:
    """Return JSON indented, its numbers as they came; anything else unchanged."""
    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        return body


def main() -> int:
    """Send what ROUTE and BODY say, print the answer, and return the exit status."""
    try:
        route = os.environ.get("ROUTE")
        if not route:
            raise CallError(USAGE)
        api_url = os.environ.get("API_URL") or output("ApiUrl")
        request = signed_request(route, api_url, os.environ.get("BODY"))
        connection = URLLib3Session(proxies=get_environ_proxies(api_url))
        print(description(connection.send(request.prepare())))
    except (CallError, LookUpError, BotoCoreError) as error:
        message = told(error) if isinstance(error, BotoCoreError) else str(error)
        print(f"error: {without_credentials(message)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
