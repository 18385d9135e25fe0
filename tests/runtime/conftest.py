"""What the tests of the runtime share: a table that answers what it is told to, and the log."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from lambdas.runtime import logs, store
from lambdas.runtime.items import Item


class Table:
    """DynamoDB as the store sees it: it answers what it was told to, and remembers the calls."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self._answers: list[Any] = []

    def has(self, item: Item | None) -> None:
        """Answer the next GetItem with this item, or with none."""
        self._answers.append(_costing({"Item": item} if item else {}))

    def finds(self, *items: Item, last: Item | None = None) -> None:
        """Answer the next Query with these items, and with the key of `last` if more may follow."""
        answer: dict[str, Any] = {"Items": list(items)}
        if last:
            answer["LastEvaluatedKey"] = {name: last[name] for name in ("PK", "SK")}
        self._answers.append(_costing(answer))

    def fails(self, error: Exception) -> None:
        """Answer the next call with an error."""
        self._answers.append(error)

    def gives(self, answer: Any) -> None:
        """Answer the next call with this, whatever it is."""
        self._answers.append(answer)

    def get_item(self, **call: Any) -> Any:
        return self._answer(call)

    def query(self, **call: Any) -> Any:
        return self._answer(call)

    def update_item(self, **call: Any) -> Any:
        return self._answer(call)

    def delete_item(self, **call: Any) -> Any:
        return self._answer(call)

    def batch_get_item(self, **call: Any) -> Any:
        return self._answer(call)

    def transact_write_items(self, **call: Any) -> Any:
        return self._answer(call)

    def execute_statement(self, **call: Any) -> Any:
        return self._answer(call)

    def answers(self, **answer: Any) -> None:
        """Answer the next call with this."""
        self._answers.append(_costing(answer))

    def _answer(self, call: dict[str, Any]) -> Any:
        self.calls.append(call)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def _costing(answer: dict[str, Any]) -> dict[str, Any]:
    return answer | {"ConsumedCapacity": {"TableName": "Table-1", "CapacityUnits": 0.5}}


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    table = Table()
    monkeypatch.setenv("TABLE_NAME", "Table-1")
    monkeypatch.setattr(store, "client", lambda: table)
    return table


class Log:
    """What the functions have logged so far."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def log() -> Iterator[Log]:
    """What goes to the standard output, where Lambda reads the log."""
    log = Log()
    before = logs.handler.setStream(log.stream)
    yield log
    logs.handler.setStream(before)
