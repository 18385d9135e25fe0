"""`python -m explorer`: shows the table on a page on this machine, until Ctrl-C."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from socket import socket
from typing import Final

import uvicorn
from botocore.exceptions import NoRegionError

from explorer import arguments, exports, reading, rows, workbench
from explorer.app import HTMX, explorer
from explorer.arguments import CHECK, EXPORT
from explorer.captions import Captions
from explorer.connection import Connection, NoTable, choose, use
from explorer.exports import NoBrowser
from explorer.reading import Filter, Unreadable
from lambdas.design import ENTITIES
from lambdas.design.table import TABLE
from lambdas.runtime.logs import logger
from local.emulator import HOST, check_port
from local.process import RunError

FAULTS: Final = (NoBrowser, NoTable, OSError, RunError, Unreadable, workbench.Unfit)


def main(words: Sequence[str] | None = None) -> int:
    """Do as the command line says, and return the exit status."""
    chosen = arguments.read(words)
    try:
        if chosen.command == CHECK:
            return check(chosen.file)
        connection = choose(chosen.table, chosen.region, chosen.endpoint_url)
        use(connection)
        if chosen.command == EXPORT:
            export(connection, chosen)
        else:
            serve(connection, chosen.port)
    except FAULTS as fault:
        print(f"error: {fault}", file=sys.stderr, flush=True)
        return 1
    except NoRegionError:
        print("error: no AWS region is set: --region, or AWS_REGION", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        print("\nstopped", flush=True)
    return 0


def serve(connection: Connection, port: int) -> None:
    """Show the page until a signal ends it. Raises RunError, and Unreadable at the start."""
    check_port(port, 'make explore ARGS="--port 4801", or python -m explorer --port 4801')
    if not HTMX.exists():
        raise RunError("htmx.org is not installed (`make explore` installs it, `npm ci` as well)")
    try:
        count = reading.item_count()
    except Unreadable as fault:
        told = f"the table {connection.table} at {connection.place} cannot be read: {fault}"
        raise RunError(told) from fault
    writes = "writes through the local API" if connection.api_url else "reads only"
    print(f"{connection.table} at {connection.place}: {count} items, {writes}", flush=True)
    logger.setLevel("ERROR")  # the functions' log of each call is for a log stream, not a terminal
    app = explorer(connection, port)
    _Server(uvicorn.Config(app, host=HOST, port=port, log_level="warning")).run()


class _Server(uvicorn.Server):
    """Says that it is ready when it is."""

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"ready: http://{HOST}:{self.config.port}", flush=True)


def export(connection: Connection, chosen: Namespace) -> None:
    """Write what was asked for, and say what was written."""
    entities = tuple(each for each in ENTITIES if each.__name__ in chosen.entity)
    wanted = Filter(entities)
    if chosen.html or chosen.png:
        page = exports.page_of_table(connection.table, wanted, Captions(chosen.language))
        if chosen.html:
            _write(chosen.html, page.encode())
        if chosen.png:
            for index, picture in exports.pictures(page, rows.VIEWS, chosen.theme):
                _write(chosen.png / f"{rows.name_of(index)}.png", picture)
    if chosen.workbench:
        found, _ = reading.everything(TABLE, wanted, exports.MOST_ITEMS)
        text = workbench.written(workbench.model(connection.table, found))
        _write(chosen.workbench, text.encode())


def check(file: Path) -> int:
    """Say whether NoSQL Workbench could import a file. Raises Unfit for what is no JSON at all."""
    found = workbench.faults(workbench.read(file))
    for fault in found:
        print(f"{file}: {fault}", file=sys.stderr)
    if not found:
        print(f"{file}: a model that NoSQL Workbench can import")
    return 1 if found else 0


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    print(f"wrote {file}")


if __name__ == "__main__":
    sys.exit(main())
