"""Imports of JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from stationmaster.catalogue.repositories.languages import languages
from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.code.resolving.packages import Packages, split
from stationmaster.reading.code.resolving.tsconfig import Aliases
from stationmaster.reading.projects.paths import folder_of

_RUNTIMES = ("node:", "bun:", "deno:", "cloudflare:", "virtual:")
_REGISTRIES = ("npm:", "jsr:")
_RULES = languages().javascript


def resolver(index: Index) -> Resolver:
    """A function from a file and an import to the file or the package that it names."""
    paths = frozenset(index.tree.all_paths)

    def found(stem: str) -> str | None:
        return next(
            (candidate for candidate in _candidates(normpath(stem)) if candidate in paths), None
        )

    packages = Packages(index.tree, found)
    aliases = Aliases(index.tree, packages)
    answers: dict[tuple[str, str], Resolved] = {}

    def resolve(path: str, import_: Import) -> Resolved:
        key = (folder_of(path), import_.name)
        if key not in answers:
            answers[key] = _resolve(*key)
        return answers[key]

    def _resolve(folder: str, name: str) -> Resolved:
        name = name.partition("?")[0] if not name.startswith("#") else name
        if name.startswith(("./", "../")) or name in (".", ".."):
            return _to(packages.written(normpath(f"{folder}/{name}")))
        for stem in aliases.of(folder, name):
            target = found(stem)
            if target:
                return _to(target)
        if name.startswith("#"):
            return _to(packages.inside(folder, name))
        if name.startswith(_RUNTIMES):
            return Resolved(outside=name, is_builtin=True)
        for begin, places in _RULES.aliases.items():
            if name.startswith(begin):
                rest = name.removeprefix(begin)
                home = packages.home(folder)
                stems = (found(f"{home}/{place}{rest}") for place in places)
                return _to(next(filter(None, stems), None))
        for registry in _REGISTRIES:
            name = name.removeprefix(registry)
        package, rest = split(name)
        if packages.knows(package):
            return _to(packages.named(package, rest))
        if package in languages().libraries["JavaScript"]:
            return Resolved(outside=package, is_builtin=True)
        return Resolved(outside=package) if package else Resolved()

    return resolve


def _to(target: str | None) -> Resolved:
    return Resolved((target,)) if target else Resolved()


def _candidates(stem: str) -> Iterator[str]:
    """The files that a path without or with an ending may mean, the likeliest first."""
    if stem.startswith(".."):
        return
    yield stem
    dot = stem.rfind(".", stem.rfind("/") + 1)
    for ending in _RULES.written_as.get(stem[dot:], ()) if dot > 0 else ():
        yield stem[:dot] + ending
    for ending in _RULES.endings:
        yield stem + ending
    start = "" if stem == "." else f"{stem}/"
    for ending in _RULES.endings:
        yield f"{start}index{ending}"
