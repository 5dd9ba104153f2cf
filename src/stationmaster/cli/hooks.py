"""`hooks`: put Stationmaster's hooks into the configuration of agents, look, and take them away."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli import groups, output
from stationmaster.cli.configure import configure
from stationmaster.cli.options import Json, Key, Url
from stationmaster.client import hook_configuration, hook_files, server, spool
from stationmaster.client.hook import FOLDER
from stationmaster.client.hook_files import Standing
from stationmaster.errors import BadRequest

group = groups.group()
Agents = Annotated[list[str], typer.Argument(help="Names such as claude-code.")]
Project = Annotated[
    Path | None, typer.Option("--project", help="Of this project's folder, not of the person.")
]
Home = Annotated[Path | None, typer.Option(help="The home folder.")]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="hooks")


@group.command()
def install(
    agents: Agents,
    project: Project = None,
    home: Home = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Let agents tell this machine's Stationmaster what they do; --url and --key say where to."""
    settings = configure(None, url=url, key=key)
    if settings.url is not None:
        if settings.key is None:
            raise BadRequest("--url needs --key or STATIONMASTER_KEY", code="no_key")
        server.save(settings.client_dir, server.Server(settings.url, settings.key))
    program = hook_files.PROGRAM
    if project is None:
        # An agent that was started from a menu has another PATH; a project is other people's, too.
        program = shutil.which(program) or program
    done = [hook_files.install(agent, _path(agent, home, project), program) for agent in agents]
    _report(agents, done, json)
    if server.load(settings.client_dir) is None:
        output.say("No server is named yet: what hooks tell waits here. Name one with --url.")


@group.command()
def remove(agents: Agents, project: Project = None, home: Home = None, json: Json = False) -> None:
    """Take our hooks out of the configuration of agents; everything else stays."""
    done = [hook_files.remove(agent, _path(agent, home, project)) for agent in agents]
    _report(agents, done, json)


@group.command()
def status(project: Project = None, home: Home = None, json: Json = False) -> None:
    """Which agents have our hooks, and what waits to be sent."""
    settings = configure(None)
    agents = list(hook_files.PLACES)
    found = [hook_files.standing(agent, _path(agent, home, project)) for agent in agents]
    _report(agents, found, json, spool.standing(settings.client_dir / FOLDER))


@group.command()
def check(
    paths: Annotated[list[Path], typer.Argument(help="Configurations of hooks, or folders.")],
) -> None:
    """Say what is wrong with configurations of hooks; exit code 1 when anything is."""
    files = [file for path in paths for file in (_json_files(path) if path.is_dir() else [path])]
    if not files:
        raise BadRequest("no configuration of hooks is there", code="nothing_to_check")
    are_good = [_check(file) for file in files]
    if not all(are_good):
        raise typer.Exit(1)


def _json_files(folder: Path) -> list[Path]:
    """What lies in a project's folder of hooks."""
    return sorted(folder.glob("*.json"))


def _check(file: Path) -> bool:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        typer.echo(f"{file}: cannot be read: {fault}")
        return False
    faults = hook_configuration.check(text)
    for found in faults:
        place = f"{found.place}: " if found.place else ""
        typer.echo(f"{file}: {place}{found.text}")
    if not faults:
        typer.echo(f"{file}: well formed")
    return not faults


def _path(agent: str, home: Path | None, project: Path | None) -> Path:
    return hook_files.path_of(agent, home or Path.home(), project)


def _report(
    agents: list[str], found: list[Standing], json: bool, waiting: spool.Standing | None = None
) -> None:
    if json:
        told = [
            {"agent": agent, "file": str(each.path), "hooks": each.installed,
             "missing": each.missing}
            for agent, each in zip(agents, found, strict=True)
        ]  # fmt: skip
        output.as_json({"agents": told} | ({} if waiting is None else {"waiting": waiting}))
        return
    for agent, each in zip(agents, found, strict=True):
        have = ", ".join(each.installed) or "none"
        typer.echo(f"{agent}: {have} ({each.path})")
    if waiting is not None and waiting.events:
        typer.echo(f"{waiting.events} events ({waiting.bytes} bytes) wait to be sent")
    if waiting is not None and waiting.dropped.last_ms is not None:
        last = output.moment(waiting.dropped.last_ms)
        typer.echo(f"{waiting.dropped.hooks} hooks were not kept, the last one on {last}")
