"""Settings that users of a library give an object: setters of a public class of Java or Kotlin that
is called after its configuration and says what they are for, with their comments, also those of the
interface that declares them. What the product itself fills is none. Those of a class that Spring
fills where a method makes it are the keys of that."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.extending.offered import public
from stationmaster.wiki.facts.model import Facts, query

_CALLED = re.compile(r"\w{1,60}(?:Config|Configuration|Options|Properties|Settings)")
_SETTER = re.compile(r"set([A-Z]\w{1,80})")
_MANAGED = re.compile(r"Configuration\w*|Component|Service|Bean|Entity|ConfigMapping|Deprecated")
"""Annotations of classes that a framework makes or fills, or that are not to be used."""
_OF_PLATFORM = re.compile(r"(?:^|/)(?:java|kotlin)/(?:android|java)x?/")
"""Classes that stand in for those of the platform."""
_SETTERS_MIN = 5
_FILLED = re.compile(
    r"@ConfigurationProperties\(\s*(?:(?:prefix|value)\s*=\s*)?\"([\w.-]{1,100})\"\s*\)\s+"
    r"(?:@\w+(?:\([^()\n]{0,100}\))?\s+){0,4}(?:(?:public|protected|private|static|final)\s+){0,3}"
    r"([A-Z]\w{0,80})\s+\w{1,80}\("
)
"""The keys that a method has what it makes filled with, and the class of that."""
_INSIDE = re.compile(r"<[^<>]{0,200}>")
_TAKEN = re.compile(
    r"(?:(?:final|@\w++)\s++)*+([\w.<>\[\],?](?:[\w.<>\[\], ?]{0,78}[\w.<>\[\],?])?)\s++\w{1,60}"
)


@query
def set_in_code(facts: Facts) -> tuple[Read, ...]:
    """The settings, called `Class.setting`, where their setters are declared."""
    return tuple(
        (spot.path, setting)
        for spots in public(facts).values()
        for spot in spots
        if spot.path.endswith((".java", ".kt"))
        and not _OF_PLATFORM.search(spot.path)
        and _CALLED.fullmatch(spot.name)
        for setting in _of_class(facts, spot.path, spot.name)
    )


@query
def _filled(facts: Facts) -> Mapping[str, frozenset[str]]:
    """The beginnings of keys by the class that Spring fills with them."""
    by_class: dict[str, set[str]] = defaultdict(set)
    for path in sources(facts):
        text = facts.tree.text(path) if path.endswith(".java") else ""
        for match in _FILLED.finditer(text) if "ConfigurationProperties(" in text else ():
            by_class[match[2]].add(match[1])
    return {name: frozenset(prefixes) for name, prefixes in by_class.items()}


def _of_class(facts: Facts, path: str, name: str) -> Iterator[Setting]:
    symbols = facts.code[path].symbols
    class_ = next((it for it in symbols if it.qualified == name and it.kind == "class"), None)
    if class_ is None or any(map(_MANAGED.fullmatch, class_.marks)):
        return
    methods = (it for it in symbols if it.container == name and it.is_public)
    setters = [it for it in methods if _SETTER.fullmatch(it.name) and _type(it)]
    docs = _inherited(facts, path, name)
    prefixes = _filled(facts).get(name, frozenset())
    is_for_users = any(it.doc or it.name in docs for it in setters) and not _is_filled_here(
        facts, path, name, {it.name for it in setters}
    )
    for setter in setters if prefixes or (is_for_users and len(setters) >= _SETTERS_MIN) else ():
        if "Deprecated" not in setter.marks:
            field = setter.name[3].lower() + setter.name[4:]
            doc = setter.doc or docs.get(setter.name, "")
            keys = [f"{it}.{hyphened(field).lower()}" for it in sorted(prefixes)]
            for key in keys or [f"{name}.{field}"]:
                yield Setting(key, "key", setter.line, doc=doc, type=_type(setter))


def _is_filled_here(facts: Facts, path: str, name: str, setters: Set[str]) -> bool:
    """Does another file of the product call half of the setters of a class, as of an object that is
    filled from a request?"""
    for other in sources(facts, ".java", ".kt"):
        if other != path:
            called = _called_in(facts, other) & setters
            if 2 * len(called) >= len(setters) and name in facts.tree.text(other):
                return True
    return False


@query
def _called_in(facts: Facts, path: str) -> frozenset[str]:
    return frozenset(it.name for it in facts.code[path].calls)


def _type(setter: Symbol) -> str:
    """The type of the only thing that a setter takes; '' for several."""
    taken = setter.signature.partition(f"{setter.name}(")[2].rpartition(")")[0].strip()
    match = _TAKEN.fullmatch(taken)
    is_alone = "," not in _INSIDE.sub("", _INSIDE.sub("", taken))
    return match[1] if match and is_alone else ""


def _inherited(facts: Facts, path: str, name: str) -> dict[str, str]:
    """What a class, or the nearest that it builds on, says of its methods."""
    docs: dict[str, str] = {}
    for place, holder in types(facts).around((path, name)):
        for symbol in facts.code[place].symbols:
            if symbol.container == holder and symbol.doc:
                docs.setdefault(symbol.name, symbol.doc)
    return docs
