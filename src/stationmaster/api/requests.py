"""What the framework's request leaves open: repeated fields, quick query parameters."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import HTTPConnection, Request

_MACHINE_MAX = 200


def header(request: HTTPConnection, name: bytes) -> str | None:
    """A header field by its name in lower case; repeated ones joined with commas as HTTP says."""
    values = [value for key, value in request.scope["headers"] if key == name]
    return b", ".join(values).decode("latin-1") if values else None


def media_type(request: Request) -> str:
    """The media type of the body in lower case, without parameters; "" where none is given."""
    return (header(request, b"content-type") or "").partition(";")[0].strip().lower()


def machine(request: Request) -> str | None:
    """What a sender's client calls the machine that it runs on: `X-Stationmaster-Machine`."""
    name = header(request, b"x-stationmaster-machine")
    return name[:_MACHINE_MAX] if name else None


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
