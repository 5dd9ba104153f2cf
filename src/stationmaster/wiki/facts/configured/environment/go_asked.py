"""Variables of the environment that functions of a program of Go ask for: `getEnv("PORT", "80")`,
where `getEnv` hands what it is given to `os.Getenv`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.go_calls import (
    Call,
    arguments,
    calls,
    enclosing,
    source,
)
from stationmaster.wiki.facts.configured.go_structs import Read, Structs, sources
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

_ASKING = ("Getenv", "LookupEnv")
_DEPTH_MAX, _ASKERS_MAX, _SETTINGS_MAX = 3, 100, 2_000
_TEXT = re.compile(r"\"([^\"\\]*)\"")
_SPRINTF = re.compile(r"fmt\.Sprintf\(\s*\"(\w{0,60})%s(\w{0,60})\"\s*,\s*(\w{1,60})\s*\)")
_VARIABLE = re.compile(r"[A-Za-z_]\w{1,99}")
_DEFAULT = re.compile(r"(?i)(?:def|default|fallback|dflt|orelse)\w{0,20}")
_VALUE = re.compile(r"-?\d[\d_.]*|true|false|(?:\d+\s*\*\s*)?time\.[A-Z]\w+")


class _Asker(NamedTuple):
    """A function that asks for the variable that an argument names, between `before` and `after`.
    `default` is the place of what stands in for it, -1 for none."""

    path: str
    function: Symbol
    place: int
    before: str
    after: str
    default: int


@query
def read(facts: Facts) -> tuple[Read, ...]:
    """The variables, with the files that name them."""
    return tuple(_Reader(facts).read())[:_SETTINGS_MAX]


class _Reader:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._paths = [*sources(facts, ".go")]

    def read(self) -> Iterator[Read]:
        first = [asker for path in self._paths for asker in self._first(path)]
        if not first:
            return
        structs = Structs(self._facts)
        waiting = [(asker, 0) for asker in first]
        seen: set[_Asker] = set()
        while waiting and len(seen) < _ASKERS_MAX:
            asker, depth = waiting.pop(0)
            if asker in seen:
                continue
            seen.add(asker)
            for path, text, call in self._uses(structs, asker):
                if asker.place < len(call.given):
                    name = self._name(path, call.given[asker.place])
                    if name and _VARIABLE.fullmatch(f"{asker.before}{name}{asker.after}"):
                        yield path, self._setting(asker, name, text, call)
                    elif not name and depth < _DEPTH_MAX:
                        outer = self._asker(path, text, call, asker.place)
                        waiting += [(it, depth + 1) for it in outer]

    def _first(self, path: str) -> Iterator[_Asker]:
        """The functions of a file that ask the environment for what they are given."""
        if "os" in bound(self._facts.code[path].imports).values():
            for call in calls(text := source(self._facts, path), _ASKING):
                if call.of == "os" and call.given:
                    yield from self._asker(path, text, call, 0)

    def _asker(self, path: str, text: str, call: Call, place: int) -> Iterator[_Asker]:
        """The function around a call, where an argument is one of its own."""
        function = enclosing(self._facts, path, text, call.at)
        parts = self._parts(path, call.given[place]) if function else None
        if function is None or parts is None:
            return
        before, name, after = parts
        taken = _parameters(function)
        if name in taken:
            default = next((it for it, word in enumerate(taken) if _DEFAULT.fullmatch(word)), -1)
            yield _Asker(path, function, taken.index(name), before, after, default)

    def _parts(self, path: str, written: str) -> tuple[str, str, str] | None:
        """What stands before and behind the only name in a text that is put together."""
        if made := _SPRINTF.fullmatch(written):
            return made[1], made[3], made[2]
        parts = [part.strip() for part in written.split("+")]
        names = [self._name(path, part) for part in parts]
        if names.count("") != 1:
            return None
        at = names.index("")
        return "".join(names[:at]), parts[at], "".join(names[at + 1 :])

    def _name(self, path: str, written: str) -> str:
        """The text of a literal or a constant; '' for anything else."""
        if told := _TEXT.fullmatch(written):
            return told[1]
        if re.fullmatch(r"(?:\w{1,60}\.)?[A-Za-z]\w{0,99}", written):
            name = told_elsewhere(self._facts, path, f"{{${written}}}")
            return "" if "{" in name else name
        return ""

    def _uses(self, structs: Structs, asker: _Asker) -> Iterator[tuple[str, str, Call]]:
        """The calls of a function; of a method in its package, where no other is called so."""
        folder, function = folder_of(asker.path), asker.function
        is_method = function.kind == "method" and structs.is_only(folder, function.name)
        for path in self._paths:
            is_near = folder_of(path) == folder
            if f"{function.name}(" not in self._facts.tree.text(path) or not (
                is_near or any(link.end == asker.path for link in links_from(self._facts, path))
            ):
                continue
            text = source(self._facts, path)
            packages = bound(self._facts.code[path].imports)
            for call in calls(text, {function.name}):
                written = f"{call.of}.{call.name}" if call.of else call.name
                is_own = is_method and is_near and call.of and call.of not in packages
                if is_own or structs.function(written, path) == (asker.path, function):
                    yield path, text, call

    def _setting(self, asker: _Asker, name: str, text: str, call: Call) -> Setting:
        line = text.count("\n", 0, call.at) + 1
        default = None
        if 0 <= asker.default < len(call.given):
            written = call.given[asker.default]
            told = _TEXT.fullmatch(written)
            default = told[1] if told else written if _VALUE.fullmatch(written) else None
        return Setting(f"{asker.before}{name}{asker.after}", "env", line, default)


def _parameters(function: Symbol) -> Sequence[str]:
    start = function.signature.find(f"{function.name}(") + len(function.name) + 1
    return [told.split()[0] for told in arguments(function.signature, start)]
