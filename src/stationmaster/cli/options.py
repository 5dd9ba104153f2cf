"""Options that several commands share, so that each has one name, one help text, one meaning: the
place that they name, and the question that `--yes` answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import typer

from stationmaster.cli.configuring import configure
from stationmaster.client import server
from stationmaster.errors import BadRequest
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.access.model import Caller
    from stationmaster.cli.api import Api
    from stationmaster.db.engine import Database


def confirm(question: str, yes: bool, *, or_fail: bool = False) -> None:
    """Return when a person at a terminal agrees, or with `yes`; typer.Abort where they do not.

    A script without a terminal is not asked; with `or_fail` it has to pass --yes (BadRequest).
    """
    if yes:
        return
    if sys.stdin.isatty():
        typer.confirm(question, abort=True, err=True)
    elif or_fail:
        raise BadRequest("there is no terminal to ask in: add --yes", code="no_terminal")


DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="The data folder.", show_default=False),
]
Org = Annotated[
    str | None,
    typer.Option("--org", help="Name or id of the organization; needed when there are several."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Url = Annotated[
    str | None, typer.Option("--url", help="A server's address instead of a local data folder.")
]
Limit = Annotated[int, typer.Option(help="How many.", min=1)]
Host = Annotated[str | None, typer.Option(help="Address to listen on.", show_default=False)]
Port = Annotated[int | None, typer.Option(help="Port to listen on.", show_default=False)]
Wide = Annotated[bool, typer.Option("--wide", help="Show all columns.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        help="An API key for --url. STATIONMASTER_KEY keeps it out of lists of processes.",
    ),
]

PLACES = {
    "place": {"data_dir": DataDir, "org": Org},
    "connection": {"data_dir": DataDir, "org": Org, "url": Url, "key": Key},
}
"""Those of `OrganizationFolder` and of `Connection`, by their fields."""


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
        # A command that does not use the server does not load HTTP.
        from stationmaster.cli.api import Api

        made = self.settings()
        if made.url is None and made.data_dir == Settings().data_dir and not made.data_dir.exists():
            remembered = server.load(made.client_dir)
            if remembered is not None:
                made = msgspec.structs.replace(made, url=remembered.url)
        return Api(made, self.org)
