"""Command lines of .NET: those of Spectre.Console and of CommandLineParser, whose options are
properties of classes, and of System.CommandLine, whose options are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.command_lines.annotated import Library, annotated
from stationmaster.reading.code.languages.source import above, calls_on, child, is_in, one_line
from stationmaster.reading.code.languages.unit import Called, Unit, last_of
from stationmaster.reading.code.model import CliCommand, Option, Symbol

_COMMAND_LINE = ("System.CommandLine",)
_PARSER = ("CommandLine",)
_SPECTRE = ("Spectre.Console",)
_LIBRARIES = code.table("csharp.commands.annotated", dict[str, Library])
_APPS = code.names("csharp.commands.apps")
_ADDING = code.names("csharp.commands.adding")
_ROOTS = frozenset({"Command", "RootCommand"})
_GIVEN = re.compile(r"\A[^<]*+<(.+)>\Z", re.DOTALL)
_NAMED = re.compile(r"\bbase\(\s*\"([\w-]{1,100})\"(?:\s*,\s*\"((?:[^\"\\\n]|\\.)*+)\")?")
_ONLY = re.compile(r"\bbase\(\s*\"((?:[^\"\\\n]|\\.)*+)\"")
"""What the constructor of a class gives the one of its base: a name and a meaning, or this."""
_NEW = re.compile(r"new\s+([\w.]{1,100})\s*[(<]")
_DECLARED = re.compile(r"\b(?:var|([A-Z]\w{0,100}))\s+(\w{1,100})\s*=\s*new\b\s*([A-Z]\w{0,100})?")
_DESCRIPTION = re.compile(r"\bDescription\s*=\s*\"((?:[^\"\\\n]|\\.)*+)\"")
_ON_LIST = re.compile(r"\.(?:Options|Arguments)$")
_QUOTED = re.compile(r"\"(-[\w-]{1,60})\"")
_TEXT_MAX = 20_000
_CLASSES_MAX = 200
"""Classes of commands, and branches, of a file."""
_OPTIONS = frozenset({"AddArgument", "AddGlobalOption", "AddOption"})
CALLS = _ADDING | _OPTIONS | {"AddBranch", "ParseArguments", "SetDefaultCommand"}


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The commands of a file, and classes that other files make commands of, as parts."""
    if unit.proof.any_of(_COMMAND_LINE):
        yield from _classes(unit)
        yield from _made(unit)
    yield from _spectre(unit)
    yield from annotated(unit, _LIBRARIES.values())
    for call in unit.called if unit.proof.any_of(_PARSER) else ():
        if call.name == "ParseArguments" and (name := generic(unit, call)):
            yield CliCommand((), call.line, parts=(name,))


def generic(unit: Unit, call: Called) -> str:
    """`T` of `AddCommand<T>(…)` and of `new CommandApp<T>()`."""
    function = child(call.node, "function") or child(call.node, "type")
    name = child(function, "name")
    match = _GIVEN.search(unit.text(name or function))
    return match[1].strip() if match and "," not in match[1] else ""


def _spectre(unit: Unit) -> Iterator[CliCommand]:
    """`config.AddBranch("coin", coin => coin.AddCommand<Add>("add").WithDescription("Adds"))`, and
    the classes that run and those that hold their options."""
    branches = [(it.node, it.value(0)) for it in unit.called if it.name == "AddBranch"]
    below = [it.node for it in unit.called if it.name == "AddCommand" and generic(unit, it)]
    is_proven = unit.proof.any_of(_SPECTRE)
    branches = [
        (node, name)
        for node, name in branches[:_CLASSES_MAX]
        if name and (is_proven or any(is_in(it, node) for it in below))
    ]
    for node, name in branches:
        words = (*(text for it, text in branches if is_in(node, it)), name)
        help_ = _described(unit, node)
        yield CliCommand(words, node.start_point[0] + 1, help_)
    for call in unit.called:
        class_, name = generic(unit, call), call.value(0)
        if class_ and (call.name == "SetDefaultCommand" or (call.name == "AddCommand" and name)):
            around = [text for node, text in branches if is_in(call.node, node)]
            words = (*around, name) if name else ()
            help_ = _described(unit, call.node)
            yield CliCommand(words, call.line, help_, class_, parts=(class_,))
    for call in unit.objects:
        if call.name in _APPS and (class_ := generic(unit, call)):
            yield CliCommand((), call.line, handler=class_, parts=(class_,))
    meanings = {it.qualified: note.value(0) for it, note in unit.by_name("Description")}
    for symbol, base in unit.classes("Command", "AsyncCommand"):
        if match := _GIVEN.search(base):
            help_ = one_line(meanings.get(symbol.qualified, ""))
            row = (), symbol.line, help_, "", (), symbol.qualified
            yield CliCommand(*row, parts=(_own(unit, symbol, match[1]),), is_part=True)


def _described(unit: Unit, node: Node) -> str:
    """What `WithDescription` is given on a call."""
    for field, call in calls_on(node):
        if unit.part(field, "name") == "WithDescription":
            listed = child(call, "arguments")
            return one_line(Called(unit, "", call, listed=listed).value(0))
    return ""


