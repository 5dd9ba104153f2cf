"""What every process that serves or works has: its life, its condition and its own routes."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, nullcontext
from hashlib import sha256
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stationmaster import __version__
from stationmaster.access.signing_in.buckets import EXCHANGE_S
from stationmaster.api import openapi, wire
from stationmaster.api.background.worker import Background, Worker
from stationmaster.api.edge import Edge, ErrorPage, Route
from stationmaster.api.monitoring import health
from stationmaster.api.monitoring.condition import Condition
from stationmaster.api.services import Services
from stationmaster.api.serving import life
from stationmaster.api.serving.forwarded import Proxies
from stationmaster.api.telemetry import otlp_grpc
from stationmaster.api.wire import JsonResponse, matches
from stationmaster.settings import Settings

RETRY_S = 5.0

_log = logging.getLogger(__name__)

DESCRIPTION = "/openapi.json"


class Application(FastAPI):
    """FastAPI whose edge answers our own routes directly and makes every error body."""

    routes_of_edge: Sequence[Route]
    services: Services
    """Open while the application runs."""
    condition: Condition
    """The same."""
    _openapi_bytes: tuple[bytes, str] | None = None
    proxies: Proxies
    error_page: ErrorPage | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Requests go straight to the edge; the framework's own telemetry is not in use."""
        if scope["type"] != "lifespan":
            self.proxies.see_through(scope)
        if scope["type"] != "http" or self.middleware_stack is None:
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        await self.middleware_stack(scope, receive, send)

    def build_middleware_stack(self) -> ASGIApp:
        """The edge above the middleware and the framework's router."""
        below: ASGIApp = AsyncExitStackMiddleware(self.router)
        for middleware in reversed(self.user_middleware):
            below = middleware.cls(below, *middleware.args, **middleware.kwargs)
        return Edge(self.routes_of_edge, below, self.error_page)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document of all operations, made at the first call."""
        if self.openapi_schema is None:
            framework = get_openapi(
                title=self.title,
                version=self.version,
                routes=self.routes,
                summary=self.summary,
                license_info={"name": "Apache License 2.0", "identifier": "Apache-2.0"},
            )
            self.openapi_schema = openapi.document(self.routes_of_edge, framework)
        return self.openapi_schema

    def openapi_bytes(self) -> tuple[bytes, str]:
        """The bytes of the OpenAPI document and their entity tag, made at the first call."""
        if self._openapi_bytes is None:
            body = JsonResponse(self.openapi()).body
            self._openapi_bytes = bytes(body), f'"{sha256(body).hexdigest()[:32]}"'
        return self._openapi_bytes


async def _describe(request: Request) -> Response:
    body, tag = request.scope["app"].openapi_bytes()
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if matches(wire.header(request, b"if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """The work runs while the block does."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def create_worker(settings: Settings, notify: Callable[[str], None] = life.notify) -> Application:
    """The background work alone, with the operations that report its condition. `notify` takes
    messages to a service manager."""
    return application(settings, health.ROUTES, Worker, notify)


def application(
    settings: Settings,
    routes: Sequence[Route],
    background: Callable[[Services], Background] | None,
    notify: Callable[[str], None] = life.notify,
    *,
    with_grpc: bool = False,
) -> Application:
    """The application that serves these routes alone, whose life is that of its services."""

    @asynccontextmanager
    async def lifespan(app: Application) -> AsyncIterator[None]:
        services = app.services = Services.open(settings)
        upkeep = Upkeep(services)
        worker = None if background is None else background(services)
        app.condition = Condition(services, worker)
        async with life.lived(services, app.condition, worker, notify):
            upkeep.start()
            try:
                if worker is not None:
                    worker.start()
                async with (
                    services.relay.serving(),
                    _beside(services.capping.run()),
                    otlp_grpc.serving(app, settings) if with_grpc else nullcontext(),
                ):
                    yield
            finally:
                if worker is not None:
                    worker.stop()
                upkeep.stop()
                services.close()

    app = Application(
        title="Stationmaster",
        summary="The platform on which an organization runs its coding agents.",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.routes_of_edge = routes
    app.router.add_route(DESCRIPTION, _describe, include_in_schema=False)
    app.proxies = Proxies(settings.trusted_networks)
    return app


class Upkeep:
    """Exchanges limits with other processes and stores last uses, in a thread of its own.

    Requests neither wait for it nor fail with it.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Returns once what was taken until now is exchanged."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        pause = EXCHANGE_S
        while True:
            is_last = self._stop.wait(pause)
            try:
                self._services.sharing.exchange()
                self._services.last_use.flush(self._services.db)
                pause = EXCHANGE_S
            except Exception as fault:  # The job edge: requests go on without it.
                _log.warning("limits and last uses are not shared for now: %s", fault)
                pause = RETRY_S
            if is_last:
                return
