"""`privacy`: how people are shown, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.printing import output

privacy = groups.group()

_PATH = "/api/platform/v1/privacy"


@privacy.command("show")
def show_privacy(connection: Connection) -> output.Shown:
    """Print the mode."""
    yield from _tell(connection.api().get(_PATH))


@privacy.command("set")
def set_privacy(
    connection: Connection,
    mode: Annotated[str, typer.Argument(help="named, pseudonymous, team-only or off.")],
    minimum: Annotated[
        int | None, typer.Option(help="The minimum size of a group, 2 to 1000.")
    ] = None,
) -> output.Shown:
    """Change the mode, effective at once; with --url it needs an owner's key."""
    body = {"mode": mode, "minimum": minimum}
    yield from _tell(connection.api().send("PUT", _PATH, body))


def _tell(answer: dict[str, Any]) -> output.Shown:
    yield answer
    output.say(f"People are shown: {answer['mode']}, at least {answer['minimum']} in a group.")
