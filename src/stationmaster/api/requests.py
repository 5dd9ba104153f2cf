"""What the framework's request leaves open: repeated fields, quick query parameters, a body under
its limit.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.types import Message, Receive

from stationmaster.errors import TooLarge

_MACHINE_MAX = 200


def header(request: Request, name: bytes) -> str | None:
    """A header field by its name in lower case; repeated ones joined with commas as HTTP says."""
    found = [value for key, value in request.scope["headers"] if key == name]
    return b", ".join(found).decode("latin-1") if found else None


def machine(request: Request) -> str | None:
    """What a sender's client calls the machine that it runs on: `X-Stationmaster-Machine`."""
    told = header(request, b"x-stationmaster-machine")
    return told[:_MACHINE_MAX] if told else None


def query(request: Request) -> dict[str, str]:
    """Query parameters; of a repeated one the last counts."""
    text: str = request.scope["query_string"].decode("latin-1")
    if "%" in text or "+" in text:
        return dict(parse_qsl(text, keep_blank_values=True))
    # Nothing is escaped, so the parser, which takes ten times as long, would find the same.
    pairs = [part.partition("=") for part in text.split("&")]
    return {name: value for name, _, value in pairs}


def values(request: Request, name: str) -> list[str]:
    """Every value of a query parameter, in their order."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return [value for key, value in pairs if key == name]


async def body(request: Request, size_max: int) -> bytes:
    """The whole body. Raises TooLarge as soon as it is known to exceed the limit."""
    announced = header(request, b"content-length")
    if announced is not None and announced.isdigit() and int(announced) > size_max:
        raise too_large(size_max)
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > size_max:
            raise too_large(size_max)
        parts.append(part)
    return b"".join(parts)


def limited(receive: Receive, size_max: int) -> Receive:
    """A source of body parts that raises TooLarge instead of giving out too many bytes."""
    size = 0

    async def receive_limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > size_max:
            raise too_large(size_max)
        return message

    return receive_limited


def too_large(size_max: int) -> TooLarge:
    return TooLarge(f"The body is larger than {size_max} bytes.", metadata={"size_max": size_max})
