"""Makes a Lambda handler of an access pattern: parameters in, one read or write, an answer out."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any
from uuid import uuid4

from msgspec import json

from lambdas.design.pattern import AccessPattern
from lambdas.runtime import access, arguments, body, garbage, metrics, reads, times
from lambdas.runtime.arguments import Event
from lambdas.runtime.call import Answer, Call
from lambdas.runtime.errors import BadInput, Broken, Problem
from lambdas.runtime.keys import InvalidKeyValue
from lambdas.runtime.logs import logger
from lambdas.runtime.store import Store

Handler = Callable[[Event, Any], dict[str, Any]]


def endpoint(pattern: AccessPattern, answer: Callable[[Call], Answer] = reads.answer) -> Handler:
    """The Lambda handler of an access pattern.

    A read is answered as it is declared; a write has a function of its own.
    """

    def handler(event: Event, context: Any) -> dict[str, Any]:
        started = perf_counter()
        store = Store()
        try:
            given = answer(_call(pattern, event, store))
            response = _response(given.status, "application/json", given.body, given.headers)
        except Problem as problem:
            response = _problem(problem)
        except InvalidKeyValue as error:  # of a body, whose fields have the attributes' names
            response = _problem(BadInput({_name_of(pattern, error.field): error.reason}))
        except Exception as error:  # noqa: BLE001 - the last line before the gateway
            # Without it the exception's message, and with it the caller's values, would be logged.
            logger.error("broken", extra={"pattern": pattern.id, "error": _where(error)})
            response = _problem(Broken("The service has a fault; it has been logged."))
        response["headers"] |= {
            "X-DynamoDB-Requests": str(store.requests),
            "X-DynamoDB-Capacity": str(store.capacity),
        }
        logger.info(
            "answered",
            extra={
                "pattern": pattern.id,
                "request_id": getattr(context, "aws_request_id", None),
                "gateway_id": (event.get("requestContext") or {}).get("requestId"),
                "status": response["statusCode"],
                "requests": store.requests,
                "read_units": float(store.read_units),
                "write_units": float(store.write_units),
                "items_read": store.items_read,
                "items_returned": store.items_returned,
                "duration_ms": round((perf_counter() - started) * 1000, 1),
                "conflicts": store.conflicts or None,
                "retries": store.retries or None,
                "fault": store.fault,
                **metrics.embedded(pattern, response["statusCode"]),
            },
        )
        if store.fault or store.retries:
            garbage.collect()
        return response

    handler.__name__ = pattern.name
    handler.__doc__ = f"{pattern.id}: {pattern.summary}"
    return handler


def _call(pattern: AccessPattern, event: Event, store: Store) -> Call:
    call = Call(
        pattern=pattern,
        arguments=arguments.read(pattern, event),
        body=body.read(pattern.body, event) if pattern.body else None,
        caller=access.caller(event),
        token=uuid4().hex,
        now=times.now(),
        store=store,
    )
    access.check(call)
    return call


def _name_of(pattern: AccessPattern, field: str) -> str:
    """What the caller calls a field: the parameter that fills it, or the field in the body."""
    names = {parameter.fills: parameter.name for parameter in pattern.own_parameters}
    return names.get(field, field)


def _problem(problem: Problem) -> dict[str, Any]:
    return _response(problem.status, "application/problem+json", problem.body(), problem.headers)


def _response(status: int, media_type: str, body: Any, headers: dict[str, str]) -> dict[str, Any]:
    if body is None:
        return {"statusCode": status, "headers": dict(headers)}
    return {
        "statusCode": status,
        "headers": {"Content-Type": media_type, **headers},
        "body": json.encode(body).decode(),
    }


def _where(error: BaseException) -> str:
    """The kind of the fault and its place, without its message."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace else "?"
    return f"{type(error).__name__} in {place}"