def _own(unit: Unit, symbol: Symbol, name: str) -> str:
    """The qualified name of a class within another, where that has one of this name."""
    inner = f"{symbol.qualified}.{name}"
    return inner if any(it.qualified == inner for it in unit.symbols) else name


def _classes(unit: Unit) -> Iterator[CliCommand]:
    """Classes that extend a command of System.CommandLine, with the options made in them and the
    commands that are added to them or to others there."""
    lines = unit.data.decode(errors="replace").split("\n")
    for symbol, base in islice(unit.classes(*_ROOTS), _CLASSES_MAX):
        text = "\n".join(lines[symbol.line - 1 : symbol.end])[:_TEXT_MAX]
        is_root = last_of(base) == "RootCommand"
        match = (_ONLY if is_root else _NAMED).search(text)
        if match is None and not is_root:
            continue
        words = () if is_root or match is None else (match[1],)
        help_ = one_line(match[match.lastindex or 1]) if match and (is_root or match[2]) else ""
        within = (it for it in unit.objects if _is_of(it, symbol))
        options = tuple(it for call in within if (it := _option_made(unit, call)) is not None)
        below = _added(unit, symbol, text)
        own = tuple(below.pop("", ()))
        row = words, symbol.line, help_, symbol.qualified, options, symbol.qualified, own
        yield CliCommand(*row)
        for parent, children in below.items():
            row_ = tuple(children), parent
            yield CliCommand((), symbol.line, "", "", (), "", *row_, is_part=True)


def _is_of(call: Called, symbol: Symbol) -> bool:
    return f"{call.caller}.".startswith(f"{symbol.qualified}.")


def _added(unit: Unit, symbol: Symbol, text: str) -> dict[str, list[str]]:
    """The classes of commands that a class adds, by that of what they are added to: '' is its
    own."""
    types = {name: written or made for written, name, made in _DECLARED.findall(text)}
    below: dict[str, list[str]] = {}
    for call in unit.called:
        if call.name not in _ADDING or not _is_of(call, symbol):
            continue
        given = unit.text(call.given.get(0))
        match = _NEW.match(given)
        child = match[1] if match else types.get(given, "")
        holder = call.on.removesuffix("Subcommands").strip(".").removeprefix("this").strip(".")
        if child and (not holder or holder in types):
            below.setdefault(types.get(holder, ""), []).append(child)
    return below


def _made(unit: Unit) -> Iterator[CliCommand]:
    """Commands that are made outside of classes of commands: all options there belong to the only
    one of a file, else those that are put to one in the function that makes it."""
    classes = [symbol for symbol, _ in islice(unit.classes(*_ROOTS), _CLASSES_MAX)]
    made = [it for it in unit.objects if not any(_is_of(it, symbol) for symbol in classes)]
    heads = [each for each in made if each.name in _ROOTS]
    options: dict[tuple[str, str], Option] = {}
    for call in made:
        name = _variable(unit, call)
        scope = call.caller if call.caller.rpartition(".")[2] != name else ""
        if (option := _option_made(unit, call)) is not None:
            options[scope, name or f"@{call.node.start_byte}"] = option
    for head in heads:
        is_root = head.name == "RootCommand"
        name = "" if is_root else head.value(0, "name")
        text = head.value(0 if is_root else 1, "description")
        own = list(options.values())
        if len(heads) > 1:
            calls = (it for it in unit.called if it.caller == head.caller)
            kept = _variable(unit, head) or "?"
            given = (unit.text(it.given.get(0)) for it in calls if _ON_LIST.sub("", it.on) == kept)
            places = (options.get((head.caller, it)) or options.get(("", it)) for it in given)
            own = [it for it in places if it is not None]
        if is_root or name:
            words = () if is_root else (name,)
            yield CliCommand(words, head.line, one_line(text), head.caller, tuple(own))


def _variable(unit: Unit, call: Called) -> str:
    """The variable that is made by a call."""
    return unit.part(above(call.node, "variable_declarator"), "name")


def _option_made(unit: Unit, call: Called) -> Option | None:
    """`new Option<int>("--count", "-c") { Description = "How many" }`; before version 2 the text
    behind the name was the description."""
    if call.name not in ("Option", "Argument"):
        return None
    name, *more = call.texts(0, "name") or _QUOTED.findall(call.written_at(0, "aliases")) or [""]
    if not name:
        return None
    at = call.given.at[1:]
    texts = [text for place in range(1, len(at) + 1) if (text := call.value(place))]
    others = [it for it in (*more, *texts) if it.startswith("-")]
    help_ = next((it for it in texts if not it.startswith("-")), "") or call.value("description")
    described = _DESCRIPTION.search(unit.text(call.node)[:_TEXT_MAX])
    help_ = help_ or (described[1] if described else "")
    is_place = call.name == "Argument"
    names = (name.upper(),) if is_place else (*others, name)
    return Option(names, call.line, one_line(help_))
