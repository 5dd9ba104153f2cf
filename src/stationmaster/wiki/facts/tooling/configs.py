"""Files that set up tools for tests and for checks, by a table of their names and contents, and
what runs on people's machines when they commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.catalogue.repositories.config_files import config_files
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

HOOKS_MAX = 200


class Hook(msgspec.Struct, frozen=True):
    """`name` is an event of git, or what the tool calls the hook."""

    name: str
    text: str
    place: Place


@query
def hooks(facts: Facts) -> tuple[Hook, ...]:
    """In the order of their files."""
    declared = [
        Hook(command.name, command.text, Place(command.place.path, command.place.line))
        for command in facts.tree.project.commands
        if command.source == "hook"
    ]
    return tuple(declared[:HOOKS_MAX])


@query
def tools(facts: Facts, kind: str) -> tuple[tuple[str, Place], ...]:
    """Tools for `test` or `lint` and the file nearest to the root that sets them up, by name."""
    table = config_files()[kind]
    names = {name: tool for tool, some in table.files.items() for name in some}
    placed = []
    for path in facts.tree.paths:
        name = path.rpartition("/")[2]
        tool = names.get(name) or names.get(f"{name.rpartition('.')[0]}.*")
        if tool is not None:
            placed.append((tool, Place(path)))
    placed += _in_manifests(facts, table.sections)
    nearest: dict[str, Place] = {}
    for tool, place in sorted(placed, key=lambda item: (item[1].path.count("/"), item[1].path)):
        nearest.setdefault(tool, place)
    return tuple(sorted(nearest.items(), key=lambda item: (item[0].lower(), item[0])))


def _in_manifests(
    facts: Facts, sections: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, Place]]:
    for manifest in facts.tree.project.manifests:
        marks = sections.get(manifest.path.rpartition("/")[2], {})
        lines = facts.tree.text(manifest.path).replace("'", '"').split("\n") if marks else []
        left = dict(marks)
        for number, line in enumerate(lines, 1):
            begun = line.lstrip()
            for tool in [tool for tool, mark in left.items() if begun.startswith(mark)]:
                del left[tool]
                yield tool, Place(manifest.path, number)
