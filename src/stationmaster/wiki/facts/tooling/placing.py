"""Commands below commands of other files: a file tells what it keeps a command in, another one what
it puts below its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.reading.code.model import CliCommand
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.said import said
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
        (each for each in facts.code[path].commands if each.words == command.words[:1]), command
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
    for file in said(facts):
        for each in file.commands:
            if each.holder:
                kept[folder_of(file.path), each.holder].add(file.path)
            if each.children:
                with_children.append((file.path, each))
    found: dict[str, list[tuple[str, CliCommand]]] = defaultdict(list)
    for path, parent in with_children:
        for child in parent.children:
            for place in _places(facts, path, child, kept):
                found[_key(place)].append((path, parent))
    return {key: each[0] for key, each in sorted(found.items()) if len(each) == 1}


def _places(
    facts: Facts, path: str, child: str, kept: Mapping[tuple[str, str], set[str]]
) -> list[_Kept]:
    """Where a name leads: through an import, or to another file of the same package."""
    found = {
        _Kept(each.path, each.name)
        for each in meant(facts, path, child)
        if each.path in kept.get((folder_of(each.path), each.name), ())
    }
    beside = kept.get((folder_of(path), child), set())
    found |= {_Kept(each, child) for each in beside}
    return sorted(found) if len(found) == 1 else []


def _key(kept: _Kept) -> str:
    return f"{kept.path}\0{kept.holder}"
