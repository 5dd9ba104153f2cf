"""`time-zone`: when an organization's days begin, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.printing import output

time_zone = groups.group()

_PATH = "/api/platform/v1/time-zone"


@time_zone.command("show")
def show_time_zone(connection: Connection) -> output.Shown:
    """Print the time zone."""
    yield from _print(connection.api().get(_PATH))


@time_zone.command("set")
def set_time_zone(
    connection: Connection,
    zone: Annotated[str, typer.Argument(help="A name such as Europe/Berlin, or UTC.")],
) -> output.Shown:
    """Change the time zone, effective at once; with --url it needs an owner's key."""
    yield from _print(connection.api().send("PUT", _PATH, {"timeZone": zone}))


def _print(answer: dict[str, Any]) -> output.Shown:
    yield answer
    output.say(f"Days begin at midnight of {answer['timeZone']}.")
