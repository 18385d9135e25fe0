"""The declaration as it is with the list of pending orders spread over several partition keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from lambdas.design.ecommerce import LIST_PENDING_ORDERS, Order
from lambdas.design.operations import Query
from lambdas.design.pattern import AccessPattern
from lambdas.handlers import ecommerce
from lambdas.runtime.endpoint import endpoint


@contextmanager
def pending(shards: int, reads: tuple[int, ...] = ()) -> Iterator[AccessPattern]:
    """AP-05 as it would be declared; all that writes and reads orders keeps to it meanwhile."""
    key = replace(Order.pending, shards=shards, reads=reads)
    operation = LIST_PENDING_ORDERS.operation
    assert isinstance(operation, Query)
    pattern = replace(LIST_PENDING_ORDERS, operation=replace(operation, key=key))
    others = [each for each in Order.keys if each.index != key.index]
    with pytest.MonkeyPatch.context() as declared:
        declared.setattr(Order, "pending", key)
        declared.setattr(Order, "keys", (*others, key))
        declared.setattr(ecommerce, pattern.name, endpoint(pattern))
        yield pattern
