"""Variables of the environment of Go that set the same variable of the program as a flag does: they
mean what that means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from stationmaster.reading.code.model import Option, Setting
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import around
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.configured.literals import initial
from stationmaster.wiki.facts.model import Facts, Spot, query

_KEPT = re.compile(r"Var\w{0,9}\(\s{0,9}&([\w.]{1,100}),")
_SET = re.compile(r"\s{0,40}([A-Za-z_][\w.]{0,100})(?:, ?\w{1,40})? ?= ?[^=\s]")
_ASKED = re.compile(r"\s{0,40}if [^\n]{1,300}\{\s{0,9}")
_OLD = re.compile(r"(?i)deprecated|obsolete|legacy")
_LINE_MAX = 400


def meant(facts: Facts, reads: Sequence[Read]) -> list[Read]:
    """Reads of a variable of the environment, in Go with the meaning of the flag that sets the same
    variable of the program, and with the value that this has where nothing sets it."""
    return [(path, _meant(facts, path, it)) for path, it in reads]


def _meant(facts: Facts, path: str, read: Setting) -> Setting:
    name, is_asked = _set(facts, path, read) if path.endswith(".go") else ("", False)
    spot = _variable(facts, path, name, read.line) if name else None
    if spot is None:
        return read
    flags, symbol = _flags(facts).get(spot, {}), symbol_of(facts, spot.path, spot.name)
    option = flags.get(path) or next(iter(flags.values()), None)
    doc = symbol.doc if symbol else ""
    if option is not None:
        doc = f"{option.help.rstrip('.')}. Also set by {option.names[-1]}."
    if doc and _OLD.search(around(facts, path, read.line)):
        doc = f"Deprecated. {doc}"
    default = initial(facts, spot.path, symbol) if is_asked and symbol else None
    kept = read.default if read.default is not None else default
    return replace(read, doc=read.doc or doc, default=kept)


def _set(facts: Facts, path: str, read: Setting) -> tuple[str, bool]:
    """What is given the value that a line reads, by that line or under its condition by the next,
    and whether that is only done where there is a value; '' for nothing."""
    lines, quoted = lines_of(facts, path), f'"{read.name}"'
    before, own, after = (
        lines[at][:_LINE_MAX] if 0 <= at < len(lines) else ""
        for at in (read.line - 2, read.line - 1, read.line)
    )
    if quoted in own and (is_set := _SET.match(own)):
        return is_set[1], quoted in before and _ASKED.fullmatch(before) is not None
    is_set = _SET.match(after) if quoted in own and _ASKED.fullmatch(own) else None
    return (is_set[1], True) if is_set else ("", False)


def _variable(facts: Facts, path: str, name: str, line: int) -> Spot | None:
    """A variable of a package, or one of the function around a line."""
    end = declaration(facts, path, name)
    if end is not None:
        return Spot(end[0], end[1].qualified) if end[1].kind == "variable" else None
    return None if "." in name else Spot(path, f"{around(facts, path, line)} {name}")


@query
def _flags(facts: Facts) -> Mapping[Spot, Mapping[str, Option]]:
    """The flags by the variables that keep their values, then by file, of several the first."""
    flags = defaultdict[Spot, dict[str, Option]](dict)
    for path, option in _options(facts):
        line = next(iter(lines_of(facts, path)[option.line - 1 : option.line]), "")[:_LINE_MAX]
        kept = _KEPT.search(line)
        spot = _variable(facts, path, kept[1], option.line) if kept else None
        if spot is not None and option.help and not _OLD.match(option.help):
            flags[spot].setdefault(path, option)
    return flags


def _options(facts: Facts) -> Iterator[tuple[str, Option]]:
    for file in interfaces(facts):
        for command in file.commands if file.path.endswith(".go") else ():
            yield from ((file.path, option) for option in command.options)
