"""`collect`: this machine's own agent sessions, to a server or into a local data folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli import configuring, groups
from stationmaster.cli.options import Connection, Json
from stationmaster.cli.printing import output
from stationmaster.cli.ranges import Since, since_ms
from stationmaster.cli.telemetry import collect_run, destination
from stationmaster.client import server as servers, services
from stationmaster.errors import BadRequest
from stationmaster.settings import PREFIX, Settings, variable

KindOption = Annotated[
    services.Kind | None,
    typer.Option("--kind", help="The service manager; by default that of this system."),
]


def install(
    connection: Connection,
    since: Since = None,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the file and the commands; change nothing.")
    ] = False,
    kind: KindOption = None,
) -> output.Shown:
    """Run `collect --watch` whenever this person is signed in; never needs an administrator."""
    settings = connection.settings()
    since_ms(since)
    command = [sys.executable, "-m", "stationmaster", "collect", "--watch"]
    command += _destination(settings, connection.org, connection.data_dir, save=not only_print)
    command += [] if since is None else ["--since", since]
    service = services.make(
        kind or services.kind_of_this_system(),
        command,
        services.variables(settings),
        Path.home(),
        settings.client_dir,
    )
    if only_print:
        encoding = "utf-16" if service.path.suffix == ".xml" else "utf-8"
        typer.echo(service.content.decode(encoding), nl=False)
        output.remark(f"It would be {service.path}, followed by:")
        for step in service.on:
            output.remark(" ".join(step))
        return
    services.install(service)
    yield from _report(service)


def uninstall(kind: KindOption = None) -> output.Shown:
    """Stop the service, and remove what `install` created."""
    service = _service(kind)
    services.uninstall(service)
    yield from _report(service)


def status(kind: KindOption = None) -> output.Shown:
    """Show whether the service is installed and running."""
    yield from _report(_service(kind))


def _service(kind: services.Kind | None) -> services.Service:
    settings = configuring.configure(None)
    kind = kind or services.kind_of_this_system()
    return services.make(
        kind, [sys.executable], services.variables(settings), Path.home(), settings.client_dir
    )


def _destination(
    settings: Settings, org: str | None, data_dir: Path | None, *, save: bool
) -> list[str]:
    """The arguments that name it. A key is never one, because everybody sees a process's arguments:
    it is written into the file of this machine's server."""
    to = destination.usual(settings, org, data_dir)
    if isinstance(to, destination.ToServer):
        if save and servers.load(settings.client_dir) != to.server:
            servers.save(settings.client_dir, servers.Server(to.server.url, to.server.key))
        return []
    if data_dir is None and not variable(f"{PREFIX}DATA_DIR"):
        raise BadRequest(
            "name a destination: a server with --url and --key, or a folder with --data-dir",
            code="no_destination",
        )
    named = ["--data-dir", str(settings.data_dir.resolve())]
    return named if org is None else [*named, "--org", org]


def _report(service: services.Service) -> output.Shown:
    is_installed, is_running = service.path.exists(), services.is_running(service)
    yield {"file": str(service.path), "installed": is_installed, "running": is_running}
    typer.echo(
        f"{'installed' if is_installed else 'not installed'}, "
        f"{'running' if is_running else 'not running'}: {service.path}"
    )


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
                f"put options after `{context.invoked_subcommand}`", code="misplaced_option"
            )
        return
    collect_run.run(*connection, watch, dry_run, since_ms(since), home, json)


for command in (install, uninstall, status):
    collect.command()(command)
