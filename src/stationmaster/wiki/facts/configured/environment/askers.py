"""Functions of a project that ask the environment for what they are handed, and their calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.bindings import constant_value, declaration, meant
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.go_calls import arguments
from stationmaster.wiki.facts.configured.go_structs import Place, Read, sources
from stationmaster.wiki.facts.model import Facts, Spot

ASKS = re.compile(
    r"(?:\b(?i:getenv|GetEnvironmentVariable|environ\.get|env::var|env::var_os|ENV\.fetch)\("
    r"|\b(?:environ|ENV|process\.env)\[)\s{0,20}&?\$?([A-Za-z_]\w{0,60})\s{0,20}[,)\]]"
)
_ASKED = re.compile(
    r"\b(?:(?i:getenv|GetEnvironmentVariable|environ\.get|env::var|env::var_os|ENV\.fetch)\("
    r"|(?:environ|ENV|process\.env)\[)\s{0,20}&?((?:\w{1,60}(?:\.|::)){0,4}[A-Z][A-Z0-9_]{1,60})"
    r"\s{0,20}[,)\]]"
)
"""What asks for a constant."""
WORDS = ("etenv", "GetEnvironmentVariable", "environ", "env::var", "ENV", "process.env")
_MADE = (
    r"\b%s\s{0,9}=\s{0,9}(?:format!\(|f|fmt\.)?[\"'`](\w{0,60})\$?\{(\w{1,60})\}(\w{0,60})[\"'`]"
)
"""What a variable of this name is put together from."""
_IN_WORD = re.compile(r"\w")
_RECEIVER = re.compile(r"(\w{1,60})\s{0,99}(?:\??\.|->|::)\Z")
_NEAR = 170
"""Letters before a call in which what it is called on is looked for."""
_TEXT = re.compile(r"[\"']([A-Za-z_]\w{1,99})[\"']")
_PARAMETER = re.compile(r"[&*$.]{0,4}(?:(?:mut|const|final|_)\s+)?(\w{1,60})")
_CONSTANT = re.compile(r"&?((?:\w{1,60}(?:\.|::)){0,4}[A-Z][A-Z0-9_]{1,99})")
_LIFETIME = re.compile(r"&'\w{1,60}\s")
_SELF = re.compile(r"[&*]{0,2}(?:mut )?(?:self|cls|this)\b.{0,60}")
_BOUND = re.compile(r"\b(\w{1,60})\s{0,9}(?::|extends)\s{0,9}([^,>{(]{1,80})")
_OWN = frozenset({"self", "this", "Self", "static", ""})
_DEFAULT = re.compile(r"(?i)(?:def|default|fallback|dflt|orelse)\w{0,20}")
_LITERAL = re.compile(
    r"\"([^\"\\\n]*)\"|'([^'\n]*)'|(-?\d[\d_.]*|(?i:true|false)|(?:\d+\s*\*\s*)?time\.[A-Z]\w+)"
)
READ_WHERE = "Read where"
"""What a meaning begins with that only says when a variable is read."""
_WORD = re.compile(r"\w+")
_OF_ENVIRONMENT = re.compile(r"(?i)env")
_DEPTH_MAX, _ASKERS_MAX, _SETTINGS_MAX, _BODY_MAX = 3, 100, 2_000, 60
_UNNAMED_MAX = 20


class Asker(NamedTuple):
    """A function that asks for the variable that its parameter at a place names, between `before`
    and `after`. `default` is the place of what stands in for it, -1 for none."""

    path: str
    function: Symbol
    place: int
    default: int
    before: str = ""
    after: str = ""


class Use(NamedTuple):
    """A call of such a function, and what it is called on, '' for nothing."""

    path: str
    line: int
    given: tuple[str, ...]
    of: str = ""


class Askers:
    """Of whatever language but Go."""

    _variable = re.compile(r"[A-Z][A-Z0-9_]{1,99}")

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.unnamed: list[Place] = []

    def read(self) -> Iterator[Read]:
        """Also notes in `unnamed` where names are made that cannot be told."""
        yield from self._direct()
        waiting = [(asker, 0) for path in self._paths for asker in self._first(path)]
        seen: set[Asker] = set()
        uses: list[tuple[Asker, Use]] = []
        while waiting and len(seen) < _ASKERS_MAX:
            asker, depth = waiting.pop(0)
            if asker in seen:
                continue
            seen.add(asker)
            of_asker = [*self._uses(asker)]
            if default := self._by_default(asker):
                yield asker.path, Setting(default, "env", asker.function.line)
            self.unnamed += [] if of_asker or default else [(asker.path, asker.function.line)]
            for use in of_asker:
                written = use.given[asker.place]
                if self._name(use.path, written):
                    uses.append((asker, use))
                elif depth < _DEPTH_MAX:
                    around = self._around(use.path, use.line)
                    outer = self._asker(use.path, around, written) if around else None
                    waiting += [(_within(asker, outer), depth + 1)] if outer else []
                    self.unnamed += [(use.path, use.line)] if outer is None else []
        yield from self._settings(uses, {(it.path, it.function.line, it.place) for it in seen})

    def _by_default(self, asker: Asker) -> str:
        """The variable that is asked for where a call does not name one; '' for none."""
        written = _taken(asker.function)[asker.place].rpartition("=")[2].strip()
        literal = _TEXT.fullmatch(written)
        name = f"{asker.before}{literal[1]}{asker.after}" if literal else ""
        return name if self._variable.fullmatch(name) else ""

    def _settings(
        self, uses: Sequence[tuple[Asker, Use]], places: Set[tuple[str, int, int]]
    ) -> Iterator[Read]:
        """`places` are the parameters that are asked for: such a one is no value that stands in,
        but the name of a variable that does."""
        for asker, use in uses:
            written = use.given[asker.place]
            name = f"{asker.before}{self._name(use.path, written)}{asker.after}"
            docs = [self._doc(use.path, written)]
            default = _default(asker, use)
            if (asker.path, asker.function.line, asker.default) in places:
                default = None
                others = [
                    it
                    for at, it in enumerate(use.given)
                    if at != asker.place and (asker.path, asker.function.line, at) in places
                ]
                docs = [
                    next(filter(None, (*docs, *(self._doc(use.path, it) for it in others))), "")
                ]
                if asker.place == asker.default and others:
                    docs.append(f"{READ_WHERE} {self._name(use.path, others[0])} is not set.")
            if self._variable.fullmatch(name):
                yield use.path, Setting(name, "env", use.line, default, doc=" ".join(docs).strip())

    def _direct(self) -> Iterator[Read]:
        """What is asked for by a constant, wherever that is declared."""
        for path in self._paths:
            text = self._facts.tree.text(path)
            for line, match in numbered(_ASKED, text) if any(it in text for it in WORDS) else ():
                name = self._name(path, match[1])
                if self._variable.fullmatch(name):
                    yield path, Setting(name, "env", line, doc=self._doc(path, match[1]))

    @cached_property
    def _paths(self) -> Sequence[str]:
        return [path for path in sources(self._facts) if not path.endswith(".go")]

    def _first(self, path: str) -> Iterator[Asker]:
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

    def _name(self, path: str, written: str) -> str:
        """The text of a literal or a constant; '' for anything else."""
        end = self._constant(path, written)
        literal = _TEXT.fullmatch(constant_value(self._facts, *end) if end else written)
        return literal[1] if literal else ""

    def _constant(self, path: str, written: str) -> tuple[str, Symbol] | None:
        named = _CONSTANT.fullmatch(written)
        return declaration(self._facts, path, named[1].replace("::", ".")) if named else None

    def _doc(self, path: str, written: str) -> str:
        """What is said of a constant where it is declared."""
        end = self._constant(path, written)
        return end[1].doc if end else ""

    def _asker(self, path: str, function: Symbol, written: str) -> Asker | None:
        """The function around a call, where what is written there is one of its own parameters."""
        return asker_of(path, function, _parameters(function), written.strip("&$"))

    def _functions(self, path: str) -> Iterator[Symbol]:
        return (it for it in self._facts.code[path].symbols if it.kind in ("function", "method"))

    def _around(self, path: str, line: int) -> Symbol | None:
        """The innermost function around a line."""
        around = [it for it in self._functions(path) if it.line <= line <= it.end]
        return max(around, key=lambda it: it.line, default=None)

    def _uses(self, asker: Asker) -> Iterator[Use]:
        """The calls of a function that give it enough."""
        name = asker.function.name
        for path in self._paths:
            text = self._facts.tree.text(path)
            if f"{name}(" not in text or not self._is_meant(asker, path, text):
                continue
            for line, receiver, end in _calls(text, name):
                passed = arguments(text, end)
                is_own = any(it.line == line for it in self._functions(path) if it.name == name)
                use = Use(path, line, passed, receiver)
                if not is_own and asker.place < len(passed) and self._is_on(asker, use):
                    yield use

    def _is_meant(self, asker: Asker, path: str, text: str) -> bool:
        """Does the name of a function stand for it in a file?"""
        if path == asker.path:
            return True
        if asker.function.kind == "method":
            return any(
                owner.name in text and self._is_from(owner, path) for owner in self._owners(asker)
            )
        name = asker.function.name
        is_other = any(it.name == name for it in self._functions(path))
        return (
            not is_other
            and any(link.end == asker.path for link in links_from(self._facts, path))
            and any(origin.path in (asker.path, path) for origin in meant(self._facts, path, name))
        )

    def _is_from(self, owner: Spot, path: str) -> bool:
        """Is a type known in a file: of its folder, or of what it imports?"""
        return (
            folder_of(path) == folder_of(owner.path)
            or any(link.end == owner.path for link in links_from(self._facts, path))
            or any(it.path == owner.path for it in meant(self._facts, path, owner.name))
        )

    def _is_on(self, asker: Asker, use: Use) -> bool:
        """Is what a method is called on its class, or declared as that or what it implements?"""
        if asker.function.kind != "method" or _OF_ENVIRONMENT.search(asker.function.name):
            return True
        names = {it.name for it in self._owners(asker)}
        around = self._around(use.path, use.line)
        holder = around.container.rpartition(".")[2] if around else ""
        if use.of in _OWN:
            return holder in names
        declared = {
            word
            for it in self._facts.code[use.path].typed
            if it.name == use.of and around and it.holder in (around.qualified, around.container)
            for word in _WORD.findall(it.type)
        }
        declared |= _types(around, use.of) if around else set()
        return use.of in names or not names.isdisjoint(declared)

    def _owners(self, asker: Asker) -> list[Spot]:
        """The class of a method, and the interfaces of the project's own that it implements."""
        name = asker.function.container
        owner = next(
            (it for it in self._facts.code[asker.path].symbols if it.qualified == name), None
        )
        ends = [declaration(self._facts, asker.path, it) for it in owner.bases] if owner else []
        return [
            Spot(asker.path, name.rpartition(".")[2]),
            *(Spot(end[0], end[1].name) for end in ends if end),
        ]


