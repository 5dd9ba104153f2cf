"""Who is behind a request: the bearer credential and what it may do.

An operation of a router defines who may use it by the type of its caller: `caller:
callers.Manager`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar, cast

import msgspec
from fastapi import Depends
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from stationmaster import logs
from stationmaster.access import authenticate
from stationmaster.access.model import Caller, Role, Source, require
from stationmaster.access.signing_in import jwts
from stationmaster.api import blocking, wire
from stationmaster.api.errors import MISSING_CREDENTIAL
from stationmaster.api.services import Limiter, Services, services_of
from stationmaster.errors import Unauthorized

T = TypeVar("T")

GATE_HEADER = "X-Stationmaster-Gate"
"""Of requests of hooks with a gate: the agents that have one on that machine, with commas."""
CALLER = "stationmaster.caller"
"""Where a request keeps its caller, once known; no field of HTTP can put it there."""
_COUNTED = "stationmaster.counted"
"""Where a request keeps the limit towards which it was counted."""
_SOURCES: tuple[tuple[str, Source], ...] = (
    ("/api/v0/", "public_api_v0"),
    ("/api/organization/", "public_api"),
)


async def identify(request: Request) -> None:
    """Find the caller of a router's request. Raises Unauthorized."""
    if CALLER in request.scope:
        return
    identified = await caller(request)
    for prefix, source in _SOURCES:
        if request.url.path.startswith(prefix):
            identified = msgspec.structs.replace(identified, source=source)
    request.scope[CALLER] = identified


def bearer(request: HTTPConnection) -> str:
    """The credential of `Authorization: Bearer …` (RFC 6750). Raises Unauthorized."""
    value = wire.header(request, b"authorization")
    if value is None:
        raise Unauthorized(
            "This address needs an API key or an access token: Authorization: Bearer <key>.",
            code=MISSING_CREDENTIAL,
        )
    scheme, _, token = value.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("Authorization must be of the form: Bearer <key>.")
    return token


async def caller(request: HTTPConnection) -> Caller:
    """The principal behind the credential, with its current role. Raises Unauthorized."""
    if (noted := request.scope.get(CALLER)) is not None:
        return cast(Caller, noted)
    return await read_as(request, lambda identified: identified)


async def read_as(request: HTTPConnection, read: Callable[[Caller], T]) -> T:
    """What a short read finds for the caller of a request; on PostgreSQL both on one way to a
    thread and back. Raises Unauthorized, and what the read raises.
    """

    def read_and_log(identified: Caller) -> T:
        if (asked := logs.asked.get()) is not None:
            asked.org_id = identified.org_id
        return read(identified)

    services = services_of(request)
    if (noted := request.scope.get(CALLER)) is not None:
        return await blocking.read(services.db, read_and_log, noted)
    return await _read_with(services, bearer(request), read_and_log)


async def now(request: HTTPConnection) -> Caller:
    """The caller of a request that takes long, with the role as of now. Raises Unauthorized."""
    if wire.header(request, b"authorization") is None:
        return cast(Caller, request.scope[CALLER])
    return await of_credential(services_of(request), bearer(request))


async def of_credential(services: Services, token: str) -> Caller:
    """The principal behind an API key or an access token, with its current role.

    Raises Unauthorized.
    """
    return await _read_with(services, token, lambda identified: identified)


async def _read_with(services: Services, token: str, read: Callable[[Caller], T]) -> T:
    db = services.db
    if not jwts.has_form(token):
        return await blocking.read(db, lambda: read(authenticate.authenticate(db, token)))
    issuer = jwts.issuer_of(token)
    if issuer == services.tokens.issuer:
        return await blocking.read(db, lambda: read(services.tokens.caller_of(token)))
    if issuer == services.machine_tokens.issuer:
        return await blocking.read(db, lambda: read(services.machine_tokens.caller_of(token)))
    issued = await blocking.few(services.asking, services.issuers.caller_of, db, token)
    return await blocking.read(db, read, issued)


async def counted(request: Request, response: Response) -> Caller:
    """The caller of an ordinary request, which counts towards the limit that the answer reports.

    Raises RateLimited. Who it is was found before the body was read: see `api/routing.py`.
    """
    return _count(request, response, services_of(request).other_limit)


def _count(request: Request, response: Response, limit: Limiter) -> Caller:
    identified: Caller = request.scope[CALLER]
    response.headers.update(limit.take(identified.key_id, identified.org_id))
    request.scope[_COUNTED] = limit
    services_of(request).last_use.note(identified)
    return identified


def uncount(request: Request) -> None:
    """Give a request back to the limit that it took from, if any: its answer cost nothing."""
    limit: Limiter | None = request.scope.pop(_COUNTED, None)
    if limit is not None:
        identified: Caller = request.scope[CALLER]
        limit.give_back(identified.key_id, identified.org_id)


def _permitted(*roles: Role) -> Callable[[Request, Response], Awaitable[Caller]]:
    async def permitted(request: Request, response: Response) -> Caller:
        identified = await counted(request, response)
        is_strict = services_of(request).settings.managers_only
        if is_strict and request.url.path.startswith(("/api/v0/", "/api/organization/")):
            require(identified, *(role for role in roles if role in ("owner", "manager")))
        else:
            require(identified, *roles)
        return identified

    return permitted


def require_figures(identified: Caller, *, is_own: bool) -> None:
    """Raise Forbidden for who may not read figures: those of others are for managers."""
    require(identified, *(() if is_own else ("owner", "manager")))


async def _limit_writer(request: Request, response: Response) -> Caller:
    identified = _count(request, response, services_of(request).limit_write_limit)
    require(identified, "owner", "manager")
    return identified


async def _gate(request: Request, response: Response) -> Caller:
    services, is_gate = services_of(request), GATE_HEADER in request.headers
    return _count(request, response, services.gate_limit if is_gate else services.other_limit)


Anyone = Annotated[Caller, Depends(counted)]
"""Everyone with a valid credential, an ingest key too: for operations on the caller itself."""
Gate = Annotated[Caller, Depends(_gate)]
"""The same, where hooks with a gate ask in the background: they have an allowance of their own, or
the machines of an organization would use up that of its people."""
Reader = Annotated[Caller, Depends(_permitted("owner", "manager", "member", "guest"))]
"""Everyone with a full credential: for what each may read of itself."""
Member = Annotated[Caller, Depends(_permitted("owner", "manager", "member"))]
Manager = Annotated[Caller, Depends(_permitted("owner", "manager"))]
Owner = Annotated[Caller, Depends(_permitted("owner"))]
LimitWriter = Annotated[Caller, Depends(_limit_writer)]
"""A manager whose change of a credit limit counts towards a stricter limit of requests."""
