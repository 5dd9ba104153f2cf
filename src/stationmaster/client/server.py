"""The server that this machine's person sends to, in one file: `server.json`."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stationmaster.client import private_files
from stationmaster.errors import BadRequest
from stationmaster.settings import Settings

FILE = "server.json"
EVENTS_PATH = "/api/platform/v1/events"
"""Where a server takes events."""


class Server(msgspec.Struct, frozen=True):
    """An address and a key for it; scope `ingest` is enough."""

    url: str
    key: str

    def __repr__(self) -> str:
        return f"Server({self.url!r}, …)"


def load(folder: Path) -> Server | None:
    """The server that was named; None where none was. Raises OperatorError for a damaged file."""
    return private_files.read(folder / FILE, Server)


def chosen(settings: Settings, url: str) -> Server:
    """The server at `url` with the key of `settings`, else with the key stored for this server.

    Raises BadRequest where there is neither.
    """
    if settings.key is not None:
        return Server(url, settings.key)
    stored = load(settings.client_dir)
    if stored is None or stored.url.rstrip("/") != url.rstrip("/"):
        raise BadRequest("--url needs --key or STATIONMASTER_KEY", code="no_key")
    return stored


def save(folder: Path, server: Server) -> None:
    """Remember a server, whole or not at all, readable by its owner alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    private_files.write(folder / FILE, msgspec.json.encode(server))
