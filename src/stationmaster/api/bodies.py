"""Request bodies in memory: how large each may be, and how many bytes one process holds at a time.

Bytes are counted as they arrive and given back when the request ends. Each organization has a
share, and so have all callers that are not known yet, so that none can take the room of the others.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from stationmaster.api.telemetry.admission import Overloaded
from stationmaster.api.wire import header
from stationmaster.errors import TooLarge
from stationmaster.lake.inbox import RETRY_AFTER_S

OPEN_BYTES_MAX = 64 * 1024
"""A body of a caller that is not known: what signs in, and forms of pages."""
JSON_BYTES_MAX = 2 * 2**20
"""A body that the framework reads for a known caller."""
_SHARE = 4
"""An organization may hold a quarter of the room, all unknown callers together another one."""
_UNKNOWN: Final = ""
HELD = "stationmaster.held"
"""Where a request keeps the bytes that it holds, by organization."""
_LIMIT = "stationmaster.body_limit"
"""Where it keeps whose its body is, and how large it may be."""


class Bodies:
    """The bytes of bodies that one process holds, by organization; used by its loop alone."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._held: dict[str, int] = {}
        self.total = 0

    def hold(self, scope: Scope, owner: str, size: int) -> None:
        """Count bytes of a request's body. Raises Overloaded where there is no room for them."""
        owner_total = self._held.get(owner, 0) + size
        if owner_total > self._room // _SHARE or self.total + size > self._room:
            raise Overloaded(
                "Too many request bodies are being received; send this again later.",
                retry_after_s=RETRY_AFTER_S,
            )
        self._held[owner] = owner_total
        self.total += size
        mine = scope.setdefault(HELD, {})
        mine[owner] = mine.get(owner, 0) + size

    def release(self, scope: Scope) -> None:
        """Give back what a request held."""
        for owner, size in scope.pop(HELD, {}).items():
            self.total -= size
            self._held[owner] -= size
            if not self._held[owner]:
                del self._held[owner]


async def whole(request: Request, bodies: Bodies, owner: str, size_max: int) -> bytes:
    """The whole body of a request of an organization.

    Raises TooLarge as soon as it is known to exceed the limit, and Overloaded without room.
    """
    _check_announced(request, size_max)
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > size_max:
            raise _too_large(size_max)
        bodies.hold(request.scope, owner, len(part))
        parts.append(part)
    return b"".join(parts)


def allow(request: Request, owner: str, size_max: int) -> None:
    """Set whose the body of a request is, and how large it may be, before it is read."""
    request.scope[_LIMIT] = (owner, size_max)


def limited(receive: Receive, scope: Scope, bodies: Bodies, size_max: int) -> Receive:
    """A source of body parts within the limits that `allow` set, or those of unknown callers.

    Raises TooLarge and Overloaded instead of giving out more; `size_max` bounds all limits.
    """
    size = 0

    async def receive_limited() -> Message:
        nonlocal size
        owner, most = scope.get(_LIMIT, (_UNKNOWN, OPEN_BYTES_MAX))
        most = min(most, size_max)
        if not size:
            _check_announced(Request(scope), most)
        message = await receive()
        part = len(message.get("body", b""))
        size += part
        if size > most:
            raise _too_large(most)
        if part:
            bodies.hold(scope, owner, part)
        return message

    return receive_limited


def _check_announced(request: Request, size_max: int) -> None:
    announced = header(request, b"content-length")
    if announced is not None and announced.isdigit() and int(announced) > size_max:
        raise _too_large(size_max)


def _too_large(size_max: int) -> TooLarge:
    return TooLarge(f"The body is larger than {size_max} bytes.", metadata={"size_max": size_max})
