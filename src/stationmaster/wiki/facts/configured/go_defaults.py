"""What functions of Go make settings of before anything is read: `func defaultConfig() *Config`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.configured.go_calls import arguments, source
from stationmaster.wiki.facts.configured.go_structs import sources
from stationmaster.wiki.facts.model import Facts, Spot

_MAKES = re.compile(r"(?i)(?:new|get|make|init|load)?_?default\w{0,60}|\w{1,60}defaults?")
_REMARK = re.compile(r"(?m)[ \t]//[^\n]*")
_VALUE = re.compile(
    r"\"([^\"\\\n]{0,200})\"|(-?\d[\d_.]{0,30}|true|false|\d{1,9} ?\* ?time\.\w{1,20})"
)
_FIELD = re.compile(r"(\w{1,80}):\s*(.+)", re.DOTALL)
_STRUCT = re.compile(r"&?(?:\w{1,60}\.)?\w{1,100}\{")
_DEPTH_MAX, _LETTERS_MAX = 6, 40_000

Defaults = Mapping[tuple[str, ...], str]
"""Values by the names of the fields that lead to them."""


def defaults(facts: Facts, struct: Spot) -> Defaults | None:
    """What the only such function of a package gives the fields of a struct; None without one."""
    made = [*_made(facts, struct)]
    return dict(_values(made[0][1], (), 0)) if len(made) == 1 else None


def made_new(facts: Facts, struct: Spot) -> tuple[str, Defaults]:
    """What the only function of a package that makes a struct gives its fields, with its name: that
    is no default of what is read, but of what is written anew. '' where there is none."""
    names = re.compile(rf"New(?:{re.escape(struct.name)})?")
    made = [*_made(facts, struct, names, r"(?:\breturn|:=|=) &?%s\{")]
    return (made[0][0], dict(_values(made[0][1], (), 0))) if len(made) == 1 else ("", {})


def _made(
    facts: Facts,
    struct: Spot,
    names: re.Pattern[str] = _MAKES,
    form: str = r"\breturn &?%s\{",
) -> Iterator[tuple[str, str]]:
    """The functions of these names, and what they return behind the name of the struct."""
    returned = re.compile(form % re.escape(struct.name))
    folder = folder_of(struct.path)
    for path in sources(facts, ".go"):
        symbols = facts.code[path].symbols if folder_of(path) == folder else ()
        for symbol in symbols:
            if symbol.kind == "function" and names.fullmatch(symbol.name):
                lines = source(facts, path).split("\n")[symbol.line - 1 : symbol.end]
                body = _REMARK.sub("", "\n".join(lines))
                if start := returned.search(body):
                    yield symbol.name, body[start.end() :]


def _values(text: str, above: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
    for given in arguments(text, 0, _LETTERS_MAX):
        field = _FIELD.fullmatch(given)
        if field is None:
            continue
        name, written = (*above, field[1]), field[2].strip()
        value, inner = _VALUE.fullmatch(written), _STRUCT.match(written)
        if value:
            yield name, value[1] if value[1] is not None else value[2]
        elif inner and depth < _DEPTH_MAX:
            yield from _values(written[inner.end() :], name, depth + 1)
