"""Which requests middleware of Go lets pass by their paths: those in a table of the project, and
all that are not below a prefix."""

from __future__ import annotations

import re

import msgspec

from stationmaster.wiki.facts.code.bindings import constant_value, declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.model import Facts, query

_OF_REQUEST = r"[\w.()]{1,60}\bPath(?:\(\))?"
_GOES_ON = r"(?:return next\(|next\.ServeHTTP\()"
_TABLE = re.compile(
    rf"(Skipper:[ \t]*+)?\bfunc\([^\n]{{0,200}}\{{\n\s*+if (\w{{1,80}})\[{_OF_REQUEST}\] \{{\n"
    rf"\s*(?:(return true\b)|{_GOES_ON})"
)
_PREFIX = re.compile(
    rf"\bfunc\([^\n]{{0,200}}\{{\n\s*+if (!?)strings\.HasPrefix\({_OF_REQUEST}, "
    rf"(\"[^\"\n]*\"|\w{{1,80}})\)"
    rf" \{{\n[ \t]*+([^\n]{{0,300}})\n(?:[ \t]*+return\n)?[ \t]*+\}}\n[ \t]*+([^\n]{{0,300}})"
)
_REMARK = re.compile(r"(?m)^[ \t]*+//[^\n]*\n")
_ROW = re.compile(r"\"([^\"\n]{1,200})\":\s*(?:true|\{\}|struct\{\}\{\}),")
_PARAMETER = re.compile(r":\w+|\{\w+\}")


class Skipped(msgspec.Struct, frozen=True):
    """Paths with `:` for their parameters that pass, and how all others begin; '' for any."""

    paths: frozenset[str] = frozenset()
    below: str = ""


def lets_pass(facts: Facts, guard: Guard, route: str) -> bool:
    """Does middleware not ask for the path of a route?"""
    if guard.spot is None or not guard.spot.path.endswith(".go"):
        return False
    skipped = _skipped(facts, *guard.spot)
    return _PARAMETER.sub(":", route) in skipped.paths or not route.startswith(skipped.below)


@query
def _skipped(facts: Facts, path: str, name: str) -> Skipped:
    symbol = symbol_of(facts, path, name)
    lines = lines_of(facts, path)[symbol.line - 1 : symbol.end] if symbol else ()
    text = _REMARK.sub("", "\n".join(lines))
    table, prefix = _TABLE.search(text), _PREFIX.search(text)
    is_table = table is not None and bool(table[1]) is bool(table[3])
    rows = _ROW.findall(_declaration(facts, path, table[2])) if table and is_table else ()
    paths = frozenset(_PARAMETER.sub(":", row) for row in rows)
    goes_on = [bool(re.match(_GOES_ON, prefix[at])) for at in (3, 4)] if prefix else []
    if prefix is None or goes_on != [bool(prefix[1]), not prefix[1]]:
        return Skipped(paths)
    end = declaration(facts, path, prefix[2])
    return Skipped(paths, (constant_value(facts, *end) if end else prefix[2]).strip('"'))


def _declaration(facts: Facts, path: str, name: str) -> str:
    """A table of the project as it is written; '' for anything else."""
    end = declaration(facts, path, name)
    lines = lines_of(facts, end[0])[end[1].line - 1 : end[1].end] if end else ()
    return "\n".join(lines) if lines and "map[string]" in lines[0] else ""
