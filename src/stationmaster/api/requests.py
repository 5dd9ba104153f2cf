"""A request as the routes see it: method, path, headers, query, body under its limit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope

from stationmaster.errors import Malformed, StationmasterError, TooLarge

if TYPE_CHECKING:
    from stationmaster.api.services import Services


class Request:
    """One HTTP request. Cheap to make: nothing is parsed before it is asked for."""

    __slots__ = ("_receive", "request_id", "scope", "services")

    def __init__(self, scope: Scope, receive: Receive, services: Services, request_id: str) -> None:
        self.scope = scope
        self._receive = receive
        self.services = services
        self.request_id = request_id

    def header(self, name: bytes) -> str | None:
        """A header by its lower-case name; repeated ones joined with commas as HTTP says."""
        found = [value for key, value in self.scope["headers"] if key == name]
        if not found:
            return None
        return (found[0] if len(found) == 1 else b", ".join(found)).decode("latin-1")

    def query(self) -> dict[str, str]:
        """Query parameters; of a repeated one the last counts."""
        text = self.scope["query_string"].decode("latin-1")
        return dict(parse_qsl(text, keep_blank_values=True))

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives. Raises Disconnected when the sender goes away before its end."""
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Disconnected("The connection ended before the body did.")
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body"):
                return

    async def body(self, size_max: int) -> bytes:
        """The whole body. Raises TooLarge as soon as it is known to exceed the limit."""
        announced = self.header(b"content-length")
        if announced is not None and announced.isdigit() and int(announced) > size_max:
            raise too_large(size_max)
        parts: list[bytes] = []
        size = 0
        async for part in self.chunks():
            size += len(part)
            if size > size_max:
                raise too_large(size_max)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


class Disconnected(Malformed):
    """Nobody is left to answer."""

    code = "incomplete_body"


def too_large(size_max: int) -> StationmasterError:
    return TooLarge(f"The body is larger than {size_max} bytes.", metadata={"size_max": size_max})
