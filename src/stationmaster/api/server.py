"""Running the application under uvicorn: in this process, or in several that share one port."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI

from stationmaster import settings as settings_room
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


def run(app: FastAPI | str, settings: Settings, *, workers: int = 1) -> None:
    """Serve until told to stop.

    `app` is the application, or for several workers the name of a function that makes it: each of
    those processes builds its own, from the environment.
    """
    if workers > 1:
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
