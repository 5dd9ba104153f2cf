"""What runs where a library for command lines takes over: the functions of the commands that can be
typed. A call such as `rootCmd.Execute()` names none of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from stationmaster.catalogue import code as catalogue
from stationmaster.reading.code.model import Call, CliCommand
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import called, handler_of, targets
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.tooling.programs.placing import placed

_Start = tuple[str, str]
"""The folder, where that matters, and the name of what starts commands."""
_STARTING: Mapping[str, frozenset[str]] = {
    ".go": catalogue.names("go.commands.starting"),
    ".java": catalogue.names("jvm.commands.starting"),
    ".kt": catalogue.names("jvm.commands.starting"),
    ".cs": catalogue.names("csharp.commands.starting"),
}
_EXECUTING = frozenset({"Execute", "ExecuteC", "ExecuteContext", "ExecuteContextC"})
"""Those of cobra only."""
_LIBRARIES = ("CommandLine", "RootCommand")
"""Types of picocli and System.CommandLine that run commands."""
_RUN = ("call", "run", "execute", "Execute", "ExecuteAsync")
"""Methods of a class that is a command."""
_WORD = re.compile(r"\w+")
_DEFAULTS = re.compile(r".{0,200}?\bset_defaults\((\w{1,40})=([\w.]{1,80})\)")
_PARSED = re.compile(r"(?:parsed_?|cli_?)?(?:args?|arguments|ns|namespace|opts?|options)|parsed")
"""Names of the options that were parsed from a command line."""


def dispatched(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """The functions of commands that a call runs, by what is typed; that of the program first."""
    path = spot.path
    if path.endswith(".py"):
        ends = _by_default(facts, path, call)
    else:
        is_start = call.of and call.name in _STARTING.get(path[path.rfind(".") :], ())
        ends = _started(facts, path, call) if is_start else ()
    does = "runs the function of the command that is typed"
    return Step(spot, ends[:1], call.line, does=does, handlers=ends) if ends else None


def _started(facts: Facts, path: str, call: Call) -> tuple[Spot, ...]:
    """The functions of the commands that a call of a library starts."""
    words = set(_WORD.findall(call.of))
    for variable in facts.code[path].typed:
        if variable.name in words and variable.holder in ("", call.caller):
            words.update(_WORD.findall(variable.type))
    if "exec" in words:  # A program of the system.
        return ()
    of, _, name = call.of.removesuffix("()").rpartition(".")
    spot = called(facts, path, Call(name, 0, of)) or Spot(path, name)
    started = {(folder_of(it.path), it.name) for it in (spot, *(Spot(path, it) for it in words))}
    started.update(("", it) for it in words)
    ending = path[path.rfind(".") :]
    commands = _commands(facts, ending)
    ends = tuple(dict.fromkeys(spot for names, spot in commands if names & started))
    is_made = call.of.endswith("()") and call.name in _EXECUTING
    return ends or (tuple(spot for _, spot in commands) if is_made and _is_only(facts) else ())


@query
def _is_only(facts: Facts) -> bool:
    """Is there only one program of Go? What makes its commands may be hard to recognise."""
    entries = (it for file in interfaces(facts) if file.path.endswith(".go") for it in file.entries)
    return sum(it.kind == "main" for it in entries) == 1


@query
def _commands(facts: Facts, ending: str) -> tuple[tuple[frozenset[_Start], Spot], ...]:
    """The functions of the commands of a language, with the names of what starts them: what keeps
    the outermost command, or in which class or function that is made."""
    commands = []
    for file in interfaces(facts):
        for command in file.commands if file.path.endswith(ending) else ():
            outer = placed(facts, file.path, command)
            names = {(folder_of(outer.path), outer.holder), *_roots(facts, file.path)}
            spot = None if command.is_part else runs(facts, file.path, command)
            if spot is not None:
                commands.append((len(command.words), frozenset(names), spot))
    return tuple((names, spot) for _, names, spot in sorted(commands, key=lambda it: it[0]))


def _roots(facts: Facts, path: str) -> Iterator[_Start]:
    """What starts the commands of a file, in addition to what these are put below."""
    own = facts.code[path].commands
    if path.endswith(".go"):
        yield from ((folder_of(path), it.holder) for it in own if it.holder and not it.words)
    else:
        yield from (("", name) for name in (*_LIBRARIES, *(it.handler for it in own)))


def _by_default(facts: Facts, path: str, call: Call) -> tuple[Spot, ...]:
    """The functions that options of a command line have as a default, where such a default is
    called: `args.run(args)`; those of other files where this one sets none."""
    default = _defaults(facts).get(call.name, []) if call.of else []
    own = [end for at, end in default if at == path]
    is_typed = _PARSED.fullmatch(call.of) is not None
    return tuple(dict.fromkeys(own or [end for _, end in default if is_typed]))


@query
def _defaults(facts: Facts) -> Mapping[str, list[tuple[str, Spot]]]:
    """By the names of the defaults, with the files that give them."""
    spots = defaultdict[str, list[tuple[str, Spot]]](list)
    for path, code in facts.code.items():
        for call in code.calls if facts.records[path].file_class == "source" else ():
            if call.name != "set_defaults" or not path.endswith(".py"):
                continue
            if match := _DEFAULTS.match(lines_of(facts, path)[call.line - 1]):
                of, _, name = match[2].rpartition(".")
                ends = targets(facts, path, Call(name, call.line, of, call.caller))
                spots[match[1]] += ((path, end) for end in ends)
    return spots


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
