"""Which table the page shows, and how the functions' code is told of it: by the environment, as in
Lambda."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Final, NamedTuple

from seed.connection import is_loopback

LOCAL_ENV: Final = Path(__file__).resolve().parent.parent / ".local" / "env"
"""What a running local cloud says of itself; `make run` writes it."""

AWS: Final = "AWS"


class NoTable(Exception):
    """There is no table to show; the message says what to do."""


class Connection(NamedTuple):
    """A table, and where it is."""

    table: str
    place: str
    """What the page says of where it is: `AWS`, or the endpoint."""
    api_url: str | None
    """The API through which the page writes; None where it only reads."""
    environment: Mapping[str, str]


def choose(
    table: str | None, region: str | None, endpoint_url: str | None, file: Path = LOCAL_ENV
) -> Connection:
    """The table that the command line names, or else that of the local cloud.

    Only the local cloud's table can be written to, and that through its API. Raises NoTable.
    """
    if table is None:
        return _local(file)
    chosen = {
        "TABLE_NAME": table,
        **({"AWS_REGION": region, "AWS_DEFAULT_REGION": region} if region else {}),
        **({"AWS_ENDPOINT_URL": endpoint_url} if endpoint_url else {}),
    }
    return Connection(table, endpoint_url or AWS, None, chosen)


def _local(file: Path) -> Connection:
    if not file.exists():
        raise NoTable(
            "no local cloud is running (`make run` starts one, in another terminal), and no "
            "--table names a deployed one"
        )
    values = dict(line.split("=", 1) for line in shlex.split(file.read_text("utf-8")))
    environment = {name: value for name, value in values.items() if name != "API_URL"}
    region = {"AWS_DEFAULT_REGION": values["AWS_REGION"]}
    return Connection(
        values["TABLE_NAME"], values["AWS_ENDPOINT_URL"], values["API_URL"], environment | region
    )


def use(connection: Connection, environment: MutableMapping[str, str] = os.environ) -> None:
    """Point this process at the table."""
    environment.update(connection.environment)
    if is_loopback(connection.environment.get("AWS_ENDPOINT_URL", "")):
        # A proxy, if one is configured, cannot reach this machine's loopback.
        for name in ("NO_PROXY", "no_proxy"):
            others = [environment[name]] if environment.get(name) else []
            environment[name] = ",".join([*others, "127.0.0.1", "localhost"])
