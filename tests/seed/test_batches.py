"""What goes over the wire for a batch: the same as botocore would send of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSPreparedRequest, AWSRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from seed.connection import connect

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
ATTRIBUTE = st.recursive(
    st.one_of(
        TEXT.map(lambda text: {"S": text}),
        st.decimals(allow_nan=False, allow_infinity=False).map(lambda number: {"N": str(number)}),
        st.binary(max_size=20).map(lambda raw: {"B": raw}),
        st.lists(TEXT, min_size=1, max_size=3).map(lambda texts: {"SS": texts}),
        st.lists(st.binary(max_size=9), min_size=1, max_size=3).map(lambda raws: {"BS": raws}),
        st.booleans().map(lambda boolean: {"BOOL": boolean}),
        st.just({"NULL": True}),
    ),
    lambda inner: st.one_of(
        st.dictionaries(TEXT, inner, max_size=3).map(lambda parts: {"M": parts}),
        st.lists(inner, max_size=3).map(lambda parts: {"L": parts}),
    ),
    max_leaves=5,
)
ITEM = st.dictionaries(TEXT, ATTRIBUTE, max_size=4)
BATCHES = st.lists(ITEM, min_size=1, max_size=3).map(
    lambda items: {"Table": [{"PutRequest": {"Item": item}} for item in items]}
)


class Wire:
    """Takes what a client sends, and answers that all of it is done, or first that nothing is."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.sent: list[AWSPreparedRequest] = []
        self.faults = 0
        client.meta.events.register_first("before-send.dynamodb", self._answer)

    def body(self, requests: Any) -> Any:
        """What goes out for a batch."""
        self._client.batch_write_item(RequestItems=requests)
        raw: Any = self.sent[-1].body
        return json.loads(raw)

    def _answer(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        self.sent.append(request)
        self.faults -= 1
        status: Any = 500 if self.faults >= 0 else 200
        answer = AWSResponse(request.url, status, HTTPHeaders(), None)
        vars(answer)["_content"] = b'{"UnprocessedItems": {}}'
        return answer


@pytest.fixture(scope="module", autouse=True)
def _environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "local")
        patch.setenv("AWS_REGION", "eu-central-1")
        patch.setattr(boto3, "DEFAULT_SESSION", None)  # others' has credentials of theirs
        yield


@pytest.fixture(scope="module")
def ours() -> Wire:
    return Wire(connect("http://127.0.0.1:1"))


@pytest.fixture(scope="module")
def stock() -> Wire:
    config = Config(parameter_validation=False)
    return Wire(boto3.client("dynamodb", region_name="eu-central-1", config=config))


@given(requests=BATCHES)
def test_every_attribute_goes_out_as_botocore_writes_it(
    ours: Wire, stock: Wire, requests: Any
) -> None:
    assert ours.body(requests) == stock.body(requests)


def test_the_body_is_what_is_signed_and_measured(ours: Wire) -> None:
    ours.body({"Table": [{"PutRequest": {"Item": {"PK": {"S": "ä"}}}}]})
    sent: Any = ours.sent[-1]
    headers = {name: _text(value) for name, value in sent.headers.items()}
    *_, names, signature = re.findall(r"\w+=([^,\s]+)", headers["Authorization"])
    signed = {name: headers[name] for name in headers if name.lower() in names.split(";")}

    assert int(headers["Content-Length"]) == len(sent.body)
    assert signature == signature_of(sent.url, signed, sent.body)
    assert signature != signature_of(sent.url, signed, b'{"RequestItems": {}}')


def signature_of(url: str, headers: dict[str, str], body: bytes) -> str:
    """The signature of a request with this body."""
    request = AWSRequest("POST", url, headers=headers, data=body)
    request.context["timestamp"] = headers["X-Amz-Date"]
    auth: Any = SigV4Auth(Credentials("local", "local"), "dynamodb", "eu-central-1")
    text = auth.string_to_sign(request, auth.canonical_request(request))
    return str(auth.signature(text, request))


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def test_what_is_sent_again_is_the_same(ours: Wire) -> None:
    ours.faults = 1
    ours.body({"Table": [{"PutRequest": {"Item": {"PK": {"S": "a"}}}}]})

    assert ours.sent[-1].body == ours.sent[-2].body != b'{"RequestItems": {}}'


def test_another_operation_is_left_to_botocore(ours: Wire) -> None:
    ours._client.delete_item(TableName="T", Key={"PK": {"S": "a"}})  # noqa: SLF001

    sent: Any = ours.sent[-1].body
    assert json.loads(sent) == {"TableName": "T", "Key": {"PK": {"S": "a"}}}
