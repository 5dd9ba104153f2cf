"""Tables in code that lead texts to functions or types: the place where another one is added.

A table is a map, a list of cases or of arms. What a line leads to is looked up as any other name,
and a table counts where most of its lines lead to something that the repository declares.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.code.symbols import suites
from stationmaster.wiki.facts.extending.registering import (
    KNOWN_SHARE_MIN,
    Entry,
    is_bundled,
    is_past,
)
from stationmaster.wiki.facts.model import Facts, Spot, of_file, query
from stationmaster.wiki.text.inline import Place

ENTRIES_MIN = 6
REGISTRIES_MAX = 30
_ROWS_MAX = 500
_DIFFERENT_SHARE_MIN = 0.5
_LINES_MAX = 12
"""Of one entry."""
_NAMES_MAX = 8
"""Of one entry that are looked up."""
_ENTRY = re.compile(
    r"([ \t]*)(?:case[ \t]+|[\[({])?(?:\"([^\"\s]{1,80})\"|'([^'\s]{1,80})')"
    r"\]?[ \t]*(?:=>|[:=,]|to\b|\|[^=\n]{1,200}=>)[ \t]*(.*)"
)
_MADE = re.compile(
    r"([ \t]+)&?[\w.:]{0,80}[({]\s{0,4}(?:\"([^\"\n]{1,80})\"|'([^'\n]{1,80})')\s{0,4},"
    r"((?=[^\n]{0,300}[)}],[ \t]*(?://[^\n]{0,300})?$)[^\n]{1,300})"
)
"""An element of a list that a function makes of a name and of what this leads to."""
_BARE = re.compile(r"([ \t]+)([A-Za-z_$][\w$]{0,80}):[ \t]+((?!function\b)[A-Za-z_$(].*)")
"""A key of an object in JavaScript, which needs no quotes; with a function of its own it is the
name of that."""
_AFTER_BRACKET = re.compile(r"[^{\[(\"'\n]{1,200}[{\[(][ \t]*(?=[\"'])")
"""What stands on a line before the first key of a table that begins there."""
_OPENS = re.compile(r"(?:=|\(|return|=>|\[|,)\s*\{\s*$")
_TYPED = re.compile(r"\s*(?:export\s+)?(?:declare\s+)?type\b")
"""The line before such an object, and one before the fields of a type."""
_HOOK = re.compile(r"use[A-Z]")
"""How functions are called of which React or Vue gets what belongs together, and no choice."""
_BARE_IN = (".cjs", ".js", ".jsx", ".mjs", ".ts", ".tsx", ".vue")
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|\\)[A-Za-z_]\w*)*")
_QUOTED = re.compile(r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'")
_BRANCHES = re.compile(r"\b(?:if|else|unless|match|switch)\b")
_HEAD = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]{0,100})\s?[=:][^\n]{0,200}[{(\[]\s*\Z")
_CODE = ("class", "constructor", "enum", "function", "macro", "method", "object", "struct", "type")
_NO_VALUES = ("enum", "type")
"""Of these, what is none that a name of JavaScript leads to."""


class Registry(msgspec.Struct, frozen=True, array_like=True):
    """`name` is what holds the table, '' for a table without a name."""

    name: str
    path: str
    entries: tuple[Entry, ...]

    @property
    def place(self) -> Place:
        return Place(self.path, self.entries[0].place.line, self.entries[-1].place.line)


class _Row(NamedTuple):
    key: str
    line: int
    words: str


@query
def registries(facts: Facts) -> tuple[Registry, ...]:
    """Those with most entries first."""
    found = [
        registry
        for path in facts.code
        if facts.records[path].file_class == "source"
        and path not in suites(facts)
        and not is_bundled(facts, path)
        for rows in _tables(facts, path)
        if not is_past(path) or _is_made(lines_of(facts, path), rows)
        if (registry := _registry(facts, path, rows)) is not None
    ]
    found.sort(key=lambda each: (-len(each.entries), each.place))
    return tuple(found[:REGISTRIES_MAX])


@of_file
def _tables(facts: Facts, path: str) -> list[list[_Row]]:
    return [*_runs(lines_of(facts, path), path)]


def _runs(lines: Sequence[str], path: str) -> Iterator[list[_Row]]:
    """Runs of lines that begin with a key and are indented alike, with what goes on deeper."""
    rows: list[_Row] = []
    indent = ""
    is_bare = path.endswith(_BARE_IN)
    for number, line in enumerate(lines, 1):
        is_quoted = "'" in line or '"' in line
        entry = (_ENTRY.match(line) or _MADE.match(line)) if is_quoted else None
        bare = _BARE.match(line) if entry is None and is_bare and ":" in line else None
        above = lines[number - 2]
        if bare and not rows and (not _OPENS.search(above) or _TYPED.match(above)):
            bare = None
        own = entry[1] if entry else bare[1] if bare else None
        if rows and own != indent:
            rest = line.lstrip()
            if not rest or (line.startswith(indent) and line[len(indent)] in " \t})]/#"):
                if number - rows[-1].line <= _LINES_MAX:
                    rows[-1] = rows[-1]._replace(words=f"{rows[-1].words} {rest}")
                continue
            if len(rows) >= ENTRIES_MIN:
                yield rows
            rows = []
        if own is not None:
            indent = own
            if not rows and entry and number > 1:
                opens = _AFTER_BRACKET.match(above)
                first = _ENTRY.match(above[opens.end() :]) if opens else None
                if opens and first and len(opens[0].expandtabs()) == len(indent.expandtabs()):
                    rows.append(_Row(first[2] or first[3], number - 1, first[4]))
            key = (entry[2] or entry[3]) if entry else bare[2] if bare else ""
            rows.append(_Row(key, number, entry[4] if entry else bare[3] if bare else ""))
    if len(rows) >= ENTRIES_MIN:
        yield rows


def _is_made(lines: Sequence[str], rows: Sequence[_Row]) -> bool:
    """Is it a list of what a function makes? Among migrations others are of their data."""
    return all(_MADE.match(lines[row.line - 1]) for row in rows)


def _registry(facts: Facts, path: str, rows: Sequence[_Row]) -> Registry | None:
    """The table of these rows, where most lead to functions or types, and not all to the same."""
    first = [row for row in rows[:ENTRIES_MIN] if any(True for _ in _ends(facts, path, row))]
    if len(first) < ENTRIES_MIN // 2:
        return None
    ends = [[*_ends(facts, path, row)] for row in rows[:_ROWS_MAX]]
    rows = rows[:_ROWS_MAX]
    known = [found for found in ends if found]
    if len({row.key for row in rows}) < ENTRIES_MIN or len(known) < KNOWN_SHARE_MIN * len(rows):
        return None
    chosen = max((0, -1), key=lambda place: len({found[place] for found in known}))
    if len({found[chosen] for found in known}) < _DIFFERENT_SHARE_MIN * len(rows):
        return None
    decided = [[*_ends(facts, path, row, None)] if _decides(row) else [] for row in rows]
    shares = Counter(end for row in map(chain, ends, decided) for end in {*row})
    own = [tuple({end for end in row if shares[end] == 1}) for row in decided]
    entries = [
        Entry(row.key, Place(path, row.line), found[chosen] if found else None)
        if not _decides(row)
        else Entry(row.key, Place(path, row.line), only[0] if len(only) == 1 else None)
        for row, found, only in zip(rows, ends, own, strict=True)
    ]
    name = _holder(facts, path, rows)
    is_hook = path.endswith(_BARE_IN) and _HOOK.match(name.rpartition(".")[2])
    return None if is_hook else Registry(name, path, tuple(entries))


def _decides(row: _Row) -> bool:
    """Does a row lead to several things? Only what no other one shares may be its own."""
    return _BRANCHES.search(_QUOTED.sub("", row.words)) is not None


def _ends(facts: Facts, path: str, row: _Row, most: int | None = _NAMES_MAX) -> Iterator[Spot]:
    kinds = set(_CODE) - set(_NO_VALUES if path.endswith(_BARE_IN) else ())
    names = _NAME.findall(_QUOTED.sub("", row.words))
    for name in names[:most]:
        spot = handler_of(facts, path, name.replace("\\", "."), row.line)
        symbol = symbol_of(facts, spot.path, spot.name) if spot else None
        if spot is not None and symbol is not None and symbol.kind in kinds:
            yield spot


def _holder(facts: Facts, path: str, rows: Sequence[_Row]) -> str:
    """What is declared around a table, or is named just before it."""
    first, last = rows[0].line, rows[-1].line
    around: list[Symbol] = [
        symbol for symbol in facts.code[path].symbols if symbol.line <= first and symbol.end >= last
    ]
    inner = max(around, key=lambda symbol: symbol.line, default=None)
    own = inner.qualified if inner else ""
    if inner is None or inner.kind in ("class", "module", "object"):
        above = lines_of(facts, path)[max(first - 2, 0)]
        if match := _HEAD.search(above):
            return f"{own}.{match[1]}" if own else match[1]
    return own
