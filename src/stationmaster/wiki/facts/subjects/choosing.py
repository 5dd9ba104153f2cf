"""Which subjects a wiki explains: as many as the size of the product allows, no two alike."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

import msgspec

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.sizes import size_of_source
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.code.vocabulary import Hit, Vocabulary, kind_of, stems_of, vocabulary
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.subjects import central, seeds, topics
from stationmaster.wiki.facts.subjects.composing import Concept, composed
from stationmaster.wiki.facts.subjects.defining import defined, is_on
from stationmaster.wiki.facts.subjects.implemented import implemented, members
from stationmaster.wiki.facts.subjects.seeds import Seed
from stationmaster.wiki.facts.texts.passages import Passage

CONCEPTS_MAX, EXPLAINED_MAX, LISTED_MAX = 24, 6, 12
ALIKE_MAX = 6
"""Documents whose titles end alike, beyond which they are of one kind, as each of many plugins."""
FEWEST, LINES_PER_CONCEPT = 8, 500
"""A repository has one concept for so many lines, and a few more."""
TYPES_LEAST, RANKED_MAX = 3, 12
"""Of the pages for what no document is about those of types, and of how many of these those come
first whose file no page has."""
HITS_MIN, LOOKED_AT_MAX = 2, 100
_SCORE_MIN = 1.2
"""Of the best symbol: less is a chance likeness of words."""
OFFERED_FEW = 3
"""So many routes, jobs, commands and tables that an earlier concept has, too, are a part of it."""
_SAME = 0.8
"""Of its symbols, and of its steps, what a concept may share with an earlier one."""
METHODS_MIN, LENGTH_MIN = 5, 100
"""Of a type that tells enough of its own, and lines of one that any program may have."""
TOLD_BY, TOLD_TYPES = 5, 2
"""Symbols by which two concepts are the same, and types of which a page tells most."""
_LENGTH_WORTH, _NAMED_WORTH = 0.25, 2.0
"""What it counts that the methods of a type are long, and that a file is named after a subject."""
OFFERED_MIN, KINDS_MIN = 2, 3
"""Routes, jobs, commands and tables, and types of its kind, by which a subject tells enough where
nothing says what it is."""
STEPS_MIN = 2
_ENTERED = frozenset(stems_of("controller command"))
"""How types end, of many that end so, that only answer what pages of routes and commands list."""
_HELPING = frozenset(stems_of("util utils utility helper"))
"""Words of types that only help with values of a kind."""
_Scored = tuple[Seed, Sequence[Hit]]


@query
def concepts(facts: Facts) -> Mapping[str, Concept]:
    """By key: what the settings ask for, parts that documents explain, what files and documents or
    what is offered are named after, other words of documents, of files and of code, and types."""
    words = vocabulary(facts)
    chosen: dict[str, Concept] = {}
    for seed in seeds.asked(facts):
        _add(facts, chosen, seed, words.find(seed.stems, seed.names))
    most = min(CONCEPTS_MAX, FEWEST + size_of_source(facts).lines // LINES_PER_CONCEPT)
    documented = list(seeds.documented(facts, words))
    of_topics = list(_of_topics(facts, documented, words))
    of_files = list(_of_files(implemented(facts, words), words))
    offered = [pair for pair in of_topics if pair[0].bonus]
    named = [pair for pair in of_files if pair[0].bonus]
    both = itertools.chain(*itertools.zip_longest(named, offered))
    _add_different(facts, chosen, _listed(facts, documented, words), most)
    _add_different(facts, chosen, (pair for pair in both if pair is not None), most)
    others = [seed for seed in documented if not _is_within(seed.title, chosen.values())]
    _add_different(facts, chosen, _scored(facts, others, words), most)
    apart = (pair for pair in of_files if not _is_within(pair[0].title, chosen.values()))
    _add_different(facts, chosen, apart, most - TYPES_LEAST)
    _add_different(facts, chosen, of_topics, FEWEST)
    _add_different(facts, chosen, _of_types(facts, chosen, words), most)
    order = sorted(chosen, key=lambda key: -round(topics.weight(facts, chosen[key].title), 6))
    return {key: chosen[key] for key in order}


def _is_within(title: str, earlier: Iterable[Concept]) -> bool:
    """Has a title all words of an earlier one?"""
    return any({*stems_of(it.title)} <= {*stems_of(title)} for it in earlier)


def _listed(facts: Facts, documented: Sequence[Seed], words: Vocabulary) -> list[_Scored]:
    """The parts that sections on how the product works are about, then the strongest subjects that
    the documentation's table of contents lists, each in its order."""
    parts = _scored(facts, seeds.explained(facts, documented, words), words)
    often = Counter(stems_of(seed.title)[-1:] for seed in documented if seed.place is not None)
    listed = (
        seed for seed in documented
        if seed.place is not None and often[stems_of(seed.title)[-1:]] <= ALIKE_MAX
    )  # fmt: skip
    both = [*parts[:EXPLAINED_MAX], *_scored(facts, listed, words)[:LISTED_MAX]]
    return sorted(both, key=lambda pair: pair[0].place or 0)


