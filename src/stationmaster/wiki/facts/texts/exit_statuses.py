"""Exit statuses that constants name: in a module, a file, a class or an enum named after exits,
`mod exits { pub const USAGE: i32 = 3; }`, or constants that begin so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.configured.go_structs import sources
from stationmaster.wiki.facts.configured.mentioned import above
from stationmaster.wiki.facts.model import Facts, of_file, query
from stationmaster.wiki.text.inline import Place

_CALLED = re.compile(r"(?i)(?:sys)?exits?|exit_?(?:code|status)(?:e?s)?")
_NUMBERED = re.compile(
    r"[ \t]{0,40}(?:(?:pub|export|public|internal|static|final|const|readonly|val|let|var|int)"
    r"(?:\(\w{1,20}\))?[ \t]+){0,5}([A-Za-z]\w{1,60})"
    r"(?:[ \t]*(?::[ \t]*\w{1,20}[ \t]*|\w{1,20}[ \t]*)?=[ \t]*|\()(\d{1,3})\b(?![.\w])[ \t]*[,;)]*"
    r"[ \t]*(?:(?://+|#)<?[ \t]*(\S.{0,300}))?(?:[^\n]{0,300})"
)
_MATCHED = re.compile(
    r"[ \t]{0,40}(?:case )?\w{1,60}(?:::|\.)(\w{1,60})[ \t]*+(?:=>|->)[ \t]*+(\d{1,3})[ \t]*+[,;]?"
    r"[ \t]*+(?://[ \t]*+(\S.{0,300}))?"
)
"""An arm that gives a name its number."""
_BEGINS = re.compile(r"(?:Exit|EXIT)(?i:_?(?:code|status)?_?[a-z]\w*)")
_TYPES = frozenset({"module", "enum", "class", "struct", "object", "type", "interface"})
_STATUS_MAX, _STATUSES_MIN, _STATUSES_MAX, _REMARK_MIN = 255, 2, 100, 2


class ExitStatus(NamedTuple):
    """A number that a program may end with; `meaning` is from a comment, '' without one."""

    status: int
    name: str
    meaning: str
    place: Place


@query
def exit_statuses(facts: Facts) -> tuple[ExitStatus, ...]:
    """By number, of places that have two or more."""
    statuses = dict.fromkeys(it for path in sources(facts) for it in _in_file(facts, path))
    return tuple(sorted(statuses)[:_STATUSES_MAX])


@of_file
def _in_file(facts: Facts, path: str) -> list[ExitStatus]:
    statuses: list[ExitStatus] = []
    for start, end, is_whole in _scopes(facts, path):
        rows = _within(facts, path, start, end)
        own = [it for it in rows if is_whole or _BEGINS.fullmatch(it.name)]
        statuses += own if len(own) >= _STATUSES_MIN else ()
    return statuses


def _scopes(facts: Facts, path: str) -> Iterator[tuple[int, int, bool]]:
    """The lines that may have such constants, and whether all of them there are such."""
    stem = path.rpartition("/")[2].partition(".")[0]
    text = facts.tree.text(path)
    if _CALLED.fullmatch(stem):
        yield 1, text.count("\n") + 1, True
        return
    for symbol in facts.code[path].symbols if "xit" in text or "XIT" in text else ():
        if symbol.kind in _TYPES and _CALLED.fullmatch(symbol.name):
            yield symbol.line, symbol.end, True
    if path.endswith((".go", ".py", ".c", ".h", ".rs")) and ("Exit" in text or "EXIT_" in text):
        yield 1, text.count("\n") + 1, False


def _within(facts: Facts, path: str, start: int, end: int) -> Iterator[ExitStatus]:
    lines = lines_of(facts, path)
    for number in range(start, min(end, len(lines)) + 1):
        line = lines[number - 1]
        match = _NUMBERED.fullmatch(line) or _MATCHED.fullmatch(line)
        if match and int(match[2]) <= _STATUS_MAX:
            meaning = (match[3] or "").removesuffix("*/").strip()
            meaning = meaning or above(lines, number, _REMARK_MIN)
            yield ExitStatus(int(match[2]), match[1], meaning, Place(path, number))
