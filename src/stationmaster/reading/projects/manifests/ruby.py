"""Gemfile: code, read by its keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place

_GEM = re.compile(
    r"^([ \t]*)gem[ \t(]+[\"']([\w.-]{1,200})[\"'](?:\s*,\s*[\"']([^\"'\n]{1,100})[\"'])?([^\n]*)"
)
_GROUP = re.compile(r"^([ \t]*)group[ \t(]+([^\n]{1,300}?)\bdo\b")
_END = re.compile(r"^([ \t]*)end\b")
_DEVELOPMENT = re.compile(r"\b(?:development|test|ci|lint|rubocop|docs?)\b")
_PRODUCTION = re.compile(r"\bproduction\b")


def read_gemfile(path: str, reading: Reading) -> Manifest:
    """The manifest of a Gemfile: its gems, by the groups that they are in."""
    source = code_of("x.rb", reading.contents.text(path))
    return common.manifest(path, "ruby", {}, _gems(path, source))


def _gems(path: str, source: str) -> Iterator[Dependency]:
    groups: list[tuple[str, bool]] = []
    for number, line in enumerate(source.split("\n"), start=1):
        if opened := _GROUP.match(line):
            names = opened[2]
            groups.append(
                (opened[1], bool(_DEVELOPMENT.search(names)) and not _PRODUCTION.search(names))
            )
        elif (ended := _END.match(line)) and groups and ended[1] == groups[-1][0]:
            groups.pop()
        elif gem := _GEM.match(line):
            rest = gem[4]
            own = "group" in rest and _DEVELOPMENT.search(rest) and not _PRODUCTION.search(rest)
            inside = any(development for _, development in groups)
            scope: DependencyScope = "development" if own or inside else "runtime"
            yield Dependency(gem[2], gem[3], scope, Place(path, number))
