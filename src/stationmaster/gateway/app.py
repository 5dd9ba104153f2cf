"""The gateway as an ASGI application: its health, and everything under `/gateway/`:
who calls, where to, and what is refused before anything passes."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import msgspec

from stationmaster.access.authenticate import authenticate_until
from stationmaster.errors import Forbidden, NotFound, StationmasterError, TooLarge, Unavailable
from stationmaster.gateway import agents, callers, error_answers, passing, providers, routes
from stationmaster.gateway.headers import Fields
from stationmaster.gateway.memory import KeyRoute
from stationmaster.gateway.services import Services
from stationmaster.settings import Settings


class Gateway:
    """Serves one process. Its lifespan opens what requests share, and waits for what they left."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._services: Services | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        services = self._services
        assert services is not None
        path = scope["path"]
        if path == "/healthz":
            await _json(send, 200, {"status": "ok"})
        elif path == "/readyz":
            await self._ready(services, send)
        else:
            await serve(services, scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            self._services = Services(self._settings)
        except StationmasterError as fault:
            await send({"type": "lifespan.startup.failed", "message": fault.detail})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._services.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _ready(self, services: Services, send: Send) -> None:
        try:
            await services.read(services.db.rows, "SELECT 1")
        except StationmasterError as fault:
            body = {"status": "unavailable", "reasons": [fault.detail]}
            await _json(send, 503, body)
            return
        await _json(send, 200, {"status": "ok"})


async def _json(send: Send, status: int, body: Mapping[str, object]) -> None:
    text = msgspec.json.encode(body)
    length = str(len(text)).encode()
    fields = [(b"content-type", b"application/json"), (b"content-length", length)]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": text})


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_PLACE = re.compile(rb"/gateway/([a-z0-9][a-z0-9-]{0,39})/(.*)")


class Disconnected(Exception):
    """The caller has disconnected before its request was complete."""


async def serve(services: Services, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request, with the provider's answer or with an error in its form."""
    place = _PLACE.fullmatch(scope["raw_path"])
    name = "" if place is None else place[1].decode()
    # A guess for errors of requests whose provider is not known.
    kind: providers.Kind = next(
        (kind for kind in providers.KINDS if name.startswith(kind)), "anthropic"
    )
    body_bytes = 0
    try:
        if place is None:
            raise NotFound("The gateway's addresses begin with /gateway/PROVIDER/.")
        asked = await _asked(services, scope, name, place[2].decode("latin-1"))
        kind = asked.provider.kind
        body = await _body(services, receive)
        body_bytes = len(body)
        answer = await passing.run(services, asked, body, receive, send)
    except Disconnected:
        return
    except StationmasterError as fault:
        answer = error_answers.error(kind, fault.status, fault.detail, fault.code)
    finally:
        services.bodies.leave(body_bytes)
    if answer is not None:
        await _send(send, answer)


async def _asked(services: Services, scope: Scope, name: str, path: str) -> passing.RoutedRequest:
    """The caller and the request. Raises Unauthorized, Forbidden, NotFound, Unavailable."""
    fields: Fields = scope["headers"]
    shown = callers.presented(fields, scope["query_string"])
    is_remembered = False
    try:
        connection = await _recognized(services, shown, name)
    except Unavailable:
        # The budgets decide whether the call may be made without the database.
        late = services.memory.late(shown.token, name)
        if late is None:
            raise
        connection, is_remembered = late, True
    caller, _, provider, others = connection
    if caller.scope != "full" and not shown.has_own_login:
        raise Forbidden(
            "This API key may only send telemetry; calls on the organization's account need one "
            "with full scope.",
            code="insufficient_scope",
        )
    route = routes.find(provider.kind, scope["method"], path)
    if route is None:
        raise NotFound(
            f"The gateway does not pass on {scope['method']} of this path, because it may cost "
            "money without being counted. docs/gateway.md lists what it passes on.",
            code="not_passed_on",
        )
    query = shown.query.decode("latin-1")
    return passing.RoutedRequest(
        caller=caller,
        agent=agents.of(fields),
        provider=provider,
        others=others,
        route=route,
        method=scope["method"],
        target=f"{path}?{query}" if query else path,
        fields=fields,
        has_own_login=shown.has_own_login,
        is_remembered=is_remembered,
    )


async def _recognized(services: Services, shown: callers.Presented, name: str) -> KeyRoute:
    """Who calls and where to, as of this moment. Raises Unauthorized, NotFound, Unavailable."""
    version = services.version()
    connection = services.memory.current(shown.token, name, version)
    if connection is None:
        connection = await services.read(_look_up, services, shown, name)
        services.memory.note(shown.token, name, version, connection)
    return connection


def _look_up(services: Services, shown: callers.Presented, name: str) -> KeyRoute:
    caller, expires_at = authenticate_until(services.db, shown.token)
    provider = providers.get(services.db, caller.org_id, name)
    others: tuple[providers.Provider, ...] = ()
    if provider.failover:
        by_name = {
            registered.name: registered
            for registered in providers.list_all(services.db, caller.org_id)
        }
        others = tuple(by_name[name] for name in provider.failover if name in by_name)
    return KeyRoute(caller, expires_at, provider, others)


async def _body(services: Services, receive: Receive) -> bytes:
    """The whole body, as it was sent. Raises TooLarge, Unavailable, Disconnected."""
    most = services.settings.request_body_max
    parts: list[bytes] = []
    size = 0
    try:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            part = message.get("body", b"")
            services.bodies.enter(len(part))
            size += len(part)
            if size > most:
                raise TooLarge(f"The body is larger than {most} bytes.")
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts)
    except BaseException:
        services.bodies.leave(size)
        raise


async def _send(send: Send, answer: error_answers.OwnAnswer) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.fields})
    await send({"type": "http.response.body", "body": answer.body})
