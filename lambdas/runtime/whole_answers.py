"""Holds an answer to its time and its size as a whole.

A socket's timeout is for each read, so a peer that sends a byte now and then is waited for without
end; and one that never stops fills the memory.
"""

from __future__ import annotations

import io
import time
from http.client import HTTPException, HTTPResponse
from socket import socket
from typing import Any

from botocore.awsrequest import AWSConnection

from lambdas.runtime import settings


def install() -> None:
    """Let every connection that botocore makes from now on read its answers in this way."""
    AWSConnection.response_class = WholeAnswer  # type: ignore[assignment]  # of http.client's kind


class WholeAnswer(HTTPResponse):
    """An answer that is there within the read timeout, from the first byte to the last."""

    def __init__(self, sock: socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp: Any = io.BufferedReader(_Reads(sock, self.fp))


class _Reads(io.RawIOBase):
    """Reads from a socket, each within what is left of the time that the socket had for one."""

    def __init__(self, sock: socket, stream: io.BufferedReader) -> None:
        super().__init__()
        self._sock, self._stream = sock, stream
        timeout = sock.gettimeout()
        self._ends = None if timeout is None else time.monotonic() + timeout
        self._left = settings.MAX_ANSWER_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._ends is not None:
            left = self._ends - time.monotonic()
            if left <= 0:
                raise TimeoutError("the answer is not there in time")
            self._sock.settimeout(left)
        count = self._stream.raw.readinto(buffer)
        self._left -= count or 0
        if self._left < 0:
            raise HTTPException("the answer does not end")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()
