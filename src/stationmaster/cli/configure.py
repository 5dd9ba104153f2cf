"""From flags and environment to settings, with the clock set as they say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

from stationmaster import clock, settings
from stationmaster.client import server
from stationmaster.errors import BadRequest
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.access.model import Caller
    from stationmaster.cli.api import Api
    from stationmaster.db.engine import Database


def configure(data_dir: Path | None = None, **flags: object) -> Settings:
    """The settings of this run of the program; a flag that is None was not given."""
    made = settings.load({"data_dir": data_dir, **flags})
    clock.freeze(made.now)
    if made.url is not None:
        check_address(made.url)
    if made.key is not None:
        check_key(made.key)
    return made


def check_address(url: str, option: str = "--url (or STATIONMASTER_URL)") -> None:
    """Raise BadRequest for what cannot be a server's address."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and (parts.port is None or parts.port > 0)
        # A key in the address would end in logs, and the server would not read it.
        is_address = is_address and parts.username is None
    except ValueError:
        is_address = False
    if not is_address or not url.isprintable() or " " in url:
        raise BadRequest(
            f"{option} takes a server's address such as https://stationmaster.example.com, "
            f"not '{url}'",
            code="bad_url",
        )


def check_key(key: str) -> None:
    """Raise BadRequest, which does not quote it, for what no header field can carry."""
    if not key.isascii() or not key.isprintable() or not key or " " in key:
        raise BadRequest(
            "--key (or STATIONMASTER_KEY) is not one API key: it is empty, or has spaces, line "
            "breaks or letters that no key has",
            code="bad_key",
        )


class OrganizationFolder(NamedTuple):
    """An organization of a local data folder.

    A command with a parameter `place` has the options of these names (`groups.App`).
    """

    data_dir: Path | None = None
    org: str | None = None

    def settings(self) -> Settings:
        """The settings with these options."""
        return configure(self.data_dir)

    @contextmanager
    def opened(self) -> Iterator[tuple[Database, Caller]]:
        """The state database, and the owner in whose name a command of this machine works."""
        # Servers' clients have no databases.
        from stationmaster.access import operator
        from stationmaster.cli import folder

        with folder.tenant(self.settings(), self.org) as (db, org_id):
            yield db, operator.owner(db, org_id)


class Connection(NamedTuple):
    """Where a command works: on a server, or without a `url` in a local data folder.

    A command with a parameter `connection` has the options of these names (`groups.App`).
    """

    data_dir: Path | None = None
    org: str | None = None
    url: str | None = None
    key: str | None = None

    def settings(self) -> Settings:
        """The settings with these options. Raises BadRequest for an impossible address or key."""
        return configure(self.data_dir, url=self.url, key=self.key)

    def api(self) -> Api:
        """The API there; where there is neither an address nor such a folder, that of the server
        that this person's agents send to."""
        # Whoever does not speak to it need not load HTTP.
        from stationmaster.cli.api import Api

        made = self.settings()
        if made.url is None and made.data_dir == Settings().data_dir and not made.data_dir.exists():
            remembered = server.load(made.client_dir)
            if remembered is not None:
                made = msgspec.structs.replace(made, url=remembered.url)
        return Api(made, self.org)
