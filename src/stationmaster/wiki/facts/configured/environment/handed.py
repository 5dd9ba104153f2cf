"""Variables of the environment that functions of a project ask for by what they are handed:
`expanded("CACHE_DIR")`, where `expanded` hands its parameter to `os.environ.get` or to another such
function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.languages.go.settings import VIPER
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.go_calls import arguments, calls, source
from stationmaster.wiki.facts.configured.go_structs import Read, Structs, sources
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

ASKS = re.compile(
    r"(?:\b(?i:getenv|GetEnvironmentVariable|environ\.get|env::var|env::var_os|ENV\.fetch)\("
    r"|\b(?:environ|ENV|process\.env)\[)\s{0,20}&?\$?([A-Za-z_]\w{0,60})\s{0,20}[,)\]]"
)
WORDS = ("etenv", "GetEnvironmentVariable", "environ", "env::var", "ENV", "process.env")
_ASKING_OF_GO = {"Getenv": "os", "LookupEnv": "os", "BindEnv": VIPER, "MustBindEnv": VIPER}
"""What asks the environment, by the package whose it is."""
_MADE = (
    r"\b%s\s{0,9}=\s{0,9}(?:format!\(|f|fmt\.)?[\"'`](\w{0,60})\$?\{(\w{1,60})\}(\w{0,60})[\"'`]"
)
"""What a variable of this name is put together from."""
_SPRINTF = re.compile(r"fmt\.Sprintf\(\s*\"(\w{0,60})%s(\w{0,60})\"\s*,\s*(\w{1,60})\s*\)")
_TEXT = re.compile(r"[\"']([A-Za-z_]\w{1,99})[\"']")
_TEXT_OF_GO = re.compile(r"\"([^\"\\]*)\"")
_PARAMETER = re.compile(r"[&*$.]{0,4}(?:(?:mut|const|final|_)\s+)?(\w{1,60})")
_DEFAULT = re.compile(r"(?i)(?:def|default|fallback|dflt|orelse)\w{0,20}")
_LITERAL = re.compile(
    r"\"([^\"\\\n]*)\"|'([^'\n]*)'|(-?\d[\d_.]*|(?i:true|false)|(?:\d+\s*\*\s*)?time\.[A-Z]\w+)"
)
_OF_ENVIRONMENT = re.compile(r"(?i)env")
_DEPTH_MAX, _ASKERS_MAX, _SETTINGS_MAX, _BODY_MAX = 3, 100, 2_000, 60


class _Asker(NamedTuple):
    """A function that asks for the variable that its parameter at a place names, between `before`
    and `after`. `default` is the place of what stands in for it, -1 for none."""

    path: str
    function: Symbol
    place: int
    default: int
    before: str = ""
    after: str = ""


class _Use(NamedTuple):
    """A call of such a function."""

    path: str
    line: int
    given: tuple[str, ...]


@query
def read(facts: Facts) -> tuple[Read, ...]:
    """The variables, with the files that name them."""
    return (*_OfGo(facts).read(), *_OfOthers(facts).read())


class _OfOthers:
    """Whatever the language but Go."""

    _variable = re.compile(r"[A-Z][A-Z0-9_]{1,99}")

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def read(self) -> tuple[Read, ...]:
        """At most 2,000."""
        return tuple(self._read())[:_SETTINGS_MAX]

    def _read(self) -> Iterator[Read]:
        waiting = [(asker, 0) for path in self._paths for asker in self._first(path)]
        seen: set[_Asker] = set()
        while waiting and len(seen) < _ASKERS_MAX:
            asker, depth = waiting.pop(0)
            if asker in seen:
                continue
            seen.add(asker)
            for use in self._uses(asker):
                written = use.given[asker.place]
                name = self._name(use.path, written)
                whole = f"{asker.before}{name}{asker.after}"
                if name and self._variable.fullmatch(whole):
                    yield use.path, Setting(whole, "env", use.line, _default(asker, use))
                elif not name and depth < _DEPTH_MAX:
                    around = self._around(use.path, use.line)
                    outer = self._asker(use.path, around, written) if around else None
                    waiting += [(_within(asker, outer), depth + 1)] if outer else []

    @cached_property
    def _paths(self) -> Sequence[str]:
        return [path for path in sources(self._facts) if not path.endswith(".go")]

    def _first(self, path: str) -> Iterator[_Asker]:
        """The functions of a file that ask the environment for what they are given."""
        text = self._facts.tree.text(path)
        if not any(word in text for word in WORDS):
            return
        lines = text.split("\n")
        for function in self._functions(path):
            end = min(function.end, function.line + _BODY_MAX)
            body = "\n".join(lines[function.line - 1 : end])
            for name in dict.fromkeys(match[1] for match in ASKS.finditer(body)):
                made = re.search(_MADE % re.escape(name), body)
                before, inner, after = (made[1], made[2], made[3]) if made else ("", name, "")
                if asker := self._asker(path, function, inner):
                    yield asker._replace(before=before, after=after)

    def _name(self, path: str, written: str) -> str:  # noqa: ARG002 - Go needs it
        """The text of a literal or a constant; '' for anything else."""
        literal = _TEXT.fullmatch(written)
        return literal[1] if literal else ""

    def _asker(self, path: str, function: Symbol, written: str) -> _Asker | None:
        """The function around a call, where what is written there is one of its own parameters."""
        return _asker(path, function, _parameters(function), written.strip("&$"))

    def _functions(self, path: str) -> Iterator[Symbol]:
        """The functions of a file, and those methods whose names say that they read an
        environment."""
        for symbol in self._facts.code[path].symbols:
            is_named = symbol.kind == "method" and _OF_ENVIRONMENT.search(symbol.name)
            if symbol.kind == "function" or is_named:
                yield symbol

    def _around(self, path: str, line: int) -> Symbol | None:
        """The innermost function around a line."""
        around = [it for it in self._functions(path) if it.line <= line <= it.end]
        return max(around, key=lambda it: it.line, default=None)

    def _uses(self, asker: _Asker) -> Iterator[_Use]:
        """The calls of a function that give it enough."""
        called = re.compile(rf"\b{re.escape(asker.function.name)}\(")
        for path in self._paths:
            text = self._facts.tree.text(path)
            if f"{asker.function.name}(" not in text or not self._is_meant(asker, path):
                continue
            for line, match in numbered(called, text):
                passed = arguments(text, match.end())
                is_own = path == asker.path and line == asker.function.line
                if not is_own and asker.place < len(passed):
                    yield _Use(path, line, passed)

    def _is_meant(self, asker: _Asker, path: str) -> bool:
        """Does the name of a function stand for it in a file?"""
        name = asker.function.name
        if path == asker.path:
            return True
        is_other = any(it.name == name for it in self._functions(path))
        if is_other or not any(link.end == asker.path for link in links_from(self._facts, path)):
            return False
        return asker.function.kind == "method" or any(
            origin.path in (asker.path, path) for origin in meant(self._facts, path, name)
        )


class _OfGo(_OfOthers):
    """`getEnv("PORT", "80")`, where `getEnv` hands what it is given to `os.Getenv`."""

    _variable = re.compile(r"[A-Za-z_]\w{1,99}")

    @cached_property
    def _paths(self) -> Sequence[str]:
        return [*sources(self._facts, ".go")]

    @cached_property
    def _structs(self) -> Structs:
        return Structs(self._facts)

    def _first(self, path: str) -> Iterator[_Asker]:
        packages = bound(self._facts.code[path].imports)
        if not {"os", VIPER}.isdisjoint(packages.values()):
            text = source(self._facts, path)
            has_prefix = ".SetEnvPrefix(" in text
            for call in calls(text, _ASKING_OF_GO):
                is_theirs = packages.get(call.of) == _ASKING_OF_GO[call.name]
                # A prefix of viper stands before all names, and two names need no parameter.
                is_alone = call.of == "os" or (len(call.given) == 1 and not has_prefix)
                is_asked = is_theirs and is_alone and call.given
                if is_asked and (around := self._around(path, call.line)):
                    asker = self._asker(path, around, call.given[0])
                    yield from (asker,) if asker else ()

    def _functions(self, path: str) -> Iterator[Symbol]:
        return (it for it in self._facts.code[path].symbols if it.kind in ("function", "method"))

    def _asker(self, path: str, function: Symbol, written: str) -> _Asker | None:
        parts = self._parts(path, written)
        if parts is None:
            return None
        start = function.signature.find(f"{function.name}(") + len(function.name) + 1
        taken = [told.split()[0] for told in arguments(function.signature, start)]
        asker = _asker(path, function, taken, parts[1])
        return asker and asker._replace(before=parts[0], after=parts[2])

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
        if literal := _TEXT_OF_GO.fullmatch(written):
            return literal[1]
        if re.fullmatch(r"(?:\w{1,60}\.)?[A-Za-z]\w{0,99}", written):
            name = told_elsewhere(self._facts, path, f"{{${written}}}")
            return "" if "{" in name else name
        return ""

    def _uses(self, asker: _Asker) -> Iterator[_Use]:
        """Those of a method in its package, where no other is called so."""
        folder, function = folder_of(asker.path), asker.function
        is_method = function.kind == "method" and self._structs.is_only(folder, function.name)
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
                is_it = is_own or self._structs.function(written, path) == (asker.path, function)
                if is_it and asker.place < len(call.given):
                    yield _Use(path, call.line, call.given)


def _asker(path: str, function: Symbol, taken: Sequence[str], name: str) -> _Asker | None:
    if name not in taken:
        return None
    default = next((at for at, word in enumerate(taken) if _DEFAULT.fullmatch(word)), -1)
    return _Asker(path, function, taken.index(name), default)


def _within(asker: _Asker, outer: _Asker) -> _Asker:
    """One that hands its parameter to another, which puts more around it."""
    return outer._replace(before=asker.before + outer.before, after=outer.after + asker.after)


def _parameters(function: Symbol) -> list[str]:
    start = function.signature.find("(", function.signature.find(function.name)) + 1
    taken = []
    for told in arguments(function.signature, start) if start else ():
        bare = told.partition("=")[0].strip()
        named = _PARAMETER.match(bare)
        is_typed_before = ":" not in bare and " " in bare
        word = bare.rpartition(" ")[2] if is_typed_before else named[1] if named else ""
        taken.append(word.strip("&*$."))
    return taken[1:] if taken[:1] in (["self"], ["cls"], ["this"]) else taken


def _default(asker: _Asker, use: _Use) -> str | None:
    if not 0 <= asker.default < len(use.given):
        return None
    written = use.given[asker.default]
    return literal(written) or literal(written.rpartition("=")[2].strip())


def literal(written: str) -> str | None:
    """What a literal says; None for anything else."""
    match = _LITERAL.fullmatch(written)
    return match[match.lastindex or 0] if match else None
