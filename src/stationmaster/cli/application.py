"""The whole application of one process: the API, the pages and the tools of agents."""

from __future__ import annotations

from collections.abc import Callable

from stationmaster import clock, logs, settings
from stationmaster.api.app import create_app
from stationmaster.api.application import Application
from stationmaster.api.background.worker import Background
from stationmaster.api.mcp import route as mcp
from stationmaster.api.services import Services
from stationmaster.settings import Settings
from stationmaster.web import ROUTERS, error_page


def create(made: Settings, background: Callable[[Services], Background] | None) -> Application:
    """What `stationmaster up` and `stationmaster api` serve."""
    return create_app(
        made,
        background=background,
        pages=(*ROUTERS, mcp.routes),
        error_page=error_page,
        with_grpc=True,
    )


def from_environment() -> Application:
    """The application of one of several worker processes, without background work."""
    made = settings.load()
    clock.freeze(made.now)
    logs.configure(made.log_format, made.log_level)
    return create(made, background=None)
