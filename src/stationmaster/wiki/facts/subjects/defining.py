"""The sentence of a document or comment that says what a subject is."""

from __future__ import annotations

import re

from stationmaster.catalogue.repositories.english import english
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.subjects.composing import Concept
from stationmaster.wiki.facts.subjects.documented import headings_of, is_title
from stationmaster.wiki.facts.subjects.naming import bare, own_key, words_in
from stationmaster.wiki.facts.subjects.units import stored_as
from stationmaster.wiki.facts.texts.about import Said, plain
from stationmaster.wiki.facts.texts.passages import opening
from stationmaster.wiki.facts.texts.references import resolved
from stationmaster.wiki.text.inline import Place

TELLING_MIN = 3
"""Words of a sentence besides the subject's own and those that any comment has."""
_POINTING = re.compile(
    r"(?i:this|these|that|those|other|others|another|some|such|it|they|here|there|see|note|todo|default|also|and|as|at|but|by|for|from|if|in|of"
    r"|on|or|then|to|when|where|while|with|you|we|let|let's|okay|so|use|starts?|once|your|our|please|once|since"
    r"|because|although|however|just|now|first|after|before|below|above|information|more|sometimes|often|do|don't|make|sure)\b"
    r"|\W|[a-z]+[A-Z_]|.*(?:--|\||\\)|.*(?:…|\.\.\.)$"
    r"|.*\b(?i:no longer|will be removed|deprecated)\b|(?i:created|written|added) by\b"
    r"|.*\b(?i:this (?:menu|page|section|guide|document|chapter)|shown (?:below|above))\b"
)
"""How sentences begin that are understood only where they stand or say what readers do; what is
drawn; and how those end that were cut."""
_NAMING = re.compile(r"^(?:Class|Interface|Trait) [\w\\]+(?:\.$| (?=[A-Z]))")
"""The beginning of a comment that repeats what it is the comment of."""
_DOERS = frozenset(
    {"abstract", "base", "core", "default", "interface", "manager", "provider", "service"}
)
"""Words in the name of a type beside those of the subject that it does or is."""
_AROUND = frozenset({"abstract", "base", "manager", "mixin"})
"""Words in the names of types that are there for what is stored, and say nothing of it."""
_EMPTY = frozenset(words_in(" ".join(english().repeating)))


def defined(facts: Facts, this: Concept) -> Said | None:
    """By a section with its heading that says it of it, else by the comment of the type that is
    called so; None where neither says what it is."""
    title, product = {*words_in(this.title)}, {*words_in(facts.commit.name)}
    for passage in this.passages:
        headings = [it for it in headings_of(facts, passage) if own_key(facts, it) == this.words]
        if not any(title <= {*words_in(it)} or title >= {*words_in(it)} for it in headings):
            continue
        sentence = opening(facts, passage)
        own = {"the", *product}
        words = tuple(it for it in words_in(sentence) if it not in own)
        is_on_it = words[: len(this.words)] == this.words
        is_on_it |= is_title(passage) and {*this.words} <= {*words}
        if is_on_it and _tells(this, sentence):
            return Said(sentence, Place(passage.path, passage.line, passage.end))
    stored = [spot for spot in this.types if spot in stored_as(facts)]
    names = {spot.name for spot in stored}  # What is stored is what the name means.
    of_title = [spot for spot in stored if {*words_in(bare(spot.name))} == title]
    if len(of_title) > 1:
        return None  # Each of them is something else.
    others = (it for it in this.types if it.name not in names)
    around = (it for it in others if not (of_title and _AROUND.intersection(words_in(it.name))))
    for spot in (*(of_title or stored), *around):
        symbol = symbol_of(facts, spot.path, spot.name)
        name = {*words_in(bare(spot.name))}
        is_it = title <= name and name - title <= _DOERS | product
        comment = plain(resolved(facts, spot.path, symbol.doc)) if symbol and is_it else ""
        comment = _NAMING.sub("", comment)
        if symbol is not None and _tells(this, comment):
            return Said(comment, Place(spot.path, symbol.line))
    return None


def _tells(this: Concept, sentence: str) -> bool:
    """Is a sentence understood by itself, and more than the name in other words?"""
    others = {*words_in(sentence)} - {*this.words} - _EMPTY
    return len(others) >= TELLING_MIN and not _POINTING.match(sentence)
