"""A real server on a free port: the whole application, over HTTP, in a thread of the test."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from stationmaster.api.application import Application
from stationmaster.api.background.worker import Worker
from stationmaster.api.services import Services
from stationmaster.api.serving import sockets
from stationmaster.api.serving.connections import Connection
from stationmaster.cli import application
from stationmaster.settings import Settings
from tests.support import databases
from tests.support.described import description
from tests.support.listening import listening


class Server:
    """A running server. `services` are its own: what they write, its users see."""

    def __init__(
        self, url: str, app: Application, settings: Settings, connections: Collection[object]
    ) -> None:
        self.url = url
        self.app = app
        self.settings = settings
        self.connections = connections
        """Those that are open at this moment."""

    @property
    def services(self) -> Services:
        return self.app.services

    def client(self, key: str | None = None) -> httpx.Client:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)


def settings_for(folder: Path, database_url: str, **fields: object) -> Settings:
    """Settings of a fresh data folder; on PostgreSQL, of that database."""
    url = database_url if database_url.startswith("postgresql") else None
    quiet: dict[str, object] = {
        "data_dir": folder / "data",
        "database_url": url,
        "analytics_requests_per_minute": 0,
        "requests_per_minute": 0,
        "limit_writes_per_minute": 0,
        "repos_look_seconds": 0,
        "metrics_addresses": "127.0.0.1",
    }
    return Settings(**(quiet | fields))  # type: ignore[arg-type]  # what a test says of them


@contextmanager
def running_server(
    settings: Settings, *, with_worker: bool = False, port: int = 0
) -> Iterator[Server]:
    """Serve until the block ends, then stop gracefully.

    Without the worker nothing moves by itself: a test sees exactly what questions cause.
    """
    databases.prepare_sqlite(settings)
    app = application.create(settings, background=Worker if with_worker else None)
    app.openapi = description  # type: ignore[method-assign]  # The same for each: a second of work.
    config = uvicorn.Config(
        app,
        http=Connection,
        **sockets.OPTIONS,
        log_level="warning",
        access_log=False,
        lifespan="on",
        proxy_headers=False,
    )
    with listening(config, port) as (url, server):
        yield Server(url, app, settings, server.server_state.connections)
