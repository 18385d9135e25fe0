"""What the functions write to their logs on the local cloud, where nothing of the tests is between.

`tests/handlers/test_privacy.py` looks at every way that a call can end.
"""

from __future__ import annotations

import json
from typing import Any

import boto3

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.pattern import IDEMPOTENCY_KEY
from local.cloud import Cloud
from local.deployment import ACCESS_KEY, REGION, SECRET_KEY
from tests.e2e.http import Api
from tests.e2e.restore import restored
from tests.handlers.marks import MARK, body, parameters

ROUTED = [each for each in ACCESS_PATTERNS if not each.variant_of]


def logged(cloud: Cloud) -> list[str]:
    """All that is in any log group."""
    logs: Any = boto3.client(
        "logs",
        endpoint_url=cloud.endpoint_url,
        region_name=REGION,
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
    )
    groups = [
        group["logGroupName"]
        for page in logs.get_paginator("describe_log_groups").paginate()
        for group in page["logGroups"]
    ]
    return [
        event["message"]
        for group in groups
        for page in logs.get_paginator("filter_log_events").paginate(logGroupName=group)
        for event in page["events"]
    ]


def test_no_log_on_the_cloud_tells_whom_a_call_was_about(cloud: Cloud, api: Api) -> None:
    headers = {"User-Agent": MARK, "Cookie": MARK, "Authorization": f"Bearer {MARK}"}
    with restored(cloud):
        for pattern in ROUTED:
            key = {IDEMPOTENCY_KEY.name: MARK} if pattern.is_idempotent else {}
            api.ask(pattern, body(pattern), {**headers, **key}, **parameters(pattern))
            api.send(pattern.method, pattern.path, f"email={MARK}", MARK.encode(), headers=headers)

    lines = logged(cloud)

    text = "\n".join(lines)
    answered = [line for line in lines if '"answered"' in line]
    assert {pattern.id for pattern in ROUTED} <= {_pattern(line) for line in answered}
    assert MARK not in text.lower()


def _pattern(line: str) -> str:
    return str(json.loads(line[line.index("{") :])["pattern"])