def asker_of(path: str, function: Symbol, taken: Sequence[str], name: str) -> Asker | None:
    if name not in taken:
        return None
    default = next((at for at, word in enumerate(taken) if _DEFAULT.fullmatch(word)), -1)
    return Asker(path, function, taken.index(name), default)


def _within(asker: Asker, outer: Asker) -> Asker:
    """One that hands its parameter to another, which puts more around it."""
    return outer._replace(before=asker.before + outer.before, after=outer.after + asker.after)


def _taken(function: Symbol) -> list[str]:
    """The parameters as written, without the object itself."""
    signature, start = _signature(function)
    taken = [*arguments(signature, start)] if start else []
    return taken[1:] if taken[:1] and _SELF.fullmatch(taken[0]) else taken


def _signature(function: Symbol) -> tuple[str, int]:
    """A signature without lifetimes, and where its parameters begin, 0 for none."""
    signature = _LIFETIME.sub("&", function.signature)
    return signature, signature.find("(", signature.find(function.name)) + 1


def _parameters(function: Symbol) -> list[str]:
    words = []
    for parameter in _taken(function):
        bare = parameter.partition("=")[0].strip()
        named = _PARAMETER.match(bare)
        is_typed_before = ":" not in bare and " " in bare
        word = bare.rpartition(" ")[2] if is_typed_before else named[1] if named else ""
        words.append(word.strip("&*$."))
    return words