def _of_topics(facts: Facts, documented: Sequence[Seed], words: Vocabulary) -> Iterator[_Scored]:
    """What the program is about by what it does, with the symbols that have all its words, first
    those that do more than to hold values."""

    def weighed(hit: Hit) -> Hit:
        own = (symbol for _, symbol in methods_of(facts, hit.spot.path, hit.spot.name))
        length = math.log1p(sum(symbol.end - symbol.line for symbol in own))
        return hit._replace(score=round(hit.score * (1 + _LENGTH_WORTH * length), 6))

    called, alike = _called(facts, words), members(facts)
    kinds = _kinds(facts)
    for seed in seeds.of_topics(facts, documented, words):
        own = topics.belongings(facts, seed.stems)
        is_kind = kinds[seed.stems[-1:]] >= KINDS_MIN or {*seed.stems} in called
        is_kept = own.tables or topics.is_feature(facts, seed.stems)
        if not is_kept and (seed.stems in alike or not (is_kind or own.beginnings)):
            seed = msgspec.structs.replace(seed, bonus=0)
        hits = central.having(words, seed.stems)[:LOOKED_AT_MAX]
        if len(hits) >= HITS_MIN:
            yield seed, central.near(facts, seed.title, map(weighed, hits))


@query
def _kinds(facts: Facts) -> Mapping[topics.Key, int]:
    """How many types end with a word. For other questions."""
    types = (it.name for _, it, _ in vocabulary(facts).symbols if kind_of(it) == "type")
    return Counter(stems_of(name)[-1:] for name in types)


def _of_files(named: Iterable[Seed], words: Vocabulary) -> Iterator[_Scored]:
    """What files are named after, first with what stands in them: where little of that has the
    words, with all that others may call."""
    for seed in named:
        inside = {*seed.paths}
        hits = [
            hit._replace(score=hit.score * (_NAMED_WORTH if hit.spot.path in inside else 1))
            for hit in central.having(words, seed.stems)
        ]
        if hits:
            hits.sort(key=lambda hit: (-hit.score, hit.spot.path, hit.spot.name))
            own = {hit.spot for hit in hits}
            if len(hits) < HITS_MIN:
                hits += [
                    Hit(spot, symbol, 0) for spot, symbol, _ in words.symbols
                    if spot.path in inside and spot not in own and symbol.is_public
                    and not symbol.container
                ]  # fmt: skip
            yield seed, hits[:LOOKED_AT_MAX]


def _of_types(facts: Facts, chosen: Mapping[str, Concept], words: Vocabulary) -> Iterator[_Scored]:
    """The types that do most and that no page describes, those first whose file belongs to none."""
    ranked = seeds.central(facts, words)
    held = {path for it in chosen.values() for path in it.files}
    first = sorted(ranked[:RANKED_MAX], key=lambda pair: pair[1].path in held)
    for seed, spot in (*first, *ranked[RANKED_MAX:]):
        stems = {*seed.stems}
        is_told = any(
            spot in it.types[:TOLD_TYPES] and stems >= {*stems_of(it.title)}
            for it in chosen.values()
        )
        if not is_told:
            own = [hit for hit in words.find(seed.stems, (spot.name,)) if hit.spot == spot]
            near = central.near(facts, seed.title, words.find(seed.stems, seed.names))
            others = (
                hit
                for hit in near
                if hit.spot != spot and central.uses(facts, spot.path, hit.spot.path)
            )
            yield seed, [*own, *others]


