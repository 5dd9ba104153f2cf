"""Commands below commands of other files: a file tells what it keeps a command in, another one what
it puts below its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.reading.code.model import CliCommand
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.model import Facts, query

_DEPTH_MAX = 8


class _Kept(NamedTuple):
    path: str
    holder: str


def words_of(facts: Facts, path: str, command: CliCommand) -> tuple[str, ...]:
    """The words of a command of a file, with those of all commands that it is below."""
    return _whole(facts, _parents(facts), path, command, _DEPTH_MAX)


def _whole(
    facts: Facts, parents: Mapping[str, tuple[str, CliCommand]], path: str, command: CliCommand,
    depth: int,
) -> tuple[str, ...]:  # fmt: skip
    first = next(
        (own for own in facts.code[path].commands if own.words == command.words[:1]), command
    )
    above = parents.get(_key(_Kept(path, first.holder))) if first.holder and first.words else None
    if above is None or not depth:
        return command.words
    return (*_whole(facts, parents, *above, depth - 1), *command.words)


@query
def _parents(facts: Facts) -> Mapping[str, tuple[str, CliCommand]]:
    """The file and the command that one kept elsewhere is put below, where it is one alone."""
    kept: dict[tuple[str, str], set[str]] = defaultdict(set)
    with_children: list[tuple[str, CliCommand]] = []
    for file in interfaces(facts):
        for command in file.commands:
            if command.holder:
                kept[folder_of(file.path), command.holder].add(file.path)
            if command.children:
                with_children.append((file.path, command))
    above: dict[str, list[tuple[str, CliCommand]]] = defaultdict(list)
    for path, parent in with_children:
        for child in parent.children:
            for place in _places(facts, path, child, kept):
                above[_key(place)].append((path, parent))
    return {key: places[0] for key, places in sorted(above.items()) if len(places) == 1}


def _places(
    facts: Facts, path: str, child: str, kept: Mapping[tuple[str, str], set[str]]
) -> list[_Kept]:
    """Where a name leads: through an import, or to another file of the same package."""
    kept_at = {
        _Kept(origin.path, origin.name)
        for origin in meant(facts, path, child)
        if origin.path in kept.get((folder_of(origin.path), origin.name), ())
    }
    beside = kept.get((folder_of(path), child), set())
    kept_at |= {_Kept(file, child) for file in beside}
    return sorted(kept_at) if len(kept_at) == 1 else []


def _key(kept: _Kept) -> str:
    return f"{kept.path}\0{kept.holder}"
