"""The doctor on the deployed table, while callers change the same items through the API."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from doctor import __main__ as command
from lambdas.design.ecommerce import CHANGE_ORDER_STATUS
from local.cloud import Cloud
from local.deployment import ACCESS_KEY, REGION, SECRET_KEY
from tests.e2e.http import Api
from tests.e2e.restore import restored


@pytest.fixture(autouse=True)
def as_it_was(cloud: Cloud) -> Iterator[None]:
    with restored(cloud):
        yield


@pytest.fixture
def words(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the command needs to know of the cloud."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_REGION": REGION,
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("doctor.table.INDEX_LAG_SECONDS", 0.1)
    return ["--table", cloud.table_name, "--endpoint-url", cloud.endpoint_url]


def test_what_callers_change_meanwhile_is_never_overwritten(
    cloud: Cloud, api: Api, words: list[str]
) -> None:
    dynamodb = cloud.dynamodb
    orders = [f"E-{number:03}" for number in range(60)]
    for order in orders:
        for item in _order(order):
            dynamodb.put_item(TableName=cloud.table_name, Item=item)
    gate = threading.Barrier(2)

    def pay_all() -> list[int]:
        gate.wait()
        return [
            api.ask(CHANGE_ORDER_STATUS, {"Status": "PAID"}, user_id="U-001", order_id=order).status
            for order in orders
        ]

    with ThreadPoolExecutor(1) as pool:
        paid = pool.submit(pay_all)
        gate.wait()
        status = command.main([*words, "--fix", "--yes"])
        assert set(paid.result()) == {200}
    assert status in (0, 1)
    assert command.main([*words, "--fix", "--yes"]) == 0
    for order in orders:
        answer: Any = dynamodb.get_item(
            TableName=cloud.table_name,
            Key={"PK": {"S": "USER#U-001"}, "SK": {"S": f"ORDER#{order}"}},
            ConsistentRead=True,
        )
        stored = answer["Item"]
        assert (stored["Status"], stored["Version"]) == ({"S": "PAID"}, {"N": "2"})
        assert "GSI1PK" not in stored
        assert (stored["GSI2PK"], stored["GSI2SK"]) == ({"S": f"ORDER#{order}"}, {"S": "ORDER"})


def _order(order: str) -> list[dict[str, Any]]:
    """A pending order with an item, from before there were keys in indexes."""
    of_item = {
        "PK": f"ORDER#{order}",
        "SK": "ITEM#P-100",
        "Type": "OrderItem",
        "UserId": "U-001",
        "Name": "Headphones",
    }
    of_order = {
        "PK": "USER#U-001",
        "SK": f"ORDER#{order}",
        "Type": "Order",
        "Status": "PENDING",
        "Currency": "EUR",
        "PlacedAt": "2025-01-05T12:00:00.000Z",
    }
    numbers: list[dict[str, str]] = [
        {"Total": "5", "Version": "1"},
        {"Quantity": "1", "UnitPrice": "5", "Version": "1"},
    ]
    return [
        {name: {"S": text} for name, text in texts.items()}
        | {name: {"N": number} for name, number in of.items()}
        for texts, of in zip((of_order, of_item), numbers, strict=True)
    ]
