"""`time-zone`: when an organization's days begin, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json
from stationmaster.cli.printing import output

time_zone = groups.group()

_PATH = "/api/platform/v1/time-zone"


def register(app: typer.Typer) -> None:
    """Add the group `time-zone`."""
    app.add_typer(time_zone, name="time-zone")


@time_zone.command("show")
def show_time_zone(connection: Connection, json: Json = False) -> None:
    """Print the time zone."""
    _print(connection.api().get(_PATH), json)


@time_zone.command("set")
def set_time_zone(
    connection: Connection,
    zone: Annotated[str, typer.Argument(help="A name such as Europe/Berlin, or UTC.")],
    json: Json = False,
) -> None:
    """Change the time zone, effective at once; with --url it needs an owner's key."""
    _print(connection.api().send("PUT", _PATH, {"timeZone": zone}), json)


def _print(answer: dict[str, Any], json: bool) -> None:
    if json:
        output.as_json(answer)
    else:
        output.say(f"Days begin at midnight of {answer['timeZone']}.")
