"""What the comment of a symbol adds to its name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.code.vocabulary import stems_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.about import plain

_INCOMPLETE = re.compile(
    r":$|^(?:NOTE|NB|TODO|FIXME|HACK|XXX|WARNING|CAUTION)\b|\bdocumented (?:here|at|in)\b"
    r"|^\W*https?://\S+$"
)
"""A sentence that ends before its statement, is a remark, or refers to another place."""
_FOR_SUBCLASSES = re.compile(r"(?i)\b(?:sub-?class|overrid|implement(?: (?:me|this)|ed by)\b)")
"""What a comment says that is for those who write a subclass."""
_LIST_BEGUN = re.compile(r"(?:^|\s)\(?1[.)]$")
"""The end of a sentence that was cut behind the number of the first point."""
_NOTE = re.compile(r"@interface |\bannotation class ")
"""How a type begins in Java and Kotlin that only marks declarations."""
_DEPRECATED = frozenset({"deprecated", "obsolete"})
_REPEATING = frozenset(stems_of(" ".join(english().repeating)))


def meaning(symbol: Symbol) -> str:
    """The sentence of its comment, '' where that has no meaning or only repeats the name."""
    words = plain(symbol.doc)
    if _INCOMPLETE.search(words) or _LIST_BEGUN.search(words):
        return ""
    added = {*stems_of(words)} - {*stems_of(symbol.qualified)} - _REPEATING
    return words if added or not words.isascii() else ""


def is_deprecated(symbol: Symbol) -> bool:
    """Does an annotation, an attribute or a decorator mark it as no longer to be used?"""
    return any(mark.rpartition(".")[2].lower() in _DEPRECATED for mark in symbol.marks)


def kind_of(symbol: Symbol) -> str:
    """What a symbol is, as its language calls it, and whether it is deprecated."""
    is_note = symbol.kind in ("class", "interface") and _NOTE.search(symbol.signature)
    kind = "annotation" if is_note else symbol.kind
    return f"deprecated {kind}" if is_deprecated(symbol) else kind


@query
def inherited(facts: Facts, path: str, name: str) -> Mapping[str, str]:
    """The sentences of methods of the types that a type extends, by name, the nearest first; none
    that ask for what overrides them."""
    words: dict[str, str] = {}
    for base in [*types(facts).around((path, name))][1:]:
        for _, method in methods_of(facts, *base):
            sentence = meaning(method)
            if sentence and not _FOR_SUBCLASSES.search(sentence):
                words.setdefault(method.name, sentence)
    return words


@query
def bases(facts: Facts, path: str, name: str) -> Mapping[str, tuple[str, int, int]]:
    """Where the types are declared that a type builds on directly, by the last word of a name."""
    above = types(facts)
    direct = (base for base in above.around((path, name)) if (path, name) in above.below(base))
    return {
        symbol.name: (where, symbol.line, symbol.end)
        for where, name_above in direct
        for symbol in facts.code[where].symbols
        if symbol.qualified == name_above
    }
