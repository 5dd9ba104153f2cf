"""What files of a few lines say, and where the imports of small repositories lead."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Mapping

from stationmaster.pipelines.scan import scan
from stationmaster.reading.code import classes, reading, resolving
from stationmaster.reading.code.model import FileFacts, Symbol
from stationmaster.reading.code.resolving import Index
from stationmaster.reading.projects import reading as projects
from stationmaster.reading.projects.queries import Tree
from tests.support.trees import files_of


def facts_of(language: str, text: str) -> FileFacts:
    return reading.read(language, textwrap.dedent(text).encode())


def symbol(facts: FileFacts, qualified: str) -> Symbol:
    return next(each for each in facts.symbols if each.qualified == qualified)


def leads(contents: Mapping[str, str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """By file and imported name: the files that it leads to, or else `outside NAME`, or nothing."""
    files = files_of({path: textwrap.dedent(text) for path, text in contents.items()})
    project = projects.read(files, scan(files))
    records = classes.sort(files, project.products).records
    code: dict[str, FileFacts] = {}
    paths: dict[str, list[str]] = defaultdict(list)
    for path, record in records.items():
        if record.is_code:
            code[path] = facts_of(record.language, contents[path])
            paths[record.language].append(path)
    index = Index(
        {language: tuple(sorted(each)) for language, each in paths.items()},
        code.__getitem__, Tree(files, project),
    )  # fmt: skip
    told: dict[tuple[str, str], tuple[str, ...]] = {}
    for language in sorted(paths):
        resolve = resolving.resolver(language, index)
        assert resolve is not None
        for path in paths[language]:
            for each in code[path].imports:
                found = resolve(path, each)
                outside = f"outside {found.outside}"
                name = "." * each.level + each.name
                told[path, name] = found.targets or ((outside,) if found.outside else ())
    return told
