"""An issuer of tokens on loopback: its discovery document, its keys, and tokens of every kind."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from local.emulator import HOST

AUDIENCE = "shop"
KEY_ID = "first"
LIFETIME_SECONDS = 300


def new_key() -> rsa.RSAPrivateKey:
    """A key to sign with."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Issuer:
    """Signs tokens; a server on loopback publishes the key to verify them with."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._key = new_key()

    @property
    def documents(self) -> dict[str, Any]:
        """What it publishes, by path."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/keys",
            },
            "/keys": {"keys": [{**public, "kid": KEY_ID, "use": "sig", "alg": "RS256"}]},
        }

    def claims(self, subject: str, **others: Any) -> dict[str, Any]:
        """What a good token says of a person, with these claims changed or added."""
        now = int(time.time())
        good = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject,
            "iat": now,
            "nbf": now,
            "exp": now + LIFETIME_SECONDS,
        }
        return {**good, **others}

    def token(self, subject: str, **others: Any) -> str:
        """A token signed with the published key."""
        return self._signed(self.claims(subject, **others), self._key)

    def forged(self, subject: str, **others: Any) -> str:
        """A token signed with a key of somebody else, under the name of the published one."""
        return self._signed(self.claims(subject, **others), self._stranger)

    def without_signature(self, subject: str, **others: Any) -> str:
        """A token that says of itself that it needs no signature."""
        claims = self.claims(subject, **others)
        return jwt.encode(claims, key="", algorithm="none", headers={"kid": KEY_ID})

    @cached_property
    def _stranger(self) -> rsa.RSAPrivateKey:
        return new_key()

    @staticmethod
    def _signed(claims: Mapping[str, Any], key: rsa.RSAPrivateKey) -> str:
        return jwt.encode(dict(claims), key, algorithm="RS256", headers={"kid": KEY_ID})


def altered(token: str, **claims: Any) -> str:
    """The token with other claims under the old signature."""
    header, payload, signature = token.split(".")
    padded = payload + "=" * (-len(payload) % 4)
    changed = {**json.loads(base64.urlsafe_b64decode(padded)), **claims}
    encoded = base64.urlsafe_b64encode(json.dumps(changed).encode()).rstrip(b"=").decode()
    return f"{header}.{encoded}.{signature}"


@contextmanager
def issuing() -> Iterator[Issuer]:
    """An issuer whose documents are served while the block runs."""

    class Documents(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document = issuer.documents.get(self.path)
            self.send_response(200 if document else 404)
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, *_arguments: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer((HOST, 0), Documents) as server:
        issuer = Issuer(f"http://{HOST}:{server.server_port}")
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield issuer
        finally:
            server.shutdown()
            thread.join()
