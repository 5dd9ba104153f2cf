"""Files that set up tools for tests and for checks: what a tool is known by is a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stationmaster.catalogue.repositories.config_files import config_files
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place


@query
def tools(facts: Facts, kind: str) -> tuple[tuple[str, Place], ...]:
    """Tools for `test` or `lint` and the file that sets each up nearest to the root, by name."""
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
