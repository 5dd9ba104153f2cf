"""Liquibase's change logs: which follow one another, and the SQL that they have."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from stationmaster.reading.code.schemas import liquibase
from stationmaster.reading.code.schemas.liquibase import Include, Log
from stationmaster.reading.projects.paths import folder_of, natural
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query

FILES_MAX = 2_000
DEPTH_MAX = 10
"""Of change logs that include others."""
_NAMED = re.compile(
    r"(?i).{0,500}(?:change-?log|change-?set|liquibase|migration|schema|(?:^|/)db/)"
    r".{0,500}\.xml"
)

Applied = tuple[tuple[str, str], ...]
"""Paths with SQL, in the order in which they are applied."""


@query
def change_logs(facts: Facts) -> Mapping[str, Applied]:
    """Files in order, by the innermost folder of all that follow one another."""
    logs = _logs(facts)
    reading = _Order(facts, logs)
    by_folder: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for root in sorted(set(logs) - reading.included(), key=natural):
        by_folder[folder_of(root)] += reading.applied(root)
    return {
        posixpath.commonpath([folder_of(path) for path, _ in files]) or ".": tuple(files)
        for files in by_folder.values()
        if files
    }


def _logs(facts: Facts) -> dict[str, Log]:
    """The change logs of the product."""
    paths = [path for path in facts.tree.paths if _NAMED.fullmatch(path) and not is_test(path)]
    logs = {}
    for path, text in facts.tree.files.contents.each(paths[:FILES_MAX], 2**21):
        log = liquibase.of_xml(facts.tree.xml(path)) if liquibase.ROOT in text else None
        if log is not None:
            logs[path] = log
    return logs


class _Order:
    """Which change logs include which, without repetitions."""

    def __init__(self, facts: Facts, logs: Mapping[str, Log]) -> None:
        self._facts, self._logs = facts, logs
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in facts.tree.paths:
            if path in logs or path.endswith(".sql"):
                self._by_name[path.rpartition("/")[2]].append(path)

    def included(self) -> set[str]:
        """Those that others include."""
        return {
            below
            for path, log in self._logs.items()
            for include in log.includes
            for below in self._behind(path, include)
            if below != path
        }

    def applied(self, root: str) -> list[tuple[str, str]]:
        """What a change log includes, with SQL of its own."""
        return list(self._below(root, set(), {}, 0))

    def _below(
        self, path: str, seen: set[str], properties: dict[str, str], depth: int
    ) -> Iterator[tuple[str, str]]:
        if path in seen or depth > DEPTH_MAX:
            return
        seen.add(path)
        log = self._logs.get(path)
        if log is None:
            yield path, self._facts.tree.text(path)
            return
        for name, value in log.properties.items():
            properties.setdefault(name, value)
        for include in log.includes:
            for below in self._behind(path, include):
                yield from self._below(below, seen, properties, depth + 1)
        if log.has_changes:
            yield path, liquibase.filled(log.sql, properties)

    def _behind(self, path: str, include: Include) -> list[str]:
        """The files that an include names: next to it, or below a folder of resources."""
        name = include.path.removeprefix("classpath:").strip("/")
        near = posixpath.normpath(posixpath.join(folder_of(path), name))
        if include.is_folder:
            end = f"/{posixpath.normpath(name)}/"
            inside = [
                it
                for paths in self._by_name.values()
                for it in paths
                if it != path and (it.startswith(f"{near}/") or end in f"/{folder_of(it)}/")
            ]
            return sorted(inside, key=natural)
        same = self._by_name.get(name.rpartition("/")[2], [])
        if near in same and (include.is_relative or name not in same):
            return [near]
        ending = posixpath.normpath(name)
        return [it for it in same if it == ending or it.endswith(f"/{ending}")][:1]
