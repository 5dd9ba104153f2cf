"""What a process writes to standard error: lines for people, or JSON objects for machines.

A line written while a request is answered names the request, in whatever part of the program it is
written, in worker threads too. Only our own and the HTTP server's loggers are set by
STATIONMASTER_LOG_LEVEL: what libraries log in detail may hold addresses and credentials.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

Format = Literal["text", "json"]
Level = Literal["debug", "info", "warning", "error"]

UNMATCHED = "unmatched"
"""The route of a request for an address that there is not: the address itself may be anything."""
FIELDS = "fields"
"""Members of a line in addition to the usual ones: `log.info("…", extra={FIELDS: {"status":
200}})`."""
_OURS = ("stationmaster", "uvicorn")

access = logging.getLogger("stationmaster.access")
"""A line for every request, at the level `info`."""


class RequestLog(msgspec.Struct):
    """The request that is being answered."""

    request_id: str
    scope: MutableMapping[str, Any]
    """Its ASGI scope, where the framework's router notes the route once it has found it."""
    path: str | None = None
    """The route's own path, where that is known from the start."""
    org_id: str | None = None
    """Whose request it is, once that is known."""

    @property
    def route(self) -> str:
        """The path of its route: what fills the path may be a one-time link, and is never
        logged."""
        return self.path or str(getattr(self.scope.get("route"), "path", UNMATCHED))


asked: ContextVar[RequestLog | None] = ContextVar("asked", default=None)


def is_sane(request_id: bytes) -> bool:
    """May what a client sent identify a request in our lines: is it short, of safe characters?"""
    return 0 < len(request_id) <= 64 and request_id.translate(None, b"-._").isalnum()


def configure(form: Format, level: Level) -> None:
    """Write to standard error from now on, in one form for all that this process logs."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in _OURS:
        logging.getLogger(name).setLevel(level.upper())


def formatter(form: Format) -> logging.Formatter:
    """What makes a line of a record."""
    return _Json() if form == "json" else _Text()


class _Text(logging.Formatter):
    """`2026-11-20T12:00:00.123Z WARNING stationmaster.api: what happened [req_…]`"""

    def format(self, record: logging.LogRecord) -> str:
        members = _members(record)
        line = f"{members['time']} {record.levelname} {record.name}: {members['message']}"
        if "request_id" in members:
            line += f" [{members['request_id']}]"
        return f"{line}\n{members['exception']}" if "exception" in members else line


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return msgspec.json.encode(_members(record), enc_hook=str).decode()


_REQUEST = ("request_id", "method", "route", "org_id")
_plain = logging.Formatter()


def _members(record: logging.LogRecord) -> dict[str, Any]:
    at = datetime.fromtimestamp(record.created, UTC)
    members: dict[str, Any] = {
        "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": record.getMessage(),
    }
    request = asked.get()
    if request is not None:
        request_fields = (
            request.request_id,
            request.scope["method"],
            request.route,
            request.org_id,
        )
        members |= {
            name: value for name, value in zip(_REQUEST, request_fields, strict=True) if value
        }
    members |= record.__dict__.get(FIELDS, {})
    if record.exc_info:
        members["exception"] = _plain.formatException(record.exc_info)
    return members
