"""Who gets in, by signature and permission or by token; and what the functions may do then.

The emulator enforces IAM here: the functions run under their own roles, and the gateway checks
signatures and policies. The same API is deployed for AWS principals first, and then for people.
All of it is in one file, so that it shares one cloud however the files are spread over processes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pytest
from botocore.credentials import Credentials

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.access import Admin, Anyone
from lambdas.design.ecommerce import GET_USER
from lambdas.design.pattern import AccessPattern
from lambdas.design.social import LIST_FOLLOWING
from lambdas.design.table import INDEXES
from lambdas.handlers.documents import OPENAPI_PATH
from local.cloud import Cloud, local_cloud
from local.deployment import CLOSED, Deployment
from local.emulator import endpoint, free_port
from tests.e2e.http import Answer, Api, bearer, signed
from tests.e2e.issuer import AUDIENCE, Issuer, altered, issuing
from tests.e2e.principals import Principals
from tests.e2e.restore import restored
from tests.people import STRANGER, not_the_strangers, open_to_others, whose
from tools.permissions import OF_ITEMS, actions, asked, differences, measure_all
from tools.roles import Roles

People = Callable[..., Api]
"""The API as a person calls it: the token's subject, and further claims."""

PATTERNS = {pattern.route: pattern for pattern in ACCESS_PATTERNS if not pattern.variant_of}
DOCUMENT = f"GET {OPENAPI_PATH}"
ROUTES = [*PATTERNS, DOCUMENT]
NEIGHBOURS = 4
"""On how many others the caller of a route is tried in every run of the tests."""
AT_ONCE = 4
"""How many requests are on the way together; most of the time functions are being started."""

by_route = pytest.mark.parametrize("route", ROUTES)


@dataclass(frozen=True)
class Gate:
    """A cloud that enforces IAM, and what will let people in by tokens afterwards."""

    cloud: Cloud
    issuer: Issuer
    for_people: Deployment


class Tried(NamedTuple):
    """What each caller was answered on each route."""

    keys: dict[str, Credentials]
    """The keys of who may call this route alone."""
    unsigned: dict[str, int]
    stranger: dict[str, int]
    """A principal without any permission."""
    permitted: dict[str, Answer]
    """The principal who may call this route, sending the pattern's example."""
    elsewhere: dict[str, dict[str, int]]
    """The principal who may call this route, on some others."""


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    port = free_port()
    with issuing() as issuer:
        settings = {
            **CLOSED,
            "auth": "jwt",
            "jwt_issuer": issuer.url,
            "jwt_audience": AUDIENCE,
        }
        folder = tmp_path_factory.mktemp("for-people")
        for_people = Deployment(endpoint(port), folder, settings)
        folder = tmp_path_factory.mktemp("closed")
        with local_cloud(port, folder, CLOSED, for_people) as cloud:
            yield Gate(cloud, issuer, for_people)


def call(api: Api, route: str) -> Answer:
    """The answer to a route's example."""
    if route == DOCUMENT:
        return api.send("GET", OPENAPI_PATH)
    pattern = PATTERNS[route]
    return api.ask(pattern, **pattern.example)


def after(route: str) -> list[str]:
    """All other routes, as they follow this one in a ring."""
    at = ROUTES.index(route)
    return [*ROUTES[at + 1 :], *ROUTES[:at]]


# --- Signatures -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tried(gate: Gate) -> Tried:
    """Every caller on every route, under IAM authorization."""
    principals = Principals(gate.cloud)
    unsigned = Api(gate.cloud.api_url)
    stranger = replace(unsigned, proof=signed(principals.new("stranger")))
    keys = {route: principals.new(f"caller-{number}", route) for number, route in enumerate(ROUTES)}
    callers = {route: replace(unsigned, proof=signed(keys[route])) for route in ROUTES}

    def at_home(own: str) -> Answer:
        return call(callers[own], own)

    def elsewhere(own: str) -> dict[str, int]:
        return {route: call(callers[own], route).status for route in after(own)[:NEIGHBOURS]}

    with restored(gate.cloud), ThreadPoolExecutor(AT_ONCE) as pool:
        return Tried(
            keys,
            {route: call(unsigned, route).status for route in ROUTES},
            {route: call(stranger, route).status for route in ROUTES},
            dict(zip(ROUTES, pool.map(at_home, ROUTES), strict=True)),
            dict(zip(ROUTES, pool.map(elsewhere, ROUTES), strict=True)),
        )


