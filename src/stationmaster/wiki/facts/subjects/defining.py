"""The sentence of a document or comment that says what a subject is."""

from __future__ import annotations

import re

from stationmaster.catalogue.repositories.english import english
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.vocabulary import stems_of
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.subjects import central, topics
from stationmaster.wiki.facts.subjects.composing import Concept
from stationmaster.wiki.facts.subjects.seeds import SIGNS, titled, without_own_name
from stationmaster.wiki.facts.texts.about import Said, plain
from stationmaster.wiki.facts.texts.passages import Passage, opening
from stationmaster.wiki.facts.texts.references import resolved
from stationmaster.wiki.text.inline import Place

FIRST_WITHIN = 15
"""Lines within which the first section of a document begins."""
BEGINNING_WORDS = 6
"""Of a sentence of a section, among which are words of the subject that it says something of."""
_POINTING = re.compile(
    r"(?i:this|these|that|those|other|others|another|some|such|it|they|here|there|see|note|todo|default|also|and|as|at|but|by|for|from|if|in|of"
    r"|on|or|then|to|when|where|while|with|you|we|let|let's|okay|so|use|starts?|once|your|our|please|once|since"
    r"|because|although|however|just|now|first|after|before|below|above|sometimes|often|do|don't|make|sure)\b"
    r"|\W|[a-z]+[A-Z_]|.*(?:--|\||\\)|.*(?:…|\.\.\.)$"
)
"""How sentences begin that are understood only where they stand or say what readers do; what is
drawn; and how those end that were cut."""
_NAMING = re.compile(r"^(?:Class|Interface|Trait) [\w\\]+(?:\.$| (?=[A-Z]))")
"""The beginning of a comment that repeats what it is the comment of."""
_AROUND = frozenset(stems_of(" ".join((*english().around, *english().products))))


def defined(facts: Facts, this: Concept) -> Said | None:
    """By a section that is on it alone, else by the comment of a type that is named so; None where
    neither says what it is."""
    for passage in this.passages:
        sentence = opening(facts, passage) if is_on(facts, passage, this.title) else ""
        begin = " ".join(sentence.split()[:BEGINNING_WORDS])
        is_first = not passage.chapter and passage.line <= FIRST_WITHIN
        is_about_it = {*stems_of(this.title)} & {*stems_of(sentence if is_first else begin)}
        if is_about_it and not _POINTING.match(sentence):
            return Said(sentence, Place(passage.path, passage.line, passage.end))
    is_word = this.title.capitalize() == this.title
    named = [
        spot
        for spot in this.types
        if spot.name == this.title
        or stems_of(spot.name) == stems_of(this.title)
        or (
            is_word
            and topics.is_named_so(spot.name, this.title)
            and not central.ERROR.search(spot.name)
        )
    ]
    for spot in sorted(named, key=lambda spot: len(stems_of(spot.name))):
        symbol = symbol_of(facts, spot.path, spot.name)
        words = plain(resolved(facts, spot.path, symbol.doc)) if symbol else ""
        words = _NAMING.sub("", words)
        if symbol is not None and words and not _POINTING.match(words):
            return Said(words, Place(spot.path, symbol.line))
    return None


def is_on(facts: Facts, passage: Passage, title: str) -> bool:
    """Is a section about a subject as a whole, by a heading that has besides its words at most one
    before them, as in `HTTP headers`, and such as say nothing by themselves?"""
    heading = titled(without_own_name(facts, passage.title))
    own, wanted = stems_of(heading), stems_of(title)
    others = {*own} - {*wanted} - _AROUND
    is_last = len(others) == 1 and own[-len(wanted) :] == wanted
    return {*own} >= {*wanted} and (not others or is_last) and not SIGNS.search(heading)
