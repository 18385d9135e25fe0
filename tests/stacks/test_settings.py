from __future__ import annotations

import pytest
from aws_cdk import App

from stacks.settings import Settings, SettingsError, read_settings
from tests.stacks.synthesis import Synthesize


def settings(**context: str) -> Settings:
    return read_settings(App(context=context).node)


def test_without_a_context_it_is_prod_with_signatures() -> None:
    found = settings()

    assert (found.stage, found.auth, found.suffix) == ("prod", "iam", "")
    assert (found.architecture, found.runtime, found.wheels) == ("arm64", "python3.13", "lambda")


def test_the_context_is_taken() -> None:
    found = settings(
        stage="dev",
        auth="jwt",
        jwt_issuer="https://issuer.example",
        jwt_audience="shop",
        admin_scope="shop/admin",
        architecture="x86_64",
        runtime="python3.12",
        wheels="host",
    )

    assert found == Settings(
        "dev", "jwt", "https://issuer.example", "shop", "shop/admin", "x86_64", "python3.12", "host"
    )
    assert found.suffix == "-dev"
    assert found.python_version == "3.12"


@pytest.mark.parametrize(
    ("context", "key"),
    [
        ({"stage": "foo"}, "stage"),
        ({"stage": ""}, "stage"),
        ({"stage": "Prod"}, "stage"),
        ({"auth": "foo"}, "auth"),
        ({"auth": "jwt"}, "jwt_issuer"),
        ({"auth": "jwt", "jwt_audience": "shop"}, "jwt_issuer"),
        ({"auth": "jwt", "jwt_issuer": "https://issuer.example"}, "jwt_audience"),
        ({"auth": "jwt", "jwt_issuer": "", "jwt_audience": ""}, "jwt_issuer"),
        ({"admin_scope": "shop admin"}, "admin_scope"),
        ({"admin_scope": ""}, "admin_scope"),
        ({"auth": "none"}, "auth"),
        ({"auth": "none", "stage": "prod"}, "auth"),
        ({"runtime": "node"}, "runtime"),
        ({"runtime": "nodejs22.x"}, "runtime"),
        ({"runtime": "python3.13 "}, "runtime"),
        ({"runtime": "python3"}, "runtime"),
        ({"architecture": "sparc"}, "architecture"),
        ({"wheels": "source"}, "wheels"),
        ({"policies": "none", "stage": "dev"}, "policies"),
        ({"policies": "emulator"}, "policies"),
    ],
    ids=str,
)
def test_a_context_that_cannot_be_is_one_clear_error(context: dict[str, str], key: str) -> None:
    with pytest.raises(SettingsError) as raised:
        settings(**context)

    message = str(raised.value)
    assert key in message
    assert "\n" not in message
    assert context.get(key, "") in message


def test_an_error_says_what_can_be() -> None:
    with pytest.raises(SettingsError, match=r"stage='foo'.*prod, dev"):
        settings(stage="foo")


def test_nothing_is_synthesized_from_a_bad_context(synthesize: Synthesize) -> None:
    with pytest.raises(SettingsError, match="auth=none"):
        synthesize(auth="none")
