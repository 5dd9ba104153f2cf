"""Structs of Go and the tags of their fields, wherever in the repository they are declared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, takewhile
from typing import NamedTuple

from stationmaster.reading.code.languages.go.frameworks import tags
from stationmaster.reading.code.languages.source import first_sentence
from stationmaster.reading.code.model import Setting, SettingKind, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.samples.shown_keys import is_of_all
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


_NAMED = re.compile(r"(\w+(?:,[ \t]*\w+)*)[ \t]+(\S.*)")
_EMBEDDED = re.compile(r"\*?((?:\w+\.)?\w+)")
_STRUCT = re.compile(r"\bstruct\s*\{$")
_HELD = re.compile(r"(\*?(?:\[\]|map\[\w{1,40}\])?\*?)((?:\w{1,60}\.)?\w{1,100})")
_WORDS_MIN = 3
"""Of a comment above a field that says more than a heading of several fields."""
_DECLARES = re.compile(r"\btype\s+\w{1,80}\s+(\w+)")
_DECODED = re.compile(r"(?:Unmarshal|Decode|Set)\w*")
"""Methods by which a type reads itself."""


class Field(NamedTuple):
    """`name` is '' for what is embedded. `inner` are the fields of a struct without a name."""

    name: str
    type: str
    tags: Mapping[str, str]
    path: str
    line: int
    doc: str
    inner: tuple[Field, ...] = ()

    def lists(self) -> str:
        """The sign behind the name of what holds many: of a list, of a map."""
        sign = _HELD.match(self.type)
        return "[]" if sign and "[]" in sign[1] else ".*" if sign and "map" in sign[1] else ""


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

    def is_only(self, folder: str, method: str) -> bool:
        """Is there one method of a name in a package?"""
        names = [
            symbol.name
            for (place, _), methods in self._methods.items()
            if place == folder
            for _, symbol in methods
        ]
        return names.count(method) == 1

    def variable(self, name: str, path: str) -> str | None:
        """The file of a package that declares a variable of this name."""
        found = self._symbols[folder_of(path)].get(name)
        return found[0] if found and found[1].kind == "variable" else None

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
                    return _fields(body, place, method.line)
        lines = lines_of(self._facts, path)[symbol.line - 1 : symbol.end]
        return _fields(lines, path, symbol.line)

    def held(self, field: Field) -> Spot | None:
        """The struct that a field holds one or several of."""
        held = _HELD.fullmatch(field.type)
        return self.place(held[2], field.path) if held else None

    def _symbol(self, written: str, path: str) -> tuple[str, Symbol] | None:
        package, _, name = written.rpartition(".")
        if not package:
            return self._symbols[folder_of(path)].get(name)
        names = {
            it.bound[0]: it.name.rpartition("/")[2]
            for it in self._facts.code[path].imports
            if it.bound
        }
        folders = {folder_of(link.end) for link in links_from(self._facts, path)}
        found = [
            self._symbols[folder][name]
            for folder in sorted(folders)
            if folder.rpartition("/")[2] == names.get(package) and name in self._symbols[folder]
        ]
        return found[0] if len(found) == 1 else None


def _fields(lines: Sequence[str], path: str, start: int) -> tuple[Field, ...]:
    """The fields of the first struct in some lines, the first of which is at `start`."""
    open_: list[tuple[_Line, list[Field]]] = []
    above: list[str] = []
    for number, text in enumerate(lines, start):
        line = _line(text, number)
        if not line.written:
            is_between = text.strip() == "//" and _says_something(above)
            above = [*above, line.remark] if line.remark or is_between else []
            continue
        line, above = line._replace(remark=_doc(line.remark, above)), []
        if _STRUCT.search(line.written):
            open_.append((line, []))
        elif line.written.startswith("}") and open_:
            first, fields = open_.pop()
            inner = tuple(_documented(fields, lines, start))
            if not open_:
                return inner
            open_[-1][1].extend(_declared(first._replace(tag=line.tag), path, inner))
        elif open_:
            open_[-1][1].extend(_declared(line, path))
    return ()


class _Line(NamedTuple):
    written: str
    tag: str
    remark: str
    number: int


def _line(text: str, number: int) -> _Line:
    """The parts of a line of a struct: what is declared, its tag, and the comment."""
    written, mark, rest = text.partition("`")
    tag, _, rest = rest.partition("`")
    remark = rest.partition("//")[2]
    if "//" in written or not mark:
        written, _, remark = text.partition("//")
        tag = ""
    remark = "" if remark.startswith("nolint") else remark.strip()
    return _Line(written.strip(), tag, remark, number)


def _says_something(above: Sequence[str]) -> bool:
    words = " ".join(above).split()
    return len(words) >= _WORDS_MIN and words[0].strip("@:").lower() != "todo"


def _doc(remark: str, above: Sequence[str]) -> str:
    told = first_sentence("\n".join(above))
    return first_sentence(remark) or (told if len(told.split()) >= _WORDS_MIN else "")


def _documented(fields: Sequence[Field], lines: Sequence[str], start: int) -> Iterator[Field]:
    """Without what is said of several fields at once above the first. The first line is at
    `start`."""
    names = {field.name for field in fields}
    for at, field in enumerate(fields):
        first = field.doc.split(" ", 1)[0]
        is_other = first in names and first != field.name
        if field.doc and "//" not in lines[field.line - start]:
            near = zip(fields[at + 1 :], count(field.line + 1), strict=False)
            group = takewhile(lambda it: it[0].line == it[1] and not it[0].doc, near)
            others = [it.name for it, _ in group]
            is_other = is_other or is_of_all(field.doc, field.name, others, most=len(fields))
        yield field._replace(doc="") if is_other else field


def _declared(line: _Line, path: str, inner: tuple[Field, ...] = ()) -> Iterator[Field]:
    if embedded := _EMBEDDED.fullmatch(line.written):
        yield Field("", embedded[1], tags(line.tag), path, line.number, line.remark)
    elif named := _NAMED.fullmatch(line.written):
        for name in named[1].split(","):
            yield Field(
                name.strip(), named[2], tags(line.tag), path, line.number, line.remark, inner
            )
