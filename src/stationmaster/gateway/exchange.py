"""One request of an agent: who calls, where to, and the way there and back without a stop."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple

import aiohttp

from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import Caller
from stationmaster.errors import Forbidden, NotFound, StationmasterError, TooLarge
from stationmaster.gateway import callers, headers, providers, refusals, routes
from stationmaster.gateway.headers import Fields
from stationmaster.gateway.providers import KINDS, Kind, Provider
from stationmaster.gateway.refusals import Answer
from stationmaster.gateway.routes import Route
from stationmaster.gateway.services import Services

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_PLACE = re.compile(rb"/gateway/([a-z0-9][a-z0-9-]{0,39})/(.*)")
_OVERLOADED = frozenset({500, 502, 503, 504, 529})
"""Statuses at which the next provider is tried, where one is named."""
_log = logging.getLogger(__name__)


class Disconnected(Exception):
    """The caller has gone before its request was complete."""


class Asked(NamedTuple):
    """A request whose caller and provider are known."""

    caller: Caller
    provider: Provider
    others: tuple[Provider, ...]
    """Those to try when the first one is away."""
    route: Route
    target: str
    """Path and query at the provider."""
    fields: Fields
    has_own_login: bool


async def serve(services: Services, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request, with the provider's answer or with an error in its form."""
    place = _PLACE.fullmatch(scope["raw_path"])
    name = "" if place is None else place[1].decode()
    kind = _kind_by_name(name)
    try:
        if place is None:
            raise NotFound("The gateway's addresses begin with /gateway/PROVIDER/.")
        asked = await services.read(_asked, services, scope, name, place[2].decode("latin-1"))
        kind = asked.provider.kind
        body = await _body(services, receive)
    except Disconnected:
        return
    except StationmasterError as fault:
        await _send(send, refusals.error(kind, fault.status, fault.detail, fault.code))
        return
    try:
        await _pass(services, asked, scope["method"], body, receive, send)
    finally:
        services.bodies.leave(len(body))


def _asked(services: Services, scope: Scope, name: str, path: str) -> Asked:
    """Who asks for what. Raises Unauthorized, Forbidden, NotFound."""
    fields: Fields = scope["headers"]
    shown = callers.presented(fields, scope["query_string"])
    caller = authenticate(services.db, shown.token)
    if caller.scope != "full" and not shown.has_own_login:
        raise Forbidden(
            "This API key may only send telemetry; calls on the organization's account need one "
            "with full scope.",
            code="insufficient_scope",
        )
    provider = providers.get(services.db, caller.org_id, name)
    route = routes.find(provider.kind, scope["method"], path)
    if route is None:
        raise NotFound(
            f"The gateway passes on no {scope['method']} of this path: it may cost money, and is "
            "not counted. See docs/gateway.md for those that it does.",
            code="not_passed_on",
        )
    query = shown.query.decode("latin-1")
    return Asked(
        caller,
        provider,
        _others(services, caller, provider),
        route,
        f"{path}?{query}" if query else path,
        fields,
        shown.has_own_login,
    )


def _others(services: Services, caller: Caller, provider: Provider) -> tuple[Provider, ...]:
    if not provider.failover:
        return ()
    by_name = {each.name: each for each in providers.list_all(services.db, caller.org_id)}
    return tuple(by_name[name] for name in provider.failover if name in by_name)


def _kind_by_name(name: str) -> Kind:
    """A guess for errors of requests whose provider is not known."""
    return next((kind for kind in KINDS if name.startswith(kind)), "anthropic")


async def _body(services: Services, receive: Receive) -> bytes:
    """The whole body, as it came. Raises TooLarge, Unavailable, Disconnected."""
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


async def _pass(
    services: Services, asked: Asked, method: str, body: bytes, receive: Receive, send: Send
) -> None:
    relay = asyncio.current_task()
    assert relay is not None
    gone = asyncio.ensure_future(receive())
    gone.add_done_callback(lambda _: relay.cancel())
    try:
        answer = await _first_answer(services, asked, method, body)
        if isinstance(answer, Answer):
            await _send(send, answer)
            return
        async with answer:
            await send(
                {
                    "type": "http.response.start",
                    "status": answer.status,
                    "headers": headers.of_answer(answer.raw_headers),
                }
            )
            async for chunk in answer.content.iter_any():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    except StationmasterError as fault:
        kind = asked.provider.kind
        await _send(send, refusals.error(kind, fault.status, fault.detail, fault.code))
    except asyncio.CancelledError:
        if not gone.done():
            raise
    except (aiohttp.ClientError, OSError, TimeoutError) as fault:
        _log.warning("the provider %s broke off: %s", asked.provider.name, type(fault).__name__)
        # The connection is closed without an end, so that the caller does not take it for one.
        raise Disconnected from fault
    finally:
        gone.cancel()


async def _first_answer(
    services: Services, asked: Asked, method: str, body: bytes
) -> aiohttp.ClientResponse | Answer:
    """Of the provider, or of the first other one that answers where others are named."""
    candidates = (asked.provider, *asked.others)
    for provider in candidates:
        is_last = provider is candidates[-1]
        fields = headers.of_request(
            asked.fields, frozenset() if asked.has_own_login else callers.PLACES
        )
        fields.append((b"accept-encoding", b"identity"))
        if not asked.has_own_login:
            key = provider.key(services.vault, asked.caller.org_id).reveal()
            fields.append(callers.credential(provider.kind, key))
        try:
            answer = await services.upstream.send(provider, method, asked.target, fields, body)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as fault:
            _log.warning("the provider %s is away: %s", provider.name, type(fault).__name__)
            continue
        if is_last or answer.status not in _OVERLOADED:
            return answer
        answer.close()
    message = f"The provider {asked.provider.name} cannot be reached; try again later."
    return refusals.error(asked.provider.kind, 502, message, "provider_unreachable")


async def _send(send: Send, answer: Answer) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.fields})
    await send({"type": "http.response.body", "body": answer.body})
