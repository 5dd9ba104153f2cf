"""PHP: classes by their full names, and files that are included.

An autoload map turns a class's name into the path of the file that declares it, which is that
file's own namespace and class again; so the declarations are the map.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict

from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, nearest, to_other
from stationmaster.reading.projects.paths import folder_of


def resolver(index: Index) -> Resolver:
    """A function from a file and a class or an include to the file that it names."""
    declared: dict[str, list[str]] = defaultdict(list)
    vendors: set[str] = set()
    spaces: set[str] = set()
    paths = index.paths.get("PHP", ())
    present = frozenset(paths)
    for path in paths:
        facts = index.facts(path)
        prefix = f"{facts.package}\\" if facts.package else ""
        if prefix:
            vendors.add(_vendor(prefix))
            spaces.add(facts.package)
        for name in {symbol.name for symbol in facts.symbols if not symbol.container}:
            declared[f"{prefix}{name}"].append(path)
    required = set(map(_letters, index.dependencies("php")))

    def resolve(path: str, import_: Import) -> Resolved:
        if import_.kind == "include":
            return _included(path, import_.name, present)
        name = import_.name.lstrip("\\")
        if import_.kind == "reference" and not import_.name.startswith("\\"):
            package = index.facts(path).package
            name = f"{package}\\{name}" if package else name
        if name in declared:
            targets = nearest(path, declared[name])
            return Resolved(targets, is_settled=not targets)
        if import_.kind == "reference":
            return Resolved(is_settled=True)
        if "\\" not in name:
            return Resolved(outside=name)
        if name in spaces:
            return Resolved(is_settled=True)
        if package := _package_of(name, required):
            return Resolved(outside=package)
        vendor = _vendor(name)
        return Resolved() if vendor in vendors else Resolved(outside=vendor)

    return resolve


def _package_of(name: str, required: set[str]) -> str:
    """The beginning of a full name that is the name of a dependency, such as `Shop\\Kit\\Text` for
    `shop/kit-text`; '' for none."""
    words = name.strip("\\").split("\\")
    beginnings = ("\\".join(words[:count]) for count in range(2, len(words)))
    return next((some for some in beginnings if _letters(some) in required), "")


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _vendor(name: str) -> str:
    """The part of a full name that names its owner: for `App` and the like only the first word."""
    words = name.strip("\\").split("\\")
    return words[0] if words[0] in ("App", "Tests", "Database") else "\\".join(words[:2])


def _included(path: str, name: str, paths: frozenset[str]) -> Resolved:
    """The file next to the one that includes it, or else at the root; an installed one is not in
    the commit."""
    folder = "" if folder_of(path) == "." else folder_of(path)
    for base in (folder, ""):
        target = posixpath.normpath(posixpath.join(base, name.removeprefix("/")))
        if target in paths:
            return to_other(path, target)
    return Resolved(is_settled="vendor/" in name)
