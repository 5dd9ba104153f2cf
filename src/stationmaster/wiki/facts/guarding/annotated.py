"""Annotations of handlers in Java that filters and interceptors of the project read before a
request comes to its handler: `getAnnotation(Needs.class)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from stationmaster.catalogue.middleware import middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.guarding.guards import Guard, declared
from stationmaster.wiki.facts.model import Facts, query

_REMARK = re.compile(r"/\*.*?(?:\*/|\Z)|(?<![:\"])//[^\n]*", re.DOTALL)
_READ = r"(?:[\w.()]{1,200}\.)?(?:%s)\([^;{}]{0,200}?\b(\w{1,80})\.class\)\s*+"
_HELD = r"\b(\w{1,80})\s*+=\s*+(?:\(\w{1,80}\)\s*+)?" + _READ + ";"
_ASKED = r"\bif\s*+\(\s*+(!?)" + _READ + r"\)\s*+\{?\s*+"
_TESTED = r"\bif\s*+\(\s*+%s\s*+([=!])=\s*+null\s*+\)\s*+\{?\s*+"
_LETS_PASS = re.compile(r"return\s*+(?:true\s*+)?;")
_REGISTERS = re.compile(r"\w{1,80}\.register\((?:new\s++)?(\w{1,100})")


class _Read(msgspec.Struct, frozen=True):
    """Annotations that a request is refused for, with what it needs, and those that let it pass
    without signing in."""

    asking: frozenset[str]
    opening: frozenset[str]


def asking(facts: Facts, path: str, route: Route, handler: Symbol) -> Iterator[Guard]:
    """The annotations of a method for which a filter may refuse a request."""
    needed = _read(facts).asking.intersection(handler.marks)
    for words in (route.guard, *route.further) if needed else ():
        name = words[1:].partition("(")[0]
        if words.startswith("@") and name in needed:
            yield Guard(words[1:], declared(facts, path, name))


def is_opened(facts: Facts, marks: Iterable[str]) -> bool:
    """Does the filter that asks who sends a request let all pass because of an annotation?"""
    return not _read(facts).opening.isdisjoint(marks)


@query
def _read(facts: Facts) -> _Read:
    table = middleware().annotated
    effects: dict[str, set[bool]] = {}
    for path, file in facts.code.items():
        if not path.endswith(".java") or facts.records[path].file_class != "source":
            continue
        for symbol in file.symbols:
            bases = {base.partition("<")[0].rpartition(".")[2] for base in symbol.bases}
            if symbol.kind == "class" and not bases.isdisjoint(table.types):
                text = _text(facts, path, symbol.qualified)
                for name, is_needed in _effects(facts, path, text):
                    effects.setdefault(name, set()).add(is_needed)
    return _Read(
        frozenset(name for name, needed in effects.items() if needed == {True}),
        frozenset(name for name, needed in effects.items() if needed == {False}),
    )


def _effects(facts: Facts, path: str, text: str) -> Iterator[tuple[str, bool]]:
    """Annotations that a filter reads, and whether they are what makes it refuse a request; where
    not, it lets those with them pass."""
    table = middleware().annotated
    for name, is_without, end in _branches(text, table.methods):
        if _LETS_PASS.match(text, end):
            pattern = table.refuses if is_without else table.identifies
            if compiled(pattern).search(text):
                yield name, is_without
        elif registered := _REGISTERS.match(text, end):
            place = declaration(facts, path, registered[1])
            own = _text(facts, place[0], place[1].qualified) if place else ""
            pattern = table.identifies if is_without else table.refuses
            if compiled(pattern).search(own):
                yield name, not is_without


def _branches(text: str, methods: str) -> Iterator[tuple[str, bool, int]]:
    """Where that begins which is done for handlers with an annotation, or without it."""
    for match in compiled(_ASKED % methods).finditer(text):
        yield match[2], match[1] == "!", match.end()
    for match in compiled(_HELD % methods).finditer(text):
        if tested := re.compile(_TESTED % match[1]).search(text, match.end()):
            yield match[2], tested[1] == "=", tested.end()


def _text(facts: Facts, path: str, holder: str) -> str:
    """A class without its remarks."""
    symbol = symbol_of(facts, path, holder)
    lines = facts.tree.text(path).split("\n")[symbol.line - 1 : symbol.end] if symbol else ()
    return _REMARK.sub("", "\n".join(lines))
