"""What a route answers: status, headers and bytes, sent without further ado."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

import msgspec
from starlette.types import Send

JSON = "application/json"
RawHeaders = list[tuple[bytes, bytes]]


class Sendable(Protocol):
    status: int
    headers: RawHeaders

    async def send(self, send: Send, *, with_body: bool) -> None:
        """Start the response and, unless it answers HEAD, follow with the body."""


class Answer:
    """A whole body, with its length."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self,
        body: bytes = b"",
        *,
        status: int = 200,
        media: str | None = JSON,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.headers = raw_headers(headers)
        if media is not None:
            self.headers.append((b"content-type", media.encode()))

    async def send(self, send: Send, *, with_body: bool) -> None:
        if self.status not in (204, 304):
            self.headers.append((b"content-length", str(len(self.body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body if with_body else b""})


class Stream:
    """A body of unknown length, in chunks. A failing source cuts the connection, so that no
    client takes half a body for a whole one."""

    __slots__ = ("chunks", "headers", "status")

    def __init__(
        self, chunks: AsyncIterator[bytes], *, media: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status = 200
        self.chunks = chunks
        self.headers = raw_headers(headers)
        self.headers.append((b"content-type", media.encode()))

    async def send(self, send: Send, *, with_body: bool) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        if with_body:
            async for chunk in self.chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def raw_headers(headers: Mapping[str, str] | None) -> RawHeaders:
    """Header names in lower case, values as latin-1: what ASGI wants."""
    return [(n.lower().encode(), v.encode("latin-1")) for n, v in (headers or {}).items()]


def json_answer(
    value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    return Answer(msgspec.json.encode(value), status=status, headers=headers)
