"""Every command of the program with its module and its line of help, and how it is loaded.

A module is imported when its command runs, so that a command needs only its own libraries and the
program's help needs none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

WIDTH_MAX = 120
"""The widest help, in columns."""


class CommandEntry(NamedTuple):
    """A command, or a group of commands: what a module of this room has under its name, with `_`
    for `-`."""

    module: str
    help: str


SECTIONS: dict[str, dict[str, CommandEntry]] = {
    "Start": {
        "init": CommandEntry(
            "operation.serve",
            "Create a data folder with an organization, its owner and a first API key.",
        ),
        "up": CommandEntry("operation.serve", "Run the whole platform on this machine."),
    },
    "Send telemetry": {
        "collect": CommandEntry(
            "telemetry.collect", "Read this machine's agent sessions and send their counts."
        ),
        "agents": CommandEntry(
            "telemetry.agents", "Connect agents to a server, and test the connection."
        ),
        "hooks": CommandEntry("telemetry.hooks", "Install, remove and check the hooks of agents."),
        "ingest": CommandEntry(
            "telemetry.feed", "Import captured OTLP bodies, session transcripts and event NDJSON."
        ),
    },
    "Reports": {
        "analytics": CommandEntry(
            "reports.daily", "Print a daily report; by default of the last seven closed days."
        ),
        "today": CommandEntry(
            "reports.today", "Show the figures of the running UTC day, at most a minute old."
        ),
        "sessions": CommandEntry(
            "reports.today", "List sessions of agents, and show what happened in one."
        ),
        "costs": CommandEntry(
            "reports.costs", "Show costs in US dollars, and the prices of models."
        ),
        "rates": CommandEntry(
            "reports.rates", "Import price lists, and show prices and their age."
        ),
        "coverage": CommandEntry(
            "reports.coverage", "Show which people and agents send data, and what is missing."
        ),
        "alerts": CommandEntry("reports.alerts", "List alerts, and manage where they are sent."),
        "limits": CommandEntry(
            "reports.limits", "Show and set credit limits and budgets, and ask for more."
        ),
    },
    "Repositories": {
        "readiness": CommandEntry(
            "repositories.readiness",
            "Evaluate how ready a repository is for coding agents: `readiness PATH|URL`.",
        ),
        "ci-scan": CommandEntry(
            "repositories.ci", "List CI workflows, the agents that they run, and security findings."
        ),
        "wiki": CommandEntry(
            "repositories.wiki", "Write, check and publish wikis of repositories."
        ),
        "repos": CommandEntry("repositories.repos", "Register repositories and list them."),
        "mcp": CommandEntry(
            "repositories.mcp", "Serve wikis, readiness, findings and your limits to an agent."
        ),
    },
    "People and access": {
        "members": CommandEntry(
            "access.members", "Invite, list and remove the members of an organization."
        ),
        "sign-in-link": CommandEntry(
            "access.sign_in_link",
            "Print an address that signs a person in, once, within 15 minutes, without a password.",
        ),
        "identity-providers": CommandEntry(
            "access.identity_providers",
            "List, add, change, test and remove OpenID Connect providers.",
        ),
        "keys": CommandEntry("access.keys", "Create, list and revoke API keys."),
        "people": CommandEntry(
            "access.people", "List everyone seen in telemetry, and merge their identities."
        ),
        "service-accounts": CommandEntry(
            "access.service_accounts", "Manage the accounts of programs."
        ),
        "privacy": CommandEntry("access.decisions", "Show and set how people appear in reports."),
        "time-zone": CommandEntry(
            "access.decisions", "Show and set the time zone in which days begin."
        ),
        "retention": CommandEntry(
            "access.decisions", "Show and set for how many days raw events are kept."
        ),
        "audit": CommandEntry("access.audit", "List changes of access and settings, newest first."),
    },
    "Computers": {
        "computers": CommandEntry(
            "computers.commands", "Register the computers that agents run on."
        ),
    },
    "Operation": {
        "doctor": CommandEntry(
            "operation.doctor", "Check an installation; exit with 1 when it has a problem."
        ),
        "backup": CommandEntry(
            "operation.store", "Copy an installation into a folder while it runs."
        ),
        "restore": CommandEntry("operation.store", "Restore a backup into a new data folder."),
        "rollup": CommandEntry(
            "operation.rollup", "Aggregate closed days that are new or changed, now."
        ),
        "mail": CommandEntry("operation.mail", "Test the settings of the mail server."),
        "jobs": CommandEntry("operation.jobs", "List and cancel background jobs."),
        "api": CommandEntry("operation.serve", "Run only the HTTP server."),
        "gateway": CommandEntry(
            "operation.gateway", "Pass model calls of agents to providers, within budgets."
        ),
        "worker": CommandEntry("operation.serve", "Run only the background worker."),
        "migrate-store": CommandEntry(
            "operation.store", "Move the database from SQLite to PostgreSQL; resumable."
        ),
    },
}


class App(typer.Typer):
    """Commands, of which those with a parameter `connection` or `place` have the options that make
    one, and those that yield their result have --json."""

    def command(self, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
        """A decorator that adds a command with all of its options."""
        return _of_expanded(super().command(*arguments, **options))

    def callback(self, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
        """A decorator that sets the callback with all of its options."""
        return _of_expanded(super().callback(*arguments, **options))


def _of_expanded(add: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A decorator that adds a command with its options, and leaves the function as it is."""

    def decorate(function: Any) -> Any:
        add(_expanded(function))
        return function

    return decorate


