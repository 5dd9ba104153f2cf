"""What the project's documents are about: their titles and headings, with the code that they
name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.languages import dialects
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.reading.projects.documents import is_agent_file
from stationmaster.wiki.facts.code.vocabulary import vocabulary
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.subjects.naming import (
    SIGNS,
    Key,
    bare,
    titled,
    without_own_name,
    words_in,
)
from stationmaster.wiki.facts.texts.documents import documents_by_path, title_of
from stationmaster.wiki.facts.texts.guides import explaining
from stationmaster.wiki.facts.texts.passages import Passage, is_about_code, passages, words_of

PASSAGES_MAX, WORDS_MAX = 3, 4
"""Sections that a page quotes, and words of a heading that names a subject."""
FIRST_WITHIN = 15
"""Lines within which the first section of a document begins."""
README = re.compile(r"(?i)(?:^|/)readme[^/]*$")
_ASKING = re.compile(r"(?i)(?:what|why|when|how|where|who|let's)\b")
_WORD = re.compile(r"[a-z][a-z0-9]+")
_AROUND = frozenset(words_in(" ".join(english().around)))


def headings_of(facts: Facts, passage: Passage) -> Iterator[str]:
    """The heading of a section as a title, of the first one also that of its document, as far as
    they name a subject."""
    yield from filter(None, [heading_of(facts, passage.title, passage.path)])
    if _beginnings(facts).get(passage.path) == passage:
        document = documents_by_path(facts)[passage.path]
        yield from filter(None, [heading_of(facts, title_of(document), passage.path)])


def heading_of(facts: Facts, heading: str, path: str) -> str:
    """A heading of a document as a title, '' where it names no subject."""
    title = titled(without_own_name(facts, heading))
    is_plain = len(title.split()) <= WORDS_MAX and not SIGNS.search(title)
    # A page for those who use a language is about their code, not of the repository's.
    is_asking = _ASKING.match(title) or title in dialects()
    is_of_code = is_about_code(title) and not is_agent_file(path)
    return title if is_plain and is_of_code and not is_asking else ""


@query
def sections(facts: Facts) -> Mapping[str, tuple[Passage, ...]]:
    """Sections by the letters of what they are about, those of whole documents first; also without
    words that say nothing by themselves, as `mode` of `Download mode`. For questions."""
    found: dict[str, dict[Passage, None]] = defaultdict(dict)
    for passage in dict.fromkeys((*explaining(facts), *passages(facts))):
        for heading in headings_of(facts, passage):
            for name in _letters(heading):
                found[name][passage] = None
    return {name: tuple(sorted(some, key=depth)) for name, some in found.items()}


def _letters(heading: str) -> Iterator[str]:
    """The letters of a heading, and those without words that say nothing by themselves."""
    every = words_in(heading)
    for words in (every, tuple(it for it in every if it not in _AROUND)):
        if words:
            yield "".join(words)


def heading_on(facts: Facts, name: str, some: Sequence[Passage]) -> str:
    """The first heading of sections with the letters of a name."""
    headings = (title for passage in some for title in headings_of(facts, passage))
    return next((title for title in headings if name in _letters(title)), "")


def depth(passage: Passage) -> int:
    """0 for a document as a whole, 1 for its chapters."""
    if not (passage.parent or passage.chapter) and passage.line <= FIRST_WITHIN:
        return 0
    return 1 if passage.parent in ("", passage.chapter) else 2


@query
def _beginnings(facts: Facts) -> Mapping[str, Passage]:
    """The first section of each document."""
    return {it.path: it for it in reversed(passages(facts))}


def is_title(passage: Passage) -> bool:
    """Is a section headed by the title of its document, and that no README?"""
    return depth(passage) == 0 and not README.search(passage.path)


def begins(facts: Facts, passage: Passage) -> bool:
    """Is such a section the first of its document?"""
    return is_title(passage) and _beginnings(facts).get(passage.path) == passage


@query
def mentions(facts: Facts) -> Counter[str]:
    """How often documents have a word, or two beside each other, by their letters in the singular.
    For questions."""
    counts: Counter[str] = Counter()
    for passage in passages(facts):
        some = [singular(it) for it in _WORD.findall(words_of(facts, passage).lower())]
        counts.update(some)
        counts.update(map("".join, pairwise(some)))
    return counts


def with_parts(facts: Facts, some: Sequence[Passage]) -> tuple[Passage, ...]:
    """The sections on a subject, those of whole documents with their parts that name most code."""
    found = dict.fromkeys(some[:PASSAGES_MAX])
    meant = vocabulary(facts).meant
    for whole in some[:1]:
        if is_title(whole):
            inside = [it for it in passages(facts) if it.path == whole.path and it not in found]
            inside.sort(key=lambda it: (-sum(bool(meant(name)) for name in it.names), it.line))
            found |= dict.fromkeys(inside)
    first = [*found][:PASSAGES_MAX]
    return tuple(sorted(first, key=lambda it: (it.path != first[0].path, it.path, it.line)))


def named(facts: Facts, key: Key, some: Sequence[Passage]) -> Iterator[Spot]:
    """The symbols that sections name, for methods the types that have them, whose names have a word
    of what these are about."""
    words = vocabulary(facts)
    for name in dict.fromkeys(name for passage in some for name in passage.names):
        for number in words.meant(name):
            (path, own), symbol = words.symbols[number]
            spot = Spot(path, symbol.container or own)
            if not {*key}.isdisjoint(words_in(bare(spot.name))):
                yield spot
