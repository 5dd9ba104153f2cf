"""Variables of the environment whose names a literal list or table has, in this file or another,
where a loop asks the environment for each: `for name in NAMES: os.environ.get(name)`. A default is
that of the only table of defaults beside it that has the word which the table of names has for a
variable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import NamedTuple

from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.configured.constants import ROW_VALUE
from stationmaster.wiki.facts.configured.environment.askers import ASKS, WORDS, literal
from stationmaster.wiki.facts.configured.go_calls import arguments
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts

_IS_THERE = re.compile(r"\b(\w{1,60})\s+(?:not\s+)?in\s+(?:os\.)?environ\b")
_AT = re.compile(
    r"(?:env::var(?:_os)?|[gG]etenv|environ\.get)\(\s{0,9}\$?(\w{1,60})\[(\d)\]\s{0,9}[,)]"
)
_TABLE = (
    r"(?:Object\.(?:keys|entries|values)\(([\w.$]{1,100})\)|(\[[^\[\]]{1,400}\])|([\w$.:]{1,100}))"
    r"(?:\(\))?"
)
_WAY = re.compile(r"(?:\.(?:items|keys|iter|into_iter))?:?$")
_FOR = re.compile(
    r"\bfor ?\(? ?(?:(?:const|let|var|val|final|String|string) )?[\[(]?\$?(?:_, ?)?(\w{1,60})"
    rf"(?:, ?\w{{1,60}})?[\])]? ?(?::= range|\bin|\bof|:) &?{_TABLE}"
)
_FOREACH = re.compile(r"\bforeach ?\( ?()()(\$?[\w:>-]{1,100}) as \$(\w{1,60})\b")
_PASSED = re.compile(
    rf"{_TABLE}\s{{0,99}}\.(?:each|map|forEach|find|find_map|filter|filter_map|some|any|flatMap)"
    r"(?: do |\(| ?\{) ?[|(]?&?(\w{1,60})(?:, ?\w{1,60})?[|)]? ?(?:=>|->|\b)"
)
_MADE = (
    r"\b%s\b(?:\s{0,8}:(?!=)[^=\n]{1,80}?)?\s{0,8}:?=\s{0,40}"
    r"(?:\[\d{0,3}\]\w+|new\b[^\n{\"']{0,40}|&|vec!|(?:List|Set)\.of|array)?\s{0,40}[\[({]"
)
_NAME = re.compile(r"[\"'`]([A-Z][A-Z0-9_]{1,99})[\"'`]")
_ROW = re.compile(r"[\"'`]?(\w{1,99})[\"'`]?\s*(?:=>|:)\s*(\S.{0,200})")
_BEFORE, _BEHIND = 12, 3
"""Lines around a question in which its loop begins: one of a comprehension stands behind."""
_ASKED_MAX = 1_000
"""Questions of a file."""
_MADE_BEFORE = 40_000
"""Letters in which a list of the same file stands before its loop."""


class _Table(NamedTuple):
    """The rows of a literal, in a file whose text holds it."""

    path: str
    rows: tuple[str, ...]


def read(facts: Facts) -> Iterator[Read]:
    """The variables, at the places that ask for them."""
    for path in sources(facts):
        text = facts.tree.text(path)
        if any(word in text for word in WORDS):
            yield from ((path, setting) for setting in _of_file(facts, path, text))


def _of_file(facts: Facts, path: str, text: str) -> Iterator[Setting]:
    for line, match in islice(numbered(_AT, text), _ASKED_MAX):
        table = _table(facts, path, text, match.start(), match[1])
        row = table.rows[int(match[2]) :][:1] if table else ()
        if name := _NAME.fullmatch("".join(row)):
            yield Setting(name[1], "env", line)
    asked = chain.from_iterable(numbered(form, text) for form in (ASKS, _IS_THERE))
    for line, match in islice(asked, _ASKED_MAX):
        if table := _looped(facts, path, text, line, match):
            defaults = _defaults(facts, table.path)
            for variable, word in _names(table):
                yield Setting(variable, "env", line, defaults.get(word))


def _looped(facts: Facts, path: str, text: str, line: int, asked: re.Match[str]) -> _Table | None:
    """What a loop around a question goes through that binds the variable which this is about."""
    lines = lines_of(facts, path)
    first = max(line - 1 - _BEFORE, 0)
    around = "\n".join(lines[first : line + _BEHIND])
    for form in (_FOR, _FOREACH, _PASSED):
        for match in form.finditer(around):
            *tables, bound = match.groups() if form is not _FOR else (*match.groups()[1:], match[1])
            if bound == asked[1]:
                written = next(filter(None, tables), "")
                written = _WAY.sub("", written.lstrip("$"))
                return _table(facts, path, text, asked.start(), written)
    return None


def _table(facts: Facts, path: str, text: str, at: int, written: str) -> _Table | None:
    """The literal that an expression is, or names last before a place in the text."""
    if written.startswith("["):
        return _Table(path, arguments(written, 1))
    if "." not in written and ":" not in written:
        before = text[max(at - _MADE_BEFORE, 0) : at]
        if made := [*re.finditer(_MADE % re.escape(written), before)]:
            return _Table(path, arguments(before, made[-1].end()))
    found = declaration(facts, path, written.replace("::", "."))
    return _declared(facts, *found) if found else None


def _declared(facts: Facts, path: str, symbol: Symbol) -> _Table | None:
    text = "\n".join(lines_of(facts, path)[symbol.line - 1 : symbol.end])
    made = re.search(_MADE % re.escape(symbol.name), text)
    return _Table(path, arguments(text, made.end())) if made else None


def _names(table: _Table) -> Iterator[tuple[str, str]]:
    """The variables of a list or of the keys of a table, where all are, with the word that a table
    has for each."""
    rows = [row for row in table.rows if row]
    keys = [_ROW.fullmatch(row) for row in rows]
    names = [
        _NAME.fullmatch(f"'{key[1]}'" if key else row) for key, row in zip(keys, rows, strict=True)
    ]
    if all(names):
        for name, key in zip(names, keys, strict=True):
            if name:
                yield name[1], (literal(key[2]) if key else None) or ""


def _defaults(facts: Facts, path: str) -> Mapping[str, str]:
    """The literals of the only table in a file that is called after defaults."""
    tables = [
        it
        for it in facts.code[path].symbols
        if it.kind in ("constant", "variable") and "DEFAULT" in it.name.upper() and it.end > it.line
    ]
    found = _declared(facts, path, tables[0]) if len(tables) == 1 else None
    rows = filter(None, map(_ROW.fullmatch, found.rows if found else ()))
    values = {row[1]: ROW_VALUE.fullmatch(row[2]) for row in rows}
    return {name: value[value.lastindex or 0] for name, value in values.items() if value}
