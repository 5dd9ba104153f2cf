"""The API of a local data folder, in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from stationmaster.access import operator
from stationmaster.api.app import create_app
from stationmaster.api.callers import CALLER
from stationmaster.cli import folder
from stationmaster.settings import Settings


@asynccontextmanager
async def application(settings: Settings, org: str | None) -> AsyncIterator[ASGIApp]:
    """The application of a data folder, whose requests are all from the machine's operator."""
    with folder.tenant(settings, org) as (db, org_id):
        caller = operator.owner(db, org_id)
    app = create_app(settings, background=None)

    async def of_operator(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, CALLER: caller}, receive, send)

    async with app.router.lifespan_context(app):
        app.services.freshness.is_alone = True
        yield of_operator
