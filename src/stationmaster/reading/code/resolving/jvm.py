"""Imports of Java and Kotlin, which see each other.

A type is looked up by the package that its file declares. Where several files declare it, as source
sets and modules of a build may, the one nearest to the importing file counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from stationmaster.catalogue.repositories.languages import languages
from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, named, nearest

_WIDE_MAX = 60
"""Files that one wildcard import is resolved to, at most."""


def resolver(index: Index) -> Resolver:
    """A function from a file and an import to the files that declare the types it names."""
    by_name: dict[str, list[str]] = defaultdict(list)
    packages: dict[str, None] = {}
    for language in ("Java", "Kotlin"):
        for path in index.paths.get(language, ()):
            facts = index.facts(path)
            packages[facts.package] = None
            for name in {symbol.name for symbol in facts.symbols if not symbol.container}:
                by_name[f"{facts.package}.{name}"].append(path)
    roots = {_root(package) for package in packages if package}

    def resolve(path: str, import_: Import) -> Resolved:
        facts = index.facts(path)
        if import_.kind == "reference":
            paths = nearest(path, by_name.get(f"{facts.package}.{import_.name}", ()))
            return Resolved(paths, is_settled=not paths)
        if import_.names == ("*",):
            used = _used(by_name, import_.name, facts)
            if used or import_.name in packages:
                targets = {target for name in used for target in nearest(path, by_name[name])}
                return Resolved(tuple(sorted(targets - {path})[:_WIDE_MAX]), is_settled=not targets)
        for name in _shorter(import_):
            if name in by_name:
                paths = nearest(path, by_name[name])
                return Resolved(paths, is_settled=not paths)
        root = _root(import_.name)
        if root in roots:
            return Resolved()
        return Resolved(outside=root)

    return resolve


def _used(by_name: dict[str, list[str]], package: str, facts: FileFacts) -> list[str]:
    """The names of a package, or of members of a type, that a file uses by a wildcard."""
    if package in by_name:
        return [package]
    return [full for name in sorted(named(facts)) if (full := f"{package}.{name}") in by_name]


def _shorter(import_: Import) -> Iterator[str]:
    """The possible full names, the longest first: members and nested types last."""
    name = f"{import_.name}.{import_.names[0]}" if import_.names else import_.name
    for _ in range(4):
        if "." not in name:
            return
        yield name
        name = name.rpartition(".")[0]


def _root(name: str) -> str:
    """The part of a package's name that names its owner."""
    words = []
    for word in name.split("."):
        if word[:1].isupper():
            break
        words.append(word)
    return ".".join(words[: 3 if words and words[0] in languages().domains["Java"] else 2])
