"""What each write may do: exactly what it is declared to do, and nothing that it could do instead.

Nothing here enforces the roles, and moto does not either; `tests/handlers/caller.py` compares what
a function calls with what its role allows.
"""

from __future__ import annotations

import pytest

from tests.stacks.routes import Statement, routes
from tests.stacks.synthesis import Synthesized

USER = "/ecommerce/users/{user_id}"
EXPECTED = {
    "POST /ecommerce/users": "PutItem",
    f"PATCH {USER}": "UpdateItem",
    f"PUT {USER}/email": "GetItem UpdateItem DeleteItem PutItem",
    f"DELETE {USER}": "GetItem PutItem DeleteItem Query:GSI2",
    f"POST {USER}/orders": "GetItem BatchGetItem ConditionCheckItem PutItem",
    f"PUT {USER}/orders/{{order_id}}/status": "UpdateItem",
    "PUT /ecommerce/products/{product_id}": "UpdateItem",
    f"POST {USER}/sessions": "ConditionCheckItem PutItem",
    "DELETE /ecommerce/sessions/{session_id}": "DeleteItem",
    "POST /ecommerce/jobs": "PutItem",
    "PUT /ecommerce/jobs/{job_id}/result": "UpdateItem",
    "PUT /university/enrolments": "UpdateItem",
    "PATCH /university/enrolments": "UpdateItem",
    "DELETE /university/enrolments": "DeleteItem",
    "PUT /university/teachings": "UpdateItem",
    "PUT /university/articles": "UpdateItem",
    "PUT /university/seminar/room": "Query:InvertedIndex UpdateItem",
    "POST /social/people": "PutItem",
    "PUT /social/people/{person_id}/following/{followee_id}": "PutItem UpdateItem",
    "DELETE /social/people/{person_id}/following/{followee_id}": "DeleteItem UpdateItem",
}


@pytest.mark.parametrize("route", EXPECTED)
def test_a_write_may_do_exactly_this(templates: Synthesized, route: str) -> None:
    [found] = [each for each in routes(templates) if each.key == route]

    assert _named(found.particular) == set(EXPECTED[route].split())


def test_what_reads_may_write_nothing(templates: Synthesized) -> None:
    for route in routes(templates):
        if route.key not in EXPECTED:
            for each in _named(route.particular):
                action = each.partition(":")[0]
                assert action in {"GetItem", "Query", "PartiQLSelect"}


def _named(statements: tuple[Statement, ...]) -> set[str]:
    """What is allowed: `PutItem` on the table, `Query:GSI2` on an index alone."""
    return {
        action.removeprefix("dynamodb:") + resource.removeprefix("table").replace("/index/", ":")
        for statement in statements
        if statement.effect == "Allow"
        for action in statement.actions
        for resource in statement.resources
    }
