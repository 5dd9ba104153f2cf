"""What the comment of a symbol adds to its name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.code.vocabulary import stems_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.about import plain

_INCOMPLETE = re.compile(
    r":$|^(?:NOTE|NB|TODO|FIXME|HACK|XXX|WARNING|CAUTION)\b|\bdocumented (?:here|at|in)\b"
    r"|^\W*https?://\S+$"
)
"""A sentence that ends before its statement, is a remark, or refers to another place."""
_LIST_BEGUN = re.compile(r"(?:^|\s)\(?1[.)]$")
"""The end of a sentence that was cut behind the number of the first point."""
_NOTE = re.compile(r"@interface |\bannotation class ")
"""How a type begins in Java and Kotlin that only marks declarations."""
_DEPRECATED = frozenset({"deprecated", "obsolete"})
_REPEATING = frozenset(stems_of(" ".join(english().repeating)))


def meaning(facts: Facts, symbol: Symbol) -> str:
    """The sentence of its comment, '' where that has no meaning, or says nothing of it alone."""
    words = plain(symbol.doc)
    is_cut = _INCOMPLETE.search(words) or _LIST_BEGUN.search(words)
    return "" if is_cut or not says(facts, symbol, words) else words


def says(facts: Facts, symbol: Symbol, words: str) -> bool:
    """Do the words of its comment say more than its name, and not the same of another name?"""
    added = {*stems_of(words)} - {*stems_of(symbol.qualified)} - _REPEATING
    is_own = len(words) > 2 * len(symbol.doc) or symbol.doc not in _copied(facts)
    return is_own and bool(added or not words.isascii())


@query
def _copied(facts: Facts) -> frozenset[str]:
    """The sentences above declarations of which none has the name of another within its own."""
    names: dict[str, set[str]] = defaultdict(set)
    for symbol in (it for code in facts.code.values() for it in code.symbols if it.doc):
        names[symbol.doc].add(symbol.name.lower())
    several = ((doc, own, min(own, key=len)) for doc, own in names.items())
    return frozenset(doc for doc, own, one in several if not all(one in it for it in own))


def is_deprecated(symbol: Symbol) -> bool:
    """Does an annotation, an attribute or a decorator mark it as no longer to be used?"""
    return any(mark.rpartition(".")[2].lower() in _DEPRECATED for mark in symbol.marks)


def kind_of(symbol: Symbol) -> str:
    """What a symbol is, as its language calls it, and whether it is deprecated."""
    is_note = symbol.kind in ("class", "interface") and _NOTE.search(symbol.signature)
    kind = "annotation" if is_note else symbol.kind
    return f"deprecated {kind}" if is_deprecated(symbol) else kind


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
