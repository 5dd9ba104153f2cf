"""Structs of Go, wherever in the repository they are declared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.languages.go.structs import HELD, Field, structs_of
from stationmaster.reading.code.model import Setting, SettingKind, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.model import Facts, Spot

Place = tuple[str, int]
"""A path and a line."""
Read = tuple[str, Setting]
"""The file that reads or declares a setting."""
Key = tuple[SettingKind, str]
"""The kind and the name of a setting."""


def sources(facts: Facts, *endings: str) -> Iterator[str]:
    """The code files of the product, all or those whose names end so."""
    for path in facts.code:
        if facts.records[path].file_class == "source" and (not endings or path.endswith(endings)):
            yield path


_DECLARES = re.compile(r"\btype\s+\w{1,80}\s+(\w+)")
_DECODED = re.compile(r"(?:Unmarshal|Decode|Set)\w*")
"""Methods by which a type reads itself."""


class Structs:
    """Structs by the folders of their packages and their names."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._fields: dict[Spot, tuple[Field, ...]] = {}
        self._symbols: dict[str, dict[str, tuple[str, Symbol]]] = defaultdict(dict)
        self._methods: dict[tuple[str, str], list[tuple[str, Symbol]]] = defaultdict(list)
        for path in sources(facts, ".go"):
            folder = folder_of(path)
            for symbol in facts.code[path].symbols:
                if symbol.kind == "method":
                    self._methods[folder, symbol.container].append((path, symbol))
                elif not symbol.container:
                    self._symbols[folder].setdefault(symbol.name, (path, symbol))

    def place(self, written: str, path: str) -> Spot | None:
        """The struct that a file means by a type, as written."""
        found = self._symbol(written, path)
        return Spot(found[0], found[1].name) if found and found[1].kind == "struct" else None

    def function(self, written: str, path: str) -> tuple[str, Symbol] | None:
        """The function that a file means by a name, with its own file."""
        found = self._symbol(written, path)
        return found if found and found[1].kind == "function" else None

    def variable(self, name: str, path: str) -> tuple[str, Symbol] | None:
        """The variable of a package that has this name, with its file."""
        found = self._symbols[folder_of(path)].get(name)
        return found if found and found[1].kind == "variable" else None

    def fields(self, spot: Spot) -> tuple[Field, ...]:
        """Those of a struct; of one that reads itself, those of what it fills first: () where that
        cannot be told."""
        if spot not in self._fields:
            self._fields[spot] = self._read(spot)
        return self._fields[spot]

    def _read(self, spot: Spot) -> tuple[Field, ...]:
        path, symbol = self._symbols[folder_of(spot.path)][spot.name]
        for place, method in self._methods[folder_of(spot.path), spot.name]:
            if _DECODED.fullmatch(method.name):
                body = lines_of(self._facts, place)[method.line - 1 : method.end]
                declared = (_DECLARES.search(line) for line in body)
                if all(it is None or it[1] != spot.name for it in declared):
                    return _first(body, place, method.line)
        lines = lines_of(self._facts, path)[symbol.line - 1 : symbol.end]
        return _first(lines, path, symbol.line)

    def held(self, field: Field) -> Spot | None:
        """The struct that a field holds one or several of."""
        held = HELD.fullmatch(field.type)
        return self.place(held[2], field.path) if held else None

    def _symbol(self, written: str, path: str) -> tuple[str, Symbol] | None:
        package, _, name = written.rpartition(".")
        if not package:
            return self._symbols[folder_of(path)].get(name)
        imports = self._facts.code[path].imports
        ends = all_links(self._facts).resolved.get(path, ())
        folders = {
            folder_of(target)
            for it, end in zip(imports, ends, strict=False)
            if it.bound and it.bound[0] == package
            for target in end.targets
        }
        found = [self._symbols[it][name] for it in folders if name in self._symbols[it]]
        return found[0] if len(found) == 1 else None


def _first(lines: Sequence[str], path: str, start: int) -> tuple[Field, ...]:
    """The fields of the first struct in some lines."""
    return next((fields for _, fields in structs_of(lines, path, start)), ())
