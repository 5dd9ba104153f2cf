"""Code files that are imported although nobody parsed them: those that programs write, and those of
tests and examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.resolving import Index, Resolver, resolver
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.model import Facts, query

_FACES = frozenset({"__init__", "index", "mod"})
"""Names of files that hand on what lies in their folder."""
_NOTHING = FileFacts(status="generated")


@query
def unparsed(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """Code files that were left out, by language."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, record in facts.records.items():
        if record.language and not record.is_ours:
            paths[record.language].append(path)
    return {language: tuple(paths[language]) for language in sorted(paths)}


class Unparsed:
    """Imports looked up among all code files, where those that were parsed do not answer them."""

    def __init__(self, facts: Facts, index: Index) -> None:
        self._facts = facts
        self._index = index
        self._left_out = unparsed(facts)
        self._resolvers: dict[str, Resolver | None] = {}
        self._declared: dict[str, Mapping[str, list[str]]] = {}
        self._by_folder: dict[str, list[str]] = defaultdict(list)

    def targets(self, path: str, import_: Import) -> tuple[str, ...]:
        """The files that an import leads to: those that declare its names where a file that was
        left out only hands them on, else that file itself."""
        resolve = self._resolver(self._facts.records[path].language)
        targets = resolve(path, import_).targets if resolve else ()
        ends = (end for target in targets for end in self._ends(target, import_))
        return tuple(dict.fromkeys(ends))

    def _resolver(self, language: str) -> Resolver | None:
        if language not in self._resolvers:
            left_out = self._left_out.get(language, ())
            paths = tuple(sorted((*self._index.paths[language], *left_out)))
            index = Index({**self._index.paths, language: paths}, self._said, self._index.tree)
            self._resolvers[language] = resolver(language, index) if left_out else None
        return self._resolvers[language]

    def _said(self, path: str) -> FileFacts:
        return self._facts.code.get(path, _NOTHING)

    def _ends(self, target: str, import_: Import) -> tuple[str, ...]:
        name = target.rpartition("/")[2].partition(".")[0]
        if target in self._facts.code or name not in _FACES:
            return (target,)
        declared = self._beside(folder_of(target))
        beside = [path for name in import_.names for path in declared.get(name, ())]
        return tuple(beside) or (target,)

    def _beside(self, folder: str) -> Mapping[str, list[str]]:
        """The files of a folder by the names that they declare."""
        if folder not in self._declared:
            if not self._by_folder:
                for path in self._facts.code:
                    self._by_folder[folder_of(path)].append(path)
            declared: dict[str, list[str]] = defaultdict(list)
            for path in self._by_folder.get(folder, ()):
                symbols = self._facts.code[path].symbols
                for name in {symbol.name for symbol in symbols if not symbol.container}:
                    declared[name].append(path)
            self._declared[folder] = declared
        return self._declared[folder]
