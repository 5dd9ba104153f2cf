"""Commands below commands of other files: a file names what it keeps a command in, another one what
it puts below its own, and functions of others what options they add."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import structs

from stationmaster.reading.code.languages.go.by_hand import SET
from stationmaster.reading.code.model import CliCommand, Option
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.configured.literals import default_value
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

_COBRA = "github.com/spf13/cobra"
_DEPTH_MAX = 8
_BY_TRAITS = frozenset({".rs"})
_WITHOUT_IMPORTS = frozenset({".rb", ".cs"}) | _BY_TRAITS
"""Endings of files whose names need no import: a method that a class inherits, or a class; in Rust
only methods, which traits have."""


class _Kept(NamedTuple):
    path: str
    holder: str


class Placed(NamedTuple):
    """A command with the words of all commands that it is below. `program` is what the outermost
    calls itself, kept as `holder` in the file `path`."""

    words: tuple[str, ...]
    program: str
    path: str
    holder: str


def placed(facts: Facts, path: str, command: CliCommand, depth: int = _DEPTH_MAX) -> Placed:
    """Where a command of a file is."""
    outermost = facts.code[path].commands if command.words and not command.parent else ()
    first = next((own for own in outermost if own.words == command.words[:1]), command)
    own = tuple(told_elsewhere(facts, path, it) for it in command.words)
    above = _parents(facts).get(_Kept(path, first.holder)) if first.holder else None
    if above is None or not depth:
        return Placed(own, command.program, path, first.holder)
    outer, name = placed(facts, *above[:2], depth - 1), above[2]
    words = (name, *own[1:]) if name and first is command else own
    # The only command of an application of Typer has no name, unless that is below others.
    is_only = bool(command.parent) and not command.is_part
    if not words and command.name and (outer.words or not is_only):
        words = (command.name,)
    return outer._replace(words=(*outer.words, *words))


def is_attached(facts: Facts, path: str, place: Placed) -> bool:
    """Can a command of cobra be typed, as far as the code shows? The function that makes it is
    called, or, of a program, the outermost command is run."""
    imports = facts.code[path].imports
    if not place.holder or all(it.name != _COBRA for it in imports):
        return True
    called, run = _called(facts)
    name = place.holder.rpartition(".")[2]
    is_made = any(it.qualified == place.holder for it in facts.code[place.path].symbols
                  if it.kind in ("function", "method"))  # fmt: skip
    return name in called if is_made else name in run or not place.program


def is_within(facts: Facts, path: str, command: CliCommand) -> bool:
    """Is a command all that another one does, which is listed with its options?"""
    if command.holder == SET:
        users = (
            it
            for name in command.parts
            for at in _places(facts, path, name)
            for it in _users(facts).get(at, ())
        )
        return any(other.holder != SET for _, other in users)
    is_nameless = not command.words and bool(command.holder)
    return is_nameless and _Kept(path, command.holder) in _users(facts)


@query
def _called(facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
    """What functions are called, and what is executed, by the last words of names in Go."""
    calls = [
        call
        for path, code in facts.code.items()
        if path.endswith(".go") and facts.records[path].file_class == "source"
        for call in code.calls
    ]
    run = (it.of.removesuffix("()").rpartition(".")[2] for it in calls if "Execute" in it.name)
    return frozenset(it.name for it in calls), frozenset(run)


def help_of(facts: Facts, path: str, command: CliCommand) -> str:
    """What a command is for, by its own declaration, or else by the class that it runs."""
    parts = (kept for name in command.parts for kept in _places(facts, path, name))
    texts = (part.help for kept in parts if not (part := _kept(facts)[kept]).words)
    return command.help or next(filter(None, texts), "")


def options_of(
    facts: Facts, path: str, command: CliCommand, depth: int = _DEPTH_MAX
) -> tuple[Option, ...]:
    """The options of a command of a file, with those that functions add to it; those of a package
    where that is none of the repository's."""
    options = dict.fromkeys(command.options)
    for function in command.parts if depth else ():
        for kept in _places(facts, path, function):
            part = _kept(facts)[kept]
            own = options_of(facts, kept.path, part, depth - 1) if not part.words else ()
            options |= dict.fromkeys(structs.replace(it, path=it.path or kept.path) for it in own)
    whole = (_told(facts, option.path or path, option) for option in options)
    return tuple(
        it
        for it in whole
        if "{$" not in it.names[-1]
        and not (it.is_of_package and meant(facts, it.path or path, it.names[0].partition("(")[0]))
    )


def _told(facts: Facts, path: str, option: Option) -> Option:
    """An option with the name and the default that constants of other files have."""
    names = tuple(told_elsewhere(facts, path, name) for name in option.names)
    return structs.replace(option, names=names, default=default_value(facts, path, option.default))


@query
def _kept(facts: Facts) -> Mapping[_Kept, CliCommand]:
    """Commands by what keeps them, the first one of a place."""
    kept: dict[_Kept, CliCommand] = {}
    for file in interfaces(facts):
        for command in file.commands:
            if command.holder:
                kept.setdefault(_Kept(file.path, command.holder), command)
    return kept


@query
def _parents(facts: Facts) -> Mapping[_Kept, tuple[str, CliCommand, str]]:
    """The file and the command that one kept elsewhere is put below, where there is exactly one,
    and its name there ('' for its own name)."""
    above: dict[_Kept, list[tuple[str, CliCommand, str]]] = defaultdict(list)
    for file in interfaces(facts):
        for command in file.commands:
            over = list(_over(facts, file.path, command))
            for child in command.children:
                name, _, kept = child.rpartition("=")
                for place in _places(facts, file.path, kept):
                    above[place] += ((*it, name) for it in over)
            if command.parent and not command.is_part:
                for place in _places(facts, file.path, command.parent):
                    outer = place.path, _kept(facts)[place], ""
                    above[_Kept(file.path, command.holder)].append(outer)
    return {kept: places[0] for kept, places in above.items() if len(places) == 1}


def _over(
    facts: Facts, path: str, command: CliCommand, depth: int = _DEPTH_MAX
) -> Iterator[tuple[str, CliCommand]]:
    """What the children of a command are below: itself; of a part the command that the file names,
    or those that are passed to the function."""
    if not command.is_part:
        yield path, command
    elif command.parent:
        for place in _places(facts, path, command.parent):
            yield place.path, _kept(facts)[place]
    elif depth:
        for user in _users(facts).get(_Kept(path, command.holder), ()):
            yield from _over(facts, *user, depth - 1)


@query
def _users(facts: Facts) -> Mapping[_Kept, list[tuple[str, CliCommand]]]:
    """The commands that are passed to functions, by these."""
    users: dict[_Kept, list[tuple[str, CliCommand]]] = defaultdict(list)
    for file in interfaces(facts):
        for command in file.commands:
            for function in command.parts:
                for place in _places(facts, file.path, function):
                    users[place].append((file.path, command))
    return users


def _places(facts: Facts, path: str, name: str) -> list[_Kept]:
    """The target of a name: through an import, or in another file of the same package."""
    matching = {
        kept
        for origin in meant(facts, path, name)
        if (kept := _Kept(origin.path, origin.name)) in _kept(facts)
    }
    ending = path[path.rfind(".") :]
    if ending in _WITHOUT_IMPORTS and not matching:
        matching = {
            place for place, kept in _kept(facts).items()
            if f".{place.holder}".endswith(f".{name}") and place.path.endswith(ending)
            and (kept.is_part or ending not in _BY_TRAITS)
        }  # fmt: skip
    return sorted(matching) if len(matching) == 1 else []
