"""What functions of Go make settings of before anything is read: `func defaultConfig() *Config`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stationmaster.reading.code.signatures import arguments_from
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.configured.go_calls import source
from stationmaster.wiki.facts.configured.go_structs import sources
from stationmaster.wiki.facts.configured.literals import literal
from stationmaster.wiki.facts.model import Facts, Spot

_MAKES = re.compile(r"(?i)(?:new|get|make|init|load)?_?default\w{0,60}|\w{1,60}defaults?")
_REMARK = re.compile(r"(?m)[ \t]//[^\n]*")
_FIELD = re.compile(r"(\w{1,80}):\s*(.+)", re.DOTALL)
_STRUCT = re.compile(r"&?(?:\w{1,60}\.)?\w{1,100}\{")
_DEPTH_MAX, _LETTERS_MAX = 6, 40_000

Defaults = Mapping[tuple[str, ...], str]
"""Values by the names of the fields that lead to them."""


def defaults(facts: Facts, struct: Spot) -> Defaults | None:
    """What the only such function of a package gives the fields of a struct; None without one."""
    made = [*_made(facts, struct)]
    return dict(_values(made[0], (), 0)) if len(made) == 1 else None


def _made(facts: Facts, struct: Spot) -> Iterator[str]:
    """What such functions return behind the name of the struct."""
    returned = re.compile(rf"\breturn &?{re.escape(struct.name)}\{{")
    folder = folder_of(struct.path)
    for path in sources(facts, ".go"):
        symbols = facts.code[path].symbols if folder_of(path) == folder else ()
        for symbol in symbols:
            if symbol.kind == "function" and _MAKES.fullmatch(symbol.name):
                lines = source(facts, path).split("\n")[symbol.line - 1 : symbol.end]
                body = _REMARK.sub("", "\n".join(lines))
                if start := returned.search(body):
                    yield body[start.end() :]


def _values(text: str, above: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
    for given in arguments_from(text, 0, _LETTERS_MAX):
        field = _FIELD.fullmatch(given)
        if field is None:
            continue
        name, written = (*above, field[1]), field[2].strip()
        value, inner = literal(written), _STRUCT.match(written)
        if value is not None:
            yield name, value
        elif inner and depth < _DEPTH_MAX:
            yield from _values(written[inner.end() :], name, depth + 1)
