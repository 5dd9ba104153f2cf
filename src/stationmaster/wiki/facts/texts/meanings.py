"""What the comment of a symbol tells beyond its name."""

from __future__ import annotations

import re

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.vocabulary import stems_of
from stationmaster.wiki.facts.texts.about import plain

_NOTHING_SAID = re.compile(r":$|\bdocumented (?:here|at|in)\b|^\W*https?://\S+$")
"""A sentence that ends where it would begin to tell, or leads elsewhere."""
_LIST_BEGUN = re.compile(r"(?:^|\s)\(?1[.)]$")
"""The end of a sentence that was cut behind the number of the first point."""
_REPEATING = frozenset(stems_of(" ".join(english().repeating)))


def meaning(symbol: Symbol) -> str:
    """The sentence of its comment, '' where it says nothing by itself or only repeats the name."""
    words = plain(symbol.doc)
    if _NOTHING_SAID.search(words) or _LIST_BEGUN.search(words):
        return ""
    told = {*stems_of(words)} - {*stems_of(symbol.qualified)} - _REPEATING
    return words if told or not words.isascii() else ""
