"""The edge of the application: one thin layer that finds the route, answers, and turns whatever
went wrong into an error body. Every answer carries `X-Request-Id`.

The routes of the table are found by their exact path, and spare a hot read what the framework's
router and its layers cost; any other path is passed to that router.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stationmaster import ids, logs
from stationmaster.api import bodies, errors
from stationmaster.api.monitoring.metrics import Metrics
from stationmaster.errors import RateLimited, StationmasterError, Unavailable
from stationmaster.logs import RequestLog

SAFETY: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
"""On every answer: nothing of ours runs in a browser unless its page allows it."""

_QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
_LAST = (b"connection", b"close")
"""On the answers of a process that is stopping, so that its clients turn to another in time."""
_FAILED = 400
_CUT = 499
"""The status of a request that ended without an answer."""

Endpoint = Callable[[Request], Awaitable[Response]]
ErrorForm = Callable[[StationmasterError, Request], Response]
ErrorPage = Callable[[StationmasterError, Request, str], Response | None]
"""An error and its request id as a page; None where the request is not a browser's."""


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
    """The outermost ASGI application: answers its own routes, and passes the rest `below`."""

    def __init__(
        self, routes: Sequence[Route], below: ASGIApp, error_page: ErrorPage | None = None
    ) -> None:
        self._routes: dict[str, dict[str, Route | None]] = {}
        for route in routes:
            methods = self._routes.setdefault(route.path, {})
            methods[route.method] = route
            if route.method == "GET":
                methods["HEAD"] = route
        self._below = below
        self._error_page = error_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._below(scope, receive, send)
            return
        began = time.perf_counter()
        metrics: Metrics = scope["app"].services.metrics
        metrics.in_flight += 1
        methods = self._routes.get(scope["path"])
        if methods is not None and scope["method"] not in methods:
            # The address may be a page's as well.
            below = _methods_below(scope)
            methods = None if scope["method"] in below else {**dict.fromkeys(below), **methods}
        # The framework's routes answer GET alone.
        is_headless = methods is None and scope["method"] == "HEAD"
        request_log = logs.RequestLog(
            request_id=_request_id(scope),
            scope={**scope, "method": "GET"} if is_headless else scope,
            path=None if methods is None else scope["path"],
        )
        logs.asked.set(request_log)
        status = _CUT
        try:
            if methods is None:
                status = await self._pass_on(scope["method"], request_log, receive, send)
            else:
                status = await self._answer(methods, request_log, receive, send)
        finally:
            if bodies.HELD in request_log.scope:
                scope["app"].services.bodies.release(request_log.scope)
            metrics.in_flight -= 1
            took_s = time.perf_counter() - began
            metrics.answered(scope["method"], request_log.route, status, took_s)
            if logs.access.isEnabledFor(logging.INFO):
                _note(scope["method"], request_log.route, status, took_s)

    async def _answer(
        self,
        methods: dict[str, Route | None],
        request_log: RequestLog,
        receive: Receive,
        send: Send,
    ) -> int:
        scope = request_log.scope
        method: str = scope["method"]
        route = methods.get(method)
        request = Request(scope, receive)
        try:
            if route is None:
                raise errors.not_allowed(method, methods)
            answer = await route.endpoint(request)
        except Exception as fault:  # The request edge: everything becomes an error body.
            error = _recognized(fault, method, request_log)
            form = route.error_form if route is not None else None
            if form is None:
                answer = errors.answer(error, scope["path"], request_log.request_id)
            else:
                answer = form(error, request)
        answer.raw_headers += [(b"x-request-id", request_log.request_id.encode()), *SAFETY]
        if scope["app"].condition.is_stopping:
            answer.raw_headers.append(_LAST)
        await _send(answer, scope, receive, send)
        return answer.status_code

    async def _pass_on(
        self, method: str, request_log: RequestLog, receive: Receive, send: Send
    ) -> int:
        status = 0
        is_head = method == "HEAD"
        scope = request_log.scope

        async def tagged(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = _tagged(message.get("headers", ()), request_log.request_id)
                if scope["app"].condition.is_stopping:
                    headers.append(_LAST)
                message["headers"] = headers
            elif is_head:
                message = {**message, "body": b""}
            await send(message)

        services = scope["app"].services
        size_max = services.settings.request_body_max
        limited = bodies.limited(receive, scope, services.bodies, size_max)
        try:
            await self._below(scope, limited, tagged)
        except Exception as fault:  # The request edge, for the framework's own routes.
            if status:
                raise
            error = _recognized(fault, method, request_log)
            answer = self._shown(error, request_log) or errors.answer(
                error, scope["path"], request_log.request_id
            )
            await _send(answer, {**scope, "method": method}, receive, tagged)
        return status or _CUT

    def _shown(self, fault: StationmasterError, request_log: RequestLog) -> Response | None:
        """An error as a page, for browsers."""
        if self._error_page is None:
            return None
        page = self._error_page(fault, Request(request_log.scope), request_log.request_id)
        if page is not None:
            page.headers.update(errors.headers(fault))
        return page


def _request_id(scope: Scope) -> str:
    """The one that a client or a proxy gave, where it can be part of our log lines; else one of
    ours."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and logs.is_sane(value):
            return str(value, "ascii")
    return ids.new("req")


def _recognized(fault: Exception, method: str, request_log: RequestLog) -> StationmasterError:
    if isinstance(fault, HTTPException) and fault.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return errors.not_allowed(method, _methods(fault, request_log.scope))
    error = errors.recognized(fault, method, request_log.route, request_log.request_id)
    if isinstance(error, RateLimited | Unavailable):
        request_log.scope["app"].services.metrics.shed(error.status, error.code)
    return error


def _methods(fault: HTTPException, scope: Scope) -> set[str]:
    """All methods of an address, where the framework's refusal names those of one route alone.

    GET also answers HEAD.
    """
    methods = set((fault.headers or {}).get("Allow", "GET").split(", ")) | _methods_below(scope)
    return methods | {"HEAD"} if "GET" in methods else methods


def _methods_below(scope: Scope) -> set[str]:
    """The methods of an address that the framework's router answers, with HEAD for GET."""
    methods: set[str] = set()
    for route in scope["app"].routes:
        if route.matches(scope)[0] != Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return methods | {"HEAD"} if "GET" in methods else methods


def _note(method: str, route: str, status: int, took_s: float) -> None:
    """The access line; probes and scrapes are too frequent to be logged, unless they fail."""
    if route in _QUIET and status < _FAILED:
        return
    took_ms = round(took_s * 1000, 3)
    more = {"status": status, "duration_ms": took_ms}
    line = "%s %s %d in %s ms"
    logs.access.info(line, method, route, status, took_ms, extra={logs.FIELDS: more})


def _tagged(headers: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """Our header fields added to an answer's own; a page's own safety fields stay."""
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
