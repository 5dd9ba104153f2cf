"""`collect`: this machine's own agent sessions, to a server or into a local data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json
from stationmaster.cli.ranges import Since, since_ms
from stationmaster.cli.telemetry import collect_run, collect_service
from stationmaster.errors import BadRequest

collect = groups.group(invoke_without_command=True)


@collect.callback()
def collect_now(
    context: typer.Context,
    connection: Connection,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until stopped.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be sent; with --json every event.")
    ] = False,
    since: Since = None,
    home: Annotated[Path | None, typer.Option(help="The home folder to look in.")] = None,
    json: Json = False,
) -> None:
    """Read this machine's agent sessions and send their counts.

    A repeated run continues where the last one stopped.
    """
    if context.invoked_subcommand is not None:
        if any(context.params.values()):
            raise BadRequest(
                f"options go behind `{context.invoked_subcommand}`", code="misplaced_option"
            )
        return
    collect_run.run(*connection, watch, dry_run, since_ms(since), home, json)


for command in (collect_service.install, collect_service.uninstall, collect_service.status):
    collect.command()(command)
