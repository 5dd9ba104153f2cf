"""`hooks`: put Stationmaster's hooks into the configuration of agents, look, and take them away."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from stationmaster.agents.cards.card import Gate
from stationmaster.cli import groups
from stationmaster.cli.configuring import configure
from stationmaster.cli.options import Json, Key, Url
from stationmaster.cli.printing import output
from stationmaster.client import server, spool
from stationmaster.client.hooks import (
    configuration as hook_configuration,
    files as hook_files,
    gate as hook_gate,
    gate_file,
    run as hook_run,
    trial as hook_trial,
)
from stationmaster.errors import BadRequest

hooks = groups.group()
Agents = Annotated[list[str], typer.Argument(help="Names such as claude-code.")]
Project = Annotated[
    Path | None,
    typer.Option("--project", help="The configuration of this project, not of the person."),
]
Home = Annotated[Path | None, typer.Option(help="The home folder.")]


@hooks.command()
def install(
    agents: Agents,
    project: Project = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Also refuse work while a budget is used up.")
    ] = False,
    when_unreachable: Annotated[
        Gate | None,
        typer.Option(
            help="With --gate: allow or refuse work while budgets are unknown; by default as the "
            "budgets define."
        ),
    ] = None,
    home: Home = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Install hooks in agents, which report to the server of --url and --key."""
    if when_unreachable is not None and not gate:
        raise BadRequest("--when-unreachable belongs to --gate", code="misplaced_option")
    settings = configure(None, url=url, key=key)
    if settings.url is not None:
        if settings.key is None:
            raise BadRequest("--url needs --key or STATIONMASTER_KEY", code="no_key")
        server.save(settings.client_dir, server.Server(settings.url, settings.key))
    # An agent that was started from a menu has another PATH; a project is other people's, too.
    program = hook_files.program() if project is None else hook_files.PROGRAM
    rule = _gate(settings.client_dir, when_unreachable) if gate else None
    done = []
    for agent in agents:
        path = _path(agent, home, project)
        # Installing again repairs hooks and takes nothing away.
        gate_rule = rule or hook_files.standing(agent, path).gate
        done.append(hook_files.install(agent, path, program, gate_rule))
        if gate_rule:
            hook_gate.note_use(str(settings.client_dir), agent)
    if any(standing.gate for standing in done):
        # The server is informed which agents have a gate.
        gate_file.refresh(str(settings.client_dir))
    _report(agents, done, json)
    for agent in agents:
        if untrusted := hook_trial.trust_problem(agent, home or Path.home(), project):
            output.remark(f"{untrusted}.")
    if server.load(settings.client_dir) is None:
        output.remark("No server is named yet: what hooks report waits here. Name one with --url.")


def _gate(client_dir: Path, when_unreachable: Gate | None) -> Gate:
    """What holds while nothing is known: as given, else the strictest that a budget has now."""
    client_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    gate_file.refresh(str(client_dir))
    if when_unreachable is not None:
        return when_unreachable
    stored = gate_file.load(client_dir)
    budgets = [] if stored is None else stored.answer.budgets
    is_closed = any(budget.is_hard and budget.when_unreachable == "refuse" for budget in budgets)
    return "refuse" if is_closed else "allow"


@hooks.command()
def remove(agents: Agents, project: Project = None, home: Home = None, json: Json = False) -> None:
    """Remove our hooks from the configuration of agents; everything else stays."""
    done = [hook_files.remove(agent, _path(agent, home, project)) for agent in agents]
    for agent in agents:
        gate_file.delete_use(configure(None).client_dir, agent)
    _report(agents, done, json)


