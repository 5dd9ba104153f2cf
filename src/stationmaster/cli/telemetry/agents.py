"""`agents`: let an agent export to a server, and see whether what it sends arrives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from typer.core import TyperCommand

from stationmaster.agents.cards.settings import Gateway, Login, Recipe
from stationmaster.cli import configuring, groups
from stationmaster.cli.options import Json, Key, Url
from stationmaster.cli.printing import output
from stationmaster.client import server as servers, verifying
from stationmaster.client.settings import gateway as gateway_settings, telemetry as agent_settings
from stationmaster.errors import BadRequest
from stationmaster.events.model import Event

agents = groups.group()
_SHOWN = (
    *("model", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    *("tool", "file_op", "language", "repo", "branch", "user_email", "session_id"),
)
"""Members of an event that a person looks for."""
Agent = Annotated[str, typer.Argument(help="A name such as claude-code.")]
Home = Annotated[Path | None, typer.Option(help="The home folder.")]


class _WithGateway(TyperCommand):
    """A command whose option --gateway may be used without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse with an empty value for a --gateway that no address follows."""
        following = [*args[1:], ""]
        pairs = zip(args, following, strict=True)
        bare = [f"{a}=" if a == "--gateway" and "://" not in after else a for a, after in pairs]
        return super().parse_args(ctx, bare)


@agents.command(cls=_WithGateway)
def setup(
    agent: Agent,
    apply: Annotated[bool, typer.Option("--apply", help="Change the agent's own files.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take our settings out of the agent's files.")
    ] = False,
    gateway: Annotated[
        str | None,
        typer.Option(
            metavar="[URL]",
            help="Call models through the gateway, at this address or next to the server.",
        ),
    ] = None,
    login: Annotated[
        Login | None, typer.Option(help="With --gateway: keep or replace the agent's own login.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="With --gateway: the model, for agents that need one.")
    ] = None,
    home: Home = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Print the settings that make an agent export to a server, or write them into its files."""
    place = home or Path.home()
    if gateway is not None:
        if undo:
            _undo(gateway_settings.undoing(agent), place, gateway_settings.PURPOSE)
            return
        gateway_settings.check(agent, login)
        server = _server(url, key)
        address = gateway or gateway_settings.usual_address(server)
        configuring.check_address(address, "--gateway")
        recipe = gateway_settings.recipe_of(agent, Gateway(address, server.key, login, model))
        _set_up(agent, recipe, place, server if apply else None, gateway_settings.PURPOSE)
        return
    if login or model:
        raise BadRequest("--login and --model belong to --gateway", code="misplaced_option")
    if undo:
        _undo(
            agent_settings.recipe_of(agent, servers.Server("", "")), place, agent_settings.PURPOSE
        )
        return
    agent_settings.recipe_of(agent, servers.Server("", ""))
    server = _server(url, key)
    recipe = agent_settings.recipe_of(agent, server)
    applied = _set_up(agent, recipe, place, server if apply else None, agent_settings.PURPOSE)
    if applied:
        output.remark(f"Then test it: stationmaster agents verify {agent}")


@agents.command("key")
def print_key() -> None:
    """Print the stored key: agents run this as a helper, so that no settings hold the key."""
    server = servers.load(configuring.configure().client_dir)
    if server is None:
        raise BadRequest(
            "no server is named yet: `stationmaster agents setup` with --url and --key",
            code="no_server",
        )
    typer.echo(server.key)


def _set_up(
    agent: str, recipe: Recipe, home: Path, server: servers.Server | None, purpose: str
) -> bool:
    """Show the settings, or apply them for a server; were files changed?"""
    applied = []
    if server is None:
        for settings in recipe.files:
            typer.echo(f"# ~/{settings.path}\n{agent_settings.text_of(settings)}")
    else:
        # Later commands, such as `verify`, use this server.
        servers.save(configuring.configure().client_dir, server)
        applied = agent_settings.apply(recipe, home, purpose)
        for file in applied:
            output.remark(f"{file.path} is set.")
            if file.note:
                output.remark(file.note)
        if applied:
            output.remark(f"Restart {agent}: it reads its settings when it starts.")
    if recipe.environment:
        output.remark("In the environment of the agent, for instance by your shell's profile:")
        typer.echo(agent_settings.exports(recipe), nl=False)
    if recipe.remark:
        output.remark(recipe.remark)
    return bool(applied)


@agents.command()
def verify(
    agent: Agent,
    home: Home = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Send one record as an agent would, and show what arrives; nothing of it is stored."""
    steps = verifying.verify(agent, _server(url, key), home or Path.home())
    is_good = all(step.is_good is not False for step in steps)
    if json:
        output.as_json({"agent": agent, "works": is_good, "steps": steps})
    else:
        words = {True: "good", False: "BAD", None: "?"}
        output.as_table(
            ("step", "", "what was found"), [(s.name, words[s.is_good], s.text) for s in steps]
        )
        if events := [event for step in steps for event in step.events]:
            output.gap()
            rows = [(event.kind, _described(event)) for event in events]
            output.as_table(("event", "stored of it"), rows, title="What arrives")
            output.remark("This was a test and is not stored. --json prints every field.")
    if not is_good:
        raise typer.Exit(1)


def _described(event: Event) -> str:
    """The members of an event that people know, those that it has."""
    members = msgspec.to_builtins(event)
    return ", ".join(f"{name} {members[name]}" for name in _SHOWN if name in members)


def _undo(recipe: Recipe, home: Path, purpose: str) -> None:
    paths = agent_settings.undo(recipe, home, purpose)
    for path in paths:
        output.remark(
            f"our settings are removed from {path}" if path.exists() else f"{path} is removed"
        )
    if recipe.files and not paths:
        output.remark("there was nothing to undo")
    if recipe.environment:
        output.remark(f"Remove from the environment: {', '.join(recipe.environment)}")


def _server(url: str | None, key: str | None) -> servers.Server:
    settings = configuring.configure(None, url=url, key=key)
    if settings.url is not None:
        return servers.chosen(settings, settings.url)
    server = servers.load(settings.client_dir)
    if server is None:
        raise BadRequest(
            "name the server with --url and --key; `stationmaster up` runs one, and "
            "`stationmaster keys create` makes a key",
            code="no_server",
        )
    return server
