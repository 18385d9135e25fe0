"""Changes through the API, and what has moved by them; each test has items of its own."""

from __future__ import annotations

import pytest

from explorer import asking, changes
from explorer.changes import Answer, NoAnswer, Tried, attempt
from explorer.reading import PrimaryKey
from lambdas.design.table import GSI1, GSI2, INVERTED_INDEX, TABLE
from tests.docs.schemas import pattern as pattern_of
from tests.explorer.views import KNOWN_VIEWS


def _attempt(
    api_url: str, pattern_id: str, tried_from: PrimaryKey | None = None, **given: str
) -> Tried:
    pattern = pattern_of(pattern_id)
    return attempt(api_url, pattern, {**asking.example(pattern), **given}, tried_from)


def _moves(tried: Tried) -> dict[PrimaryKey, list[str]]:
    return {each.key: [each.move(index) for index in KNOWN_VIEWS] for each in tried.changes}


def test_an_order_that_is_paid_leaves_the_sparse_index(api_url: str) -> None:
    key = ("USER#U-001", "ORDER#2024-01-15")

    tried = _attempt(api_url, "CW-06", key)

    assert tried.answer.status == 200
    assert _moves(tried) == {key: ["changed", "left", "changed", "same"]}
    assert tried.marks(GSI1) == {}
    assert [item["Status"] for item in tried.gone(GSI1)] == [{"S": "PENDING"}]
    assert tried.partitions(GSI1) == ["STATUS#PENDING"]
    assert tried.marks(TABLE) == {key: "changed"}
    assert tried.partitions(INVERTED_INDEX) == []
    assert tried.etag == '"2"'
    assert min(KNOWN_VIEWS, key=tried.stillness) == GSI1


def test_a_user_who_becomes_a_vip_enters_the_sparse_index(api_url: str) -> None:
    tried = _attempt(api_url, "CW-02", user_id="U-002", body='{"VIP": true}')

    assert _moves(tried) == {("USER#U-002", "PROFILE"): ["changed", "changed", "entered", "same"]}
    assert tried.marks(GSI2) == {("USER#U-002", "PROFILE"): "entered"}
    assert tried.gone(GSI2) == []


def test_an_address_that_changes_moves_the_user_and_changes_guards(api_url: str) -> None:
    tried = _attempt(api_url, "CW-03", user_id="U-004", body='{"Email": "new@x.de"}')

    old, new = "EMAIL#joerg.weissenboeck@example.org", "EMAIL#new@x.de"
    assert _moves(tried) == {
        ("USER#U-004", "PROFILE"): ["changed", "moved", "absent", "same"],
        (old, old): ["left", "absent", "absent", "left"],
        (new, new): ["entered", "absent", "absent", "entered"],
    }
    assert tried.partitions(GSI1) == [old, new]
    assert tried.marks(GSI1) == {("USER#U-004", "PROFILE"): "moved"}
    assert [item["GSI1PK"]["S"] for item in tried.gone(GSI1)] == [old]


def test_what_a_write_changes_beside_the_item_is_seen_too(api_url: str) -> None:
    """Both counts, on items of which only one is named by the path's first part."""
    tried = _attempt(api_url, "SW-02", person_id="carla", followee_id="dave")

    assert {each.key[0] for each in tried.changes} == {"PERSON#carla", "PERSON#dave"}
    assert len(tried.changes) == 3


def test_a_change_that_is_refused_moves_nothing(api_url: str) -> None:
    tried = _attempt(api_url, "CW-06", order_id="2024-02-01", body='{"Status": "PAID"}')

    assert (tried.answer.status, tried.changes, tried.write_units) == (409, [], {})
    assert tried.answer.problem
    assert tried.answer.problem["detail"] == "An order that is CANCELLED cannot become PAID."
    assert (tried.requests, tried.units_reported) == ("1", "0")


def test_an_item_that_is_deleted_leaves_every_index_that_it_was_in(api_url: str) -> None:
    tried = _attempt(api_url, "CW-09", session_id="S-002")

    [moves] = _moves(tried).values()
    assert moves == ["left", "left", "left", "left"]
    assert (tried.answer.status, tried.answer.body) == (204, "")


def test_of_a_large_table_the_item_alone_is_compared(
    api_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_COMPARED", 10)
    key = ("USER#U-001", "ORDER#2025-01-02")

    tried = _attempt(api_url, "CW-06", key, order_id="2025-01-02")

    assert (tried.is_all, tried.write_units) == (False, {})
    assert _moves(tried) == {key: ["changed", "left", "changed", "same"]}


def test_the_call_is_shown_as_it_was_made(api_url: str) -> None:
    tried = _attempt(api_url, "UW-03", student="Ä B", seminar="C&D")

    assert tried.url == f"{api_url}/university/enrolments?student=%C3%84+B&seminar=C%26D"


def test_an_api_that_is_gone_is_told() -> None:
    with pytest.raises(NoAnswer, match=r"nothing answers at http://127\.0\.0\.1:1 \(`make run`"):
        changes.call("http://127.0.0.1:1", pattern_of("CW-09"), {"session_id": "S-001"})


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(204, {}, ""), None),
        (Answer(403, {}, '{"message": "Forbidden"}'), {"detail": "Forbidden"}),
        (Answer(502, {}, "<p>Bad Gateway</p>"), {"detail": "<p>Bad Gateway</p>"}),
        (Answer(500, {}, "[]"), {"detail": "[]"}),
    ],
)
def test_what_the_gateway_says_by_itself_is_told_too(
    answer: Answer, problem: dict[str, str] | None
) -> None:
    found = answer.problem
    assert (found and {"detail": found["detail"]}) == problem
