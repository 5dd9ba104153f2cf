"""What runs where a library for command lines takes over: the functions of the commands that can be
typed. A call such as `rootCmd.Execute()` names none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stationmaster.catalogue import code as catalogue
from stationmaster.reading.code.model import Call, CliCommand
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import Spot, handler_of
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling.placing import placed

_STARTING: Mapping[str, frozenset[str]] = {
    ".go": catalogue.names("go.commands.starting"),
    ".java": catalogue.names("jvm.commands.starting"),
    ".kt": catalogue.names("jvm.commands.starting"),
    ".cs": catalogue.names("csharp.commands.starting"),
}
_LIBRARIES = ("CommandLine", "CommandApp", "RootCommand")
"""Types of picocli, Spectre.Console and System.CommandLine that run commands."""
_RUN = ("call", "run", "execute", "Execute", "ExecuteAsync")
"""Methods of a class that is a command."""
_WORD = re.compile(r"\w+")


def dispatched(facts: Facts, path: str, call: Call) -> tuple[Spot, ...]:
    """The functions of commands that a call runs, by what is typed; that of the program first."""
    if call.name not in _STARTING.get(path[path.rfind(".") :], ()) or not call.of:
        return ()
    started = set(_WORD.findall(call.of))
    for held in facts.code[path].typed:
        if held.name in started and held.holder in ("", call.caller):
            started.update(_WORD.findall(held.type))
    if "exec" in started:  # A program of the system.
        return ()
    return tuple(
        dict.fromkeys(
            spot for names, spot in _commands(facts, path[path.rfind(".") :]) if names & started
        )
    )


@query
def _commands(facts: Facts, ending: str) -> tuple[tuple[frozenset[str], Spot], ...]:
    """The functions of the commands of a language, each with the names of what starts it: what
    keeps the outermost command, or in which class or function that is made."""
    found = []
    for file in interfaces(facts):
        for command in file.commands if file.path.endswith(ending) else ():
            outer = placed(facts, file.path, command)
            names = {outer.holder.rpartition(".")[2], *_roots(facts, file.path)} - {""}
            spot = None if command.is_part else runs(facts, file.path, command)
            if spot is not None and names:
                found.append((len(command.words), frozenset(names), spot))
    return tuple((names, spot) for _, names, spot in sorted(found, key=lambda it: it[0]))


def _roots(facts: Facts, path: str) -> Iterator[str]:
    """What starts the commands of a file, beside what these are put below."""
    if path.endswith(".go"):
        own = facts.code[path].commands
        yield from (it.holder for it in own if it.holder and not it.words)
    else:
        yield from _LIBRARIES
        yield from (it.handler for it in facts.code[path].commands)


def runs(facts: Facts, path: str, command: CliCommand) -> Spot | None:
    """The function that a command runs: its handler, what its class does, or the function or
    variable that keeps the command with what it does."""
    spot = handler_of(facts, path, command.handler, command.line) if command.handler else None
    spot = spot or Spot(path, command.handler or command.holder)
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None:
        return None
    if symbol.kind not in TYPES:
        return spot
    methods = (Spot(spot.path, f"{spot.name}.{name}") for name in _RUN)
    return next((it for it in methods if symbol_of(facts, it.path, it.name)), None)