def _add_different(
    facts: Facts, chosen: dict[str, Concept], scored: Iterable[_Scored], most: int
) -> None:
    """Add subjects until there are so many, none with the words or most of the symbols of an
    earlier one."""
    titles = {topics.subject_of(it.title) for it in chosen.values()}
    taken = [
        (frozenset((*it.types, *it.functions)[:TOLD_BY]), _documents(it.passages))
        for it in chosen.values()
    ]
    leading = {it.types[0]: {*stems_of(it.title)} for it in chosen.values() if it.types}
    for seed, hits in scored:
        if len(chosen) >= most:
            return
        spots = frozenset(hit.spot for hit in hits[:TOLD_BY])
        stems = topics.subject_of(seed.title)
        documents = _documents(seed.passages)
        is_same = any(
            len(spots & other) > _SAME * len(spots)
            and (len(spots) > 1 or not documents or not documents.isdisjoint(others))
            for other, others in taken
        )
        words, other = {*stems_of(seed.title)}, leading.get(hits[0].spot) if hits else None
        is_same |= other is not None and (words <= other or other <= words)
        if stems not in titles and not is_same and _add(facts, chosen, seed, hits):
            titles.add(stems)
            taken.append((spots, documents))
            leading.setdefault(hits[0].spot, words) if hits else None


def _documents(passages: Iterable[Passage]) -> Set[str]:
    return {passage.path for passage in passages}


def _scored(facts: Facts, some: Iterable[Seed], words: Vocabulary) -> list[_Scored]:
    """Subjects to which enough of the code belongs, the strongest first."""
    scored: list[tuple[float, str, Seed, Sequence[Hit]]] = []
    called = _called(facts, words)
    for seed in some:
        named = any(map(words.meant, seed.names))
        if not named and 2 * len(seed.stems) <= len(topics.telling(seed.title, ())):
            continue  # Most words of the heading are none of the code's.
        if not named and len(seed.stems) == 1 and {*seed.stems} not in called:
            continue  # Code that shares a word alone may be about something else.
        hits = central.having(words, seed.stems, seed.names)
        # Documents also name code that their subject has to do with, but is not.
        if named and not any(topics.telling_of(hit.spot.name) == seed.stems for hit in hits):
            hits = words.find(seed.stems, seed.names)
        hits = central.near(facts, seed.title, hits)
        if seed.bonus <= 0 and not _has_all(hits[:TOLD_BY], seed):
            continue  # A section below others is on a part, which code must be named after.
        is_type = any(
            methods_of(facts, hit.spot.path, hit.spot.name)
            for hit in hits[:1] if topics.is_named_so(hit.spot.name, seed.title)
        )  # fmt: skip
        is_whole = seed.place is not None or seed.bonus > 0
        is_type |= is_whole and any(kind_of(it.symbol) == "type" for it in hits[:1])
        is_enough = len(hits) >= HITS_MIN or is_type
        if is_enough and hits[0].score >= _SCORE_MIN:
            strength = sum(hit.score for hit in hits[:5])
            strength += min(seed.bonus, 20) + 2 * len(seed.passages)
            scored.append((-round(strength, 6), seed.title, seed, hits))
    scored.sort(key=lambda row: row[:2])
    return [(seed, hits) for _, _, seed, hits in scored]


def _has_all(hits: Sequence[Hit], seed: Seed) -> bool:
    """Has a symbol, with its file, all the words of a subject?"""
    return any({*seed.stems} <= central.words_of(hit.spot) for hit in hits)


def _called(facts: Facts, words: Vocabulary) -> Set[Set[str]]:
    """What types and files are called, without words that tell nothing and the product's name."""
    own = {*stems_of(facts.commit.name)}
    names = {
        name
        for spot, symbol, _ in words.symbols if kind_of(symbol) == "type"
        for name in (symbol.name, spot.path.rpartition("/")[2].partition(".")[0])
    }  # fmt: skip
    return {frozenset(topics.telling_of(name)) - own for name in names}


def _add(facts: Facts, chosen: dict[str, Concept], seed: Seed, hits: Sequence[Hit]) -> bool:
    """Add a subject that tells enough, and say whether that is so."""
    is_product = "".join(stems_of(seed.title)) == "".join(stems_of(facts.commit.name))
    if not (hits or seed.passages) or (is_product and not seed.asked):
        return False
    this = composed(facts, seed, central.leading(facts, seed.title, hits))
    is_new = this.key not in chosen and _explains(
        facts, this, chosen.values(), is_named=bool(seed.paths)
    )
    if is_new:
        chosen[this.key] = this
    return is_new


