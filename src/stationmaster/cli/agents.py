"""`agents`: the settings that make an agent export to a server."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli import output
from stationmaster.cli.configure import configure
from stationmaster.cli.options import Key, Url
from stationmaster.client import agent_settings
from stationmaster.client import server as servers
from stationmaster.client.server import Server
from stationmaster.errors import BadRequest

group = typer.Typer(help="Agents and how they export their telemetry.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="agents")


@group.command()
def setup(
    agent: Annotated[str, typer.Argument(help="A name such as claude-code.")],
    apply: Annotated[bool, typer.Option("--apply", help="Change the agent's own files.")] = False,
    home: Annotated[Path | None, typer.Option(help="The home folder.")] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Print the settings that make an agent export to a server, or put them where it reads them."""
    settings = configure(None, url=url, key=key)
    if settings.url is not None and settings.key is not None:
        server = Server(settings.url, settings.key)
    else:
        known = servers.load(settings.client_dir)
        if known is None:
            raise BadRequest("name the server with --url and --key", code="no_server")
        server = known
    recipe = agent_settings.recipe_of(agent, server)
    if apply:
        changed = agent_settings.apply(recipe, home or Path.home())
        if changed is not None:
            output.say(f"{changed} is set")
    elif recipe.file is not None:
        content = recipe.content
        text = content if isinstance(content, str) else json_text.dumps(content, indent=2) + "\n"
        typer.echo(f"# ~/{recipe.file}\n{text}")
    if recipe.environment:
        output.say("In the environment of the agent, for instance by your shell's profile:")
        typer.echo(agent_settings.exports(recipe), nl=False)
    if recipe.remark:
        output.say(recipe.remark)
