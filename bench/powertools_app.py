"""The same pattern with Powertools' HTTP resolver and pydantic's validation, as many write it."""

import os
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from pydantic import BaseModel, ConfigDict

PATH = "/ecommerce/users/U-001"

app = APIGatewayHttpResolver(enable_validation=True)
logger = Logger(service="single-table")


class User(BaseModel):
    """What the route answers with."""

    model_config = ConfigDict(extra="allow")
    Name: str
    Email: str
    CreatedAt: str


def asked(read: Callable[[], Any]) -> Callable[[], Any]:
    """A call of the route; `read` gives the item as JSON."""

    @app.get("/ecommerce/users/<user_id>")
    def get_user(user_id: str) -> User:
        logger.info("answered", extra={"pattern": "AP-01", "length": len(user_id)})
        return User.model_validate_json(read())

    event = {
        "version": "2.0",
        "rawPath": PATH,
        "headers": {},
        "requestContext": {"http": {"method": "GET", "path": PATH}, "stage": "$default"},
    }
    os.environ.setdefault("POWERTOOLS_TRACE_DISABLED", "true")
    return lambda: app.resolve(event, None)["body"]  # type: ignore[arg-type]
