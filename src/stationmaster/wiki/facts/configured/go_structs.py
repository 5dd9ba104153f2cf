"""Structs of Go, wherever in the repository they are declared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.languages.go.structs import HELD, Field, structs_of
from stationmaster.reading.code.model import Setting, SettingKind
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.model import Facts, Spot, query

Read = tuple[str, Setting]
"""The file that reads or declares a setting."""
Key = tuple[SettingKind, str]
"""The kind and the name of a setting."""


def sources(facts: Facts, *endings: str) -> Iterator[str]:
    """The code files of the product, all or those whose names end so."""
    for path in facts.code:
        if facts.records[path].file_class == "source" and (not endings or path.endswith(endings)):
            yield path


_NAMELESS, _NAMELESS_MAX = "struct:", 200
"""Lines of a struct without a name."""
_DECLARES = re.compile(r"\btype\s+\w{1,80}\s+(\w+)")
_DECODED = re.compile(r"(?:Unmarshal|Decode|Set)\w*")
"""Methods by which a type reads itself."""


def struct(facts: Facts, written: str, path: str) -> Spot | None:
    """The struct that a file means by a type, as written."""
    end = declaration(facts, path, written)
    return Spot(end[0], end[1].name) if end and end[1].kind == "struct" else None


@query
def fields(facts: Facts, spot: Spot) -> tuple[Field, ...]:
    """Those of a struct; of one that reads itself, those of what it fills first: () where that
    is unknown."""
    if spot.name.startswith(_NAMELESS):
        start = int(spot.name.removeprefix(_NAMELESS))
        lines = lines_of(facts, spot.path)[start - 1 : start + _NAMELESS_MAX]
        return _first(lines, spot.path, start)
    for path, method in methods_of(facts, *spot):
        if _DECODED.fullmatch(method.name):
            body = lines_of(facts, path)[method.line - 1 : method.end]
            declared = (_DECLARES.search(line) for line in body)
            if all(it is None or it[1] != spot.name for it in declared):
                return _first(body, path, method.line)
    symbol = symbol_of(facts, *spot)
    lines = lines_of(facts, spot.path)[symbol.line - 1 : symbol.end] if symbol else ()
    return _first(lines, spot.path, symbol.line) if symbol else ()


def held(facts: Facts, field: Field) -> Spot | None:
    """The struct that a field holds one or several of."""
    if field.inner:
        return nameless(field.path, field.line)
    type_ = HELD.fullmatch(field.type)
    return struct(facts, type_[2], field.path) if type_ else None


def nameless(path: str, line: int) -> Spot:
    """The struct without a name that is written at a line."""
    return Spot(path, f"{_NAMELESS}{line}")


def _first(lines: Sequence[str], path: str, start: int) -> tuple[Field, ...]:
    """The fields of the first struct in some lines."""
    return next((fields for _, fields in structs_of(lines, path, start)), ())
