"""The types that files declare, with their methods and what they build on.

A type is its file and qualified name, and so is a method.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from stationmaster.reading.code import overloads
from stationmaster.reading.code.languages.go.implementing import Implementers, Place, implementers
from stationmaster.reading.code.model import FileFacts, Symbol
from stationmaster.reading.code.signatures import BODILESS, shape

LEVELS_MAX = 6
"""Levels of types that extend each other."""
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "protocol", "object", "type"})
_CALLED = frozenset({"method", "function", "constructor"})
_OPEN = frozenset({"interface", "protocol", "trait"})
_SPREAD = (".go", ".swift", ".rs", ".cs", ".rb", ".kt")
"""Where other files may add methods to a type."""
_ABSTRACT = re.compile(r"\babstract\b")


class Kinds:
    """The types of some files; subclasses set the bases of each."""

    def __init__(self, code: Mapping[str, FileFacts]) -> None:
        self._kinds: dict[Place, Symbol] = {}
        self._members: dict[Place, dict[str, Symbol]] = defaultdict(dict)
        self._overloads: dict[tuple[str, str, str], list[Symbol]] = defaultdict(list)
        """Overloads by file, type and name."""
        self._spread: dict[tuple[str, str], list[str]] = defaultdict(list)
        """Files with methods of a type, by their extension and its name."""
        self._named: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path, facts in code.items():
            ending = path[path.rfind(".") :]
            for symbol in facts.symbols:
                if symbol.kind in _TYPES:
                    self._kinds.setdefault((path, symbol.qualified), symbol)
                    self._named[ending, symbol.qualified].append(path)
                elif symbol.kind in _CALLED and symbol.container:
                    self._members[path, symbol.container].setdefault(symbol.name, symbol)
                    if symbol.is_overloaded:
                        self._overloads[path, symbol.container, symbol.name].append(symbol)
                if ending in _SPREAD and symbol.container and symbol.kind in _CALLED:
                    files = self._spread[ending, symbol.container]
                    if path not in files[-1:]:
                        files.append(path)
        self._functions = frozenset(
            (path, symbol.qualified)
            for (path, _), members in self._members.items()
            for symbol in members.values()
        )
        self._bases: dict[Place, tuple[Place, ...]] = {}
        self._below: dict[Place, list[Place]] = defaultdict(list)

    def methods(self, place: Place) -> list[Place]:
        """The methods of a type in its order, then those of its bases."""
        methods: dict[str, Place] = {}
        for owner in self.around(place):
            for part in self._parts(owner):
                for name in self._members.get(part, {}):
                    for symbol in self._alike(part, name):
                        own = symbol.qualified.rpartition(".")[2]
                        methods.setdefault(own, (part[0], symbol.qualified))
        return list(methods.values())

    def below(self, place: Place) -> tuple[Place, ...]:
        """The types that extend one directly, or implement its methods."""
        return tuple(dict.fromkeys(self._below.get(place, ())))

    def is_open(self, method: Place) -> bool:
        """Is a method only declared, and implemented in other types?"""
        holder = (method[0], method[1].rpartition(".")[0])
        name = method[1].rpartition(".")[2].partition("(")[0]
        alike = (it for it in self._alike(holder, name) if it.qualified == method[1])
        symbol = next(alike, None)
        if symbol is None:
            return False
        marks = (mark == BODILESS or mark.endswith("abstractmethod") for mark in symbol.marks)
        return any(marks) or bool(_ABSTRACT.search(symbol.signature))

    def around(self, place: Place) -> Iterator[Place]:
        """A type and its bases, the nearest first."""
        seen = {place: None}
        level = [place]
        for _ in range(LEVELS_MAX):
            yield from level
            level = [
                base for type_ in level for base in self._bases.get(type_, ()) if base not in seen
            ]
            seen.update(dict.fromkeys(level))

    def bases(self, place: Place) -> tuple[Place, ...]:
        """The types that a type extends or implements itself."""
        return self._bases.get(place, ())

    def _parts(self, place: Place) -> Iterator[Place]:
        """A type in its own file, and in others that add to it."""
        yield place
        ending = place[0][place[0].rfind(".") :]
        is_only = len(self._named.get((ending, place[1]), ())) == 1
        folder = place[0].rpartition("/")[0]
        for path in self._spread.get((ending, place[1]), ()):
            is_other = ending == ".rs" and (path, place[1]) in self._kinds
            if path != place[0] and not is_other and (is_only or path.rpartition("/")[0] == folder):
                yield (path, place[1])

    def _alike(self, place: Place, name: str) -> list[Symbol]:
        """The members of a type in a file that share a name."""
        member = self._members.get(place, {}).get(name)
        return self._overloads.get((*place, name), [member]) if member else []

    def _home(self, path: str, name: str) -> Place:
        """The place where a type is declared whose methods a file contains."""
        if (path, name) in self._kinds:
            return (path, name)
        files = self._named.get((path[path.rfind(".") :], name), [])
        return (files[0] if len(files) == 1 else path, name)

    def _implemented(self, place: Place, own: Symbol) -> Iterator[Place]:
        """The methods of derived types that override or implement one of a type."""
        if place[0].endswith((".go", ".rs")) and self._kinds[place].kind not in _OPEN:
            return
        seen: dict[Place, None] = {place: None}
        level = [place]
        for _ in range(LEVELS_MAX):
            level = [
                type_
                for above in level
                for type_ in self._below.get(above, ())
                if type_ not in seen
            ]
            seen.update(dict.fromkeys(level))
            for type_ in level:
                for part in self._parts(type_):
                    for symbol in self._alike(part, own.name):
                        if overloads.is_same(own, symbol):
                            yield (part[0], symbol.qualified)

    def _with_interfaces(self) -> Mapping[Place, Implementers]:
        """The implementers of the interfaces of Go, which are also added to the types below."""
        types = {it: symbol for it, symbol in self._kinds.items() if it[0].endswith(".go")}
        own = {
            place: {
                name: shape(member)
                for part in self._parts(place)
                for name, member in self._members.get(part, {}).items()
            }
            for place in types
        }
        by_interface = implementers(types, own, self._bases)
        for place, implementing in by_interface.items():
            self._below[place] += implementing.whole
        return by_interface
