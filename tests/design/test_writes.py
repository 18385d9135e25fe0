"""The writes as the contract has them, row by row."""

from __future__ import annotations

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.ecommerce import Session, User
from lambdas.design.idempotency import REMEMBER, Idempotency
from lambdas.design.operations import (
    DeleteItem,
    GetItem,
    Permission,
    PutItem,
    Query,
    Transaction,
    UpdateItem,
    Write,
)
from lambdas.design.pattern import IDEMPOTENCY_KEY
from lambdas.design.table import GSI2, TABLE

ROWS = """
CW-01 create_user POST /ecommerce/users
CW-02 change_user PATCH /ecommerce/users/{user_id}
CW-03 change_email PUT /ecommerce/users/{user_id}/email
CW-04 delete_user DELETE /ecommerce/users/{user_id}
CW-05 place_order POST /ecommerce/users/{user_id}/orders
CW-06 change_order_status PUT /ecommerce/users/{user_id}/orders/{order_id}/status
CW-07 put_product PUT /ecommerce/products/{product_id}
CW-08 start_session POST /ecommerce/users/{user_id}/sessions
CW-09 end_session DELETE /ecommerce/sessions/{session_id}
CW-10 submit_job POST /ecommerce/jobs
CW-11 finish_job PUT /ecommerce/jobs/{job_id}/result
UW-01 enrol PUT /university/enrolments
UW-02 set_grade PATCH /university/enrolments
UW-03 withdraw DELETE /university/enrolments
UW-04 assign_seminar PUT /university/teachings
UW-05 publish_article PUT /university/articles
UW-06 move_seminar PUT /university/seminar/room
SW-01 create_person POST /social/people
SW-02 follow PUT /social/people/{person_id}/following/{followee_id}
SW-03 unfollow DELETE /social/people/{person_id}/following/{followee_id}
"""

BODIES = {
    "CW-01": "Name Email UserId? VIP? Address?",
    "CW-02": "Name? VIP? Address?",
    "CW-03": "Email",
    "CW-05": "Items",
    "CW-06": "Status",
    "CW-07": "Name Price Currency Category",
    "CW-08": "TtlSeconds?",
    "CW-10": "JobId?",
    "CW-11": "Status ErrorCode?",
    "UW-01": "Student Seminar RaumNr Semester Note? Adresse?",
    "UW-02": "Student Seminar Note",
    "UW-04": "Professor Seminar RaumNr Jahr",
    "UW-05": "Professor Forschungsartikel Fachjournal Anz. Seiten",
    "UW-06": "Seminar RaumNr",
    "SW-01": "PersonId Name",
}

ERRORS = {
    "CW-01": "400 409 413 429 500 503",
    "CW-02": "400 404 409 412 413 429 500 503",
    "CW-04": "400 404 409 412 429 500 503",
    "CW-05": "400 404 409 413 429 500 503",
    "CW-07": "400 409 412 413 429 500 503",
    "CW-09": "400 409 429 500 503",
    "SW-02": "400 404 409 429 500 503",
}

PATTERNS = {each.id: each for each in ACCESS_PATTERNS if isinstance(each.operation, Write)}


def test_the_writes_of_the_contract_are_there_in_its_order_among_others() -> None:
    rows = [f"{each.id} {each.name} {each.route}" for each in PATTERNS.values()]
    contract = ROWS.strip().splitlines()
    assert [row for row in rows if row in contract] == contract


@pytest.mark.parametrize("id_", [row.partition(" ")[0] for row in ROWS.strip().splitlines()])
def test_a_body_has_the_names_of_the_contract(id_: str) -> None:
    body = PATTERNS[id_].body
    if id_ not in BODIES:
        assert body is None
        return
    assert body is not None
    needed = len(body.__struct_encode_fields__) - len(body.__struct_defaults__)
    names = [
        name if at < needed else f"{name}?" for at, name in enumerate(body.__struct_encode_fields__)
    ]
    assert " ".join(names) == BODIES[id_]
    assert body.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize("id_", ERRORS)
def test_a_write_declares_what_it_can_be_refused_with(id_: str) -> None:
    assert " ".join(map(str, PATTERNS[id_].errors)) == ERRORS[id_]


def test_what_takes_a_key_remembers_its_answer_in_the_same_transaction_and_nothing_else_does() -> (
    None
):
    for pattern in PATTERNS.values():
        assert isinstance(pattern.operation, Write)
        transactions = [s for s in pattern.operation.steps if isinstance(s, Transaction)]
        remembers = any(REMEMBER in each.steps for each in transactions)
        assert remembers is (IDEMPOTENCY_KEY in pattern.headers)
        if not remembers:
            assert Idempotency not in pattern.entities


def test_a_write_may_do_what_its_steps_do_each_once() -> None:
    assert PATTERNS["CW-04"].permissions == (
        Permission("dynamodb:GetItem", TABLE),
        Permission("dynamodb:PutItem", TABLE),
        Permission("dynamodb:DeleteItem", TABLE),
        Permission("dynamodb:Query", GSI2),
    )


def test_the_steps_of_a_transaction_count_as_operations_of_the_write() -> None:
    write = Write(
        (GetItem(User.primary), Transaction((PutItem(User.primary), DeleteItem(Session.primary))))
    )
    assert write.singles == (
        GetItem(User.primary),
        PutItem(User.primary),
        DeleteItem(Session.primary),
    )
    assert write.keys == (User.primary, Session.primary)


def test_only_what_is_read_first_is_a_query_and_no_write_scans() -> None:
    for pattern in PATTERNS.values():
        assert isinstance(pattern.operation, Write)
        kinds = [type(each) for each in pattern.operation.singles]
        assert set(kinds) & {PutItem, UpdateItem, DeleteItem}
        assert kinds.count(Query) <= 1
