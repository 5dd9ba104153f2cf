"""A hosting service on loopback: answers of a programming interface by the path that is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from stationmaster.repos.web import Web, reachable
from stationmaster.settings import Settings


class Forge:
    """`answers` maps the path of a request, with its query, to a status and JSON, or to bytes."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, Any]] = {}
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.http.forge = self  # type: ignore[attr-defined]  # Handlers know the server alone.

    def web(self, headers: dict[str, str], folder: Path, questions_max: int = 60) -> Web:
        place = f"127.0.0.1:{self.http.server_address[1]}"
        settings = Settings(data_dir=folder, repos_private_hosts=place, repos_http_hosts=place)
        reached = reachable(
            settings, f"https://{place}", headers, seconds=20, questions_max=questions_max
        )
        assert reached is not None
        return reached


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        forge: Forge = self.server.forge  # type: ignore[attr-defined]  # Set above.
        forge.asked.append(self.path)
        forge.headers = dict(self.headers)
        status, value = forge.answers.get(self.path, (404, {"message": "Not Found"}))
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def forge() -> Iterator[Forge]:
    running = Forge()
    thread = threading.Thread(target=running.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.http.shutdown()
    thread.join()
    running.http.server_close()