def _types(function: Symbol, name: str) -> set[str]:
    """The words of the type of a parameter, and of what a type parameter in it extends."""
    signature, start = _signature(function)
    own = map(_WORD.findall, arguments(signature, start))
    words = {word for it in own if name in it for word in it}
    bounds = ((it[1], _WORD.findall(it[2])) for it in _BOUND.finditer(signature))
    return words.union(*(it for word, it in bounds if word in words))


def _default(asker: Asker, use: Use) -> str | None:
    if not 0 <= asker.default < len(use.given):
        return None
    written = use.given[asker.default]
    return literal(written) or literal(written.rpartition("=")[2].strip())


def _calls(text: str, name: str) -> Iterator[tuple[int, str, int]]:
    """The line of each call of a name, what it is called on, and the end of its bracket."""
    line, last = 1, 0
    at = text.find(f"{name}(")
    while at >= 0:
        line += text.count("\n", last, at)
        last = at
        if not _IN_WORD.match(text[at - 1 : at]):
            receiver = _RECEIVER.search(text[max(0, at - _NEAR) : at])
            yield line, receiver[1] if receiver else "", at + len(name) + 1
        at = text.find(f"{name}(", at + 1)


def literal(written: str) -> str | None:
    """What a literal says; None for anything else."""
    match = _LITERAL.fullmatch(written)
    return match[match.lastindex or 0] if match else None
