"""The address `/mcp` of an application."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from stationmaster.api.mcp import library
from stationmaster.errors import MissingExtra, NotImplementedYet

PATH = "/mcp"


class _Endpoint:
    """An application of its own below the path: the framework reads no body for it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            serving = await asyncio.to_thread(library.serving)
        except MissingExtra as fault:
            raise NotImplementedYet(fault.detail, code=fault.code) from fault
        await serving.over_http(scope, receive, send)


routes = APIRouter()
routes.routes.append(Route(PATH, _Endpoint(), methods=["POST"], include_in_schema=False))
