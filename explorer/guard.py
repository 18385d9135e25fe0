"""Lets nobody at the page but a browser on this machine that was sent here on purpose.

The page has no log-in: it is bound to loopback. But any web page that is open in the same browser
can send requests to loopback, and a name of its own can be made to lead there (DNS rebinding). So a
request must name this server as its `Host`, must come from the page itself where it says where it
comes from, and must say so where it changes something.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES: Final = ("127.0.0.1", "localhost")

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""On every answer: nothing from anywhere else, no script that is not a file of ours."""

SAFE: Final = frozenset({"GET", "HEAD"})


class Guard:
    """Refuses foreign requests before the page sees them."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reason = self._refused(str(scope["method"]), Headers(scope=scope))
        answer = PlainTextResponse(f"{reason}\n", HTTPStatus.FORBIDDEN) if reason else self._app
        await answer(scope, receive, _with_headers(send, HEADERS.items()))

    def _refused(self, method: str, headers: Headers) -> str | None:
        """Why a request is not let through; None for one that is."""
        host, origin = headers.get("host", ""), headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        if host not in self._hosts:
            return "This server answers to its own name alone."
        if origin is not None and origin != f"http://{host}":
            return "Another origin may not ask here."
        if site not in ("none", "same-origin") and headers.get("sec-fetch-mode") != "navigate":
            return "Another site may not ask here."
        if method not in SAFE and origin is None:
            return "Who changes something must say from where."
        return None


def _with_headers(send: Send, headers: Iterable[tuple[str, str]]) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(dict(headers))
        await send(message)

    return sent
