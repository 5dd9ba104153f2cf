"""Running the application under uvicorn: in this process, or in several that share one port."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI

from stationmaster import clock
from stationmaster import settings as settings_room
from stationmaster.api.app import create_app
from stationmaster.errors import OperatorError
from stationmaster.settings import Settings

_DRAIN_S = 20
"""How long a stopping server waits for requests that are being answered."""


def check_address(settings: Settings) -> None:
    """Raise OperatorError when the address cannot be listened on."""
    try:
        socket.create_server((settings.host, settings.port)).close()
    except OSError as fault:
        raise OperatorError(
            f"cannot listen on {settings.host}:{settings.port} ({fault.strerror}); "
            "choose another one with --host and --port",
            code="address",
        ) from fault


def run(settings: Settings, *, workers: int, with_worker: bool) -> None:
    """Serve until told to stop; with several workers none of them does background work."""
    app: FastAPI | str = "stationmaster.api.server:from_environment"
    if workers == 1:
        app = create_app(settings, with_worker=with_worker)
    else:
        # Each worker process builds its own application from the environment.
        settings_room.export(settings)
    uvicorn.run(
        app,
        factory=workers > 1,
        workers=workers,
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=_DRAIN_S,
        server_header=False,
    )


def from_environment() -> FastAPI:
    """The application of a worker process, without background work."""
    settings = settings_room.load()
    clock.freeze(settings.now)
    return create_app(settings, with_worker=False)
