"""`privacy`: how people are shown, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json
from stationmaster.cli.printing import output

privacy = groups.group()

_PATH = "/api/platform/v1/privacy"


def register(app: typer.Typer) -> None:
    """Add the group `privacy`."""
    app.add_typer(privacy, name="privacy")


@privacy.command("show")
def show_privacy(connection: Connection, json: Json = False) -> None:
    """Print the mode."""
    _tell(connection.api().get(_PATH), json)


@privacy.command("set")
def set_privacy(
    connection: Connection,
    mode: Annotated[str, typer.Argument(help="named, pseudonymous, team-only or off.")],
    minimum: Annotated[
        int | None, typer.Option(help="The fewest people of a group, 2 to 1000.")
    ] = None,
    json: Json = False,
) -> None:
    """Change the mode, effective at once; with --url it needs an owner's key."""
    body = {"mode": mode, "minimum": minimum}
    _tell(connection.api().send("PUT", _PATH, body), json)


def _tell(answer: dict[str, Any], json: bool) -> None:
    if json:
        output.as_json(answer)
    else:
        output.say(f"People are shown: {answer['mode']}, at least {answer['minimum']} in a group.")
