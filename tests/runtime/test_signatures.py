"""Every request is signed twice: in our way, and by botocore's own signer at the same second."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from botocore import auth
from botocore.auth import AUTH_TYPE_MAPS, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import NoCredentialsError
from botocore.session import get_session
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.runtime import signatures, store
from lambdas.runtime.signatures import REPLACED, VERSION, Signer

NOW = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)
URL = "https://dynamodb.eu-central-1.amazonaws.com/"
HEADERS = {
    "X-Amz-Target": "DynamoDB_20120810.GetItem",
    "Content-Type": "application/x-amz-json-1.0",
    "User-Agent": "Botocore/1.43 single-table",
    "amz-sdk-invocation-id": "8c9c5f53-92fa-4e23-8cb8-5b7c4e9ed6a7",
    "amz-sdk-request": "attempt=1",
}


@pytest.fixture(autouse=True)
def _at_one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "get_current_datetime", lambda: NOW)


def credentials(token: str | None = None) -> ReadOnlyCredentials:
    return ReadOnlyCredentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token)


def signed(
    signer: type[SigV4Auth],
    *,
    url: str = URL,
    body: bytes = b"{}",
    headers: dict[str, str] = HEADERS,
    token: str | None = None,
    region: str = "eu-central-1",
    times: int = 1,
) -> list[tuple[str, str]]:
    """All headers of a request, once it is signed."""
    request = AWSRequest("POST", url, headers=headers, data=body)
    for _ in range(times):
        signer(credentials(token), "dynamodb", region).add_auth(request)
    return sorted(request.headers.items())


# --- The same signature ---------------------------------------------------------------------

TOKEN = st.text("ABCabc019+/=", min_size=1, max_size=40)
VALUE = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=20)
NAME = st.text("abcdefgxyz-", min_size=1, max_size=12).map(lambda rest: f"x-{rest}")


@given(
    body=st.binary(max_size=60),
    added=st.dictionaries(NAME, VALUE, max_size=3),
    token=st.none() | TOKEN,
    region=st.sampled_from(["eu-central-1", "us-gov-west-1", "cn-north-1"]),
)
@example(body=b"", added={}, token=None, region="eu-central-1")
@example(body="ü€".encode(), added={"x-spaced": "  two   words "}, token="t", region="eu-west-1")
def test_a_request_is_signed_as_botocore_signs_it(
    body: bytes, added: dict[str, str], token: str | None, region: str
) -> None:
    headers = HEADERS | added
    given: dict[str, Any] = {"body": body, "headers": headers, "token": token, "region": region}
    assert signed(Signer, **given) == signed(SigV4Auth, **given)


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://dynamodb.eu-central-1.amazonaws.com", id="without a path"),
        pytest.param("https://dynamodb.eu-central-1.amazonaws.com:443/", id="with its own port"),
        pytest.param("https://123456789012.ddb.eu-central-1.amazonaws.com/", id="an account's"),
        pytest.param("http://127.0.0.1:4566/", id="a local cloud's"),
        pytest.param("http://[::1]:4566/", id="one of IPv6"),
        pytest.param("http://LOCALHOST:8000/", id="in capitals"),
        pytest.param("http://localhost:8000/db/", id="below a path"),
    ],
)
def test_a_request_to_any_endpoint_is_signed_as_botocore_signs_it(url: str) -> None:
    assert signed(Signer, url=url) == signed(SigV4Auth, url=url)


def test_a_body_that_is_a_file_is_signed_as_botocore_signs_it() -> None:
    first, second = (
        AWSRequest("POST", URL, headers=HEADERS, data=BytesIO(b"{}")) for _ in range(2)
    )
    Signer(credentials(), "dynamodb", "eu-central-1").add_auth(first)
    SigV4Auth(credentials(), "dynamodb", "eu-central-1").add_auth(second)
    assert first.headers["Authorization"] == second.headers["Authorization"]


def test_a_request_that_is_sent_again_is_signed_as_botocore_signs_it_again() -> None:
    assert signed(Signer, times=2, token="t") == signed(SigV4Auth, times=2, token="t")


def test_another_body_region_or_header_gives_another_signature() -> None:
    """The near misses: what is equal above is equal because of what is signed."""
    others: list[dict[str, Any]] = [
        {},
        {"body": b"{ }"},
        {"region": "eu-west-1"},
        {"headers": HEADERS | {"X-Amz-Target": "DynamoDB_20120810.DeleteItem"}},
        {"token": "t"},
        {"url": "http://127.0.0.1:4566/"},
    ]
    signatures = [dict(signed(Signer, **other))["Authorization"][-64:] for other in others]
    assert len(set(signatures)) == len(others)


def test_a_header_that_a_proxy_may_change_is_not_signed() -> None:
    traced = HEADERS | {"X-Amzn-Trace-Id": "Root=1-5759e988-bd862e3fe1be46a994272793"}
    assert (
        dict(signed(Signer, headers=traced))["Authorization"]
        == (dict(signed(Signer))["Authorization"])
    )


def test_without_credentials_nothing_is_signed() -> None:
    nobody: Any = None
    with pytest.raises(NoCredentialsError):
        Signer(nobody, "dynamodb", "eu-central-1").add_auth(AWSRequest("POST", URL, data=b"{}"))


# --- The place in botocore ------------------------------------------------------------------


def signer_of(client: Any) -> type:
    """What signs a client's requests."""
    found = client._request_signer.get_auth("dynamodb", "eu-central-1")  # noqa: SLF001
    return type(found)


def made(service: str, version: str | None = None) -> Any:
    session = get_session()
    session.set_credentials("a", "b")
    config = Config(signature_version=version)
    return session.create_client(service, region_name="eu-central-1", config=config)


def test_a_client_signs_in_this_way_and_those_that_are_not_told_as_before() -> None:
    assert signer_of(made("dynamodb", signatures.version())) is Signer
    assert signer_of(made("dynamodb")) is SigV4Auth
    assert signer_of(made("sqs")) is SigV4Auth


def test_the_functions_client_signs_in_this_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    assert signer_of(store.client()) is Signer


@pytest.mark.parametrize("step", REPLACED)
def test_where_botocore_signs_in_other_steps_its_own_way_stays(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(self: SigV4Auth, request: Any, context: Any) -> None:
        """As a later botocore might have it."""

    assert signatures.version() == VERSION
    monkeypatch.setattr(SigV4Auth, step, changed)
    assert signatures.version() is None


def test_where_botocore_lacks_a_step_its_own_way_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SigV4Auth, "signed_headers")
    assert signatures.version() is None


def test_where_botocore_calls_the_unsigned_headers_otherwise_its_own_way_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signatures, "UNSIGNED", frozenset())
    assert signatures.version() is None


def test_where_botocore_signs_in_c_its_own_way_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `botocore[crt]`, AWS's runtime library takes the place of `v4`."""

    class Crt(SigV4Auth):
        """A stand-in for that."""

    monkeypatch.setitem(AUTH_TYPE_MAPS, "v4", Crt)
    assert signatures.version() is None
