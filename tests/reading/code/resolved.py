"""Where the imports of a repository made of a dict lead."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.pipelines import scan
from stationmaster.reading.code import languages, reading
from stationmaster.reading.code.resolving import Index, Resolved, resolver
from stationmaster.reading.projects import reading as projects
from stationmaster.reading.projects.queries import Tree
from tests.support.trees import files_of


def resolved(contents: Mapping[str, str]) -> dict[str, dict[str, Resolved]]:
    """What each import leads to, by file and by the import's name."""
    files = files_of(contents)
    tree = Tree(files, projects.read(files, scan.scan(files)))
    of_path = {path: each for path in sorted(contents) if (each := languages.of_path(path))}
    facts = {path: reading.read(each, contents[path].encode()) for path, each in of_path.items()}
    paths = {
        each: tuple(path for path in of_path if of_path[path] == each)
        for each in set(of_path.values())
    }
    told: dict[str, dict[str, Resolved]] = {}
    for language in sorted(paths):
        resolve = resolver(language, Index(paths, facts.__getitem__, tree))
        assert resolve is not None
        for path in paths[language]:
            told[path] = {each.name: resolve(path, each) for each in facts[path].imports}
    return told


def edges(contents: Mapping[str, str]) -> set[tuple[str, str]]:
    """The files that each file leads to."""
    return {
        (path, target)
        for path, imports in resolved(contents).items()
        for each in imports.values()
        for target in each.targets
    }
