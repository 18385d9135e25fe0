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
    assert (found.architecture, found.runtime, found.wheels) == ("arm64", "python3.14", "lambda")


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
        ({"auth": "jwt", "jwt_issuer": "issuer", "jwt_audience": "shop"}, "jwt_issuer"),
        ({"auth": "jwt", "jwt_issuer": "http://i.example", "jwt_audience": "shop"}, "jwt_issuer"),
        ({"jwt_issuer": "https://i.example:99999"}, "jwt_issuer"),
        ({"jwt_issuer": "https://i.example/?a=b"}, "jwt_issuer"),
        ({"admin_scope": "shop admin"}, "admin_scope"),
        ({"admin_scope": ""}, "admin_scope"),
        ({"auth": "none"}, "auth"),
        ({"auth": "none", "stage": "prod"}, "auth"),
        ({"runtime": "node"}, "runtime"),
        ({"runtime": "nodejs22.x"}, "runtime"),
        ({"runtime": "python3.14 "}, "runtime"),
        ({"runtime": "python3"}, "runtime"),
        ({"runtime": "python3.10"}, "runtime"),
        ({"architecture": "sparc"}, "architecture"),
        ({"wheels": "source"}, "wheels"),
        ({"policies": "none", "stage": "dev"}, "policies"),
        ({"policies": "emulator"}, "policies"),
        ({"tracing": "on"}, "tracing"),
        ({"requests_per_second": "0"}, "requests_per_second"),
        ({"requests_per_second": "10001"}, "requests_per_second"),
        ({"requests_per_second": "1e3"}, "requests_per_second"),
        ({"requests_per_second": "lots"}, "requests_per_second"),
        ({"requests_per_second": ""}, "requests_per_second"),
        ({"burst": "-1"}, "burst"),
        ({"burst": "5001"}, "burst"),
        ({"max_read_units": "0"}, "max_read_units"),
        ({"max_read_units": "40001"}, "max_read_units"),
        ({"max_write_units": "0.5"}, "max_write_units"),
        ({"max_write_units": "1 000"}, "max_write_units"),
        ({"reserved_concurrency": "-1"}, "reserved_concurrency"),
        ({"reserved_concurrency": "1001"}, "reserved_concurrency"),
        ({"reserved_concurrency": "٣"}, "reserved_concurrency"),
        ({"cors_origins": "shop.example"}, "cors_origins"),
        ({"cors_origins": "https://shop.example/"}, "cors_origins"),
        ({"cors_origins": "https://shop.example:99999"}, "cors_origins"),
        ({"cors_origins": "https://shop.example:0"}, "cors_origins"),
        ({"cors_origins": "https://shop.example/app"}, "cors_origins"),
        ({"cors_origins": "https://*.shop.example"}, "cors_origins"),
        ({"cors_origins": "https://user@shop.example"}, "cors_origins"),
        ({"cors_origins": "http://shop.example"}, "cors_origins"),
        ({"cors_origins": "http://localhost.evil.example"}, "cors_origins"),
        ({"cors_origins": "https://shop.example,"}, "cors_origins"),
        ({"cors_origins": "null"}, "cors_origins"),
        ({"cors_origins": "*,https://shop.example"}, "cors_origins"),
        ({"cors_origins": "*", "auth": "none", "stage": "dev"}, "cors_origins"),
        ({"monitoring": "true"}, "monitoring"),
        ({"metrics": "index"}, "metrics"),
        ({"contributor_insights": "on"}, "contributor_insights"),
        ({"alarms_topic": "on-call"}, "alarms_topic"),
        ({"alarms_topic": "arn:aws:sqs:eu-central-1:123456789012:on-call"}, "alarms_topic"),
        ({"alarms_topic": "arn:aws:sns:eu-central-1:123456789012:on-call.fifo"}, "alarms_topic"),
        ({"alarms_topic": "arn:aws:sns:eu-central-1:123456789012:"}, "alarms_topic"),
        ({"alarm_error_percent": "0"}, "alarm_error_percent"),
        ({"alarm_error_percent": "101"}, "alarm_error_percent"),
        ({"alarm_p99_ms": "27001"}, "alarm_p99_ms"),
        ({"alarm_throttles": "-1"}, "alarm_throttles"),
        ({"alarm_conflicts": "many"}, "alarm_conflicts"),
        ({"alarm_usd_per_day": "0.5"}, "alarm_usd_per_day"),
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


def test_by_default_there_are_ceilings_no_reserved_concurrency_and_no_other_origin() -> None:
    found = settings()

    assert (found.requests_per_second, found.burst) == (100, 200)
    assert (found.max_read_units, found.max_write_units) == (1000, 1000)
    assert found.reserved_concurrency == 0
    assert found.origins == ()


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov"])
def test_a_topic_may_be_in_any_partition_of_aws(partition: str) -> None:
    topic = f"arn:{partition}:sns:eu-central-1:123456789012:On_call-1"
    assert settings(alarms_topic=topic).alarms_topic == topic


@pytest.mark.parametrize("value", [500, "500"])
def test_a_number_may_come_from_cdk_json_or_the_command_line(value: object) -> None:
    assert read_settings(App(context={"burst": value}).node).burst == 500


@pytest.mark.parametrize("value", [True, 1.5, [1]])
def test_what_json_has_beside_whole_numbers_is_refused(value: object) -> None:
    with pytest.raises(SettingsError, match="burst"):
        read_settings(App(context={"burst": value}).node)


def test_what_is_text_is_refused_as_anything_else() -> None:
    with pytest.raises(SettingsError, match="cors_origins=5: must be text"):
        read_settings(App(context={"cors_origins": 5}).node)


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        ("https://shop.example", ("https://shop.example",)),
        (
            "https://shop.example, https://a-b.shop.example:8443,http://localhost:5173",
            ("https://shop.example", "https://a-b.shop.example:8443", "http://localhost:5173"),
        ),
        ("*", ("*",)),
    ],
)
def test_origins_are_what_a_browser_calls_a_page_s_place(
    origins: str, expected: tuple[str, ...]
) -> None:
    assert settings(cors_origins=origins).origins == expected


def test_an_error_says_what_can_be() -> None:
    with pytest.raises(SettingsError, match=r"stage='foo'.*prod, dev"):
        settings(stage="foo")


def test_nothing_is_synthesized_from_a_bad_context(synthesize: Synthesize) -> None:
    with pytest.raises(SettingsError, match="auth=none"):
        synthesize(auth="none")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Stage", "stage"),
        ("stages", "stage"),
        ("monitorring", "monitoring"),
        ("jwt-issuer", "jwt_issuer"),
        ("max_read_unit", "max_read_units"),
        ("alarm_topic", "alarms_topic"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_name_that_was_meant(name: str, meant: str) -> None:
    with pytest.raises(SettingsError, match=f"^context {name}: .* it is {meant}$"):
        settings(**{name: "dev"})


@pytest.mark.parametrize(
    "name", ["@aws-cdk/core:stackRelativeExports", "aws:cdk:bundling-stacks", "account", "team"]
)
def test_a_name_that_resembles_none_is_somebody_elses(name: str) -> None:
    assert settings(**{name: "x"}) == settings()


@pytest.mark.parametrize(
    "issuer",
    [
        "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
        "https://tenant.eu.auth0.com/",
        "https://id.example:8443/realms/Shop",
        "http://127.0.0.1:9000",
    ],
)
def test_an_issuer_is_a_url(issuer: str) -> None:
    found = settings(auth="jwt", jwt_issuer=issuer, jwt_audience="shop")
    assert found.jwt_issuer == issuer
