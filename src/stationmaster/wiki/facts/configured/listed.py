"""Settings that documents list and whose names the code has, and variables that they list whether
or not the code has them: what a program is built on may read them. And where code asks for settings
by name, whatever the language: `settings.getint("PAGE_SIZE")`, `conf.page_size`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.configured.documented import Entry, entries
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts, Place, of_file

_HOLDER = r"\b(?:\w{0,40}_)?(?:settings|config|configuration|conf|cfg|options|opts)"
_ASKED = re.compile(
    rf"(?i:{_HOLDER})\)?(?:"
    r"(?:(?:\.|->|::)\w{1,40})?[(\[]\s{0,20}[\"']([\w.:-]{2,100})[\"']"
    r"|,\s{0,20}[\"']([\w.:-]{2,100})[\"']"
    r"|(?:\.|->)([A-Za-z_]\w{2,99})\b(?![(\[]))"
)

_DISTINCT = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z][a-z0-9]*_[a-z0-9_]+|[A-Z]{4,40}")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_OF_ENVIRONMENT = re.compile(r"env(?:ironment)?var")
_NOT_SET = re.compile(r"derived|readonly|computed")
"""Of a heading on what a program tells of itself."""
_NAMES_MIN = 3
"""Of a document that the code asks for, and half of all, before it is one that lists settings."""


def keys(facts: Facts, known: Set[str]) -> Iterator[Read]:
    """The keys that documents on settings list and the code asks for by name, at the places where
    it does. `known` are the names of other settings."""
    last = {name.rpartition(".")[2] for name in known}
    names = _names(facts)
    places = asked(facts, {it for some in names.values() for it in some} - last)
    for some in names.values():
        new = some.keys() - last
        own = sorted(new & places.keys())
        if len(own) >= _NAMES_MIN and 2 * len(own) >= len(new):
            for name in own:
                yield from ((path, Setting(name, "key", line)) for path, line in places[name])


def defined(facts: Facts) -> list[Read]:
    """The options that calls define for all modules."""
    return [(file.path, it) for file in interfaces(facts) for it in file.settings if it.is_declared]


def uses(facts: Facts) -> Iterator[Read]:
    """Where the code asks for these options."""
    for name, places in asked(facts, {it.name for _, it in defined(facts)}).items():
        of_python = (place for place in places if place[0].endswith(".py"))
        yield from ((path, Setting(name, "key", line)) for path, line in of_python)


def variables(facts: Facts, known: Set[str]) -> Iterator[str]:
    """Variables that documents list below a heading on variables of the environment."""
    for name, rows in entries(facts).items():
        if name not in known and _VARIABLE.fullmatch(name) and any(map(_is_variable, rows)):
            yield name


def _is_variable(row: Entry) -> bool:
    is_set = any(map(_OF_ENVIRONMENT.search, row.above)) and not any(
        map(_NOT_SET.search, row.above)
    )
    return is_set and bool(row.meaning or row.default)


def _names(facts: Facts) -> Mapping[str, Mapping[str, Entry]]:
    """By document, the names that it lists as settings."""
    by_path: dict[str, dict[str, Entry]] = defaultdict(dict)
    for name, rows in entries(facts).items():
        for row in rows:
            if _DISTINCT.fullmatch(name) and row.is_on_settings:
                by_path[row.path][name] = row
    return by_path


def asked(facts: Facts, names: Set[str]) -> Mapping[str, tuple[Place, ...]]:
    """The places in the product's code that ask for these names."""
    places: dict[str, list[Place]] = defaultdict(list)
    for path in sources(facts) if names else ():
        for name, line in _asked_in(facts, path):
            if name in names:
                places[name].append((path, line))
    return {name: tuple(dict.fromkeys(some)) for name, some in places.items()}


@of_file
def _asked_in(facts: Facts, path: str) -> list[tuple[str, int]]:
    """The names that a file asks for, each with its line."""
    asked = numbered(_ASKED, facts.tree.text(path))
    return [(match[1] or match[2] or match[3], line) for line, match in asked]