def _explains(facts: Facts, this: Concept, earlier: Iterable[Concept], *, is_named: bool) -> bool:
    """Is there more to tell than names, or are files named so, and is it not on an earlier page,
    such as a type with many methods? What is named after a word alone stands on the pages of
    routes, commands, tables and so on."""
    if not (this.asked or _is_told(facts, this)):
        return False
    if topics.tells_nothing(this.title) and not (this.asked or _is_large(facts, this)):
        return False
    if this.asked:
        return True
    if this.files and all(map(is_aside, this.files)):
        return False
    chapters = (it.chapter for it in this.passages)
    if any(topics.is_named_so(it, this.title) for it in chapters) or any(
        is_on(facts, it, this.title) for it in this.passages
    ):
        return True
    if this.types and all(map(_is_helping, this.types)) and not _offered(this):
        return False
    *others, last = stems_of(this.title) or ("",)
    if others and last in _ENTERED and _kinds(facts)[last,] >= KINDS_MIN:
        return False
    if this.below:
        return True
    steps, own = {*this.steps}, _offered(this)
    if len(steps) < STEPS_MIN and not (is_named and this.types):
        return False
    large = {it for it in this.types if len(methods_of(facts, it.path, it.name)) >= METHODS_MIN}
    return not any(
        (large <= {*other.types} and len(steps & {*other.steps}) > _SAME * len(steps))
        or (0 < len(own) <= OFFERED_FEW and own <= _offered(other))
        for other in earlier
    )


def _is_large(facts: Facts, this: Concept) -> bool:
    """Is a type of its name large or stored, or a command or section about it?"""
    large = (it for it in this.types if _length(facts, it) >= LENGTH_MIN and not _is_helping(it))
    symbols = {it.name.rpartition(".")[2] for it in (*this.types, *this.functions)}
    # A document may have the word, too, and be about something else.
    on_code = [it.title for it in this.passages if symbols & _words(it.names)]
    names = [*on_code, *(it.model for it in this.belongings.tables)]
    names += [*(it.name for it in large), *(" ".join(it.words) for it in this.belongings.commands)]
    if topics.is_the_whole(this.title):
        names = on_code
    bare = (seeds.without_own_name(facts, name.rpartition(".")[2]) for name in names)
    return any(topics.is_named_so(name, this.title) for name in bare)


def _words(names: Iterable[str]) -> Set[str]:
    """The names of code that a document has, with their parts."""
    return {word for name in names for word in re.findall(r"\w+", name)}


def _length(facts: Facts, spot: Spot) -> int:
    """Of the methods of a type with enough of them."""
    own = methods_of(facts, spot.path, spot.name)
    return sum(it.end - it.line for _, it in own) if len(own) >= METHODS_MIN else 0


def _is_helping(spot: Spot) -> bool:
    return not _HELPING.isdisjoint(stems_of(spot.name))


def _is_told(facts: Facts, this: Concept) -> bool:
    """Does anything say what a subject is: a section, a folder or a type of its name, several types
    that are one of its kind, a sentence, or what is offered or stored?"""
    own, stems = this.belongings, stems_of(this.title)
    product = {*stems_of(facts.commit.name)}
    headings = (
        seeds.without_own_name(facts, seeds.titled(heading))
        for it in this.passages for heading in (it.title, it.parent, it.chapter) if heading
    )  # fmt: skip
    folders = (folder_of(path).rpartition("/")[2] for path in this.files)
    files = (path.rpartition("/")[2].partition(".")[0] for path in this.files)
    public = [it.name for it in this.types if not it.name.startswith("_")]
    kinds = [name for name in public if stems_of(name)[-1:] == stems]
    return (
        len(own.beginnings) + len(own.tables) >= OFFERED_MIN
        or len(kinds) >= KINDS_MIN
        or {*stems} in ({*stems_of(name)} - product for name in public)
        or any(topics.is_named_so(name, this.title) for name in public)
        or stems in map(stems_of, (*folders, *files))
        or any(topics.is_named_so(heading, this.title) for heading in headings)
        or defined(facts, this) is not None
    )


def _offered(this: Concept) -> Set[tuple[str, int]]:
    """Where the routes, jobs, commands and tables of a concept are declared."""
    own = this.belongings
    return {(item.path, item.line) for item in (*own.beginnings, *own.tables)}
