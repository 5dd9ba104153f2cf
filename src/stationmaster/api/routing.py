"""Routers for the operations with path parameters and JSON bodies.

`router()` makes one whose every operation knows its caller before the framework reads a body: a
request without a valid credential is refused as such, whatever else is wrong with it.
Operations take what they work with as parameters: `Db`, `Opened`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from stationmaster.access.addresses import public_address
from stationmaster.api import bodies, callers, wire
from stationmaster.api.services import Services, services_of
from stationmaster.db.engine import Database
from stationmaster.errors import UnsupportedMedia

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Operation = TypeVar("Operation", bound=Callable[..., Any])
_JSON = "application/json"
_BODY_MAX = "body_max"
"""The attribute of an operation that takes larger bodies than others."""


class OpenRoute(APIRoute):
    """An operation that refuses a body in another form than the described one."""

    def get_route_handler(self) -> Handler:
        """The operation behind a check of the body's media type, which raises UnsupportedMedia."""
        handle = super().get_route_handler()
        takes = _media_types(self)

        async def checked(request: Request) -> Response:
            if takes:
                _check_media(request, takes)
            return await handle(request)

        return checked


class Route(OpenRoute):
    """An operation for callers with a valid credential."""

    def get_route_handler(self) -> Handler:
        """The operation behind a check of the credential and a limit of the body.

        An answer 304 does not count against the caller's limit of requests.
        """
        handle = super().get_route_handler()
        most: int = getattr(self.endpoint, _BODY_MAX, bodies.JSON_BYTES_MAX)

        async def identified(request: Request) -> Response:
            await callers.identify(request)
            owner = request.scope[callers.CALLER].org_id
            bodies.allow(request, owner, most)
            answer = await handle(request)
            if answer.status_code == HTTPStatus.NOT_MODIFIED:
                callers.uncount(request)
            return answer

        return identified


def takes_uploads(operation: Operation) -> Operation:
    """Let an operation take bodies up to the limit of all requests: it reads them by itself."""
    setattr(operation, _BODY_MAX, sys.maxsize)
    return operation


def router(prefix: str, tag: str) -> APIRouter:
    """A router whose operations need a credential; the type of an operation's caller defines who
    may use it."""
    return _router(prefix, tag, Route)


def open_router(prefix: str, tag: str) -> APIRouter:
    """A router whose operations need none: signing in, and what verifiers of tokens read."""
    return _router(prefix, tag, OpenRoute)


def _router(prefix: str, tag: str, kind: type[APIRoute]) -> APIRouter:
    """Its operations are named in the description as their functions are."""
    return APIRouter(
        prefix=prefix,
        tags=[tag],
        route_class=kind,
        generate_unique_id_function=lambda route: route.name,
    )


def _media_types(route: APIRoute) -> tuple[str, ...]:
    if route.body_field is None:
        body = (route.openapi_extra or {}).get("requestBody", {})
        return tuple(body.get("content", ()))
    media: str = getattr(route.body_field.field_info, "media_type", _JSON)
    return (media,)


def _check_media(request: Request, takes: tuple[str, ...]) -> None:
    sent = wire.media_type(request)
    if sent not in takes and not (sent.endswith("+json") and _JSON in takes):
        wanted = " or ".join(takes)
        raise UnsupportedMedia(f"The body must be {wanted}; its Content-Type is {sent[:80]!r}.")


async def _opened(request: Request) -> Services:
    return services_of(request)


async def _db(request: Request) -> Database:
    return services_of(request).db


Opened = Annotated[Services, Depends(_opened)]
"""What the application has opened, as a parameter of an operation."""
Db = Annotated[Database, Depends(_db)]
"""The state database of the application, as a parameter of an operation."""


def address_of(request: HTTPConnection) -> str:
    """The application's base address, as the sender of a request knows it."""
    return public_address(request.scope, services_of(request).settings)