@by_route
def test_without_a_signature_nobody_gets_in(tried: Tried, route: str) -> None:
    assert tried.unsigned[route] == 403


@by_route
def test_a_signature_without_permission_does_not_help(tried: Tried, route: str) -> None:
    assert tried.stranger[route] == 403


@by_route
def test_who_may_call_a_route_gets_in_there_and_nowhere_else(tried: Tried, route: str) -> None:
    answer = tried.permitted[route]

    # Under its own role the function has been answered by DynamoDB as well: nothing was missing.
    assert answer.status < 300, answer.text
    assert set(tried.elsewhere[route].values()) == {403}
    assert len(tried.elsewhere[route]) == NEIGHBOURS


@pytest.mark.thorough
@by_route
def test_who_may_call_a_route_gets_in_on_none_of_the_others(
    tried: Tried, gate: Gate, route: str
) -> None:
    caller = Api(gate.cloud.api_url, signed(tried.keys[route]))

    assert {call(caller, other).status for other in after(route)} == {403}


def test_a_parameter_is_one_segment_and_no_more(tried: Tried, gate: Gate) -> None:
    """`GET/social/people/*/following` would permit the person `following`, whom alice follows."""
    path = LIST_FOLLOWING.path.format(person_id="alice")
    route = Api(gate.cloud.api_url, signed(tried.keys[LIST_FOLLOWING.route]))

    assert route.send("GET", path).status == 200
    assert route.send("GET", f"{path}/following").status == 403


# --- What a function may do -----------------------------------------------------------------


def test_a_role_may_do_to_items_what_its_pattern_declares_and_nothing_else(gate: Gate) -> None:
    found = measure_all(gate.cloud, OF_ITEMS)

    assert list(differences(found, OF_ITEMS)) == []


@pytest.mark.thorough
def test_no_role_may_do_anything_else_of_what_dynamodb_can_do(gate: Gate) -> None:
    assert list(differences(measure_all(gate.cloud, actions()), actions())) == []


@pytest.mark.parametrize(
    ("action", "place", "found_out"),
    [
        ("dynamodb:Scan", "", ["Scan on table"]),
        ("dynamodb:GetItem", "/index/GSI1", ["GetItem on GSI1"]),
        ("dynamodb:Query", "/index/*", [f"Query on {index.name}" for index in INDEXES]),
        ("dynamodb:Put*", "", ["PutItem on table", "PutItem on table within a transaction"]),
        ("logs:CreateLogGroup", None, ["logs:CreateLogGroup on *"]),
    ],
)
def test_a_permission_too_many_is_found_out(
    gate: Gate, action: str, place: str | None, found_out: list[str]
) -> None:
    arn = gate.cloud.dynamodb.describe_table(TableName=gate.cloud.table_name)["Table"]["TableArn"]
    statement = {
        "Effect": "Allow",
        "Action": action,
        "Resource": "*" if place is None else f"{arn}{place}",
    }
    roles = Roles(gate.cloud)
    [role] = [each for each in roles.all() if each.function == GET_USER.name]
    policy = {"RoleName": role.name, "PolicyName": "TooMuch"}
    iam = gate.cloud.client("iam")
    iam.put_role_policy(
        **policy, PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": statement})
    )
    try:
        measured = roles.measure(role, asked(OF_ITEMS))
    finally:
        iam.delete_role_policy(**policy)

    named = [
        each for each in differences({GET_USER.name: measured}, OF_ITEMS) if "is allowed" in each
    ]
    assert [each.split(": ", 1)[1].split(" is ")[0] for each in named] == found_out


