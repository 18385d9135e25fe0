"""The recorded answers come back the same, and only to what was asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from bench import pairs, replay
from bench.meter import metered
from bench.replay import Exchanges, recorded
from docs import sample
from lambdas.design.ecommerce import GET_ORDER, GET_USER
from lambdas.runtime import store
from lambdas.runtime.items import size

Key = dict[str, dict[str, str]]


def key(user_id: str) -> Key:
    return {"PK": {"S": f"USER#{user_id}"}, "SK": {"S": "PROFILE"}}


@pytest.fixture(scope="module")
def exchanges() -> Exchanges:
    with sample.table(), recorded() as found:
        sample.handler(GET_USER)(sample.event(GET_USER), None)
    return found


@pytest.fixture
def replayed(exchanges: Exchanges, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with replay.running(exchanges, delay_ms=0) as url:
        for name, value in pairs.environment(url, TABLE_NAME=sample.TABLE_NAME).items():
            monkeypatch.setenv(name, value)
        store.client.cache_clear()
        yield
        store.client.cache_clear()


@pytest.mark.usefixtures("replayed")
def test_what_was_asked_is_answered_again() -> None:
    found = store.Store().get_item({"Key": key("U-001")})

    assert found is not None
    assert found["Name"] == {"S": "Alice"}


@pytest.mark.usefixtures("replayed")
def test_what_was_not_asked_is_an_error_and_not_somebody_elses_answer() -> None:
    with pytest.raises(ClientError, match="was not recorded"):
        store.client().get_item(TableName=sample.TABLE_NAME, Key=key("U-002"))


def test_a_meter_counts_what_is_read_within_and_no_more() -> None:
    with sample.table():
        sample.handler(GET_USER)(sample.event(GET_USER), None)
        with metered() as meter:
            sample.handler(GET_ORDER)(sample.event(GET_ORDER), None)
        counted = meter.counts()
        sample.handler(GET_USER)(sample.event(GET_USER), None)

    assert (counted["requests"], counted["units"]) == (1, 0.5)
    of_order = [
        item
        for item in sample.items("ecommerce")
        if item.get("GSI2PK") == {"S": f"ORDER#{GET_ORDER.example['order_id']}"}
    ]
    assert len(of_order) == 3
    assert counted["bytes"] == sum(map(size, of_order))
    assert meter.counts() == counted
