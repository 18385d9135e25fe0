"""Signs requests to DynamoDB in a small part of the time that botocore takes for it.

botocore can sign whatever HTTP can say: headers that come twice, bodies that are streams. It copies
the headers three times for that, each time into an e-mail message, and puts the whole request
together only to see its body. DynamoDB's requests are all alike: a body that is there, and headers
that botocore has just set, each once. What is signed, and how, is botocore's own. Where botocore
is not made as it was when this was tested, so is everything.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from inspect import signature
from typing import Any, Final

from botocore import auth
from botocore.auth import AUTH_TYPE_MAPS, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials

VERSION: Final = "v4-dynamodb"
"""What this way of signing is called among botocore's; other clients go on with theirs."""

REPLACED: Final = {
    "headers_to_sign": ["self", "request"],
    "canonical_headers": ["self", "headers_to_sign"],
    "signed_headers": ["self", "headers_to_sign"],
    "payload": ["self", "request"],
}
"""The steps of botocore's signing that are other ones here, and what each was given when this was
tested."""

UNSIGNED: Final = frozenset(getattr(auth, "SIGNED_HEADERS_BLACKLIST", ()))
"""The headers that are not signed, since a proxy may change them."""


def version() -> str | None:
    """The option `signature_version` of a client that is to sign in this way; None, which is its
    default, where botocore's own way has to stay."""
    if not is_as_tested():
        return None
    AUTH_TYPE_MAPS[VERSION] = Signer
    return VERSION


def is_as_tested() -> bool:
    """Whether botocore signs in Python, in the steps in which it did so in version 1.43."""
    if AUTH_TYPE_MAPS.get("v4") is not SigV4Auth or not UNSIGNED:
        return False
    return all(
        hasattr(SigV4Auth, step) and [*signature(getattr(SigV4Auth, step)).parameters] == given
        for step, given in REPLACED.items()
    )


class Signer(SigV4Auth):
    """Signature Version 4, for requests as they are made of DynamoDB."""

    def headers_to_sign(self, request: Any) -> Any:
        """The headers by their names in small letters, in the order in which they are signed."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        headers = {"host": _host(request.url), **headers}
        return {name: headers[name] for name in sorted(headers) if name not in UNSIGNED}

    def canonical_headers(self, headers_to_sign: Any) -> str:
        """A line for each of them."""
        lines = (f"{name}:{' '.join(text.split())}" for name, text in headers_to_sign.items())
        return "\n".join(lines)

    def signed_headers(self, headers_to_sign: Any) -> str:
        """Their names in one line."""
        return ";".join(headers_to_sign)

    def payload(self, request: Any) -> str:
        """The digest of the body."""
        body = request.data
        return sha256(body).hexdigest() if isinstance(body, bytes) else super().payload(request)


@lru_cache(maxsize=4)
def _host(url: str) -> str:
    """What the header `Host` will say; botocore works it out of the URL for every request."""
    nobody = ReadOnlyCredentials("", "", None)
    stock = SigV4Auth(nobody, "", "").headers_to_sign(AWSRequest("POST", url))
    return str(stock["host"])
