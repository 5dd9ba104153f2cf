"""The gateway as an ASGI application: its health, and everything under `/gateway/`."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from stationmaster.errors import StationmasterError
from stationmaster.gateway import exchange
from stationmaster.gateway.exchange import Receive, Scope, Send
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
            await exchange.serve(services, scope, receive, send)

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
