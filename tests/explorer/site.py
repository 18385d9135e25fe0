"""Runs the explorer's server within the tests, and asks it as a browser does."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from http import HTTPStatus
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlencode

import uvicorn

from explorer.app import explorer
from explorer.connection import Connection
from explorer.reading import PrimaryKey
from local.emulator import free_port


class Answer(NamedTuple):
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def page(self) -> Page:
        page = Page()
        page.feed(self.text)
        return page


class Site(NamedTuple):
    """A running explorer."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers)

    def post(self, path: str, form: Mapping[str, str], **headers: str) -> Answer:
        """A form that is sent from the page itself; where it leads to is followed."""
        answer = self.send(path, form, **headers)
        leads_on = answer.status == HTTPStatus.SEE_OTHER
        return self.get(answer.headers["location"].partition("#")[0]) if leads_on else answer

    def send(self, path: str, form: Mapping[str, str], **headers: str) -> Answer:
        """The answer to a form itself."""
        return self.ask("POST", path, {"origin": self.url, **headers}, urlencode(form))

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: str | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
            return Answer(
                response.status, {k.lower(): v for k, v in response.headers.items()}, text
            )
        finally:
            connection.close()


class Page(HTMLParser):
    """The rows of a page, and where its links lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[PrimaryKey, str]] = []
        """The key and the mark of each row, in the order of the page."""
        self.links: list[str] = []
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.links += [given[name] for name in ("href", "hx-get", "src") if name in given]
        classes = given.get("class", "").split()
        if tag == "li" and classes[:1] == ["row"]:
            self.rows.append(((given["data-pk"], given["data-sk"]), " ".join(classes[2:])))

    def handle_data(self, data: str) -> None:
        self.text += data

    def marked(self, mark: str) -> list[PrimaryKey]:
        """The keys of the rows that have a mark."""
        return [key for key, its_mark in self.rows if its_mark == mark]


@contextmanager
def serving(connection: Connection) -> Iterator[Site]:
    """The explorer for a table, until the block ends."""
    port = free_port()
    config = uvicorn.Config(explorer(connection, port), port=port, log_level="error")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
            assert thread.is_alive(), "the server has not started"
        yield Site(port)
    finally:
        server.should_exit = True
        thread.join()
