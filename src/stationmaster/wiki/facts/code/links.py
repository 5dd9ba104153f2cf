"""Which files import which, and what they import from outside: every import is resolved once a
run, also into files that are not parsed: generated ones, and those of tests and examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.model import FileFacts, Import, ImportKind
from stationmaster.reading.code.resolving import Index, Resolved, Resolver, resolver
from stationmaster.wiki.facts.model import Facts, query

"""Names of files that reexport what their folder contains."""
_NOTHING = FileFacts(status="generated")

WEIGHTS: Mapping[ImportKind, float] = {
    "module": 1.0, "include": 1.0, "reexport": 1.0, "dynamic": 0.7, "lazy": 0.5, "type": 0.3,
    "reference": 1.0, "test": 0.3,
}  # fmt: skip
FAN_MAX = 200
"""Files of one package that an import links to; further ones are left out."""


class Link(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The file `start` imports the file `end`, first at `line`. Of several imports between the same
    files the heaviest counts; one that names a package weighs as much as one file of it, and
    `is_whole` where it is not certain which."""

    start: str
    end: str
    line: int
    kind: ImportKind
    weight: float
    is_whole: bool = False


class Unresolved(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An import that is not resolved."""

    line: int
    name: str


class Links(NamedTuple):
    """All links by path. `resolved` are in the order of the file's imports and lead to files that
    were parsed; links also lead to others, such as generated ones. `outside` are the names of
    packages of others, or parts of the language's own library, with the line of each."""

    out: Mapping[str, tuple[Link, ...]]
    into: Mapping[str, tuple[Link, ...]]
    outside: Mapping[str, Mapping[str, int]]
    unresolved: Mapping[str, tuple[Unresolved, ...]]
    resolved: Mapping[str, tuple[Resolved, ...]]


@query
def links_from(facts: Facts, path: str) -> tuple[Link, ...]:
    """What a file imports, by path."""
    return all_links(facts).out.get(path, ())


@query
def users_of_outside(facts: Facts, name: str) -> tuple[tuple[str, int], ...]:
    """Files that import a package of others, with the line."""
    return _by_outside(facts).get(name, ())


def outside_names(facts: Facts) -> Iterable[str]:
    """The packages of others that files import."""
    return _by_outside(facts)


@query
def all_links(facts: Facts) -> Links:
    """All links of the commit. Used by other queries only: pages use those above."""
    index = Index(_by_language(facts), facts.code.__getitem__, facts.tree)
    resolvers = {language: resolver(language, index) for language in index.paths}
    unparsed = Unparsed(facts, index)
    narrow = _Narrow(facts)
    out: dict[str, tuple[Link, ...]] = {}
    into: dict[str, list[Link]] = defaultdict(list)
    outside: dict[str, dict[str, int]] = {}
    unresolved: dict[str, tuple[Unresolved, ...]] = {}
    resolved: dict[str, tuple[Resolved, ...]] = {}
    for path, code in facts.code.items():
        resolve = resolvers[facts.records[path].language]
        if resolve is None or not code.imports:
            continue
        ends = resolved[path] = tuple(resolve(path, import_) for import_ in code.imports)
        pairs = list(zip(code.imports, ends, strict=True))
        behind = {
            import_: unparsed.targets(path, import_)
            for import_, end in pairs
            if not end.targets and not end.outside and not end.is_settled
        }
        leading = (
            [
                (import_, end._replace(targets=behind.get(import_) or end.targets))
                for import_, end in pairs
            ]
            if behind
            else pairs
        )
        out[path] = _links(path, code, leading, narrow)
        for link in out[path]:
            into[link.end].append(link)
        outside[path] = {
            end.outside: import_.line for import_, end in reversed(pairs) if end.outside
        }
        unresolved[path] = tuple(
            Unresolved(it.line, it.name) for it, targets in behind.items() if not targets
        )
    return Links(out, {path: tuple(into[path]) for path in into}, outside, unresolved, resolved)


def _links(
    path: str, code: FileFacts, pairs: Iterable[tuple[Import, Resolved]], narrow: _Narrow
) -> tuple[Link, ...]:
    best: dict[str, Link] = {}
    for import_, resolved in pairs:
        targets = resolved.targets
        share, is_whole = 1.0, False
        if len(targets) > max(1, len(import_.names)) or import_.names == ("*",):
            used = narrow.used(code, import_, targets)
            is_whole = not used and len(targets) > 1
            targets = used or targets
            share = 1 / max(1, len(targets))
        weight = round(WEIGHTS[import_.kind] * share, 4)
        for target in targets[:FAN_MAX]:
            heaviest = best.get(target)
            if target != path and (heaviest is None or heaviest.weight < weight):
                line = import_.line if heaviest is None else min(heaviest.line, import_.line)
                best[target] = Link(path, target, line, import_.kind, weight, is_whole)
    return tuple(best[end] for end in sorted(best))


def only_registers(code: FileFacts) -> bool:
    """True for a file that only imports packages of Go for their side effects."""
    names = [import_.bound for import_ in code.imports]
    return bool(names) and not code.symbols and all(bound == ("_",) for bound in names)


class _Narrow:
    """Narrows an import of a package to the files that declare the names that are used."""

    def __init__(self, facts: Facts) -> None:
        self._code = facts.code
        self._declared: dict[tuple[str, ...], Mapping[str, tuple[str, ...]]] = {}

    def used(self, code: FileFacts, import_: Import, targets: tuple[str, ...]) -> tuple[str, ...]:
        """The targets whose declared names the file uses; () where none is certain."""
        if len(targets) < 2:
            return targets
        declared = self._declared.get(targets)
        if declared is None:
            declared = self._declared[targets] = _declared(self._code, targets)
        paths = {path for word in _words(code, import_) for path in declared.get(word, ())}
        return tuple(sorted(paths))


def _declared(
    code: Mapping[str, FileFacts], targets: tuple[str, ...]
) -> Mapping[str, tuple[str, ...]]:
    paths_of: dict[str, list[str]] = defaultdict(list)
    for path in targets:
        symbols = code[path].symbols if path in code else ()
        for name in {symbol.name for symbol in symbols if not symbol.container}:
            paths_of[name].append(path)
    return {name: tuple(paths) for name, paths in paths_of.items()}


def _words(code: FileFacts, import_: Import) -> Iterator[str]:
    """The names that a file may use of an import of a whole package."""
    if import_.used:
        yield from import_.used
        return
    if import_.bound and not import_.names:
        yield from (call.name for call in code.calls if call.of == import_.bound[0])
        return
    for call in code.calls:
        yield call.of.partition(".")[0] or call.name
        yield call.name
    for symbol in code.symbols:
        yield from symbol.bases


@query
def _by_language(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    paths_of: dict[str, list[str]] = defaultdict(list)
    for path in facts.code:
        paths_of[facts.records[path].language].append(path)
    return {language: tuple(paths) for language, paths in paths_of.items()}


@query
def _by_outside(facts: Facts) -> Mapping[str, tuple[tuple[str, int], ...]]:
    places_of: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, outsides in sorted(all_links(facts).outside.items()):
        for name, line in outsides.items():
            places_of[name].append((path, line))
    return {name: tuple(places) for name, places in places_of.items()}


@query
def unparsed(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """Code files that were left out, by language."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, record in facts.records.items():
        if record.language and not record.is_ours:
            paths[record.language].append(path)
    return {language: tuple(paths[language]) for language in sorted(paths)}


class Unparsed:
    """Looks up imports among all code files, where none of the parsed files has them."""

    def __init__(self, facts: Facts, index: Index) -> None:
        self._facts = facts
        self._index = index
        self._left_out = unparsed(facts)
        self._resolvers: dict[str, Resolver | None] = {}

    def targets(self, path: str, import_: Import) -> tuple[str, ...]:
        """The files that an import resolves to."""
        resolve = self._resolver(self._facts.records[path].language)
        return resolve(path, import_).targets if resolve else ()

    def _resolver(self, language: str) -> Resolver | None:
        if language not in self._resolvers:
            left_out = self._left_out.get(language, ())
            paths = tuple(sorted((*self._index.paths[language], *left_out)))
            index = Index({**self._index.paths, language: paths}, self._facts_of, self._index.tree)
            self._resolvers[language] = resolver(language, index) if left_out else None
        return self._resolvers[language]

    def _facts_of(self, path: str) -> FileFacts:
        return self._facts.code.get(path, _NOTHING)
