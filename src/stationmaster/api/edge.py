"""The edge of the application: one thin layer that finds the route, answers, and turns whatever
went wrong into an error body. Every answer carries `X-Request-Id`.

The routes of the table are found by their exact path, and spare a hot read what the framework's
router and its layers cost; any other path goes to that router below.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stationmaster import ids
from stationmaster.api import errors, requests
from stationmaster.errors import StationmasterError

SAFETY: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
"""On every answer: nothing of ours runs in a browser unless its page says so itself."""

Endpoint = Callable[[Request], Awaitable[Response]]
ErrorForm = Callable[[StationmasterError, Request], Response]


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. A GET also answers HEAD."""

    method: str
    path: str
    endpoint: Endpoint
    operation: dict[str, Any] = field(default_factory=dict)
    """Its OpenAPI operation object."""
    error_form: ErrorForm | None = None
    """How errors look where they are not our JSON bodies."""


class Edge:
    def __init__(self, routes: Sequence[Route], below: ASGIApp) -> None:
        self._routes: dict[str, dict[str, Route]] = {}
        for route in routes:
            methods = self._routes.setdefault(route.path, {})
            methods[route.method] = route
            if route.method == "GET":
                methods["HEAD"] = route
        self._below = below

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._below(scope, receive, send)
            return
        request_id = ids.new("req")
        methods = self._routes.get(scope["path"])
        if methods is None:
            await self._pass_on(scope, receive, send, request_id)
            return
        method: str = scope["method"]
        route = methods.get(method)
        request = Request(scope, receive)
        try:
            if route is None:
                raise errors.not_allowed(method, ", ".join(sorted(methods)))
            answer = await route.endpoint(request)
        except Exception as fault:  # The request edge: everything becomes an error body.
            known = errors.known(fault, method, scope["path"], request_id)
            form = route.error_form if route is not None else None
            if form is None:
                answer = errors.answer(known, scope["path"], request_id)
            else:
                answer = form(known, request)
        answer.raw_headers += [(b"x-request-id", request_id.encode()), *SAFETY]
        await _send(answer, scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        has_started = False
        is_head = scope["method"] == "HEAD"

        async def tagged(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                message["headers"] = _tagged(message.get("headers", ()), request_id)
            elif is_head:
                message = {**message, "body": b""}
            await send(message)

        limited = requests.limited(receive, scope["app"].services.settings.request_body_max)
        # The framework's routes answer GET alone.
        asked = {**scope, "method": "GET"} if is_head else scope
        try:
            await self._below(asked, limited, tagged)
        except Exception as fault:  # The request edge, for the framework's own routes.
            if has_started:
                raise
            known = errors.known(fault, scope["method"], _template(asked), request_id)
            answer = errors.answer(known, scope["path"], request_id)
            await _send(answer, scope, receive, tagged)


def _template(scope: Scope) -> str:
    """The path for the log: a route's own, since what fills it may be a one-time link."""
    return str(getattr(scope.get("route"), "path", scope["path"]))


def _tagged(headers: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """Our header fields beside an answer's own; a page's own safety fields stay."""
    own = list(headers)
    taken = {name.lower() for name, _ in own}
    added = [field for field in SAFETY if field[0] not in taken]
    return [*own, (b"x-request-id", request_id.encode()), *added]


async def _send(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["method"] != "HEAD":
        await answer(scope, receive, send)
        return
    start = {"type": "http.response.start", "status": answer.status_code}
    await send({**start, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": b""})
