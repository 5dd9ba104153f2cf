"""Imports of Java and Kotlin, which see each other.

A type is looked for by the package that its file declares. Where several files declare it, as
source sets and modules of a build may, the one nearest to who asks is meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, nearest

_DOMAINS = frozenset(
    {
        "app",
        "cloud",
        "co",
        "com",
        "de",
        "dev",
        "edu",
        "eu",
        "fr",
        "gov",
        "io",
        "me",
        "net",
        "org",
        "run",
        "tech",
        "uk",
    }
)
"""First words of packages behind which a second one alone says little."""
_OWN = ("java", "kotlin", "jdk", "sun")
_OF_JAVAX = frozenset(
    {
        "accessibility",
        "activation",
        "annotation.processing",
        "crypto",
        "imageio",
        "lang",
        "management",
        "naming",
        "net",
        "print",
        "rmi",
        "script",
        "security",
        "sound",
        "sql",
        "swing",
        "tools",
        "xml",
    }
)
_WIDE_MAX = 60
"""Files that one import of everything may lead to."""


def resolver(index: Index) -> Resolver:
    """A function from a file and an import to the files that declare the types it names."""
    known: dict[str, list[str]] = defaultdict(list)
    packages: dict[str, None] = {}
    for language in ("Java", "Kotlin"):
        for path in index.paths.get(language, ()):
            facts = index.facts(path)
            packages[facts.package] = None
            for name in {symbol.name for symbol in facts.symbols if not symbol.container}:
                known[f"{facts.package}.{name}"].append(path)
    roots = {_root(package) for package in packages if package}

    def resolve(path: str, given: Import) -> Resolved:
        facts = index.facts(path)
        if given.kind == "reference":
            found = nearest(path, known.get(f"{facts.package}.{given.name}", ()))
            return Resolved(found, is_builtin=not found)
        if given.names == ("*",):
            used = _used(known, given.name, facts)
            if used or given.name in packages:
                targets = {each for name in used for each in nearest(path, known[name])}
                return Resolved(tuple(sorted(targets - {path})[:_WIDE_MAX]), is_builtin=not targets)
        for name in _shorter(given):
            if name in known:
                found = nearest(path, known[name])
                return Resolved(found, is_builtin=not found)
        root = _root(given.name)
        if root in roots:
            return Resolved()
        return Resolved(outside=root, is_builtin=_is_builtin(given.name))

    return resolve


def _used(known: dict[str, list[str]], package: str, facts: FileFacts) -> list[str]:
    """What of a package, or of the members of a type, a file makes use of by a wildcard."""
    if package in known:
        return [package]
    named = {import_.name for import_ in facts.imports if import_.kind == "reference"}
    named |= {call.name for call in facts.calls if not call.of}
    return [full for name in sorted(named) if (full := f"{package}.{name}") in known]


def _shorter(given: Import) -> Iterator[str]:
    """The full names that may be meant, the longest first: members and nested types last."""
    name = f"{given.name}.{given.names[0]}" if given.names else given.name
    for _ in range(4):
        if "." not in name:
            return
        yield name
        name = name.rpartition(".")[0]


def _root(name: str) -> str:
    """The part of a package's name that says whose it is."""
    words = []
    for word in name.split("."):
        if word[:1].isupper():
            break
        words.append(word)
    return ".".join(words[: 3 if words and words[0] in _DOMAINS else 2])


def _is_builtin(name: str) -> bool:
    first, _, rest = name.partition(".")
    return first in _OWN or (
        first == "javax" and any(f"{rest}.".startswith(f"{each}.") for each in _OF_JAVAX)
    )
