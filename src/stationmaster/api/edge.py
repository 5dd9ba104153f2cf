"""The edge of the application: one thin layer that finds the route, answers, and turns whatever
went wrong into an error body. Every answer carries `X-Request-Id`.

The routes of the table are found by their exact path and answer bytes directly; any other path
goes to the framework's router below.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stationmaster import ids
from stationmaster.api import errors
from stationmaster.api.answers import Answer, Sendable
from stationmaster.api.requests import Request
from stationmaster.errors import StationmasterError

Endpoint = Callable[[Request], Awaitable[Sendable]]
ErrorForm = Callable[[StationmasterError, Request], Answer]


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
    def __init__(self, routes: Sequence[Route], below: ASGIApp, state: State) -> None:
        self._routes: dict[str, dict[str, Route]] = {}
        for route in routes:
            methods = self._routes.setdefault(route.path, {})
            methods[route.method] = route
            if route.method == "GET":
                methods["HEAD"] = route
        self._below = below
        self._state = state

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
        request = Request(scope, receive, self._state.services, request_id)
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
        answer.headers.append((b"x-request-id", request_id.encode()))
        await answer.send(send, with_body=method != "HEAD")

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        has_started = False

        async def tagged(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"x-request-id", request_id.encode()),
                ]
            await send(message)

        scope.setdefault("state", {})["request_id"] = request_id
        try:
            await self._below(scope, receive, tagged)
        except Exception as fault:  # The request edge, for the framework's own routes.
            if has_started:
                raise
            known = errors.known(fault, scope["method"], scope["path"], request_id)
            answer = errors.answer(known, scope["path"], request_id)
            await answer.send(tagged, with_body=scope["method"] != "HEAD")
