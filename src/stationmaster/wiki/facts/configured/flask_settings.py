"""Settings of Flask: constants of modules and classes that an application takes them from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.model import Facts, query

PACKAGES = ("flask", "quart")
_LOADED = re.compile(r"\.config\.from_(?:object|pyfile|envvar|prefixed_env|file|mapping)\(")
_OBJECT = re.compile(r"\.config\.from_object\(\s*(?:[\"']([\w.]{1,200})[\"']|(\w{1,100})\s*\))")
_ASSIGNED = re.compile(r"( {0,4})([A-Z][A-Z0-9_]{1,99})[ \t]*(?::[^=]{1,60})?=(?!=)(.{0,500})")
_VALUE = re.compile(r"\s*(?:[\"']([^\"'\\]*)[\"']|([\w.]{1,40}))\s*(?:#.*)?")
_PLAIN = re.compile(r"True|False|None|\d[\d_.]*")

Read = tuple[str, Setting]


def users(facts: Facts) -> Mapping[str, bool]:
    """Files that import Flask, and whether what they ask its configuration for can be set from
    outside."""
    return dict.fromkeys(_users(facts), bool(_loaders(facts)))


def _users(facts: Facts) -> list[str]:
    return sorted({path for package in PACKAGES for path, _ in users_of_outside(facts, package)})


@query
def _loaders(facts: Facts) -> tuple[str, ...]:
    """Files that fill the configuration of an application from outside."""
    return tuple(
        path
        for path in _users(facts)
        if not is_test(path) and _LOADED.search(facts.tree.text(path))
    )


def declared(facts: Facts) -> Iterator[Read]:
    """The constants of what is named there. Their values are defaults where all classes of a
    module agree."""
    for path, class_ in sorted(_objects(facts)):
        found: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
        for number, line in enumerate(lines_of(facts, path), 1):
            assigned = _ASSIGNED.match(line)
            if assigned and bool(assigned[1]) == class_:
                found[assigned[2]].append((number, _value(assigned[3])))
        for name, places in found.items():
            values = {value for _, value in places}
            default = values.pop() if len(values) == 1 else None
            yield path, Setting(name, "key", places[0][0], default)


def _objects(facts: Facts) -> set[tuple[str, bool]]:
    """Files, and whether classes of theirs have the constants."""
    found = set()
    for loader in _loaders(facts):
        imports = facts.code[loader].imports
        bound = {
            name: f"{each.name}.{taken}" if taken else each.name
            for each in imports
            for name, taken in zip(each.bound, each.names or ("",), strict=False)
        }
        for match in _OBJECT.finditer(facts.tree.text(loader)):
            name = match[1] or bound.get(match[2], "")
            module, _, last = name.rpartition(".")
            if path := _path(facts, name):
                found.add((path, False))
            elif last[:1].isupper() and (path := _path(facts, module)):
                found.add((path, True))
    return found


def _path(facts: Facts, module: str) -> str:
    """The file of a module; '' where none or several are called so."""
    ending = f"{module.strip('.').replace('.', '/')}.py"
    paths = [path for path in facts.code if f"/{path}".endswith(f"/{ending}")] if module else []
    return paths[0] if len(paths) == 1 else ""


def _value(text: str) -> str | None:
    match = _VALUE.fullmatch(text)
    if match is None:
        return None
    return match[1] if match[2] is None else match[2] if _PLAIN.fullmatch(match[2]) else None