def _expanded(function: Callable[..., Any]) -> Callable[..., None]:
    """The function with the options of the place where it works and with --json, where it takes or
    yields what they are for."""
    signature = inspect.signature(function, eval_str=True)
    parameters = dict(signature.parameters)
    where = next((name for name in ("place", "connection") if name in parameters), None)
    yields = inspect.isgeneratorfunction(function)
    if where is None and not yields:
        return function
    # The program's help, which loads this module, needs none of these.
    from stationmaster.cli import options
    from stationmaster.cli.printing import output

    def option(name: str, default: object, annotation: object) -> inspect.Parameter:
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(name, kind, default=default, annotation=annotation)

    own_json = parameters.pop("json", None)
    made: Any = None if where is None else parameters.pop(where).annotation
    added = {} if where is None else options.PLACES[where]
    parameters = {n: option(n, p.default, p.annotation) for n, p in parameters.items()}
    parameters |= {name: option(name, None, annotation) for name, annotation in added.items()}
    if yields or own_json is not None:
        parameters["json"] = option("json", False, options.Json)

    @wraps(function)
    def command(**values: Any) -> None:
        as_json = yields and values.pop("json")
        if where is not None:
            values[where] = made(**{name: values.pop(name) for name in added})
        result = function(**values)
        for value in result if yields else ():
            if as_json:
                output.as_json(value)
                return

    command.__signature__ = signature.replace(  # type: ignore[attr-defined]  # what Typer reads
        parameters=[*parameters.values()]
    )
    command.__annotations__ = {name: kept.annotation for name, kept in parameters.items()}
    return command


def command_of(run: Callable[..., None], text: str, **options: Any) -> Callable[..., None]:
    """A command of a function that is also called without a parser (`quick`): with these options of
    its parameters, then those of a connection and --json; `text` is its help."""
    from stationmaster.cli.options import PLACES, Json

    taken = inspect.signature(run, eval_str=True).parameters
    annotated: dict[str, Any] = {
        name: Annotated[taken[name].annotation, it] for name, it in options.items()
    }
    annotated |= {**PLACES["connection"], "json": Json}

    @wraps(run)
    def command(**values: Any) -> None:
        run(**values)

    command.__doc__ = text
    command.__annotations__ = annotated
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what Typer reads
        [
            taken[name].replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
            for name, annotation in annotated.items()
        ]
    )
    return command


class Group(TyperGroup):
    """A group whose help prints the line of every command in full."""

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the name and the first paragraph of help of every command that is not hidden."""
        commands = [command for command in self.commands.values() if not command.hidden]
        # One line each: what is longer than the page is wrapped, never cut.
        rows = [(command.name, _line(command.help or "")) for command in commands]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Commands(Mapping[str, Any]):
    """The whole tree: the commands of `SECTIONS`, each imported when it is looked up."""

    def __init__(self) -> None:
        self._entries = {name: e for section in SECTIONS.values() for name, e in section.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, name: str) -> Any:
        entry = self._entries[name]
        loaded = vars(import_module(f"stationmaster.cli.{entry.module}"))[name.replace("-", "_")]
        parent = App(rich_markup_mode=None, pretty_exceptions_enable=False)
        if isinstance(loaded, typer.Typer):
            parent.add_typer(loaded, name=name)
        else:
            parent.command(name)(loaded)
        command = typer.main.get_group(parent).commands[name]
        command.help = command.help or entry.help
        return command


class Program(TyperGroup):
    """The program: its help is made from the table alone."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": Commands()})

    def list_commands(self, _ctx: Any) -> list[str]:
        """The names of all commands in the order of `SECTIONS`, without importing any."""
        return list(self.commands)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the name and line of help of every command, section by section."""
        width = max(map(len, self.commands))
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                # Padded, so that the sections have one column of help.
                formatter.write_dl([(f"{n:{width}}", e.help) for n, e in entries.items()])


def group(*, cls: type[Group] = Group, invoke_without_command: bool = False) -> App:
    """An empty group of commands, whose line of help is in `SECTIONS`.

    Named without a command it prints its help, or runs its callback with `invoke_without_command`.
    """
    return App(
        cls=cls,
        invoke_without_command=invoke_without_command,
        no_args_is_help=not invoke_without_command,
    )


def _line(text: str) -> str:
    """The first paragraph of a help text as one line."""
    return " ".join(text.partition("\n\n")[0].split())
