"""Where `ingest` and `collect` bring what they read: a server, or a local data folder."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from stationmaster.cli import folder
from stationmaster.client import server as servers
from stationmaster.client.server import Server
from stationmaster.errors import BadRequest
from stationmaster.settings import PREFIX, Settings, variable

if TYPE_CHECKING:
    from stationmaster.cli.telemetry.local import LocalSink
    from stationmaster.client.collecting.sending import HttpSink


@dataclass(frozen=True)
class ToServer:
    """A server and a key for it."""

    server: Server

    @property
    def name(self) -> str:
        """A hash of the server's address and the key."""
        return _hash(f"{self.server.url}\0{self.server.key}")

    @property
    def label(self) -> str:
        """The server's address, for people."""
        return self.server.url

    @property
    def files(self) -> list[Path]:
        """Files that change when the destination does: none."""
        return []

    def open(self) -> HttpSink:
        """A sink that sends events to the server."""
        from stationmaster.client.collecting.sending import HttpSink

        return HttpSink(self.server.url, self.server.key)


@dataclass(frozen=True)
class ToFolder:
    """A data folder on this machine, and the organization in it."""

    settings: Settings
    org: str | None

    @property
    def name(self) -> str:
        """A folder that was made again is another one."""
        with folder.tenant(self.settings, self.org) as (_, org_id):
            return _hash(org_id)

    @property
    def label(self) -> str:
        """The path of the data folder, for people."""
        return str(self.settings.data_dir)

    @property
    def files(self) -> list[Path] | None:
        """Files that change when the destination does; None where its database is elsewhere."""
        return None if self.settings.database_url else [self.settings.data_dir / folder.MARKER]

    def open(self) -> LocalSink:
        """A sink that writes events into the data folder."""
        from stationmaster.cli.telemetry.local import LocalSink

        return LocalSink(self.settings, self.org)


@dataclass(frozen=True)
class Nowhere:
    """For a dry run: nothing was sent yet."""

    name = label = "nowhere"
    files = None

    def open(self) -> NoReturn:
        """Raises BadRequest (`no_destination`)."""
        raise BadRequest("name a server with --url, or a data folder", code="no_destination")


Destination = ToServer | ToFolder | Nowhere


def configured(settings: Settings, org: str | None) -> Destination:
    """The server that `--url` names, else the data folder."""
    if settings.url is None:
        # Loaded here and not in each reading process.
        from stationmaster.cli.telemetry import local  # noqa: F401 - see above

        return ToFolder(settings, org)
    return ToServer(servers.chosen(settings, settings.url))


def usual(
    settings: Settings, org: str | None, data_dir: Path | None, *, may_be_none: bool = False
) -> Destination:
    """The same, but the server that this machine sends to where nothing else is named."""
    if settings.url is None and data_dir is None and not variable(f"{PREFIX}DATA_DIR"):
        remembered = servers.load(settings.client_dir)
        if remembered is not None:
            return ToServer(remembered)
        if may_be_none and not (settings.data_dir / folder.MARKER).exists():
            return Nowhere()
    return configured(settings, org)


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