@hooks.command()
def status(project: Project = None, home: Home = None, json: Json = False) -> None:
    """Show which agents have our hooks, whether these run, and what waits to be sent; exit with
    1 if installed hooks do not run."""
    settings = configure(None)
    agents = hook_files.products()
    standings = [hook_files.standing(agent, _path(agent, home, project)) for agent in agents]
    problems = {
        agent: trial.text
        for agent, standing in zip(agents, standings, strict=True)
        if standing.installed
        and not (trial := hook_trial.of(agent, home or Path.home(), project)).is_good
    }
    waiting = spool.standing(settings.client_dir / hook_run.FOLDER)
    gate_standing = (
        gate_file.standing(settings.client_dir) if any(s.gate for s in standings) else None
    )
    _report(agents, standings, json, waiting, problems, gate_standing)
    if problems:
        raise typer.Exit(1)


@hooks.command()
def check(
    paths: Annotated[list[Path], typer.Argument(help="Configurations of hooks, or folders.")],
) -> None:
    """Check configurations of hooks, and list problems; exit with 1 if there are any."""
    files = [file for path in paths for file in (_json_files(path) if path.is_dir() else [path])]
    if not files:
        raise BadRequest("there is no configuration of hooks", code="nothing_to_check")
    are_good = [_check(file) for file in files]
    if not all(are_good):
        raise typer.Exit(1)


def _json_files(folder: Path) -> list[Path]:
    """The files of a project's folder of hooks."""
    return sorted(folder.glob("*.json"))


def _check(file: Path) -> bool:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        typer.echo(f"{file}: cannot be read: {fault}")
        return False
    faults = hook_configuration.check(text, hook_configuration.form_of(file))
    for place, problem in faults:
        typer.echo(f"{file}: {f'{place}: ' if place else ''}{problem}")
    if faults:
        return False
    if reason := _problem_of_own(file):
        typer.echo(f"{file}: {reason}")
        return False
    typer.echo(f"{file}: well formed")
    return True


def _problem_of_own(file: Path) -> str | None:
    """Why hooks do not run, of a file that one of this person's agents reads. Commands of other
    files are not run."""
    home = Path.home()
    for agent in hook_files.products():
        if hook_files.path_of(agent, home, None) == file.resolve():
            trial = hook_trial.of(agent, home)
            return trial.text if trial.is_good is False else None
    return None


def _path(agent: str, home: Path | None, project: Path | None) -> Path:
    return hook_files.path_of(agent, home or Path.home(), project)


def _report(
    agents: list[str],
    standings: list[hook_files.InstalledHooks],
    json: bool,
    waiting: spool.SpoolContents | None = None,
    problems: Mapping[str, str] = MappingProxyType({}),
    gate: gate_file.GateState | None = None,
) -> None:
    if json:
        rows = [
            {
                "agent": agent,
                "file": str(standing.path),
                "hooks": standing.installed,
                "missing": standing.missing,
                "gate": standing.gate,
                "problem": problems.get(agent),
            }
            for agent, standing in zip(agents, standings, strict=True)
        ]
        more = {"waiting": waiting, "gate": gate}
        output.as_json({"agents": rows} | {name: v for name, v in more.items() if v is not None})
        return
    for agent, standing in zip(agents, standings, strict=True):
        have = ", ".join(standing.installed) or "none"
        typer.echo(f"{agent}: {have} ({standing.path})")
        if standing.gate:
            typer.echo(f"  refuses work while a budget is used up; not known: {standing.gate}")
        if agent in problems:
            typer.echo(f"  BAD: {problems[agent]}")
    if gate is not None:
        typer.echo(_words_of(gate))
    if waiting is not None and waiting.events:
        typer.echo(f"{waiting.events} events ({waiting.bytes} bytes) wait to be sent")
    if waiting is not None and waiting.dropped.last_ms is not None:
        last = output.moment(waiting.dropped.last_ms)
        typer.echo(f"{waiting.dropped.hooks} hooks were not kept, the last one on {last}")


def _words_of(gate: gate_file.GateState) -> str:
    """What this machine knows of budgets, for people."""
    if gate.refreshed_at is None:
        return f"budgets are not known here: {gate.problem}"
    text = f"budgets as of {output.moment(gate.refreshed_at)}"
    text += f"; used up: {', '.join(gate.used_up)}" if gate.used_up else "; none is used up"
    return f"{text}; the last request failed: {gate.problem}" if gate.problem else text