# --- Tokens ---------------------------------------------------------------------------------


TOKENS: dict[str, Callable[[Issuer], str | None]] = {
    "no token": lambda _issuer: None,
    "no token, but a word": lambda _issuer: "alice",
    "an expired one": lambda issuer: issuer.token("alice", exp=int(time.time()) - 1),
    "one that is not valid yet": lambda issuer: issuer.token("alice", nbf=int(time.time()) + 60),
    "one for another audience": lambda issuer: issuer.token("alice", aud="bank"),
    "one of another issuer": lambda issuer: issuer.token("alice", iss=f"{issuer.url}/other"),
    "an altered one": lambda issuer: altered(issuer.token("alice"), sub="bob"),
    "one with another key's signature": lambda issuer: issuer.forged("alice"),
    "one without a signature": lambda issuer: issuer.without_signature("alice"),
}
"""What does not let a person in."""


@pytest.fixture(scope="module")
def for_people(gate: Gate, tried: Tried) -> Api:
    """The same API, deployed again for people; all has been tried on it with signatures before."""
    assert tried
    gate.for_people.deploy()
    return Api(gate.cloud.api_url)


@pytest.mark.parametrize("token", TOKENS)
def test_this_lets_nobody_in_on_any_route(gate: Gate, for_people: Api, token: str) -> None:
    shown = TOKENS[token](gate.issuer)
    api = replace(for_people, proof=bearer(shown)) if shown else for_people

    assert {route: call(api, route).status for route in ROUTES} == dict.fromkeys(ROUTES, 401)


def test_a_signature_is_no_token(for_people: Api, tried: Tried) -> None:
    for route in ROUTES:
        assert call(replace(for_people, proof=signed(tried.keys[route])), route).status == 401


# --- What people may touch ------------------------------------------------------------------


@pytest.fixture
def people(gate: Gate, for_people: Api) -> Iterator[People]:
    """People who call; what they change is put back."""
    with restored(gate.cloud):
        yield lambda subject, **claims: replace(
            for_people, proof=bearer(gate.issuer.token(subject, **claims))
        )


def first_of_each_kind() -> Iterator[Any]:
    """Every pattern; one of each kind of declaration is tried in every run of the tests."""
    kinds = set()
    for pattern in PATTERNS.values():
        is_first = str(pattern.people) not in kinds
        kinds.add(str(pattern.people))
        marks = () if is_first else (pytest.mark.thorough,)
        yield pytest.param(pattern, marks=marks, id=pattern.id)


by_pattern = pytest.mark.parametrize("pattern", list(first_of_each_kind()))


@by_pattern
def test_another_person_is_refused_unless_anyone_may(
    people: People, pattern: AccessPattern
) -> None:
    api = people(STRANGER)
    answer = api.ask(pattern, not_the_strangers(pattern), **pattern.example)

    assert answer.status == (200 if pattern.people == Anyone() else 403), answer.text


@by_pattern
def test_the_person_whose_it_is_gets_in_unless_it_is_for_admins(
    people: People, pattern: AccessPattern
) -> None:
    api = people(whose(pattern))
    answer = api.ask(pattern, open_to_others(pattern), **pattern.example)

    assert (answer.status == 403) == (pattern.people == Admin()), answer.text
    assert answer.status < 300 or answer.status == 403


@by_pattern
def test_an_admin_gets_in_everywhere(people: People, pattern: AccessPattern) -> None:
    answer = people(STRANGER, scope="openid admin").ask(pattern, **pattern.example)

    assert answer.status < 300, answer.text


def test_with_any_good_token_one_can_read_what_the_api_is(people: People) -> None:
    assert people(STRANGER).send("GET", OPENAPI_PATH).status == 200
